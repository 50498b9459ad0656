"""Values that a script spells out: strings, numbers, lists and objects, nothing to compute."""

from __future__ import annotations

from typing import Any

COMPUTED = object()
"""Stands for what an expression does not spell out."""


def constant(node: Any) -> Any:  # noqa: ANN401 - esprima's nodes, and any JSON value
    """Return the value that an expression spells out, or COMPUTED."""
    match node.type:
        case "Literal" if node.regex is None:
            return node.value
        case "TemplateLiteral" if not node.expressions:
            return "".join(quasi.value.cooked for quasi in node.quasis)
        case "UnaryExpression" if node.operator == "-" and isinstance(
            value := constant(node.argument), int | float
        ):
            return -value
        case "ArrayExpression":
            values = [COMPUTED if item is None else constant(item) for item in node.elements]
            return COMPUTED if COMPUTED in values else values
        case "ObjectExpression":
            return _object(node)
    return COMPUTED


def _object(node: Any) -> Any:  # noqa: ANN401 - likewise
    value: dict[str, Any] = {}
    for member in node.properties:
        plain = member.type == "Property" and member.kind == "init" and not member.computed
        name = key_of(member) if plain and not member.method else None
        entry = COMPUTED if name is None else constant(member.value)
        if entry is COMPUTED or name == "__proto__":
            return COMPUTED
        value[str(name)] = entry
    return value


def key_of(member: Any) -> str:  # noqa: ANN401 - likewise
    """Return the name of a member that is not computed."""
    key = member.key
    return str(key.name if key.type == "Identifier" else key.value)
