"""What a name holds in a world, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.workflows.expressions import is_global, member
from judge_conformance.workflows.holding import calls_of
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Variable
from judge_conformance.workflows.values import Mark, Value

if TYPE_CHECKING:
    from judge_conformance.workflows.worlds import Worlds

_GROWING = frozenset({"push", "unshift", "add", "set", "splice", "delete", "pop"})

_TARGETS = frozenset({"ArrayPattern", "ObjectPattern", "AssignmentPattern", "RestElement"})


def held(worlds: Worlds, node: Node, world: World) -> Value:
    """Return what a variable holds: of one that is never written, what it is made of."""
    if is_global(worlds.flow.scopes, node, "undefined"):
        return Mark.UNDEFINED
    variable = worlds.flow.scopes.variable(node)
    if variable is None:
        return Mark.FREE
    if id(variable) in worlds.given:
        return worlds.given[id(variable)]
    parent, role = worlds.flow.scopes.parent(variable.bindings[0])
    if parent is None or parent.type != "VariableDeclarator" or role != "id":
        return worlds.unread(node)
    writes = list(_writes(worlds, variable))
    start = worlds.value(parent.init, world) if parent.init is not None else Mark.UNDEFINED
    if not writes:
        pushed = any(_grows(worlds, use) for use in variable.references)
        return worlds.unread(node) if pushed else start
    return _flag(worlds, node, start, writes, world)


def _writes(worlds: Worlds, variable: Variable) -> Iterator[Node]:
    for use in variable.references:
        parent, role = worlds.flow.scopes.parent(use)
        if parent is not None and role in {"left", "argument"}:
            is_update = parent.type == "UpdateExpression"
            if is_update or parent.type == "AssignmentExpression":
                yield parent


def _grows(worlds: Worlds, use: Node) -> bool:
    parent, role = worlds.flow.scopes.parent(use)
    if parent is None or parent.type != "MemberExpression" or role != "object":
        return False
    return member(parent) in _GROWING


def _flag(worlds: Worlds, node: Node, start: Value, writes: list[Node], world: World) -> Value:
    """Return what a flag ends as, that begins with one constant and is set to another."""
    value = start
    for write in writes:
        if write.type != "AssignmentExpression" or write.operator != "=":
            return worlds.unread(node)
        reached = worlds.reached(write, world)
        if reached is Mark.THROWS:
            return reached
        if reached is True:
            value = worlds.value(write.right, world)
        elif reached is not False:
            return worlds.unread(node)
    return value


def sources(worlds: Worlds, variable: Variable) -> Iterator[Node]:
    """Yield what a variable is made of, and the conditions on which it is written."""
    for node in variable.bindings:
        yield from _binding(worlds, node)
    for use in variable.references:
        put = _put(worlds, use)
        if put is not None:
            yield from put
            yield from _asked_above(worlds, use)


def _binding(worlds: Worlds, node: Node) -> Iterator[Node]:
    """Yield what a declaration, a parameter or a loop gives a name."""
    for above in worlds.flow.scopes.above(node):
        if above.type in FUNCTIONS:
            if above.type == "FunctionDeclaration" and above.id is node:
                yield above.body
            else:
                yield from (call for call, _ in calls_of(worlds.flow, above))
            return
        if above.type == "VariableDeclarator" and above.init is not None:
            yield above.init
            return
        if above.type in {"ForOfStatement", "ForInStatement"}:
            yield above.right
            return
        if above.type.endswith("Statement"):
            return


def _put(worlds: Worlds, use: Node) -> list[Node] | None:
    """Return what a use writes or puts into a variable; None for one that only reads it."""
    scopes = worlds.flow.scopes
    node = use
    parent, role = scopes.parent(node)
    while parent is not None and (
        parent.type in _TARGETS or (parent.type == "MemberExpression" and role == "object")
    ):
        if parent.type == "MemberExpression" and member(parent) in _GROWING:
            call = scopes.parent(parent)[0]
            is_call = call is not None and call.type == "CallExpression"
            return list(call.arguments) if call is not None and is_call else None
        node = parent
        parent, role = scopes.parent(node)
    if parent is None:
        return None
    if parent.type == "UpdateExpression":
        return []
    if parent.type == "AssignmentExpression" and role == "left":
        return [parent.right]
    if parent.type in {"ForOfStatement", "ForInStatement"} and role == "left":
        return [parent.right]
    handed = parent.type == "CallExpression" and role == "arguments" and node is use
    return _given(worlds, parent, use) if handed else None


def _given(worlds: Worlds, call: Node, use: Node) -> list[Node] | None:
    """Return what a function of the script puts into a list that it is handed."""
    function = worlds.flow.function(call.callee)
    index = next((i for i, one in enumerate(call.arguments) if one is use), 0)
    if function is None or index >= len(function.params):
        return None
    variable = worlds.flow.scopes.variable(function.params[index])
    if variable is None or id(variable) in worlds.handing:
        return None
    worlds.handing.add(id(variable))
    puts = [_put(worlds, one) for one in variable.references]
    worlds.handing.discard(id(variable))
    found = [node for put in puts if put is not None for node in put]
    return found if any(put is not None for put in puts) else None


def _asked_above(worlds: Worlds, node: Node) -> Iterator[Node]:
    """Yield the conditions and lists around a place, within its function."""
    for above in worlds.flow.scopes.above(node):
        if above.type in FUNCTIONS:
            return
        if above.type == "IfStatement":
            yield above.test
        elif above.type in {"ForOfStatement", "ForInStatement"}:
            yield above.right
