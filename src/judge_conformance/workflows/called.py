"""Whether a script calls what its block declares, and does something with the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from judge_conformance.workflows.expressions import called_method
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes, Variable
from judge_conformance.workflows.shadowing import Host

_WRAPPERS = frozenset({"AwaitExpression", "ChainExpression"})
_PASSING = frozenset({"forEach"})  # methods that drop what their callback returns


def fates(
    host: Host, name: str
) -> Iterator[tuple[Node, Literal["kept", "discarded", "unreached"]]]:
    """Yield each use of a name of the block outside it, and what becomes of its value.

    `discarded`: nothing reads the answer; `unreached`: it stands in a function that nothing
    calls. A use that is no call (an alias, an argument) counts as kept when the alias is read.
    """
    for node in host.uses():
        if node.name == name:
            yield node, _fate(host.scopes, node)


def _fate(scopes: Scopes, node: Node) -> Literal["kept", "discarded", "unreached"]:
    if any(_is_idle(scopes, above) for above in scopes.above(node)):
        return "unreached"
    parent: Node
    parent, role = scopes.parent(node)
    if role == "callee":
        return "kept" if _is_read(scopes, parent) else "discarded"
    is_compared = parent.type in {"UnaryExpression", "BinaryExpression"}
    return "kept" if not is_compared and _is_read(scopes, node) else "discarded"


def _is_read(scopes: Scopes, node: Node) -> bool:
    """Whether anything can read the value of an expression."""
    parent: Node
    parent, role = scopes.parent(node)
    while _hands_on(parent, role):
        node = parent
        parent, role = scopes.parent(node)
    if parent.type == "VariableDeclarator":
        return _has_readers(scopes, scopes.variable(parent.id))
    if parent.type == "ArrowFunctionExpression":
        call, place = scopes.parent(parent)
        return place != "arguments" or called_method(call) not in _PASSING
    is_left_behind = parent.type == "SequenceExpression" and parent.expressions[-1] is not node
    return not (is_left_behind or parent.type == "ExpressionStatement" or parent.operator == "void")


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
    named: Node = node if node.type == "FunctionDeclaration" else scopes.parent(node)[0]
    variable = scopes.variable(named.id) if node.type in FUNCTIONS else None
    return variable is not None and all(node in scopes.above(use) for use in variable.references)


def _has_readers(scopes: Scopes, variable: Variable | None) -> bool:
    """Whether a variable is read anywhere, not only written; None: what a pattern takes is."""
    return variable is None or any(not _is_written(scopes, use) for use in variable.references)


def _is_written(scopes: Scopes, node: Node) -> bool:
    parent: Node
    parent, role = scopes.parent(node)
    return bool(parent.type == "AssignmentExpression" and role == "left")
