"""What a judge can say by its schema: the points where it decides, and its pass and fail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from judge_conformance.exercise import wording

Json = Any
Choices = Mapping[str, Json]

_MOST_POINTS = 24
_MOST_VALUES = 8
_DEEPEST = 6

_OPPOSITE: Mapping[wording.Meaning | None, wording.Meaning] = {"pass": "fail", "fail": "pass"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One enum, boolean or number of a reply, by pointer (`/findings/*/real`), and its values."""

    pointer: str
    values: tuple[Json, ...]

    @property
    def name(self) -> str:
        """Return the property's name."""
        return self.pointer.rsplit("/", 1)[1].replace("~1", "/").replace("~0", "~")

    @property
    def in_list(self) -> bool:
        """Whether the reply holds it once for each element of a list."""
        return "/*" in self.pointer

    @property
    def ends(self) -> tuple[Json, ...]:
        """Return the values to be told apart without a name: of numbers, the highest and lowest."""
        numbers = self._numbers
        return (max(numbers), min(numbers)) if numbers else self.values

    def meaning(self, value: Json) -> wording.Meaning | None:
        """Return what the names say that this value is."""
        match value:
            case None:
                return "abstain"
            case bool():
                return self._of_boolean(value)
            case str():
                return self._of_text(value)
        good = wording.high_is_good(self.name)
        numbers = self._numbers
        if good is None or value not in {min(numbers), max(numbers)}:
            return None
        return "pass" if (value == max(numbers)) is good else "fail"

    def _of_boolean(self, value: Json) -> wording.Meaning | None:
        said = wording.meaning_of_word(self.name)
        if said == "abstain":
            return "abstain" if value else None
        return said if value or said is None else _OPPOSITE[said]

    def _of_text(self, value: str) -> wording.Meaning | None:
        if not wording.is_answer(self.values):
            return wording.meaning_of_word(value) or self._negated(value)
        asked = wording.meaning_of_word(self.name)  # a yes or no says what its question asks
        answered = wording.meaning_of_word(value)
        if asked not in _OPPOSITE or answered not in _OPPOSITE:
            return None
        return answered if asked == "pass" else _OPPOSITE[answered]

    def _negated(self, value: str) -> wording.Meaning | None:
        """`not-hit` says fail only beside a value that says pass."""
        others = (v for v in self.values if isinstance(v, str))
        negated = wording.is_negated(value) and any(
            wording.meaning_of_word(other) == "pass" for other in others
        )
        return "fail" if negated else None

    @property
    def _numbers(self) -> list[float]:
        return [v for v in self.values if isinstance(v, int | float) and not isinstance(v, bool)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """Two replies of a judge to be compared: where `named`, `one` is the pass, `other` the fail.

    `rest` are further replies that differ at the same points: what else the judge could have said.
    """

    one: Choices
    other: Choices
    named: bool
    rest: tuple[Choices, ...] = ()


def is_contract(schema: Json) -> bool:
    """Whether this is the contract's own schema, whose pass, fail and abstain are known."""
    try:
        report, criterion = schema["properties"], schema["properties"]["criteria"]["items"]
        return set(report) == {"item", "criteria", "abstain", "abstainReason"} and set(
            criterion["properties"]
        ) == {"id", "evidence", "score", "pass"}
    except (KeyError, TypeError):
        return False


_SAYS = {"/abstain": False, "/abstainReason": None}
_PASS = {**_SAYS, "/criteria/*/score": 1, "/criteria/*/pass": True}
_FAIL = {**_SAYS, "/criteria/*/score": 0, "/criteria/*/pass": False}


def points(schema: Json) -> tuple[Point, ...]:
    """Find every enum, boolean and number of a schema, the shallowest first."""
    found = sorted(_points(schema, schema, "", 0), key=lambda p: p.pointer.count("/"))
    return tuple({point.pointer: point for point in found}.values())[:_MOST_POINTS]


def usual(schema: Json) -> Choices:
    """Return the reply of a judge that passes, as far as names tell."""
    if is_contract(schema):
        return _PASS
    return {point.pointer: _pairs(point)[0][0] for point in points(schema) if _pairs(point)}


def stances(schema: Json) -> Iterator[Stance]:
    """Yield what to try as pass and fail: all names at once, each name alone, then pairs."""
    if is_contract(schema):
        yield Stance(one=_PASS, other=_FAIL, named=True)
        return
    found = points(schema)
    named = {point.pointer: point for point in found if _pairs(point)}
    passes = {pointer: _pairs(point)[0][0] for pointer, point in named.items()}
    fails = {pointer: _pairs(point)[0][1] for pointer, point in named.items()}
    rest = tuple({**passes, p.pointer: value} for p in named.values() for value in p.values)
    if named:
        yield Stance(one=passes, other=fails, named=True, rest=rest)
    for pointer, point in named.items():
        for good, bad in _pairs(point):
            one, other = {**passes, pointer: good}, {**passes, pointer: bad}
            yield Stance(one=one, other=other, named=True, rest=rest)
    for point in found:
        if point.pointer in named or point.in_list:
            continue
        every = tuple({point.pointer: value} for value in point.ends)
        for one, other in combinations(every, 2):
            yield Stance(one=one, other=other, named=False, rest=every)


def abstention(schema: Json) -> Choices | None:
    """Return the reply with which this judge abstains; None where its schema cannot say so."""
    if is_contract(schema):
        return {**_FAIL, "/abstain": True, "/abstainReason": "cannot be judged"}
    found = points(schema)
    unsure = {p.pointer: v for p in reversed(found) for v in p.values if p.meaning(v) == "abstain"}
    flags = {pointer: value for pointer, value in unsure.items() if value is True}
    return flags or unsure or None


def told(choices: Choices) -> str:
    """Return choices as people read them: `verdict: "confirmed"`."""
    named = ((pointer.rsplit("/", 1)[1], value) for pointer, value in choices.items())
    return ", ".join(f"{name}: {json.dumps(value)}" for name, value in named)


def _pairs(point: Point) -> list[tuple[Json, Json]]:
    """Return every (pass, fail) of a point; where one side is named, the rest is the other."""
    said = {meaning: [v for v in point.values if point.meaning(v) == meaning] for meaning in _SIDES}
    good, bad, silent = said["pass"], said["fail"], said[None]
    if not good and bad and len(silent) == 1:
        good = silent
    if not bad and good:
        bad = silent
    return [(one, other) for one in good for other in bad]


_SIDES: tuple[wording.Meaning | None, ...] = ("pass", "fail", None)


def _points(schema: Json, root: Json, pointer: str, depth: int) -> Iterator[Point]:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    schema = _resolved(schema, root)
    values = _values(schema, root)
    if len(values) > 1 and pointer:
        yield Point(pointer=pointer, values=values[:_MOST_VALUES])
        return
    for part in _alternatives(schema):
        yield from _points(part, root, pointer, depth + 1)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            step = name.replace("~", "~0").replace("/", "~1")
            yield from _points(inner, root, f"{pointer}/{step}", depth + 1)
    if isinstance(schema.get("items"), dict):
        yield from _points(schema["items"], root, f"{pointer}/*", depth + 1)


def _alternatives(schema: dict[str, Json]) -> Iterator[Json]:
    for key in ("allOf", "anyOf", "oneOf"):
        listed = schema.get(key)
        if isinstance(listed, list):
            yield from listed


def _resolved(schema: dict[str, Json], root: Json) -> dict[str, Json]:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    node = root
    for step in reference[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        node = node.get(key) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else schema


def _values(schema: dict[str, Json], root: Json) -> tuple[Json, ...]:
    """Return the values that a scalar can be tried with; empty for what decides nothing."""
    if isinstance(schema.get("enum"), list):
        return tuple(v for v in schema["enum"] if isinstance(v, str | int | float | bool | None))
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    values: list[Json] = [True, False] if "boolean" in kinds else []
    if "number" in kinds or "integer" in kinds:
        values += _numbers(schema, whole="number" not in kinds)
    if values:
        return (*values, None) if "null" in kinds else tuple(values)
    parts = [p for p in _alternatives(schema) if isinstance(p, dict) and "properties" not in p]
    values = [v for part in parts for v in _values(_resolved(part, root), root)]
    nullable = values and any(part.get("type") == "null" for part in parts)
    return (*values, None) if nullable else tuple(values)


def _numbers(schema: dict[str, Json], *, whole: bool) -> list[Json]:
    """Return the highest and lowest number that a schema allows, then some between."""
    below, above = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    lows = [bound for bound in (schema.get("minimum"), below) if bound is not None]
    highs = [bound for bound in (schema.get("maximum"), above) if bound is not None]
    low = max(lows) if lows else min([0, *(bound - _SPAN for bound in highs)])
    high = min(highs) if highs else max(low, 0) + _SPAN
    nudge = 1 if whole else (high - low) / _SPAN
    low, high = low + nudge * (low == below), high - nudge * (high == above)
    step = schema.get("multipleOf")
    middle = [value for value in (1, 0, 5, 10, (low + high) / 2) if low < value < high]
    tried = [int(v) if float(v).is_integer() else v for v in (high, low, *middle)]
    fitting = [v for v in tried if not (step and v % step) and not (whole and v != int(v))]
    return list(dict.fromkeys(fitting)) if low <= high else []


_SPAN = 100  # of numbers without bounds
