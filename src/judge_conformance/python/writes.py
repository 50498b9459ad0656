"""What a name holds in a world, by what is written and put into it, and what that hangs on."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.python.contract import called
from judge_conformance.python.holding import calls_of
from judge_conformance.python.members import member
from judge_conformance.python.names import FUNCTIONS, Variable, own_nodes
from judge_conformance.python.values import Alike, Mark, Value, equal, is_unknown

if TYPE_CHECKING:
    from judge_conformance.python.worlds import Worlds

_MOST_WRITTEN = 3  # variables whose writes read one another

_GROWING = frozenset({"append", "add", "insert", "extend", "update", "appendleft", "setdefault"})


def held(worlds: Worlds, node: ast.AST, world: World) -> Value:
    """Return what a name or an attribute holds: by its writes, the last one that happens."""
    variable = worlds.flow.names.variable(node)
    if variable is None:
        return member(worlds, node, world) if isinstance(node, ast.Attribute) else Mark.FREE
    if variable in worlds.starts:
        return worlds.starts[variable]
    if len(worlds.starts) > _MOST_WRITTEN:
        return Mark.OPAQUE
    if any(isinstance(one, ast.arg) for one in variable.bindings):
        return _argument(worlds, node, variable, world)
    writes = [worlds.flow.names.parent(one) for one in variable.bindings]
    if not writes or not all(_is_write(one) for one in writes):
        return worlds.unread(node)
    return _written(worlds, node, variable, writes, world)


def _argument(worlds: Worlds, node: ast.AST, variable: Variable, world: World) -> Value:
    """Return what the only call of a function hands to it."""
    arg = variable.bindings[0]
    function = worlds.flow.names.function(arg)
    calls = list(calls_of(worlds.flow, function)) if function is not None else []
    listed = [o for o in worlds.ours(node) if o.path == ("[]",) and o.kind in world.facts]
    if listed:
        return Alike(world.facts[listed[0].kind])
    if len(variable.bindings) == 1 and len(calls) == 1 and calls[0][1] == "func":
        names = [one.arg for one in function.args.args]  # type: ignore[union-attr] # a function
        given = dict(zip(names, calls[0][0].args, strict=False))
        given |= {k.arg: k.value for k in calls[0][0].keywords if k.arg}
        if isinstance(arg, ast.arg) and arg.arg in given:
            return worlds.value(given[arg.arg], world)
    return worlds.unread(node)


def _written(
    worlds: Worlds, node: ast.AST, variable: Variable, writes: list[ast.AST | None], world: World
) -> Value:
    found: Value = Mark.FREE
    unsure = False
    before = dict(worlds.starts)
    for write in writes:
        reached = worlds.reached(write, world) if len(writes) > 1 and write else True
        if reached is Mark.THROWS:
            return reached
        if reached is False:
            continue
        if isinstance(write, ast.AugAssign):
            worlds.starts[variable] = found
            new = _grown(worlds, write, found, world)
        else:
            worlds.starts[variable] = found
            new = worlds.value(write.value, world)  # type: ignore[union-attr] # _is_write
        worlds.starts = dict(before)
        if reached is Mark.OPAQUE:
            return worlds.unread(node)
        caught = found is Mark.THROWS
        unsure = unsure or (reached is Mark.FREE and not caught and not equal(new, found))
        found = new
    if unsure and not is_unknown(found):
        return Mark.FREE
    return _filled(worlds, node, variable, found, world)


def _grown(worlds: Worlds, write: ast.AugAssign, start: Value, world: World) -> Value:
    value = worlds.value(write.value, world)
    if isinstance(write.op, ast.BitAnd | ast.BitOr) and isinstance(value, bool):
        both = (start, value)
        return all(both) if isinstance(write.op, ast.BitAnd) else any(both)
    if isinstance(write.op, ast.Add) and (value is Mark.MANY or value == 1):
        return Mark.MANY
    if isinstance(write.op, ast.Add) and value == 0 and not isinstance(value, Alike):
        return start
    return worlds.unread(write.value)


def _filled(worlds: Worlds, node: ast.AST, variable: Variable, start: Value, world: World) -> Value:
    """Return what a collection holds after what was put into it."""
    puts: list[ast.Call | ast.Assign | ast.AugAssign]
    puts = [call for use in variable.reads if (call := _grows(worlds, use)) is not None]
    puts += [
        stored
        for use in variable.reads
        if isinstance(stored := _stores(worlds, use), ast.Assign | ast.AugAssign)
    ]
    if not puts or is_unknown(start):
        return start
    reached = [worlds.reached(one, world) for one in puts]
    if any(one is Mark.OPAQUE for one in reached):
        return Mark.OPAQUE
    if any(one is True for one in reached):
        put = next(one for one, is_in in zip(puts, reached, strict=True) if is_in is True)
        given = put.args[-1] if isinstance(put, ast.Call) and put.args else None
        value = worlds.value(given, world) if given is not None else Mark.OBJECT
        grows = isinstance(put, ast.Call) and called(put)[0] in {"extend", "update"}
        held = value.value if isinstance(value, Alike) and grows else value
        return Alike(held) if start is Mark.EMPTY else worlds.unread(node)
    if any(one is Mark.FREE for one in reached):
        return worlds.unread(node)
    return start


def _is_write(node: ast.AST | None) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
        return node.value is not None
    return isinstance(node, ast.AugAssign)


def made_of(worlds: Worlds, variable: Variable) -> list[ast.AST]:
    """Return what a variable is made of, and the conditions on which it is written."""
    names, found = worlds.flow.names, list[ast.AST]()
    for node in [*variable.bindings, *variable.reads]:
        written = node in variable.bindings
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found += [o for o in own_nodes(node) if isinstance(o, ast.Return)]
            continue
        if isinstance(node, ast.arg):
            function = names.function(node)
            calls = calls_of(worlds.flow, function) if function is not None else ()
            found += [call for call, _ in calls]
            continue
        maker = _maker(worlds, node) if written else _grows(worlds, node) or _stores(worlds, node)
        if maker is None:
            continue
        if isinstance(maker, ast.Call):
            found += maker.args
        else:
            made = getattr(maker, "value", None) or getattr(maker, "iter", None)
            found += [made or getattr(maker, "context_expr", None) or maker]
        if isinstance(maker, ast.comprehension):
            continue
        for above in names.above(maker):
            if isinstance(above, FUNCTIONS):
                break
            if isinstance(above, ast.If | ast.While):
                found.append(above.test)
            elif isinstance(above, ast.For | ast.AsyncFor):
                found.append(above.iter)
    return found


def _maker(worlds: Worlds, node: ast.AST) -> ast.AST | None:
    """Return what gives a target its value: an assignment, a loop, a `with`."""
    parent = worlds.flow.names.parent(node)
    while isinstance(parent, ast.Tuple | ast.List | ast.Starred):
        parent = worlds.flow.names.parent(parent)
    makers = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr | ast.withitem
    is_maker = isinstance(parent, makers | ast.For | ast.AsyncFor | ast.comprehension)
    return parent if is_maker else None


def _grows(worlds: Worlds, use: ast.AST) -> ast.Call | None:
    """Return the call by which a use of a collection puts something in."""
    names = worlds.flow.names
    parent = names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.Attribute) else None
    is_call = isinstance(call, ast.Call) and call.func is parent
    return call if is_call and parent.attr in _GROWING else None  # type: ignore[union-attr,return-value] # a call


def _stores(worlds: Worlds, use: ast.AST) -> ast.AST | None:
    parent = worlds.flow.names.parent(use)
    is_stored = isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)
    return worlds.flow.names.parent(parent) if is_stored and parent is not None else None
