"""Whether a script calls what its block declares, and does something with the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from judge_conformance.workflows.expressions import called_method
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes, Variable
from judge_conformance.workflows.shadowing import Host

Fate = Literal["kept", "discarded", "unreached"]

_WRAPPERS = frozenset({"AwaitExpression", "ChainExpression"})
_PASSING = frozenset({"forEach"})  # methods that drop what their callback returns


def fates(host: Host, name: str) -> Iterator[tuple[Node, Fate]]:
    """Yield each use of a name of the block outside it, and what becomes of its value.

    `discarded`: nothing reads the answer; `unreached`: it stands in a function that nothing
    calls. A use that is no call (an alias, an argument) counts as kept when the alias is read.
    """
    for node in host.uses():
        if node.name == name:
            yield node, _fate(host.scopes, node)


def _fate(scopes: Scopes, node: Node) -> Fate:
    if any(_is_idle(scopes, above) for above in scopes.above(node)):
        return "unreached"
    parent, role = scopes.parent(node)
    if parent is not None and parent.type == "CallExpression" and role == "callee":
        return "kept" if _is_read(scopes, parent) else "discarded"
    is_compared = parent is not None and parent.type in {"UnaryExpression", "BinaryExpression"}
    return "kept" if not is_compared and _is_read(scopes, node) else "discarded"


def _is_read(scopes: Scopes, node: Node) -> bool:
    """Whether anything can read the value of an expression."""
    parent, role = scopes.parent(node)
    while parent is not None and _hands_on(parent, role):
        node = parent
        parent, role = scopes.parent(node)
    if parent is None or parent.type == "ExpressionStatement":
        return False
    if parent.type == "UnaryExpression" and parent.operator == "void":
        return False
    if parent.type == "SequenceExpression" and parent.expressions[-1] is not node:
        return False
    if parent.type == "VariableDeclarator" and parent.id.type == "Identifier":
        return _has_readers(scopes, scopes.variable(parent.id))
    if parent.type == "ArrowFunctionExpression" and role == "body":
        call, place = scopes.parent(parent)
        dropped = call is not None and place == "arguments" and called_method(call) in _PASSING
        return not dropped
    return True


def _hands_on(parent: Node, role: str) -> bool:
    """Whether an expression has the value of a part of it, and no other use for that value."""
    is_branch = parent.type == "ConditionalExpression" and role != "test"
    return (
        parent.type in _WRAPPERS
        or is_branch
        or (parent.type == "LogicalExpression" and role == "right")
    )


def _is_idle(scopes: Scopes, node: Node) -> bool:
    """Whether a node is a named function that nothing outside itself refers to."""
    if node.type == "FunctionDeclaration":
        name = node.id
    elif node.type in FUNCTIONS:
        parent, _ = scopes.parent(node)
        is_declared = parent is not None and parent.type == "VariableDeclarator"
        name = parent.id if parent is not None and is_declared else None
    else:
        return False
    variable = scopes.variable(name) if name is not None else None
    if variable is None:
        return False
    own = node.range
    return all(own[0] <= use.range[0] < own[1] for use in variable.references)


def _has_readers(scopes: Scopes, variable: Variable | None) -> bool:
    """Whether a variable is read anywhere, not only written."""
    if variable is None:
        return True
    for use in variable.references:
        parent, role = scopes.parent(use)
        if parent is None or parent.type != "AssignmentExpression" or role != "left":
            return True
    return False
