"""Where a Python file does something, and whether it looks like accepting."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from judge_conformance.following.worlds import World
from judge_conformance.python.contract import called
from judge_conformance.python.flow import Flow
from judge_conformance.python.holding import calls_of
from judge_conformance.python.names import FUNCTIONS
from judge_conformance.python.reaching import conditions
from judge_conformance.python.values import Mark
from judge_conformance.python.worlds import Worlds
from judge_conformance.scan.words import says_verdict
from judge_conformance.workflows.outcomes import is_neutral

_SHORT = 40  # characters of a text that is a label, no prompt
_TELLING = frozenset(
    {"print", "warn", "warning", "info", "debug", "error", "exception", "critical"}
)
_TELLING_OWNERS = re.compile(r"log|stderr|stdout|console|warnings", re.IGNORECASE)
_PASSING = frozenset(
    {
        "pass",
        "passed",
        "passes",
        "approve",
        "approved",
        "accept",
        "accepted",
        "confirmed",
        "allow",
        "ok",
    }
)


def leaves(flow: Flow) -> Iterator[ast.expr]:
    """Yield the expressions by which something is done or given; of an exit, its code."""
    for node in flow.names.nodes:
        match node:
            case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield() as value):
                if not is_told(value):
                    yield value
            case ast.Return(value=ast.expr() as value) if not is_nothing(value) or (
                is_exit(flow, value)
            ):
                if not isinstance(value, ast.IfExp | ast.BoolOp | ast.Compare):
                    yield value
            case ast.Raise(exc=ast.Call() as value) if called(value)[0] == "SystemExit":
                yield value
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                yield value
            case ast.AugAssign():
                yield node.value
            case ast.IfExp() if not _is_told_about(flow, node):
                yield from (arm for arm in (node.body, node.orelse) if not is_nothing(arm))


def is_nothing(node: ast.AST) -> bool:
    """Whether a value stands for nothing: None, False, 0, an empty collection or text."""
    match node:
        case ast.Constant():
            return not node.value
        case ast.List() | ast.Tuple() | ast.Set():
            return not node.elts
        case ast.Dict():
            return not node.keys
    return False


def is_told(node: ast.AST) -> bool:
    """Whether an expression is a call that only prints or logs; an answer as JSON is more."""
    if not isinstance(node, ast.Call):
        return False
    name, owner = called(node)
    if name == "print" and owner is None:
        return not any(_answers(one) for one in node.args)
    if name in _TELLING and owner is not None:
        return True
    return owner is not None and bool(_TELLING_OWNERS.search(ast.unparse(owner)))


def _answers(node: ast.AST) -> bool:
    """Whether what is printed answers a hook's caller: `{"decision": "approve"}`."""
    keys = {
        key.value
        for below in ast.walk(node)
        if isinstance(below, ast.Dict)
        for key in below.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }
    return any(key in {"permissionDecision", "continue"} or says_verdict(key) for key in keys)


def _is_told_about(flow: Flow, node: ast.AST) -> bool:
    return any(is_told(above) for above in flow.names.above(node))


def is_exit(flow: Flow, node: ast.AST) -> bool:
    """Whether a value is an exit code: of sys.exit(), or returned by what is handed to it."""
    parent = flow.names.parent(node)
    if isinstance(parent, ast.Call):
        return called(parent)[0] in {"exit", "_exit", "SystemExit"} and node in parent.args
    if not isinstance(parent, ast.Return):
        return False
    function = flow.names.function(parent)
    calls = calls_of(flow, function) if function is not None else ()
    return any(is_exit(flow, call) for call, role in calls if role == "func")


def exits(flow: Flow) -> Iterator[ast.expr]:
    """Yield what gives an exit code: its expression, or the call of exit without one."""
    for node in flow.names.nodes:
        if isinstance(node, ast.Call) and called(node)[0] in {"exit", "_exit", "SystemExit"}:
            yield node.args[0] if node.args else node
        elif isinstance(node, ast.Return) and node.value is not None and is_exit(flow, node.value):
            yield node.value


def stops(node: ast.AST) -> bool | None:
    """Whether an exit is other than 0; None: no constant."""
    if isinstance(node, ast.Call):
        return stops(node.args[0]) if node.args else False
    return bool(node.value) if isinstance(node, ast.Constant) else None


def accepts(flow: Flow, leaf: ast.expr) -> bool:
    """Whether a place may accept something, as far as its names tell."""
    parent = flow.names.parent(leaf)
    if isinstance(parent, ast.AugAssign):
        return False
    is_call = isinstance(leaf, ast.Call) and called(leaf)[0] in {"exit", "_exit", "SystemExit"}
    if is_call or is_exit(flow, leaf):
        return stops(leaf) is False
    if isinstance(parent, ast.Assign | ast.AnnAssign):
        if is_nothing(leaf) or not _gives(parent):
            return False
        return not any(is_neutral(word) for word in _words(parent))
    if isinstance(leaf, ast.Call) and called(leaf) == ("print", None):
        return not any(is_neutral(word) for one in leaf.args for word in _words(one))
    holders = [holder(flow, leaf)] if isinstance(parent, ast.Return | ast.IfExp) else []
    return not any(is_neutral(word) for word in (*_words(leaf), *holders))


def _gives(node: ast.Assign | ast.AnnAssign) -> bool:
    """Whether an assignment may accept: it sets a mark of its own, or keeps something."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    kept = any(isinstance(one, ast.Subscript | ast.Attribute) for one in targets)
    names = (one.id for one in targets if isinstance(one, ast.Name))
    return kept or isinstance(node.value, ast.Constant) or any(says_verdict(n) for n in names)


def holder(flow: Flow, node: ast.AST) -> str:  # noqa: PLR0911 - a case a line
    """Return the name that a value is given: a variable's, a key's, of a return the function's."""
    below = node
    for above in flow.names.above(node):
        match above:
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr():
                target = above.targets[0] if isinstance(above, ast.Assign) else above.target
                return ast.unparse(target)
            case ast.keyword():
                return above.arg or ""
            case ast.Dict():
                at = above.values.index(below) if below in above.values else -1
                key = above.keys[at] if at >= 0 else None
                return ast.unparse(key) if key is not None else ""
            case ast.Return():
                function = flow.names.function(above)
                return str(getattr(function, "name", ""))
            case ast.stmt():
                return ""
        if isinstance(above, FUNCTIONS):
            return ""
        below = above
    return ""


def says_pass(node: ast.AST | None) -> bool:
    """Whether a literal, or JSON in a text, says that something passed: `{"passed": True}`."""
    match node:
        case ast.Constant(value=str(text)):
            return re.search(
                r'^\s*[{[].*"(\w+)"\s*:\s*(true|"(\w+)")', text, re.DOTALL
            ) is not None and any(
                says_verdict(key) and (value == "true" or value[1:-1].lower() in _PASSING)
                for key, value in re.findall(r'"(\w+)"\s*:\s*(true|"\w+")', text)
            )
        case ast.Dict():
            return any(
                (says_verdict(key.value) and is_yes(value)) or says_pass(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            )
        case ast.List() | ast.Tuple():
            return any(says_pass(one) for one in node.elts if not isinstance(one, ast.Constant))
        case ast.ListComp():
            return says_pass(node.elt)
    return False


def is_yes(node: ast.AST) -> bool:
    """Whether a constant says yes: True, or a word for having passed."""
    if not isinstance(node, ast.Constant):
        return False
    return node.value is True or (isinstance(node.value, str) and node.value.lower() in _PASSING)


def blame(worlds: Worlds, node: ast.AST) -> ast.AST:
    """Return what a condition says at its place: past names and functions to what they are."""
    while True:
        match node:
            case ast.UnaryOp(op=ast.Not()):
                node = node.operand
            case ast.IfExp():
                node = node.test
            case ast.Name() | ast.Call() if (found := _stands_for(worlds, node)) is not None:
                node = found
            case _:
                return node


def _stands_for(worlds: Worlds, node: ast.AST) -> ast.AST | None:
    names = worlds.flow.names
    if isinstance(node, ast.Call):
        function = worlds.flow.function(node.func)
        if isinstance(function, ast.Lambda):
            return function.body
        given = [o for o in ast.walk(function) if isinstance(o, ast.Return)] if function else []
        value = given[0].value if len(given) == 1 else None
        return None if isinstance(value, ast.Constant) else value
    variable = names.variable(node)
    if variable is None or len(variable.bindings) != 1:
        return None
    parent = names.parent(variable.bindings[0])
    value = parent.value if isinstance(parent, ast.Assign | ast.NamedExpr) else None
    plain = isinstance(value, ast.Constant | ast.List | ast.Dict) or worlds.ours(node)
    return None if plain else value


def cause(worlds: Worlds, leaf: ast.AST, out: World, through: tuple[World, ...]) -> ast.AST:
    """Return the condition that keeps one world from a place and lets the others through."""
    for test, lets in conditions(worlds.flow, leaf):
        kept = lets(worlds, out) in (False, Mark.THROWS)
        if kept and all(lets(worlds, one) is not False for one in through):
            return _within(worlds, test)
    return leaf


def _within(worlds: Worlds, test: ast.AST) -> ast.AST:
    return test.iter if isinstance(test, ast.For | ast.AsyncFor) else blame(worlds, test)


def _words(node: ast.AST) -> Iterator[str]:
    for below in ast.walk(node):
        match below:
            case ast.Name():
                yield below.id
            case ast.Attribute():
                yield below.attr
            case ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(value=str(text)) if len(text) < _SHORT:
                yield text
