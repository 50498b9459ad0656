"""What each kind of expression comes to in a world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.workflows.expressions import is_global, member
from judge_conformance.workflows.methods import call
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.values import (
    SUMS,
    UNKNOWN,
    Mark,
    Value,
    ordered,
    reckoned,
    same,
    truthy,
)
from judge_conformance.workflows.writes import held

if TYPE_CHECKING:
    from judge_conformance.workflows.worlds import Worlds


def literal(_worlds: Worlds, node: Node, _world: World) -> Value:
    """Return a literal's value."""
    if hasattr(node, "regex") and node.regex:
        return Mark.OBJECT
    return node.value


def template(worlds: Worlds, node: Node, world: World) -> Value:
    """Return a template's text, where all of it is known."""
    text = node.quasis[0].value.cooked
    for part, quasi in zip(node.expressions, node.quasis[1:], strict=True):
        value = worlds.value(part, world)
        if not isinstance(value, str):
            return worlds.unread(node)
        text += value + quasi.value.cooked
    return text


def member_of(worlds: Worlds, node: Node, world: World) -> Value:
    """Return a member; of null and undefined it throws, unless it is asked for with `?.`."""
    owner = worlds.value(node.object, world)
    if owner in (None, Mark.UNDEFINED) and not isinstance(owner, bool):
        return Mark.UNDEFINED if node.optional else Mark.THROWS
    if owner is Mark.THROWS:
        return owner
    if (fact := worlds.fact(worlds.flow.traces(node), world)) is not None:
        return fact[0]
    if member(node) in {"length", "size"}:
        sizes = {Mark.EMPTY: 0, Mark.FULL: Mark.MANY}
        if isinstance(owner, Mark) and owner in sizes:
            return sizes[owner]
    return worlds.unread(node)


def chain(worlds: Worlds, node: Node, world: World) -> Value:
    """Return a chain with `?.`; what stands behind a missing link is undefined."""
    link = node.expression
    while link.type in {"MemberExpression", "CallExpression"}:
        below = link.object if link.type == "MemberExpression" else link.callee
        if link.optional and worlds.value(below, world) in (None, Mark.UNDEFINED):
            return Mark.UNDEFINED
        link = below
    return worlds.value(node.expression, world)


def unary(worlds: Worlds, node: Node, world: World) -> Value:
    """Return what `!` makes of a value."""
    value = worlds.value(node.argument, world)
    if node.operator == "typeof" and value not in UNKNOWN:
        kinds = {Mark.UNDEFINED: "undefined", True: "boolean", False: "boolean"}
        return kinds.get(value, "string" if isinstance(value, str) else "object")
    if node.operator != "!":
        return worlds.unread(node)
    truth = truthy(value)
    return not truth if isinstance(truth, bool) else truth


def logical(worlds: Worlds, node: Node, world: World) -> Value:
    """Return what `&&`, `||` and `??` make of two values."""
    left = worlds.value(node.left, world)
    if left is Mark.THROWS:
        return left
    if node.operator == "??":
        if left in (None, Mark.UNDEFINED) and not isinstance(left, bool):
            return worlds.value(node.right, world)
        return left
    stops = node.operator == "||"
    truth = truthy(left)
    if isinstance(truth, bool):
        return left if truth is stops else worlds.value(node.right, world)
    right = truthy(worlds.value(node.right, world))
    if right is stops:
        return right
    return Mark.OPAQUE if Mark.OPAQUE in (truth, right) else Mark.FREE


def conditional(worlds: Worlds, node: Node, world: World) -> Value:
    """Return the arm that is taken."""
    truth = worlds.truth(node.test, world)
    if isinstance(truth, bool):
        return worlds.value(node.consequent if truth else node.alternate, world)
    arms = {repr(worlds.value(arm, world)) for arm in (node.consequent, node.alternate)}
    return worlds.value(node.consequent, world) if len(arms) == 1 else truth


def binary(worlds: Worlds, node: Node, world: World) -> Value:
    """Return what a comparison comes to."""
    left, right = worlds.value(node.left, world), worlds.value(node.right, world)
    if Mark.THROWS in (left, right):
        return Mark.THROWS
    if node.operator in {"===", "!==", "==", "!="}:
        alike = same(left, right, loosely=len(node.operator) == 2)  # noqa: PLR2004 - == and !=
        return alike if isinstance(alike, Mark) else alike is (node.operator[0] == "=")
    if node.operator in SUMS:
        found = reckoned(left, node.operator, right)
        return worlds.unread(node) if found is None else found
    return ordered(left, node.operator, right)


def construct(worlds: Worlds, node: Node, world: World) -> Value:
    """Return a set that is made of a list as that list."""
    if is_global(worlds.flow.scopes, node.callee, "Set") and node.arguments:
        return worlds.value(node.arguments[0], world)
    return Mark.OBJECT


def array(worlds: Worlds, node: Node, world: World) -> Value:
    """Return a list: empty, of known values, or anything."""
    if not node.elements:
        return Mark.EMPTY
    if any(part is None or part.type == "SpreadElement" for part in node.elements):
        only = node.elements[0] if len(node.elements) == 1 else None
        return worlds.value(only.argument, world) if only is not None else Mark.OBJECT
    return tuple(worlds.value(part, world) for part in node.elements)


STEPS: Mapping[str, Callable[[Worlds, Node, World], Value]] = {
    "Literal": literal,
    "TemplateLiteral": template,
    "Identifier": held,
    "MemberExpression": member_of,
    "ChainExpression": chain,
    "UnaryExpression": unary,
    "LogicalExpression": logical,
    "ConditionalExpression": conditional,
    "BinaryExpression": binary,
    "CallExpression": call,
    "NewExpression": construct,
    "ArrayExpression": array,
    "ObjectExpression": lambda _worlds, _node, _world: Mark.OBJECT,
    "AwaitExpression": lambda worlds, node, world: worlds.value(node.argument, world),
}
