"""What a key or an attribute of a value comes to in a world."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.python.values import Mark, Tally, Value, equal, is_unknown

if TYPE_CHECKING:
    from judge_conformance.python.worlds import Worlds

_KEYS = frozenset(
    {
        "item",
        "rubric",
        "decidedBy",
        "criteria",
        "abstain",
        "abstainReason",
        "threshold",
        "score",
        "outcome",
        "calibrated",
    }
)


def member(worlds: Worlds, node: ast.AST, world: World) -> Value:
    """Return a key or an attribute of something."""
    own = worlds.value(node.value, world)  # type: ignore[attr-defined] # a Subscript or Attribute
    if own is None or own is Mark.THROWS:
        return Mark.THROWS
    key = (
        node.attr if isinstance(node, ast.Attribute) else worlds.value(node.slice, world)  # type: ignore[attr-defined] # a Subscript
    )
    if isinstance(own, Tally):
        return picked(worlds, node, own, key)
    if isinstance(own, dict) and isinstance(key, str | int | bool | None):
        return own.get(key, Mark.THROWS)
    if isinstance(own, tuple) and type(key) is int and -len(own) <= key < len(own):
        return own[key]
    return worlds.unread(node)


def got(worlds: Worlds, node: ast.Call, owner: ast.AST, own: Value, args: list[Value]) -> Value:
    """Return what `.get(key, default)` gives."""
    key, default = args[0], args[1] if len(args) > 1 else None
    if own is None or own is Mark.THROWS:
        return Mark.THROWS
    if own is Mark.EMPTY:
        return default
    if isinstance(own, Tally):
        return picked(worlds, node, own, key)
    if isinstance(own, dict):
        if is_unknown(key):
            return worlds.unread(node)
        known = isinstance(key, str | int | bool | None)
        return own.get(key, default) if known else default
    is_verdict = any(not o.path and worlds.flow.kind(o) == "verdict" for o in worlds.ours(owner))
    if is_verdict and isinstance(key, str) and key not in _KEYS:
        return default
    return worlds.unread(node)


def picked(worlds: Worlds, node: ast.AST, own: Tally, key: Value) -> Value:
    """Return how many a tally counts of a key."""
    if is_unknown(key):
        return worlds.unread(node)
    return Mark.MANY if equal(own.value, key) else 0
