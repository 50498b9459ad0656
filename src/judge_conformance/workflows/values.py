"""The values that expressions come to, as far as they can be told, and how they compare."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any


class Mark(Enum):
    """What is no plain value."""

    UNDEFINED = "undefined"
    OBJECT = "an object, which is true"
    EMPTY = "a list of none"
    FULL = "a list of all"
    MANY = "how many all are, one at least"
    FREE = "anything, whatever the verdict"
    OPAQUE = "anything, and it may depend on the verdict"
    THROWS = "nothing: it throws"


Value = Any  # None (null), bool, int, float, str or a Mark

UNKNOWN = frozenset({Mark.FREE, Mark.OPAQUE, Mark.THROWS})


def truthy(value: Value) -> bool | Mark:
    """Return whether a value counts as true."""
    if isinstance(value, Mark) and value in UNKNOWN:
        return value
    return value not in (None, Mark.UNDEFINED, False, 0, "")


def differ(left: Value, right: Value) -> bool:
    """Whether two values are known and not the same."""
    return not UNKNOWN.intersection((left, right)) and left != right


def same(left: Value, right: Value, *, loosely: bool) -> bool | Mark:
    """Return whether two values are equal; a Mark where it cannot be told."""
    for one in (left, right):
        if isinstance(one, Mark) and one in UNKNOWN:
            return Mark.OPAQUE if Mark.OPAQUE in (left, right) else one
    if loosely and {left, right} <= {None, Mark.UNDEFINED}:
        return True
    if Mark.MANY in (left, right):
        other = right if left is Mark.MANY else left
        if other is Mark.MANY:
            return True
        return False if other == 0 else Mark.FREE
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    if left in {Mark.OBJECT, Mark.FULL, Mark.EMPTY} and left is right:
        return Mark.FREE
    return bool(left == right)


def ordered(left: Value, operator: str, right: Value) -> Value:
    """Return what `<`, `>` and their like come to; a Mark where it cannot be told."""
    signs = {">": (1,), ">=": (0, 1), "<": (-1,), "<=": (-1, 0)}
    if operator not in signs or Mark.OPAQUE in (left, right):
        return Mark.OPAQUE if Mark.OPAQUE in (left, right) else Mark.FREE
    if left is Mark.MANY and right is Mark.MANY:
        sign = 0
    elif left is Mark.MANY and right == 0:
        sign = 1
    elif right is Mark.MANY and left == 0:
        sign = -1
    elif left is Mark.MANY and _is_quorum(right) and (right > 1 or operator in {">=", "<"}):
        return operator in {">", ">="}  # all of them are enough
    elif isinstance(left, int | float) and isinstance(right, int | float):
        sign = (left > right) - (left < right)
    else:
        return Mark.OPAQUE if Mark.MANY in (left, right) else Mark.FREE
    return sign in signs[operator]


ROUNDED: Mapping[str | None, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda number: math.floor(number + 0.5),
}

SUMS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def reckoned(left: Value, sign: str, right: Value) -> Value:
    """Return a sum of plain numbers, or of how many all are; None where it cannot be told."""
    plain = [one for one in (left, right) if isinstance(one, int | float)]
    if len(plain) == 2 and (sign != "/" or right):  # noqa: PLR2004 - both sides
        return SUMS[sign](left, right)
    grows = sign in {"*", "+"} or (sign == "/" and left is Mark.MANY)
    positive = plain and plain[0] > 0
    return Mark.MANY if grows and positive and Mark.MANY in (left, right) else None


_LARGEST_QUORUM = 5


def _is_quorum(value: Value) -> bool:
    """Whether a number is one that a panel is asked to reach."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value <= _LARGEST_QUORUM


def tested(pattern: str, text: str) -> bool | Mark:
    """Return whether a regular expression matches, where Python reads it as JavaScript does."""
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return Mark.OPAQUE
