"""What names say, and which answers are compared."""

from __future__ import annotations

from typing import Any

import pytest

from judge_conformance.exercise.stances import abstention, is_contract, points, stances, usual
from judge_conformance.exercise.wording import meaning_of_word, words

PASS = [
    *(
        "pass",
        "passed",
        "PASS",
        "approved",
        "upheld",
        "real",
        "isReal",
        "confirmed",
        "valid",
        "yes",
    ),
    *("TRUE_POSITIVE", "true-positive", "LGTM", "ok", "is_correct", "p0Justified", "faithful"),
]
FAIL = [
    *("fail", "failed", "refuted", "blocking", "rejected", "FALSE_POSITIVE", "invalid", "no"),
    *("wrong-citation", "needs-revision", "request_changes", "not-confirmed", "notReal", "unsafe"),
    *("not approved", "incorrect", "isHallucinated", "disagree"),
]
ABSTAIN = [
    *("abstain", "abstained", "unsure", "uncertain", "unknown", "inconclusive", "could-not-verify"),
    *("cannot tell", "UNDECIDABLE", "insufficient_evidence", "needs-human", "unclear"),
]
SILENT = [
    *("high", "P0", "bug-report", "not-yet-implemented", "still-present", "clear", "none", ""),
    *("maybe later", "passage", "reality", "blockquote", "snow", "note"),
]


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        *((name, "pass") for name in PASS),
        *((name, "fail") for name in FAIL),
        *((name, "abstain") for name in ABSTAIN),
        *((name, None) for name in SILENT),
    ],
)
def test_what_a_name_says(name: str, meaning: str | None) -> None:
    assert meaning_of_word(name) == meaning


def test_words_of_any_casing() -> None:
    assert words("isRealHTMLBug_2-x") == ["is", "real", "html", "bug", "2", "x"]


def schema(**properties: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"type": "object", "properties": properties}


BOOLEAN = {"type": "boolean"}


def enum(*values: object) -> dict[str, Any]:
    return {"enum": list(values)}


FIRST: dict[str, tuple[dict[str, Any], Any, Any, bool]] = {
    "a boolean that is good": (schema(real=BOOLEAN), {"/real": True}, {"/real": False}, True),
    "a boolean that is bad": (
        schema(refuted=BOOLEAN),
        {"/refuted": False},
        {"/refuted": True},
        True,
    ),
    "an enum": (schema(v=enum("bad", "confirmed", "x")), {"/v": "confirmed"}, {"/v": "bad"}, True),
    "an enum with a fail alone": (
        schema(v=enum("clear", "needs-revision")),
        {"/v": "clear"},
        {"/v": "needs-revision"},
        True,
    ),
    "an enum with a pass alone": (
        schema(v=enum("pass", "hold")),
        {"/v": "pass"},
        {"/v": "hold"},
        True,
    ),
    "a denial beside a pass": (
        schema(v=enum("confirmed", "not-hit")),
        {"/v": "confirmed"},
        {"/v": "not-hit"},
        True,
    ),
    "yes to something good": (
        schema(approved=enum("no", "yes")),
        {"/approved": "yes"},
        {"/approved": "no"},
        True,
    ),
    "yes to something bad": (
        schema(refuted=enum("yes", "no")),
        {"/refuted": "no"},
        {"/refuted": "yes"},
        True,
    ),
    "yes to something unknown": (
        schema(dup=enum("yes", "no")),
        {"/dup": "yes"},
        {"/dup": "no"},
        False,
    ),
    "a score": (
        schema(score={"type": "number", "minimum": 0, "maximum": 1}),
        {"/score": 1},
        {"/score": 0},
        True,
    ),
    "a risk": (
        schema(risk={"type": "integer", "minimum": 1, "maximum": 5}),
        {"/risk": 1},
        {"/risk": 5},
        True,
    ),
    "all names at once": (
        schema(justified=BOOLEAN, faithful=BOOLEAN, other=BOOLEAN),
        {"/justified": True, "/faithful": True},
        {"/justified": False, "/faithful": False},
        True,
    ),
    "in a list": (
        schema(all={"type": "array", "items": schema(real=BOOLEAN)}),
        {"/all/*/real": True},
        {"/all/*/real": False},
        True,
    ),
    "a nullable boolean": (
        schema(real={"type": ["boolean", "null"]}),
        {"/real": True},
        {"/real": False},
        True,
    ),
    "no name": (schema(lane=enum("a", "b")), {"/lane": "a"}, {"/lane": "b"}, False),
}


@pytest.mark.parametrize(("given", "one", "other", "named"), FIRST.values(), ids=FIRST)
def test_the_first_stance(given: dict[str, Any], one: Any, other: Any, named: bool) -> None:  # noqa: ANN401, FBT001 - JSON from a table
    stance = next(stances(given))
    assert (stance.one, stance.other, stance.named) == (one, other, named)
    if named:
        assert usual(given) == one


def test_nothing_to_decide() -> None:
    assert list(stances(schema(text={"type": "string"}))) == []
    assert list(stances(schema(one=enum("only")))) == []
    assert list(stances(schema(rows={"type": "array", "items": schema(kind=enum("a", "b"))}))) == []


def test_every_other_value_is_compared_too() -> None:
    tried = [
        (s.one["/v"], s.other["/v"]) for s in stances(schema(v=enum("pass", "fail", "blocked")))
    ]
    assert tried == [("pass", "fail"), ("pass", "fail"), ("pass", "blocked")]


ABSTENTIONS: dict[str, tuple[dict[str, Any], Any]] = {
    "a flag": (schema(abstain=BOOLEAN, v=enum("pass", "fail", "unsure")), {"/abstain": True}),
    "a value": (schema(v=enum("pass", "fail", "unsure")), {"/v": "unsure"}),
    "null": (schema(real={"type": ["boolean", "null"]}), {"/real": None}),
    "null by anyOf": (schema(real={"anyOf": [BOOLEAN, {"type": "null"}]}), {"/real": None}),
    "nothing": (schema(real=BOOLEAN), None),
}


@pytest.mark.parametrize(("given", "choices"), ABSTENTIONS.values(), ids=ABSTENTIONS)
def test_abstention(given: dict[str, Any], choices: object) -> None:
    assert abstention(given) == choices


def test_the_pointers_of_points_are_escaped() -> None:
    (point,) = points(schema(**{"a/b~c": BOOLEAN}))
    assert (point.pointer, point.name) == ("/a~1b~0c", "a/b~c")


def test_points_lie_behind_references_and_alternatives() -> None:
    given = {
        "$defs": {"v": schema(real=BOOLEAN)},
        "properties": {"a": {"$ref": "#/$defs/v"}, "b": {"anyOf": [{"$ref": "#/$defs/v"}]}},
    }
    assert [point.pointer for point in points(given)] == ["/a/real", "/b/real"]


def test_points_of_a_schema_without_an_end() -> None:
    loop = {"$ref": "#", "properties": {"a": {"$ref": "#"}, "real": BOOLEAN}}
    assert {point.name for point in points(loop)} == {"real"}


@pytest.mark.parametrize("given", [True, None, 3, "x", [], {"properties": 3}, {"anyOf": 1}])
def test_what_is_no_schema_decides_nothing(given: Any) -> None:  # noqa: ANN401 - anything at all
    assert (list(stances(given)), abstention(given), is_contract(given)) == ([], None, False)
