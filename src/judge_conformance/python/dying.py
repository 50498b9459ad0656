"""What a Python file does when a judge, or the contract itself, raises."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from judge_conformance.python.facts import VERDICTS
from judge_conformance.python.names import own_nodes
from judge_conformance.python.outcomes import exits, is_exit, is_told, says_pass, stops
from judge_conformance.python.running import ran
from judge_conformance.python.source import Source
from judge_conformance.python.values import Value, is_unknown
from judge_conformance.python.worlds import Worlds

_PASS, _FAIL = VERDICTS[:2]
_RAISED = "a judge that raises counts as a pass here, and a fail does not"


def dying(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield what a handler does that accepts, where a judge is asked in the try."""
    for node in source.names.nodes:
        if isinstance(node, ast.Try) and asks(source, node):
            for handler in node.handlers:
                yield from ((place, _RAISED) for place in _accepted(source, node, handler))


def asks(source: Source, node: ast.Try | ast.With) -> bool:
    """Whether a judge is asked, decided or imported in a try."""
    inside = {below for one in node.body for below in ast.walk(one)}
    if any(site in inside for site, _ in source.sources()):
        return True
    if any(trace.site in inside for trace in source.arriving):
        return True
    return any(source.contract.imports(below) for below in inside)


def _accepted(source: Source, node: ast.Try, handler: ast.ExceptHandler) -> Iterator[ast.AST]:
    idle = True
    for below in own_nodes(handler):
        match below:
            case ast.Return(value=ast.expr() as value) if _is_like_pass(source, node, value):
                yield value
            case ast.Assign(targets=[target], value=value) if _is_set(source, node, target, value):
                yield value
            case ast.Call() if below in set(_bare_exits(source)):
                yield below
            case ast.Return() | ast.Assign() | ast.Raise() | ast.Call():
                idle = idle and isinstance(below, ast.Call) and is_told(below)
    if idle and any(isinstance(one, ast.Pass | ast.Expr) for one in handler.body):
        yield from _left(source, node, handler)


def _bare_exits(source: Source) -> Iterator[ast.AST]:
    """Yield the calls that exit with 0, where the file stops with another code elsewhere."""
    codes = list(exits(source.flow))
    if not any(stops(code) or stops(code) is None for code in codes):
        return
    for code in codes:
        if stops(code) is False:
            parent = source.names.parent(code)
            yield code if isinstance(code, ast.Call) else parent if parent is not None else code


def _is_like_pass(source: Source, node: ast.Try, value: ast.expr) -> bool:
    """Whether a handler returns what its function returns on a pass."""
    if says_pass(value):
        return True
    function = source.names.function(node)
    if not isinstance(value, ast.Constant) or function is None:
        return False
    if is_exit(source.flow, value):
        return stops(value) is False and any(
            stops(code) is not False for code in exits(source.flow) if code is not value
        )
    for worlds in source.worlds():
        given = [_tried(worlds, node, world_index) for world_index in (0, 1)]
        if _differs(given, value.value):
            return True
    return False


def _tried(worlds: Worlds, node: ast.Try, index: int) -> Value:
    """Return what the function around a try gives in a world, when nothing raises."""
    function = worlds.flow.names.function(node)
    return ran(worlds, function, VERDICTS[index]) if function is not None else None


def _differs(given: list[Value], value: Value) -> bool:
    """Whether a value is that of a pass, and not that of a fail."""
    if any(is_unknown(one) for one in given):
        return False
    return bool(given[0] == value and given[1] != value and type(given[0]) is type(value))


def _is_set(source: Source, node: ast.Try, target: ast.expr, value: ast.expr) -> bool:
    """Whether a handler sets a name to what the try sets it to on a pass."""
    if says_pass(value):
        return True
    if not isinstance(value, ast.Constant):
        return False
    return any(
        _differs([worlds.value(one, world) for world in (_PASS, _FAIL)], value.value)
        for worlds in source.worlds()
        for one in _set_in(node, target)
    )


def _set_in(node: ast.Try, target: ast.expr) -> Iterator[ast.expr]:
    """Yield what a try sets a name to."""
    text = ast.unparse(target)
    for one in (*node.body, *node.orelse):
        for below in (one, *own_nodes(one)):
            if isinstance(below, ast.Assign) and ast.unparse(below.targets[0]) == text:
                yield below.value


def _left(source: Source, node: ast.Try, handler: ast.ExceptHandler) -> Iterator[ast.AST]:
    """Yield a handler that leaves a name as it was before, which is what a pass makes it."""
    function = source.names.function(node)
    outer = function if function is not None else source.names.tree
    for before in own_nodes(outer):
        if not isinstance(before, ast.Assign) or before.lineno >= node.lineno:
            continue
        target, value = before.targets[0], before.value
        if isinstance(value, ast.Constant) and _is_set(source, node, target, value):
            yield handler
