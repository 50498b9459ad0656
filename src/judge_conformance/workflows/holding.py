"""What a variable holds, as traces: what is bound, written, put into it or handed to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from judge_conformance.following.traces import laid_below, under
from judge_conformance.workflows.expressions import bare, called_method, is_global, key, member
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Variable
from judge_conformance.workflows.traces import (
    NONE,
    Traces,
    below,
    elements,
    inside,
)

if TYPE_CHECKING:
    from judge_conformance.workflows.flow import Flow

_OVER = frozenset(  # methods that call their function with an element first
    {"every", "filter", "find", "findIndex", "findLast", "flatMap", "forEach", "map", "some"}
)


def held_by(flow: Flow, variable: Variable) -> Traces:
    """Return what a variable may hold."""
    found = NONE
    for identifier in {id(one): one for one in variable.bindings}.values():
        found |= _bound(flow, identifier)
    for use in variable.references:
        found |= _put(flow, use)
    return found


def _bound(flow: Flow, node: Node) -> Traces:
    """Return what a pattern gives the identifier in it."""
    parent, role = flow.scopes.parent(node)
    if parent is None:
        return NONE
    if parent.type in FUNCTIONS:
        if role == "params":
            index = next(i for i, one in enumerate(parent.params) if one is node)
            return parameter(flow, parent, index)
        return under("()", flow.returns(parent)) if role == "id" else NONE
    match parent.type:
        case "VariableDeclarator" if role == "id":
            holder, _ = flow.scopes.parent(parent)
            if parent.init is None and holder is not None:
                loop, place = flow.scopes.parent(holder)
                is_of = loop is not None and loop.type == "ForOfStatement" and place == "left"
                return elements(flow.traces(loop.right)) if loop is not None and is_of else NONE
            return flow.traces(parent.init)
        case "AssignmentPattern" if role == "left":
            return _bound(flow, parent) | flow.traces(parent.right)
        case "Property":
            pattern, _ = flow.scopes.parent(parent)
            return below(_bound(flow, pattern), key(parent)) if pattern else NONE
        case "ArrayPattern":
            index = next(i for i, one in enumerate(parent.elements) if one is node)
            return inside(_bound(flow, parent), "[]", str(index))
        case "RestElement":
            return _bound(flow, parent)
        case "ObjectPattern":
            return _bound(flow, parent)
        case "AssignmentExpression" if role == "left":
            return flow.traces(parent.right)
        case "ForOfStatement" if role == "left":
            return elements(flow.traces(parent.right))
    return NONE


def _put(flow: Flow, use: Node) -> Traces:
    """Return what a use of a variable writes or puts into it."""
    node, steps = use, list[str]()
    parent, role = flow.scopes.parent(node)
    while parent is not None:
        if parent.type == "MemberExpression" and role == "object":
            steps.append(member(parent) or "[]")
        elif parent.type == "CallExpression" and role == "callee" and steps:
            method = steps.pop()
            if method != "get":
                return _handed(flow, parent, method, steps)
            steps.append("[]")
        elif parent.type not in {"ChainExpression", "AssignmentPattern", "LogicalExpression"}:
            break
        node = parent
        parent, role = flow.scopes.parent(node)
    if parent is None or role != "left" or parent.type != "AssignmentExpression":
        return _bound(flow, use) if _is_target(flow, use) else NONE
    return laid_below(steps, flow.traces(parent.right))


def _is_target(flow: Flow, use: Node) -> bool:
    """Whether a use is written by a pattern or a loop."""
    parent, role = flow.scopes.parent(use)
    holder = flow.scopes.parent(parent)[0] if parent is not None else None
    if parent is None or holder is None:
        return False
    if parent.type == "Property":
        return role == "value" and bool(holder.type == "ObjectPattern")
    return parent.type == "ArrayPattern" or (
        role == "left" and parent.type in {"AssignmentPattern", "ForOfStatement"}
    )


def _handed(flow: Flow, call: Node, method: str, steps: list[str]) -> Traces:
    found = NONE
    if method in {"push", "unshift", "add"}:
        for one in call.arguments:
            given = flow.traces(one)
            found |= given if one.type == "SpreadElement" else under("[]", given)
    elif method == "set" and len(call.arguments) > 1:
        found = under("[]", flow.traces(call.arguments[1]))
    return laid_below(steps, found)


def parameter(flow: Flow, function: Node, index: int) -> Traces:
    """Return what the calls of a function hand to one of its parameters."""
    found = NONE
    for call, place in calls_of(flow, function):
        if place == "callee":
            found |= flow.traces(call.arguments[index]) if index < len(call.arguments) else NONE
        else:
            found |= _handed_by(flow, call, function, int(place), index)
    return found


def calls_of(flow: Flow, function: Node) -> Iterator[tuple[Node, str]]:
    """Yield the calls of a function: with `callee`, or as which argument it is handed on."""
    yield from _called(flow, function)
    parent, _ = flow.scopes.parent(function)
    name = function.id if function.type == "FunctionDeclaration" else None
    if parent is not None and parent.type == "VariableDeclarator":
        name = parent.id
    variable = flow.scopes.variable(name) if name is not None else None
    for use in variable.references if variable else ():
        yield from _called(flow, use)


def _called(flow: Flow, node: Node) -> Iterator[tuple[Node, str]]:
    parent, role = flow.scopes.parent(node)
    if parent is None or parent.type not in {"CallExpression", "NewExpression"}:
        return
    if role == "callee":
        yield parent, "callee"
    else:
        yield parent, str(next(i for i, one in enumerate(parent.arguments) if one is node))


def _handed_by(flow: Flow, call: Node, function: Node, place: int, index: int) -> Traces:
    """Return what a call hands to the function that is its argument at `place`."""
    callee = bare(call.callee)
    method = called_method(call)
    if is_global(flow.scopes, callee, "pipeline") and place > 0:
        items = elements(flow.traces(call.arguments[0]))
        before = call.arguments[place - 1]
        given = inside(flow.traces(before), "()") if place > 1 else items
        return given if index == 0 else items if index == 1 else NONE
    if method is None or callee.type != "MemberExpression":
        return NONE
    if method in {"groupBy", "from"}:
        return elements(flow.traces(call.arguments[0])) if index == 0 else NONE
    if place != 0 and method not in {"then", "catch"}:
        return NONE
    own = flow.traces(callee.object)
    if method in {"reduce", "reduceRight"}:
        start = call.arguments[1] if len(call.arguments) > 1 else None
        so_far = flow.traces(start) | flow.returns(function)
        return so_far if index == 0 else elements(own) if index == 1 else NONE
    if method == "then" and index == 0:
        return own
    if method in {"sort", "toSorted"}:
        return elements(own)
    if method in _OVER and index == 0:
        return elements(own)
    return own if method in _OVER and index == 2 else NONE  # noqa: PLR2004 - the list itself
