"""What accepts a verdict accepts a pass alone: no abstain and no missing verdict goes with it.

The conditions on a verdict are worked out for pass, fail, abstain and missing. Where a fail is kept
out and an abstain is not (`outcome !== 'fail'`, `!verdicts.some(failed)`, a `default:` that
accepts), a judge that died lets everything through. What is only counted, printed or reported is
left alone. Read are Workflow scripts with a block, and Python that names the plugin's copy: what
decide() or the command gives, its exit code, handlers that accept when a judge raises, stand-ins
and defaults that say pass (`.get("passed", True)`, also in files that `judges.toml` names).

Accept on `outcome === 'pass'` (Python: `== "pass"`, exit 0) alone, and report abstains with their
reason.

Not seen: a verdict that goes through another file, or into a name that is made while the script
runs; and an answer that never went through the contract (JC-UNCALLED). What cannot be read is left
alone: `judge-contract exercise` runs the script instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from judge_conformance.findings import Finding, Severity
from judge_conformance.python import accepting
from judge_conformance.python.files import places
from judge_conformance.rule import Context, Edit, Example, Rule, Write
from judge_conformance.workflows.expressions import called_method, member
from judge_conformance.workflows.flow import Flow, children
from judge_conformance.workflows.outcomes import (
    accepts,
    blame,
    cause,
    holder,
    is_neutral,
    is_told,
    leaves,
)
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.scopes import FUNCTIONS, Node
from judge_conformance.workflows.shadowing import Host
from judge_conformance.workflows.worlds import VERDICTS, Mark, World, Worlds

_WORKFLOW = "plugins/acme/workflows/review.js"
_SCRIPT = "plugins/acme/scripts/gate.py"
_PASS, _FAIL, _ABSTAIN, _MISSING = VERDICTS
_PASSES = re.compile(r"^(n|num|count)?_?(pass|confirm|approv|accept|yes)", re.IGNORECASE)
_HOLDS = (True, Mark.FREE)
_HOLDS_NOT = (False, Mark.THROWS)
_ORDERS = frozenset({">", ">=", "<", "<="})


def check(context: Context) -> Iterator[Finding]:
    """Report the conditions of scripts that let an abstain or a missing verdict go with a pass."""
    yield from _in_workflows(context)
    for (path, line, column, end_line, end_column), message in places(context, accepting.fail_open):
        yield RULE.finding(
            path,
            message,
            line=line,
            column=column,
            end=(end_line, end_column),
            hint='accept on `outcome == "pass"` alone, and report the abstains',
        )


def _in_workflows(context: Context) -> Iterator[Finding]:
    for script in context.survey.carriers:
        found: dict[tuple[int, int], str] = {}
        for node, world in fail_open(script):
            found.setdefault((node.range[0], node.range[1]), world.name)
        for (start, end), name in sorted(found.items()):
            line, column = script.position(start)
            yield RULE.finding(
                script.path,
                f"{'an abstain' if name == 'abstain' else 'a missing verdict'} goes with a pass"
                " here, and a fail does not",
                line=line,
                column=column,
                end=script.position(end),
                hint="accept on `outcome === 'pass'` alone, and report the abstains",
            )


def fail_open(script: Script) -> Iterator[tuple[Node, World]]:
    """Yield each condition that is fail-open, and the world that it lets through."""
    flow = Flow(Host(script))
    for decision in flow.decisions():
        worlds = Worlds(flow, frozenset({id(decision)}))
        for leaf in leaves(flow):
            loose = _loose(partial(worlds.reached, leaf))
            if loose and accepts(leaf) and not _tells_apart(worlds, leaf):
                yield cause(worlds, leaf, _FAIL, (_PASS, loose)), loose
        for node, predicate in _values(flow):
            loose = _loose(partial(_truth, worlds, node, predicate))
            if loose and not _is_harmless(worlds, node):
                yield _counted(worlds, node) or blame(worlds, predicate or node), loose


def _loose(truth: Callable[[World], bool | Mark]) -> World | None:
    """Return the world that goes with pass while fail does not; None where one cannot be read."""
    if truth(_PASS) not in _HOLDS or truth(_FAIL) not in _HOLDS_NOT:
        return None
    return next((world for world in (_ABSTAIN, _MISSING) if truth(world) in _HOLDS), None)


def _values(flow: Flow) -> Iterator[tuple[Node, Node | None]]:
    """Yield filters with their predicates, and conditions that are given as values."""
    for node in flow.host.outside():
        if node.type == "CallExpression" and called_method(node) == "filter" and node.arguments:
            predicate = node.arguments[0]
            function = predicate if predicate.type in FUNCTIONS else None
            if function is None or function.body.type != "BlockStatement":
                yield node, predicate
        elif node.type == "Property" and _is_condition(node.value):
            yield node.value, None
        elif node.type == "ReturnStatement" and node.argument and _is_condition(node.argument):
            yield from () if _is_nested(flow, node) else ((node.argument, None),)


def _is_nested(flow: Flow, node: Node) -> bool:
    return any(above.type in FUNCTIONS for above in flow.scopes.above(node))


def _is_condition(node: Node) -> bool:
    return node.type in {
        "BinaryExpression",
        "UnaryExpression",
        "LogicalExpression",
        "CallExpression",
        "Identifier",
    }


def _truth(worlds: Worlds, node: Node, predicate: Node | None, world: World) -> bool | Mark:
    if predicate is None:
        value = worlds.value(node, world)
        return value if isinstance(value, bool | Mark) and value not in _OBJECTS else Mark.OPAQUE
    listed = worlds.flow.traces(node.callee.object if hasattr(node.callee, "object") else None)
    if not listed and not worlds.depends(predicate):
        return Mark.OPAQUE
    if world is _MISSING and worlds.accepts(predicate, _PASS) is worlds.accepts(predicate, _FAIL):
        return Mark.OPAQUE
    return worlds.accepts(predicate, world)


_OBJECTS = frozenset({Mark.OBJECT, Mark.EMPTY, Mark.FULL, Mark.MANY, Mark.UNDEFINED})


def _is_harmless(worlds: Worlds, node: Node) -> bool:
    """Whether a value is only counted, printed, reported, or told apart later."""
    flow = worlds.flow
    parent, role = flow.scopes.parent(node)
    if is_told(flow, node) or is_neutral(holder(flow, node)):
        return True
    if parent is None or parent.type in {"IfStatement", "ConditionalExpression"}:
        return parent is not None and role == "test"
    if parent.type == "MemberExpression":
        return member(parent) == "length" and not _is_vote(flow, parent)
    if parent.type != "VariableDeclarator":
        return False
    variable = flow.scopes.variable(parent.id) if parent.id.type == "Identifier" else None
    uses = variable.references if variable else []
    return bool(uses) and all(_is_idle(worlds, use) for use in uses)


def _counted(worlds: Worlds, node: Node) -> Node | None:
    """Return what is wrong with a count that is compared, where the fault lies there."""
    if node.type != "BinaryExpression":
        return None
    for side in (node.left, node.right):
        variable = worlds.flow.scopes.variable(side) if side.type == "Identifier" else None
        parent = worlds.flow.scopes.parent(variable.bindings[0])[0] if variable else None
        count = parent.init if parent is not None and parent.type == "VariableDeclarator" else None
        call = getattr(count, "object", None)
        if call is None or call.type != "CallExpression" or called_method(call) != "filter":
            continue
        if _loose(partial(_truth, worlds, call, call.arguments[0])):
            return blame(worlds, call.arguments[0])
    return None


def _is_vote(flow: Flow, count: Node) -> bool:
    """Whether a number goes by the name of the passes, and is compared with another."""
    parent, role = flow.scopes.parent(count)
    if parent is None or parent.type != "VariableDeclarator" or role != "init":
        return False
    variable = flow.scopes.variable(parent.id) if parent.id.type == "Identifier" else None
    if variable is None or not _PASSES.search(variable.name):
        return False
    return any(
        above.type == "BinaryExpression" and above.operator in _ORDERS
        for use in variable.references
        for above in flow.scopes.above(use)
    )


def _is_idle(worlds: Worlds, use: Node) -> bool:
    """Whether a use of a list counts or prints it, or tells passes and abstains apart."""
    flow = worlds.flow
    parent, role = flow.scopes.parent(use)
    if is_told(flow, use):
        return True
    if parent is not None and parent.type == "MemberExpression" and role == "object":
        if member(parent) == "length":
            return True
        call = flow.scopes.parent(parent)[0]
        if call is not None and call.type == "CallExpression" and call.arguments:
            apart = {repr(worlds.accepts(call.arguments[0], one)) for one in (_PASS, _ABSTAIN)}
            return apart == {"True", "False"} or "abstain" in _text(flow, call)
    if parent is not None and parent.type == "ForOfStatement" and role == "right":
        return "abstain" in _text(flow, parent) or "'pass'" in _text(flow, parent)
    return parent is not None and parent.type == "CallExpression" and role == "callee"


def _text(flow: Flow, node: Node) -> str:
    return flow.host.script.text[node.range[0] : node.range[1]].replace('"', "'")


def _tells_apart(worlds: Worlds, leaf: Node) -> bool:
    """Whether what is done hands on whether it was a pass or an abstain."""
    pending = [leaf]
    flow = worlds.flow
    while pending:
        node = pending.pop()
        kinds = {one.kind for one in flow.traces(node)} if node.type != "CallExpression" else set()
        if kinds & {"outcome", "abstain", "reason"}:
            return True
        if node.type in {"Identifier", "BinaryExpression", "CallExpression"}:
            values = [worlds.value(node, world) for world in (_PASS, _ABSTAIN)]
            if (
                all(one not in {Mark.OPAQUE, Mark.FREE} for one in values)
                and values[0] != values[1]
            ):
                return True
        if node.type not in FUNCTIONS:
            pending.extend(children(node))
    return False


RULE = Rule(
    code="JC-FAIL-OPEN",
    title="an abstain or a missing verdict is accepted",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="a pass alone is accepted", changes={}),
        Example(
            title="whatever is no fail is accepted",
            changes={_WORKFLOW: Edit(old="v.outcome === 'pass'", new="v.outcome !== 'fail'")},
            at=f"{_WORKFLOW}:v.outcome !== 'fail'",
        ),
        Example(
            title="a loop that turns only fails away",
            changes={
                _WORKFLOW: Edit(
                    old="return { passed: verdicts.filter((v) => v.outcome === 'pass'),",
                    new="const passed = [];\nfor (const v of verdicts) {\n"
                    "  if (v.outcome === 'fail') continue;\n  passed.push(v.item);\n}\n"
                    "return { passed,",
                )
            },
            at=f"{_WORKFLOW}:  if (v.outcome === 'fail') continue;",
        ),
        Example(
            title="in Python, a handler that accepts",
            changes={
                _SCRIPT: Write(
                    text="import sys\n"
                    "\n"
                    "from judge_contract import decide\n"
                    "\n"
                    "try:\n"
                    "    passed = decide(ask(sys.argv[1]), RUBRIC)['outcome'] == 'pass'\n"
                    "except Exception:\n"
                    "    passed = True\n"
                    "sys.exit(0 if passed else 1)\n"
                )
            },
            at=f"{_SCRIPT}:    passed = True",
        ),
    ),
)
