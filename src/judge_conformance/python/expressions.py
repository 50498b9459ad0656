"""What operators, displays and comprehensions come to in a world."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from judge_conformance.following.worlds import World
from judge_conformance.python.calls import call
from judge_conformance.python.members import member
from judge_conformance.python.values import (
    Alike,
    Mark,
    Value,
    compared,
    equal,
    is_unknown,
    truthy,
)
from judge_conformance.python.writes import held

if TYPE_CHECKING:
    from judge_conformance.python.worlds import Worlds


def boolean(worlds: Worlds, node: ast.BoolOp, world: World) -> Value:
    """Return what `and` or `or` gives."""
    stops = isinstance(node.op, ast.Or)
    found: Value = None
    for part in node.values:
        found = worlds.value(part, world)
        truth = truthy(found)
        if truth is Mark.THROWS:
            return truth
        if isinstance(truth, Mark):
            rest = node.values[node.values.index(part) + 1 :]
            ends = [truthy(worlds.value(one, world)) for one in rest]
            if any(one is stops for one in ends):
                return stops if truth is Mark.FREE else Mark.OPAQUE
            opaque = truth is Mark.OPAQUE or any(one is Mark.OPAQUE for one in ends)
            return Mark.OPAQUE if opaque or worlds.depends(node) else Mark.FREE
        if truth is stops:
            return found
    return found


def unary(worlds: Worlds, node: ast.UnaryOp, world: World) -> Value:
    """Return what `not` gives."""
    value = worlds.value(node.operand, world)
    if isinstance(node.op, ast.Not):
        truth = truthy(value)
        return truth if isinstance(truth, Mark) else not truth
    return worlds.unread(node)


def choice(worlds: Worlds, node: ast.IfExp, world: World) -> Value:
    """Return the arm that a condition chooses."""
    truth = worlds.truth(node.test, world)
    if isinstance(truth, Mark):
        both = [worlds.value(arm, world) for arm in (node.body, node.orelse)]
        same = equal(*both) and not is_unknown(both[0])
        return both[0] if same else truth if truth is Mark.THROWS else worlds.unread(node)
    return worlds.value(node.body if truth else node.orelse, world)


def compare(worlds: Worlds, node: ast.Compare, world: World) -> Value:
    """Return what comparisons come to."""
    left = worlds.value(node.left, world)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = worlds.value(right_node, world)
        truth = compared(left, op, right)
        if truth is None:
            return worlds.unread(node)
        if truth is not True:
            return truth
        left = right
    return True


def display(worlds: Worlds, node: ast.AST, world: World) -> Value:
    """Return a list, tuple or set: empty, or of values."""
    parts = node.elts  # type: ignore[attr-defined] # a List, Tuple or Set
    if not parts:
        return Mark.EMPTY
    if any(isinstance(part, ast.Starred) for part in parts):
        return worlds.value(parts[0].value, world) if len(parts) == 1 else worlds.unread(node)
    return tuple(worlds.value(part, world) for part in parts)


def mapping(worlds: Worlds, node: ast.Dict, world: World) -> Value:
    """Return a dict of values by constant keys."""
    if not node.keys:
        return Mark.EMPTY
    keys = [worlds.value(key, world) if key is not None else Mark.FREE for key in node.keys]
    if not all(isinstance(key, str | int | None) for key in keys):
        return Mark.OBJECT
    values = [worlds.value(value, world) for value in node.values]
    return dict(zip(keys, values, strict=True))


def comprehension(worlds: Worlds, node: ast.AST, world: World) -> Value:
    """Return what a comprehension over ours gives: none, or all alike."""
    first = node.generators[0]  # type: ignore[attr-defined] # a comprehension
    over = worlds.value(first.iter, world)
    if over is Mark.EMPTY or over is Mark.THROWS:
        return over
    readable = isinstance(over, Alike) or over is Mark.FREE
    if not readable or not worlds.depends(node):
        return worlds.unread(node)
    kept: bool | Mark = True
    for test in (test for part in node.generators for test in part.ifs):  # type: ignore[attr-defined] # likewise
        truth = worlds.truth(test, world)
        if truth is False or truth is Mark.THROWS:
            return Mark.EMPTY if truth is False else truth
        kept = kept if truth is True else truth
    if kept is Mark.OPAQUE:
        return kept
    made = node.key if isinstance(node, ast.DictComp) else node.elt  # type: ignore[attr-defined] # likewise
    return Alike(worlds.value(made, world))


STEPS: Mapping[type[ast.AST], Callable[[Worlds, Any, World], Value]] = {
    ast.Name: held,
    ast.Attribute: held,
    ast.Subscript: member,
    ast.BoolOp: boolean,
    ast.UnaryOp: unary,
    ast.IfExp: choice,
    ast.Compare: compare,
    ast.List: display,
    ast.Tuple: display,
    ast.Set: display,
    ast.Dict: mapping,
    ast.ListComp: comprehension,
    ast.SetComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: comprehension,
    ast.Call: call,
    ast.Await: lambda worlds, node, world: worlds.value(node.value, world),
    ast.NamedExpr: lambda worlds, node, world: worlds.value(node.value, world),
    ast.JoinedStr: lambda worlds, node, _world: worlds.unread(node),
}
