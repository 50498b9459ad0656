"""Which functions of the script a call calls, where they stand in plain sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judge_conformance.workflows.expressions import key, origin
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes

_CLASSES = frozenset({"ClassDeclaration", "ClassExpression"})


def callees(scopes: Scopes, call: Node) -> Iterator[Node]:
    """Yield the functions that a call may call; none where they cannot be told."""
    start, path = origin(scopes, call.callee)
    variable = scopes.variable(start) if start.type == "Identifier" else None
    if variable is None:
        yield from _of(start, path)
        return
    for binding in variable.bindings:
        parent, role = scopes.parent(binding)
        if parent is not None and role == "id":
            yield from _of(parent, path)
        for reference in variable.references:
            parent, role = scopes.parent(reference)
            if parent is not None and parent.type == "AssignmentExpression" and role == "left":
                yield from _of(parent.right, path)


def taken_as(function: Node, place: int) -> Iterator[Node]:
    """Yield the parameters that take an argument; place -1: it may be any (a spread)."""
    for number, parameter in enumerate(function.params):
        if place in {-1, number} or (parameter.type == "RestElement" and number < place):
            yield parameter


def _of(node: Node, path: Sequence[str | None]) -> Iterator[Node]:
    """Yield the functions that an expression's members are."""
    if node.type == "VariableDeclarator" and node.init is not None:
        yield from _of(node.init, path)
    elif node.type in FUNCTIONS:
        yield node
    elif node.type in _CLASSES:
        for part in node.body.body:
            if part.type == "MethodDefinition" and (not path or key(part) == path[-1]):
                yield part.value
    elif node.type == "ObjectExpression" and path:
        for part in node.properties:
            if part.type == "Property" and key(part) == path[0]:
                yield from _of(part.value, path[1:])
