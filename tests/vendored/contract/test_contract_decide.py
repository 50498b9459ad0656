"""The decision table, row by row, and the traps, in both languages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.vendored.contract.conftest import Contract

QUESTION = "Is it so?"
RUBRIC: dict[str, Any] = {
    "id": "acme-review@1",
    "threshold": 0.8,
    "criteria": [
        {"id": "grounded", "question": "Is each claim backed by the quoted source?"},
        {"id": "complete", "question": "Is every requirement addressed?"},
    ],
}
GROUNDED = {"id": "grounded", "score": 0.9, "pass": True, "evidence": "line 12"}
COMPLETE = {"id": "complete", "score": 0.95, "pass": True, "evidence": "line 40"}
OPEN = {"score": None, "pass": None}
REPORT: dict[str, Any] = {
    "item": "case-1",
    "criteria": [GROUNDED, COMPLETE],
    "abstain": False,
    "abstainReason": None,
}


def report(**changes: object) -> dict[str, Any]:
    return {**REPORT, **changes}


def grounded(**changes: object) -> dict[str, Any]:
    return report(criteria=[{**GROUNDED, **changes}, COMPLETE])


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value[name] for name in value if name != key}


def ask(
    contract: Contract, value: object, rubric: object = RUBRIC, **options: str
) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value)
    verdict: dict[str, Any] = json.loads(contract.decide(text, json.dumps(rubric), **options))
    return verdict


ABSTAINS: list[tuple[str, Any, str]] = [
    ("null", None, "verdict-missing"),
    ("a list", [REPORT], "verdict-missing"),
    ("a string", json.dumps("pass"), "verdict-missing"),
    ("a number", 1, "verdict-missing"),
    ("no item", without(REPORT, "item"), "missing-item"),
    ("item null", report(item=None), "missing-item"),
    ("item blank", report(item=" \t"), "missing-item"),
    ("item a number", report(item=1), "missing-item"),
    ("no abstain", without(REPORT, "abstain"), "malformed:abstain"),
    ("abstain null", report(abstain=None), "malformed:abstain"),
    ("abstain 0", report(abstain=0), "malformed:abstain"),
    ("abstain text", report(abstain="false"), "malformed:abstain"),
    ("abstains", report(abstain=True, abstainReason="too dark"), "judge:too dark"),
    ("abstains, verbatim", report(abstain=True, abstainReason=" a:b "), "judge: a:b "),
    ("abstains, null", report(abstain=True), "judge:unstated"),
    ("abstains, blank", report(abstain=True, abstainReason="\u3000"), "judge:unstated"),
    ("abstains, number", report(abstain=True, abstainReason=3), "judge:unstated"),
    ("abstains without criteria", {"item": "case-1", "abstain": True}, "judge:unstated"),
    ("no criteria", without(REPORT, "criteria"), "malformed:criteria"),
    ("criteria an object", report(criteria={"0": GROUNDED}), "malformed:criteria"),
    ("criteria a string", report(criteria="all pass"), "malformed:criteria"),
    ("criterion null", report(criteria=[GROUNDED, None]), "malformed-criterion:1"),
    ("criterion a list", report(criteria=[[GROUNDED]]), "malformed-criterion:0"),
    ("no id", report(criteria=[without(GROUNDED, "id")]), "malformed-criterion:0"),
    ("id a number", report(criteria=[{**GROUNDED, "id": 1}]), "malformed-criterion:0"),
    ("twice", report(criteria=[GROUNDED, GROUNDED, COMPLETE]), "duplicate-criterion:grounded"),
    ("unknown", report(criteria=[{**GROUNDED, "id": "style"}]), "unknown-criterion:style"),
    ("unknown, empty", report(criteria=[{**GROUNDED, "id": ""}]), "unknown-criterion:"),
    (
        "unknown, case",
        report(criteria=[{**GROUNDED, "id": "Grounded"}]),
        "unknown-criterion:Grounded",
    ),
    ("unknown twice", report(criteria=[{"id": "x"}, {"id": "x"}]), "unknown-criterion:x"),
    *(
        (
            f"inherited name {name}",
            report(criteria=[{**GROUNDED, "id": name}]),
            f"unknown-criterion:{name}",
        )
        for name in ["__proto__", "constructor", "toString", "hasOwnProperty", "length"]
    ),
    ("no score", report(criteria=[without(GROUNDED, "score")]), "bad-score:grounded"),
    ("neither", report(criteria=[{"id": "grounded", "evidence": "x"}]), "bad-score:grounded"),
    ("score null alone", grounded(score=None), "bad-score:grounded"),
    ("pass null alone", grounded(**{"pass": None}), "bad-pass:grounded"),
    (
        "score null, no pass",
        report(criteria=[{"id": "grounded", "score": None, "evidence": "x"}]),
        "bad-score:grounded",
    ),
    (
        "pass null, no score",
        report(criteria=[{"id": "grounded", "pass": None, "evidence": "x"}]),
        "bad-score:grounded",
    ),
    ("score true", grounded(score=True), "bad-score:grounded"),
    ("score text", grounded(score="0.9"), "bad-score:grounded"),
    ("score percent", grounded(score=90), "bad-score:grounded"),
    ("score a list", grounded(score=[0.9]), "bad-score:grounded"),
    ("score just above", grounded(score=1.0000000000000002), "bad-score:grounded"),
    ("score just below", grounded(score=-5e-324), "bad-score:grounded"),
    ("no pass", report(criteria=[without(GROUNDED, "pass")]), "bad-pass:grounded"),
    ("pass 1", grounded(**{"pass": 1}), "bad-pass:grounded"),
    ("pass text", grounded(**{"pass": "true"}), "bad-pass:grounded"),
    ("no evidence", report(criteria=[without(GROUNDED, "evidence")]), "bad-evidence:grounded"),
    ("evidence blank", grounded(evidence="\u200b\u2060"), "bad-evidence:grounded"),
    ("evidence a list", grounded(evidence=["line 12"]), "bad-evidence:grounded"),
    ("open, no evidence", grounded(**OPEN, evidence=""), "bad-evidence:grounded"),
    ("score before pass", grounded(score=2, **{"pass": 2}, evidence=2), "bad-score:grounded"),
    ("pass before evidence", grounded(**{"pass": 2}, evidence=2), "bad-pass:grounded"),
    (
        "first in the report",
        report(criteria=[{"id": "complete"}, {"id": "grounded"}]),
        "bad-score:complete",
    ),
    ("left out", report(criteria=[COMPLETE]), "missing-criterion:grounded"),
    ("left out, the last", report(criteria=[GROUNDED]), "missing-criterion:complete"),
    ("all left out", report(criteria=[]), "missing-criterion:grounded"),
]


@pytest.mark.parametrize(
    ("value", "reason"), [row[1:] for row in ABSTAINS], ids=[row[0] for row in ABSTAINS]
)
def test_a_report_that_cannot_be_used_abstains(
    contract: Contract, value: object, reason: str
) -> None:
    named = value.get("item") if isinstance(value, dict) else None
    known = reason not in ("verdict-missing", "missing-item")
    assert ask(contract, value) == {
        "item": named if known else None,
        "rubric": "acme-review@1",
        "decidedBy": "judge",
        "criteria": [],
        "abstain": True,
        "abstainReason": reason,
        "threshold": 0.8,
        "score": 0,
        "outcome": "abstain",
        "calibrated": False,
    }


RAW_SCORES = [
    ("1e400", "bad-score:grounded"),
    ("-1e400", "bad-score:grounded"),
    ("1" + "0" * 400, "bad-score:grounded"),
    ("9007199254740993", "bad-score:grounded"),
    ("1.0", None),
    ("1e0", None),
    ("0.1e1", None),
    ("100e-2", None),
]


@pytest.mark.parametrize(("score", "reason"), RAW_SCORES, ids=[row[0][:20] for row in RAW_SCORES])
def test_numbers_are_read_as_doubles(contract: Contract, score: str, reason: str | None) -> None:
    text = json.dumps(grounded(score="@")).replace('"@"', score)
    verdict = ask(contract, text)
    assert verdict["abstainReason"] == reason
    assert verdict["score"] == (0 if reason else 0.95)


DECIDED: list[tuple[str, list[Any], str, float, str | None]] = [
    ("all met", [GROUNDED, COMPLETE], "pass", 0.9, None),
    ("in another order", [COMPLETE, GROUNDED], "pass", 0.9, None),
    ("at the threshold", [{**GROUNDED, "score": 0.8}, COMPLETE], "pass", 0.8, None),
    (
        "just below",
        [{**GROUNDED, "score": 0.7999999999999999}, COMPLETE],
        "fail",
        0.7999999999999999,
        None,
    ),
    ("not averaged", [{**GROUNDED, "score": 0.79}, {**COMPLETE, "score": 1}], "fail", 0.79, None),
    ("high, not passed", [{**GROUNDED, "pass": False}, COMPLETE], "fail", 0.9, None),
    ("zero, passed", [{**GROUNDED, "score": 0}, COMPLETE], "fail", 0, None),
    ("negative zero", [{**GROUNDED, "score": -0.0}, COMPLETE], "fail", 0, None),
    ("one, exactly", [{**GROUNDED, "score": 1}, {**COMPLETE, "score": 1.0}], "pass", 1, None),
    ("fail beside open", [{**GROUNDED, **OPEN}, {**COMPLETE, "score": 0.1}], "fail", 0.1, None),
    (
        "not passed beside open",
        [{**GROUNDED, **OPEN}, {**COMPLETE, "pass": False}],
        "fail",
        0.95,
        None,
    ),
    ("open beside pass", [GROUNDED, {**COMPLETE, **OPEN}], "abstain", 0, "undecidable:complete"),
    (
        "all open",
        [{**COMPLETE, **OPEN}, {**GROUNDED, **OPEN}],
        "abstain",
        0,
        "undecidable:grounded,complete",
    ),
]


@pytest.mark.parametrize(
    ("criteria", "outcome", "score", "reason"),
    [row[1:] for row in DECIDED],
    ids=[row[0] for row in DECIDED],
)
def test_criteria_decide(
    contract: Contract, criteria: list[Any], outcome: str, score: float, reason: str | None
) -> None:
    verdict = ask(contract, report(criteria=criteria))
    assert (verdict["outcome"], verdict["score"], verdict["abstainReason"]) == (
        outcome,
        score,
        reason,
    )
    assert verdict["abstain"] is (outcome == "abstain")
    by_id = {criterion["id"]: criterion for criterion in criteria}
    assert verdict["criteria"] == [by_id["grounded"], by_id["complete"]]


def test_other_keys_are_never_read(contract: Contract) -> None:
    chatty = report(
        outcome="fail",
        calibrated=True,
        score=0,
        threshold=0,
        criteria=[{**GROUNDED, "weight": 0}, COMPLETE],
    )
    assert ask(contract, chatty, {**RUBRIC, "calibrated": True, "note": 1}) == ask(contract, REPORT)


EXPECTED = [
    ("the same", REPORT, "case-1", "case-1", None),
    ("another", REPORT, "case-2", "case-2", "item-mismatch"),
    ("blank at the end", REPORT, "case-1 ", "case-1 ", "item-mismatch"),
    ("of nothing", None, "case-1", "case-1", "verdict-missing"),
    ("of no item", report(item=""), "case-1", "case-1", "missing-item"),
    ("before the abstain", report(item="x", abstain=True), "case-1", "case-1", "item-mismatch"),
    ("composed differently", report(item="e\u0301"), "\u00e9", "\u00e9", "item-mismatch"),
]


@pytest.mark.parametrize(
    ("value", "item", "named", "reason"),
    [row[1:] for row in EXPECTED],
    ids=[row[0] for row in EXPECTED],
)
def test_the_expected_item(
    contract: Contract, value: object, item: str, named: str, reason: str | None
) -> None:
    verdict = ask(contract, value, item=item)
    assert (verdict["item"], verdict["abstainReason"]) == (named, reason)


RANGES = "0009-000D 001C-0020 0085 00A0 00AD 1680 180E 2000-200F 2028-202F 205F-2064 3000 FEFF"
BLANK = sorted(
    point for part in RANGES.split() for point in range(int(part[:4], 16), int(part[-4:], 16) + 1)
)
NEIGHBOURS = sorted({point + step for point in BLANK for step in (-1, 1)} - set(BLANK))


@pytest.mark.parametrize("point", BLANK, ids=lambda point: f"U+{point:04X}")
def test_a_blank_code_point_is_no_evidence(contract: Contract, point: int) -> None:
    assert (
        ask(contract, grounded(evidence=f" {chr(point)}"))["abstainReason"]
        == "bad-evidence:grounded"
    )


@pytest.mark.parametrize(
    "point",
    [*NEIGHBOURS, 0, 0xD800, 0xDFFF, 0xFFFF, 0x10000, 0x12009, 0x10FFFF],
    ids=lambda point: f"U+{point:04X}",
)
def test_any_other_code_point_is_not_blank(contract: Contract, point: int) -> None:
    verdict = ask(contract, grounded(evidence=chr(point)))
    assert verdict["outcome"] == "pass"
    assert verdict["criteria"][0]["evidence"] == chr(point)


@pytest.mark.parametrize(
    "name", ["__proto__", "constructor", "toString", "\ud800", "\U0001f600", "a b", "0", "=", "\0"]
)
def test_any_name_may_be_a_criterion(contract: Contract, name: str) -> None:
    rubric = {**RUBRIC, "criteria": [{"id": name, "question": QUESTION}]}
    verdict = ask(contract, report(criteria=[{**GROUNDED, "id": name}]), rubric)
    assert (verdict["outcome"], verdict["criteria"][0]["id"]) == ("pass", name)
    held = ask(contract, report(criteria=[{**GROUNDED, **OPEN, "id": name}]), rubric)
    assert held["abstainReason"] == f"undecidable:{name}"


SMALL = [
    (1e-5, "0.00001"),
    (1.5e-6, "0.0000015"),
    (1e-6, "0.000001"),
    (9.999999999999997e-7, "9.999999999999997e-7"),
    (1e-7, "1e-7"),
    (1.25e-10, "1.25e-10"),
    (5e-324, "5e-324"),
    (0.1 + 0.2, "0.30000000000000004"),
]


@pytest.mark.parametrize(("score", "text"), SMALL, ids=[row[1] for row in SMALL])
def test_numbers_are_printed_as_ecmascript_does(
    contract: Contract, score: float, text: str
) -> None:
    answer = contract.decide(json.dumps(grounded(score=score)), json.dumps(RUBRIC))
    assert f'"score":{text},"threshold":0.8' in answer


def measured(**changes: object) -> dict[str, Any]:
    return {**RUBRIC, "calibration": {"sealed": 10, "agreement": 0.8, "floor": 0.8, **changes}}


CALIBRATED = [
    ("measured", measured(), True),
    ("whole numbers", measured(sealed=1.0, agreement=1, floor=1), True),
    ("never sealed", measured(sealed=0), False),
    ("below the floor", measured(agreement=0.7999999999999999), False),
    ("claimed", {**RUBRIC, "calibrated": True}, False),
    ("not measured", RUBRIC, False),
]


@pytest.mark.parametrize(
    ("rubric", "answer"), [row[1:] for row in CALIBRATED], ids=[row[0] for row in CALIBRATED]
)
def test_calibrated_is_derived(contract: Contract, rubric: object, answer: object) -> None:
    assert ask(contract, REPORT, rubric)["calibrated"] is answer
    assert ask(contract, None, rubric)["calibrated"] is answer


ID = "rubric.id: not of the form <plugin>-<name>@<number>"
THRESHOLD = "rubric.threshold: not a number above 0 and at most 1"
LIST = "rubric.criteria: not a list of one or more"
NAME = "rubric.criteria[0].id: not a non-blank string without a comma"
REFUSED: list[tuple[str, Any, str]] = [
    ("null", None, "rubric: not an object"),
    ("a list", [RUBRIC], "rubric: not an object"),
    ("empty", {}, ID),
    *(
        (f"id {name!r}", {**RUBRIC, "id": name}, ID)
        for name in [
            None,
            1,
            "",
            "acme@1",
            "acme-review",
            "acme-review@0",
            "acme-review@01",
            "Acme-review@1",
            "acme-@1",
            "-review@1",
            "acme--review@1",
            "acme-review@1\n",
            " acme-review@1",
            "acme-review@1@2",
            "acme_x-y@1",
            "acme-review@\u0661",
            "\u00e4cme-review@1",
        ]
    ),
    ("no threshold", without(RUBRIC, "threshold"), THRESHOLD),
    *(
        (f"threshold {value!r}", {**RUBRIC, "threshold": value}, THRESHOLD)
        for value in [0, -1, 1.01, 80, True, "0.8", None]
    ),
    ("no criteria", without(RUBRIC, "criteria"), LIST),
    ("criteria empty", {**RUBRIC, "criteria": []}, LIST),
    ("criteria an object", {**RUBRIC, "criteria": {"a": QUESTION}}, LIST),
    ("criterion text", {**RUBRIC, "criteria": ["a"]}, "rubric.criteria[0]: not an object"),
    *(
        (
            f"criterion id {name!r}",
            {**RUBRIC, "criteria": [{"id": name, "question": QUESTION}]},
            NAME,
        )
        for name in [None, 1, "", "\ufeff", "a,b"]
    ),
    (
        "criterion twice",
        {**RUBRIC, "criteria": [{"id": "a", "question": QUESTION}] * 2},
        "rubric.criteria[1].id: the same as an earlier one",
    ),
    (
        "no question",
        {**RUBRIC, "criteria": [{"id": "a"}]},
        "rubric.criteria[0].question: not a non-blank string",
    ),
    ("calibration null", {**RUBRIC, "calibration": None}, "rubric.calibration: not an object"),
    *(
        (
            f"sealed {value!r}",
            measured(sealed=value),
            "rubric.calibration.sealed: not an integer of 0 or more",
        )
        for value in [-1, 0.5, "10", True, None]
    ),
    *(
        (
            f"agreement {value!r}",
            measured(agreement=value),
            "rubric.calibration.agreement: not a number from 0 to 1",
        )
        for value in [-0.1, 1.1, "1", True, None]
    ),
    *(
        (
            f"floor {value!r}",
            measured(floor=value),
            "rubric.calibration.floor: not a number above 0 and at most 1",
        )
        for value in [0, 1.1, "1", True, None]
    ),
]


@pytest.mark.parametrize(
    ("rubric", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_broken_rubric_is_refused_in_the_same_words(
    contract: Contract, rubric: object, message: str
) -> None:
    for value in ("null", json.dumps(REPORT)):
        assert (
            contract.decide(value, json.dumps(rubric), decidedBy="nobody") == f"refused: {message}"
        )


@pytest.mark.parametrize("name", ["", "Judge", "model", "__proto__"])
def test_who_decided_is_judge_or_command(contract: Contract, name: str) -> None:
    assert ask(contract, REPORT, decidedBy="command")["decidedBy"] == "command"
    refused = "refused: decidedBy: neither judge nor command"
    assert contract.decide("null", json.dumps(RUBRIC), decidedBy=name, item=" ") == refused


@pytest.mark.parametrize("item", ["", " ", "\ufeff"])
def test_a_blank_expected_item_is_the_callers_mistake(contract: Contract, item: str) -> None:
    answer = contract.decide(json.dumps(REPORT), json.dumps(RUBRIC), item=item)
    assert answer == "refused: item: not a non-blank string"


SAMPLES: list[tuple[str, list[Any], list[object], list[int] | str]] = [
    ("three of seven", list("abcdefg"), [], [0, 3, 6]),
    ("three of eight", list("abcdefgh"), [], [0, 3, 7]),
    ("four of eight", list("abcdefgh"), [4], [0, 2, 4, 7]),
    ("sorted", list("cab"), [2], [1, 0]),
    ("stable", [None, "", "a", None], [9], [0, 1, 3, 2]),
    ("as many as there are", list("ab"), [3], [0, 1]),
    ("one", list("ba"), [1], [1]),
    ("none", list("ab"), [0], []),
    ("fewer than none", list("ab"), [-2], []),
    ("of nothing", [], [], []),
    ("two as a double", list("ab"), [2.0], [0, 1]),
    ("prefixes", ["aa", "a", "ab", "a\0"], [4], [1, 3, 0, 2]),
    ("by code point", ["\uffff", "\U00010000", "\ud800", "\udfff", "\ue000"], [5], [2, 3, 4, 0, 1]),
    ("half a", list("ab"), [0.5], "k: not an integer"),
    ("text", list("ab"), ["2"], "k: not an integer"),
    ("true", list("ab"), [True], "k: not an integer"),
]


@pytest.mark.parametrize(
    ("items", "k", "chosen"), [row[1:] for row in SAMPLES], ids=[row[0] for row in SAMPLES]
)
def test_spot_check(
    contract: Contract, items: list[Any], k: list[object], chosen: list[int] | str
) -> None:
    rows = [{"item": item, "place": str(place)} for place, item in enumerate(items)]
    answer = contract.spot_check(json.dumps(rows), *k)
    if isinstance(chosen, str):
        assert answer == f"refused: {chosen}"
    else:
        assert [int(row["place"]) for row in json.loads(answer)] == chosen


def test_spot_check_takes_a_list_of_whatever(contract: Contract) -> None:
    assert (
        contract.spot_check('[{"item":"a"},null,"x",{"item":["b"]}]', 9)
        == '[null,"x",{"item":["b"]},{"item":"a"}]'
    )
    assert contract.spot_check('{"length":0}') == "refused: verdicts: not a list"
