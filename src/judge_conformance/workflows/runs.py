"""Where the body of a function runs: its value followed to the calls, as far as in plain sight.

A function that is handed to a call, thrown, or put where it cannot be followed counts as run there:
what got it may call it at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.workflows.expressions import called_method, root
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes, bound_in

_CLASSES = frozenset({"ClassDeclaration", "ClassExpression"})
_HANDED_ON_BY = frozenset(
    {"ArrayExpression", "ChainExpression", "ConditionalExpression", "LogicalExpression"}
    | {"ObjectExpression", "ParenthesizedExpression", "SequenceExpression"}
)
_RUN_BY = frozenset(  # what calls methods of the value that nobody names: `then`, an iterator
    {"AwaitExpression", "ForOfStatement", "SpreadElement", "ThrowStatement", "YieldExpression"}
)
_RETURNED_BY = frozenset({"ArrowFunctionExpression", "ReturnStatement", "YieldExpression"})


def deferring(scopes: Scopes, node: Node) -> Node | None:
    """Return the nearest function or field around a node, which says when it runs."""
    below = node
    for parent in scopes.above(node):
        if parent.type in FUNCTIONS:
            return parent
        if parent.type == "PropertyDefinition" and not parent.static and below is parent.value:
            return parent
        below = parent
    return None


def runs_of(scopes: Scopes, function: Node) -> list[Node]:
    """Return the nodes that run a function, or an instance's field; some may never."""
    return list(_runs_of(scopes, function, frozenset()))


def _runs_of(scopes: Scopes, function: Node, within: frozenset[int]) -> Iterator[Node]:
    """Yield what runs a function; `within` are those whose runs are being sought."""
    if id(function) in within:
        return
    within |= {id(function)}
    holder, _ = scopes.parent(function)
    kind = getattr(holder, "kind", None)  # of a property or a member of a class
    is_member = holder is not None and holder.type == "MethodDefinition" and kind != "constructor"
    seen: set[int] = set()
    pending = [function]
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        pending.extend(_names(scopes, value))
        parent, role = scopes.parent(value)
        if parent is None:
            continue
        only_made = is_member and parent.type == "NewExpression" and role == "callee"
        if (_runs(parent, role) and not only_made) or (
            kind in {"get", "set"} and _looks_into(parent, role)
        ):
            yield parent
        if parent.type in _RETURNED_BY and (giver := deferring(scopes, value)) is not None:
            pending.extend(_runs_of(scopes, giver, within))
        for target in _next(scopes, parent, role):
            if target is None:
                yield parent
            else:
                pending.append(target)


def _names(scopes: Scopes, value: Node) -> Iterator[Node]:
    """Yield the references to what a function or class calls itself."""
    if (value.type in FUNCTIONS or value.type in _CLASSES) and value.id is not None:
        variable = scopes.variable(value.id)
        yield from variable.references if variable else ()


def _runs(parent: Node, role: str) -> bool:
    """Whether a value is called here, or handed to what may call it."""
    if parent.type in {"CallExpression", "NewExpression", "TaggedTemplateExpression"}:
        return role != "callee" or called_method(parent) != "bind"
    return role == "tag" or (parent.type in _RUN_BY and role != "left")


def _looks_into(parent: Node, role: str) -> bool:
    """Whether members of a value are taken, which runs its accessors."""
    if parent.type == "VariableDeclarator":
        return bool(parent.id.type == "ObjectPattern")
    return parent.type == "MemberExpression" and role == "object"


def _next(scopes: Scopes, parent: Node, role: str) -> Iterator[Node | None]:
    """Yield the expressions that have the value next; None: it goes where it cannot be followed."""
    kind = parent.type
    if kind in _HANDED_ON_BY or (kind == "MemberExpression" and role == "object"):
        yield parent
    elif kind in {"NewExpression", "SpreadElement", "AwaitExpression"}:
        yield parent  # an instance, which has the methods; what is spread, or awaited
    elif kind == "CallExpression" and called_method(parent) == "bind":
        yield parent
    elif kind in {"Property", "MethodDefinition", "PropertyDefinition"} and role == "value":
        yield scopes.parent(parent)[0]
    elif kind == "ClassBody" or (kind in _CLASSES and role in {"body", "superClass"}):
        yield parent
    elif kind == "VariableDeclarator" and role == "init":
        yield from _targets(scopes, parent.id)
    elif kind in {"AssignmentExpression", "AssignmentPattern"} and role == "right":
        yield parent
        yield from _targets(scopes, parent.left)
    elif kind in {"ForOfStatement", "ForInStatement"} and role == "right":
        left = parent.left
        declares = left.type == "VariableDeclaration"
        yield from _targets(scopes, left.declarations[0].id if declares else left)


def _targets(scopes: Scopes, pattern: Node) -> Iterator[Node | None]:
    """Yield the references to what a pattern gives the value to."""
    for target in bound_in(pattern):
        variable = scopes.variable(root(target)[0])
        if variable is None:
            yield None
        else:
            yield from variable.references
