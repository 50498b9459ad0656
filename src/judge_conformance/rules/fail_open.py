"""What accepts a verdict accepts a pass alone: no abstain and no missing verdict goes with it.

The conditions on a verdict are worked out for pass, fail, abstain and missing. Where a fail is kept
out and an abstain is not (`outcome !== 'fail'`, `!verdicts.some(failed)`, a `default:` that
accepts), a judge that died lets everything through. So do a field that no verdict has
(`!v.refuted`), an outcome that there is none of (`'failed'`), and a report that passes in the place
of none. What is only counted, printed or reported is left alone. Read are Workflow scripts with a
block, and Python that names the plugin's copy: what decide() or the command gives, its exit code,
handlers that accept when a judge raises, stand-ins and defaults that say pass (`.get("passed",
True)`, also in files that `judges.toml` names).

Accept on `outcome === 'pass'` (Python: `== "pass"`, exit 0) alone, and report abstains with their
reason.

Not seen: a verdict that goes through another file, or into a name that is made while the script
runs; and an answer that never went through the contract (JC-UNCALLED). What cannot be read is left
alone: `judge-contract exercise` runs the script instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from judge_conformance.findings import Finding, Severity
from judge_conformance.following.worlds import World
from judge_conformance.python import accepting, files
from judge_conformance.rule import Context, Edit, Example, Range, Rule, Write
from judge_conformance.workflows.expressions import member
from judge_conformance.workflows.facts import VERDICTS
from judge_conformance.workflows.flow import Flow
from judge_conformance.workflows.methods import kept
from judge_conformance.workflows.misread import misread
from judge_conformance.workflows.nodes import nodes_below
from judge_conformance.workflows.outcomes import (
    accepts,
    blame,
    cause,
    holder,
    initial,
    is_neutral,
    is_told,
    leaves,
)
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.places import findings
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.shadowing import Host
from judge_conformance.workflows.traces import kinds
from judge_conformance.workflows.values import Mark, Value, differ
from judge_conformance.workflows.worlds import Worlds

_WORKFLOW = "plugins/acme/workflows/review.js"
_SCRIPT = "plugins/acme/scripts/gate.py"
_ALONE = "alone, and report the abstains"
_PASS, _FAIL, _ABSTAIN, _MISSING = VERDICTS
_PASSES = re.compile(r"^(n|num|count)?_?(pass|confirm|approv|accept|yes)", re.IGNORECASE)
_HOLDS = (True, Mark.FREE)
_TELLING = frozenset({"outcome", "abstain", "reason"})


def check(context: Context) -> Iterator[Finding]:
    """Report the conditions of scripts that let an abstain or a missing verdict go with a pass."""
    yield from findings(context, RULE, fail_open, f"accept on `outcome === 'pass'` {_ALONE}")
    hint = f'accept on `outcome == "pass"` {_ALONE}'
    yield from files.findings(context, RULE, accepting.fail_open, hint)


def fail_open(script: Script) -> Iterator[tuple[Range, str]]:
    """Yield each condition that is fail-open, and what it lets through."""
    flow = Flow(Host(script))
    for decision in flow.decisions():
        worlds = Worlds(flow, frozenset({id(decision)}))
        kept = list(_kept(worlds))
        given = _given(worlds, [call for call, _ in kept])
        lists = ((blame(worlds, call.arguments[0]), loose) for call, loose in kept)
        for node, loose in (*_done(worlds), *lists, *given):
            what = "an abstain" if loose is _ABSTAIN else "a missing verdict"
            message = f"{what} goes with a pass here, and a fail does not"
            yield (node.range[0], node.range[1]), message
    for node, message in misread(flow):
        yield (node.range[0], node.range[1]), message


def _loose(truth: Callable[[World], Value]) -> World | None:
    """Return the world that goes with pass while fail does not; None where one cannot be read."""
    if truth(_PASS) not in _HOLDS or truth(_FAIL) is not False:
        return None
    return next((world for world in (_ABSTAIN, _MISSING) if truth(world) in _HOLDS), None)


def _done(worlds: Worlds) -> Iterator[tuple[Node, World]]:
    """Yield the conditions of what is done for an abstain as for a pass."""
    for leaf in leaves(worlds.flow):
        loose = _loose(partial(worlds.reached, leaf))
        if loose and accepts(leaf) and not _tells_apart(worlds, leaf):
            yield cause(worlds, leaf, _FAIL), loose


def _kept(worlds: Worlds) -> Iterator[tuple[Node, World]]:
    """Yield filters that keep what is no fail, and the world that they keep."""
    for call in worlds.flow.methods("filter"):
        loose = _loose(partial(kept, worlds, call))
        if loose and not _is_harmless(worlds, call):
            yield call, loose


def _given(worlds: Worlds, kept: Sequence[Node]) -> Iterator[tuple[Node, World]]:
    """Yield what a property holds, or the script returns, where it says pass of its own."""
    flow = worlds.flow
    for node in flow.host.outside():
        value = node.value if node.type == "Property" else None
        if node.type == "ReturnStatement" and not flow.scopes.function(node):
            value = node.argument
        if value is None or is_told(flow, value) or is_neutral(holder(flow, value)):
            continue
        loose = _loose(partial(worlds.value, value))
        if loose and not any(call in kept for call in _made_of(flow, value)):
            yield blame(worlds, value), loose


def _made_of(flow: Flow, value: Node) -> Iterator[Node]:
    """Yield all that the names of an expression are initialised with."""
    for node in nodes_below(value):
        init = initial(flow, node)
        yield from nodes_below(init) if init is not None else ()


def _is_harmless(worlds: Worlds, kept: Node) -> bool:
    """Whether what a filter keeps is only counted, printed or reported, or told apart later."""
    flow = worlds.flow
    name = holder(flow, kept)
    if is_told(flow, kept) or is_neutral(name):
        return True
    parent = flow.scopes.holder(kept)
    if parent.type == "MemberExpression":
        return member(parent) == "length" and not _PASSES.search(name)
    variable = flow.scopes.variable(parent.id)
    uses = variable.references if variable is not None else []
    return bool(uses) and all(_is_idle(worlds, use) for use in uses)


def _is_idle(worlds: Worlds, use: Node) -> bool:
    """Whether a use of a list counts or prints it, or tells passes and abstains apart."""
    around = worlds.flow.scopes.holder(use)
    if around.type == "MemberExpression":
        if member(around) == "length":
            return True
        around = worlds.flow.scopes.holder(around)
    return is_told(worlds.flow, use) or _tells_apart(worlds, around)


def _tells_apart(worlds: Worlds, node: Node) -> bool:
    """Whether it is handed on here whether it was a pass or an abstain."""
    return any(
        not _TELLING.isdisjoint(kinds(worlds.flow.traces(below)))
        or differ(*(worlds.value(below, world) for world in (_PASS, _ABSTAIN)))
        for below in nodes_below(node)
    )


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
