"""Which conditions of a Python file let an abstain or a missing verdict go with a pass."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from judge_conformance.following.worlds import World
from judge_conformance.python.contract import called
from judge_conformance.python.dying import dying
from judge_conformance.python.facts import VERDICTS
from judge_conformance.python.names import COMPREHENSIONS, FUNCTIONS
from judge_conformance.python.outcomes import (
    accepts,
    blame,
    cause,
    exits,
    holder,
    is_told,
    is_yes,
    leaves,
    says_pass,
    stops,
)
from judge_conformance.python.source import Source
from judge_conformance.python.values import Alike, Mark, Value, is_unknown, truthy
from judge_conformance.python.worlds import Worlds
from judge_conformance.scan.words import says_verdict
from judge_conformance.workflows.outcomes import is_neutral

_PASS, _FAIL, _ABSTAIN, _MISSING = VERDICTS
_SETTINGS = ("conf", "settings", "options", "opts", "args", "environ", "env", "frontmatter", "meta")
ABSTAIN = "an abstain goes with a pass here, and a fail does not"
MISSING = "a missing verdict goes with a pass here, and a fail does not"
DEFAULT = "a verdict that says nothing counts as a pass here"


def fail_open(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield each place that accepts what no judge passed, and what is said of it."""
    if source.uses_contract:
        yield from dying(source)
        for decision in source.sources():
            worlds = Worlds(source.flow, frozenset({decision}))
            yield from _reached(worlds)
            yield from _given(worlds)
            yield from _unstopped(worlds)
        yield from _stand_ins(source)
    yield from defaults(source)


def _said(world: World) -> str:
    return ABSTAIN if world is _ABSTAIN else MISSING


def _loose(*truths: bool | Mark) -> World | None:
    """Return the world that goes with pass while fail does not; None where one cannot be read."""
    passes, fails, abstains, misses = (
        False if truth is Mark.THROWS else True if truth is Mark.FREE else truth for truth in truths
    )
    if passes is not True or fails is not False:
        return None
    return _ABSTAIN if abstains is True else _MISSING if misses is True else None


def _reached(worlds: Worlds) -> Iterator[tuple[ast.AST, str]]:
    """Yield the conditions of what is done for an abstain as for a pass."""
    for leaf in leaves(worlds.flow):
        loose = _loose(*(worlds.reached(leaf, world) for world in VERDICTS))
        if loose and accepts(worlds.flow, leaf) and not _tells_apart(worlds, leaf):
            yield cause(worlds, leaf, _FAIL, (_PASS, loose)), _said(loose)


def _given(worlds: Worlds) -> Iterator[tuple[ast.AST, str]]:
    """Yield the values that are for an abstain what they are for a pass."""
    codes = set(exits(worlds.flow))
    for node in worlds.flow.names.nodes:
        if not isinstance(node, ast.expr) or not _is_given(worlds, node, node in codes):
            continue
        values = [worlds.value(node, world) for world in VERDICTS]
        if isinstance(node, ast.Name) and isinstance(values[0], Alike | Mark):
            continue  # what was put in is looked at where it was
        loose = _loose_value(values, is_code=node in codes)
        if loose is not None and not _is_harmless(worlds, node):
            yield _blamed(worlds, node), _said(loose)


def _is_given(worlds: Worlds, node: ast.expr, is_code: bool) -> bool:  # noqa: FBT001 - of this node; a case a line
    names = worlds.flow.names
    parent, role = names.parent(node), names.role(node)
    if is_code:
        return True
    if isinstance(node, COMPREHENSIONS):
        return any(part.ifs for part in node.generators) and worlds.depends(node)
    if not isinstance(
        node, ast.Compare | ast.UnaryOp | ast.BoolOp | ast.Call | ast.Name | ast.IfExp
    ):
        return False
    if isinstance(parent, ast.Dict):
        return role == "values"
    if isinstance(parent, ast.Assign):
        return isinstance(parent.targets[0], ast.Subscript | ast.Attribute)
    return isinstance(parent, ast.Return | ast.keyword) or (
        isinstance(parent, ast.Lambda) and not _is_key(names.parent(parent))
    )


def _is_key(node: ast.AST | None) -> bool:
    """Whether a function only says how to sort."""
    return isinstance(node, ast.keyword) and node.arg == "key"


def _loose_value(values: list[Value], *, is_code: bool) -> World | None:
    """Return the world whose value is that of a pass, while a fail has another."""
    passes, fails, abstains, misses = values
    if is_unknown(fails):
        return None
    if is_code:
        return _loose(*(Mark.OPAQUE if is_unknown(one) else not truthy(one) for one in values))
    if isinstance(passes, Alike | bool):
        return _loose(*map(truthy, values))
    if not isinstance(passes, str) or passes == fails or is_neutral(passes):
        return None
    return _ABSTAIN if abstains == passes else _MISSING if misses == passes else None


def _blamed(worlds: Worlds, node: ast.AST) -> ast.AST:
    """Return the condition that a value comes from."""
    if isinstance(node, COMPREHENSIONS):
        tests = [test for part in node.generators for test in part.ifs]
        kept = (t for t in tests if worlds.truth(t, _FAIL) in (False, Mark.THROWS))
        return blame(worlds, next(kept, tests[0]))
    return blame(worlds, node)


def _is_harmless(worlds: Worlds, node: ast.AST) -> bool:
    """Whether a value is only counted, printed or reported, or told apart later."""
    names = worlds.flow.names
    if any(is_told(above) for above in names.above(node)):
        return True
    if is_neutral(holder(worlds.flow, node)):
        return True
    parent = names.parent(node)
    if isinstance(parent, ast.Call) and called(parent)[0] in {"len", "sum", "any", "all", "bool"}:
        return True  # what hangs on the number is looked at where it is used
    if isinstance(parent, ast.If | ast.IfExp | ast.While) and names.role(node) == "test":
        return True
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        variable = names.variable(parent.targets[0])
        uses = variable.reads if variable is not None else []
        return bool(uses) and all(_is_idle(worlds, use) for use in uses)
    return False


def _is_idle(worlds: Worlds, use: ast.AST) -> bool:
    """Whether a use of a list counts or prints it, asks whether it is empty, or tells it apart."""
    names = worlds.flow.names
    parent = names.parent(use)
    if any(is_told(above) for above in names.above(use)):
        return True
    if isinstance(parent, ast.Call) and called(parent)[0] in {"len", "any", "bool"}:
        return True
    if isinstance(parent, ast.If | ast.While | ast.UnaryOp | ast.IfExp | ast.BoolOp):
        return not isinstance(parent, ast.IfExp) or names.role(use) == "test"
    if isinstance(parent, ast.comprehension | ast.For) and names.role(use) == "iter":
        over = names.parent(parent) if isinstance(parent, ast.comprehension) else parent
        text = ast.unparse(over) if over is not None else ""
        return "abstain" in text or "'pass'" in text
    return False


def _tells_apart(worlds: Worlds, leaf: ast.AST) -> bool:
    """Whether what is done hands on whether it was a pass or an abstain."""
    both = ([worlds.value(node, one) for one in (_PASS, _ABSTAIN)] for node in ast.walk(leaf))
    return any(not any(map(is_unknown, values)) and values[0] != values[1] for values in both)


def _unstopped(worlds: Worlds) -> Iterator[tuple[ast.AST, str]]:
    """Yield what stops on a fail alone, where nothing is done about an abstain."""
    flow = worlds.flow
    codes = [one for one in exits(flow) if stops(one)]
    for node in flow.names.nodes:
        if isinstance(node, ast.stmt) and not isinstance(node, FUNCTIONS):
            marks = [worlds.reached(node, one) for one in (_PASS, _ABSTAIN)]
            if marks == [False, True]:
                return
    for code in codes:
        marks = [worlds.reached(code, one) for one in VERDICTS[:3]]
        if marks == [False, True, False]:
            yield cause(worlds, code, _ABSTAIN, (_FAIL,)), ABSTAIN


def _stand_ins(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield literals that say pass, and stand where a judge gave nothing."""
    for node in source.names.nodes:
        parts = (
            node.values[1:] if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) else []
        )
        arms = [node.body, node.orelse] if isinstance(node, ast.IfExp) else []
        for part in (*parts, *(arms if any(map(source.arrives, arms)) else ())):
            if says_pass(part):
                yield part, DEFAULT


def defaults(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield `.get("confirmed", True)` and the like."""
    for node in source.names.nodes:
        if not isinstance(node, ast.Call) or len(node.args) not in {2, 3}:
            continue
        name, owner = called(node)
        key, default = node.args[-2:]
        is_get = name == "get" and owner is not None and len(node.args) == 2  # noqa: PLR2004
        is_getattr = name == "getattr" and owner is None
        if not is_get and not is_getattr:
            continue
        asked = ast.unparse(owner if owner is not None else node.args[0]).lower()
        is_key = isinstance(key, ast.Constant) and isinstance(key.value, str)
        is_open = is_key and says_verdict(str(key.value)) and is_yes(default)  # type: ignore[attr-defined] # a constant
        if is_open and not any(word in asked for word in _SETTINGS):
            yield default, DEFAULT
