"""The values that expressions come to, as far as they can be told, and how they compare."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Mark(Enum):
    """What is no plain value."""

    OBJECT = "an object, which is true"
    EMPTY = "a collection of none"
    MANY = "how many all are, one at least"
    FREE = "anything, whatever the verdict"
    OPAQUE = "anything, and it may depend on the verdict"
    THROWS = "nothing: it raises"


@dataclass(frozen=True, slots=True)
class Alike:
    """A collection whose elements, one at least, are all this."""

    value: Value


@dataclass(frozen=True, slots=True)
class Tally:
    """A Counter over a collection whose elements are all this."""

    value: Value


class Died(Enum):
    """What a judge that died leaves behind."""

    RAISED = "an exception"


Value = Any  # None, bool, int, float, str, a dict or tuple of values, Alike or a Mark
_UNKNOWN = (Mark.FREE, Mark.OPAQUE, Mark.THROWS)


def is_unknown(value: Value) -> bool:
    """Whether nothing is known of a value, or there is none."""
    return any(value is mark for mark in _UNKNOWN)


def truthy(value: Value) -> bool | Mark:
    """Return whether a value counts as true."""
    if is_unknown(value):
        return value  # type: ignore[no-any-return] # one of the marks
    if isinstance(value, Mark):
        return value is not Mark.EMPTY
    return (
        bool(value) if isinstance(value, bool | int | float | str | dict | tuple | None) else True
    )


def equal(one: Value, other: Value) -> bool:
    """Whether two known values are the same."""
    if isinstance(one, Mark) or isinstance(other, Mark):
        return one is other
    return bool(one == other)


_ORDERS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def compared(left: Value, op: ast.cmpop, right: Value) -> bool | Mark | None:
    """Return what one comparison comes to; None: it cannot be read."""
    if left is Mark.THROWS or right is Mark.THROWS:
        return Mark.THROWS
    if is_unknown(left) or is_unknown(right):
        return None
    negated = isinstance(op, ast.NotEq | ast.IsNot | ast.NotIn)
    match op:
        case ast.In() | ast.NotIn():
            held = _held(left, right)
        case ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot():
            if Mark.MANY in (left, right) and not (left is None or right is None):
                held = _counted(left, ast.Eq(), right)
            elif isinstance(left, Mark | Alike) or isinstance(right, Mark | Alike):
                plain = [one for one in (left, right) if not isinstance(one, Mark | Alike)]
                empty = Mark.EMPTY in (left, right) and plain and plain[0] not in (None, False)
                held = None if empty or not plain else False
            else:
                is_same = isinstance(left, bool) is isinstance(right, bool)
                strict = isinstance(op, ast.Is | ast.IsNot)
                held = left == right and (is_same or not strict)
        case _ if Mark.MANY in (left, right):
            return _counted(left, op, right)
        case _:
            order = _ORDERS.get(type(op))
            if left is None or right is None:
                return Mark.THROWS
            if order is None or isinstance(left, Mark | Alike) or isinstance(right, Mark | Alike):
                return None
            try:
                return order(left, right)
            except TypeError:
                return Mark.THROWS
    return None if held is None else held is not negated


def _held(wanted: Value, among: Value) -> bool | None:
    if isinstance(among, Alike):
        return None if isinstance(among.value, Mark) else equal(among.value, wanted)
    if among is Mark.EMPTY:
        return False
    if isinstance(among, str) and isinstance(wanted, str):
        return wanted in among
    if not isinstance(among, tuple | dict) or any(is_unknown(one) for one in among):
        return None
    return any(equal(one, wanted) for one in among)


def _counted(left: Value, op: ast.cmpop, right: Value) -> bool | None:
    """Return how the number of all, one at least, compares."""
    if left is right:
        return isinstance(op, ast.Eq | ast.LtE | ast.GtE)
    if right is Mark.MANY:
        turned = {ast.Lt: ast.Gt(), ast.LtE: ast.GtE(), ast.Gt: ast.Lt(), ast.GtE: ast.LtE()}
        return _counted(right, turned.get(type(op), op), left)
    if right == 0 and not isinstance(right, Alike):
        return isinstance(op, ast.Gt | ast.GtE)
    if right == 1 and isinstance(op, ast.GtE | ast.Lt):
        return isinstance(op, ast.GtE)
    return None
