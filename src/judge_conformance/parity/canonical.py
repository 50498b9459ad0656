r"""Typed canonical text: two values are the same exactly when these texts are equal.

`==` hides differences (`1 == 1.0 == True`); this text does not: keys sorted by code point, no
spaces, `\u` escapes beyond ASCII, numbers as ECMAScript prints them, and what JSON cannot hold
named by its type after a `!`. `adapter.mjs` writes the same text for JavaScript values.
"""

from __future__ import annotations

import json
import math

_LONGEST_PLAIN = 21  # ECMAScript prints up to 21 digits before the point without an exponent
_MOST_ZEROS = 6  # and down to 1e-6 without one


def canonical(value: object) -> str:  # noqa: PLR0911 - one return for each kind of value
    """Return the text of a value made of None, bool, int, float, str, list and dict.

    Anything else, subclasses too, becomes `!` and its type's name, which no good value equals.
    """
    kind = type(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and kind is str:
        return json.dumps(value)
    if isinstance(value, int | float) and kind in (int, float):
        return number(value)
    if isinstance(value, list) and kind is list:
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict) and kind is dict and all(type(key) is str for key in value):
        pairs = (f"{json.dumps(key)}:{canonical(value[key])}" for key in sorted(value))
        return "{" + ",".join(pairs) + "}"
    return f"!{kind.__name__}"


def number(value: float) -> str:
    """Return a number as ECMAScript's Number::toString prints it, but `-0` with its sign.

    Source: ECMA-262, Number::toString. An integer beyond the doubles is `!Infinity`.
    """
    try:
        double = float(value)
    except OverflowError:
        return "!Infinity" if value > 0 else "!-Infinity"
    if not math.isfinite(double):
        return {math.inf: "!Infinity", -math.inf: "!-Infinity"}.get(double, "!NaN")
    sign = "-" if math.copysign(1, double) < 0 else ""
    if double == 0:
        return sign + "0"
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0)
    if whole == "0":
        point = len(digits) - len(fraction) + int(exponent or 0)
    return sign + _placed(digits.rstrip("0"), point)


def _placed(digits: str, point: int) -> str:
    """Set the decimal point after `point` of the digits, or write an exponent."""
    count = len(digits)
    if count <= point <= _LONGEST_PLAIN:
        return digits + "0" * (point - count)
    if 0 < point <= _LONGEST_PLAIN:
        return f"{digits[:point]}.{digits[point:]}"
    if -_MOST_ZEROS < point <= 0:
        return "0." + "0" * -point + digits
    rest = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{rest}e{point - 1:+d}"
