"""What holds for every report: parity, the superset, and validate() as the inverse of decide()."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.vendored.contract.conftest import VENDORED, InNode, InPython, load
from tests.vendored.contract.strategies import oddities, questions, rubrics, texts

contract = load(VENDORED / "judge_contract.py")
SCHEMA = json.loads((VENDORED / "verdict.schema.json").read_bytes())
RUBRIC_SCHEMA = json.loads((VENDORED / "schemas/rubric.schema.json").read_bytes())
schema = Draft202012Validator(SCHEMA)
rubric_schema = Draft202012Validator(RUBRIC_SCHEMA)

Question = tuple[Any, dict[str, Any], dict[str, str]]


def decided(question: Question) -> dict[str, Any]:
    report, rubric, options = question
    names = {"decidedBy": "decided_by"}
    flags = {names.get(key, key): value for key, value in options.items()}
    verdict: dict[str, Any] = contract.decide(report, rubric, **flags)
    return verdict


def test_both_schemas_are_schemas() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator.check_schema(RUBRIC_SCHEMA)


@settings(max_examples=250)
@given(question=questions())
def test_both_languages_decide_alike(python: InPython, node: InNode, question: Question) -> None:
    report, rubric = json.dumps(question[0]), json.dumps(question[1])
    answers = {one.decide(report, rubric, **question[2]) for one in (python, node)}
    assert len(answers) == 1
    assert json.loads(answers.pop())["outcome"] in ("pass", "fail", "abstain")


@settings(max_examples=150)
@given(question=questions())
def test_the_old_release_decides_alike_too(
    old_python: InPython, old_node: InNode, question: Question
) -> None:
    report, rubric = json.dumps(question[0]), json.dumps(question[1])
    answers = {one.decide(report, rubric, **question[2]) for one in (old_python, old_node)}
    assert len(answers) == 1


@settings(max_examples=200)
@given(question=questions())
def test_the_new_release_decides_as_the_old_one_but_for_both_nulls(
    python: InPython, old_python: InPython, question: Question
) -> None:
    report, rubric = json.dumps(question[0]), json.dumps(question[1])
    new, old = (one.decide(report, rubric, **question[2]) for one in (python, old_python))
    criteria = question[0].get("criteria") if isinstance(question[0], dict) else None
    undecidable = isinstance(criteria, list) and any(
        isinstance(one, dict) and one.get("score", 0) is None and one.get("pass", 0) is None
        for one in criteria
    )
    if not undecidable:
        assert new == old
    else:
        assert json.loads(old)["outcome"] == "abstain"


@settings(max_examples=200)
@given(question=questions())
def test_every_verdict_is_valid(question: Question) -> None:
    verdict = decided(question)
    assert contract.validate(verdict) == []
    assert contract.validate(verdict, question[1]) == []
    assert list(schema.iter_errors(verdict)) == []
    assert contract.validate(json.loads(contract.canonical(verdict)), question[1]) == []


CHANGES: dict[str, st.SearchStrategy[Any]] = {
    "item": st.one_of(oddities, texts),
    "rubric": st.one_of(oddities, st.sampled_from(["acme-review@2", "review", "a-b@1\n"])),
    "decidedBy": st.one_of(oddities, st.sampled_from(["judge", "command", "me"])),
    "criteria": oddities,
    "abstain": st.one_of(oddities, st.booleans()),
    "abstainReason": st.one_of(
        oddities,
        texts,
        st.sampled_from(
            ["verdict-missing", "missing-item", "undecidable:a", "undecidable:a,b", "bad-score:a"]
        ),
    ),
    "threshold": st.one_of(oddities, st.floats(0, 1)),
    "score": st.one_of(oddities, st.floats(0, 1)),
    "outcome": st.one_of(oddities, st.sampled_from(["pass", "fail", "abstain", "Pass"])),
    "calibrated": st.one_of(oddities, st.booleans()),
}


def reachable(verdict: dict[str, Any], rubric: dict[str, Any]) -> bool:
    """Tell, without validate(), whether some report and item give exactly this verdict.

    A verdict with criteria is the decision on them; one without is given by one of the reports
    that are tried here: each kind of fault, for each criterion of the rubric and one that is none.
    """
    item, criteria, reason = verdict["item"], verdict["criteria"], verdict["abstainReason"]
    good = [{"id": c["id"], "score": 1, "pass": True, "evidence": "x"} for c in rubric["criteria"]]
    base = {"item": item, "abstain": False, "criteria": criteria or good}
    text = str(reason)
    name = text.partition(":")[2]
    faults: list[Any] = [
        *([*good[:i], None] for i in range(len(good) + 1)),
        [{"id": name}],
        [*good, {"id": name}],
        [{"id": name, "score": 1}],
        [{"id": name, "score": 1, "pass": True}],
        [one for one in good if one["id"] != name],
    ]
    tried = [
        base,
        None,
        {},
        {"item": f"{item}?"},
        {"item": item},
        {"item": item, "abstain": False},
        {"item": item, "abstain": True, "abstainReason": name},
        *({**base, "criteria": fault} for fault in faults),
    ]
    for report in tried:
        for expected in {None, item}:
            try:
                again = contract.decide(
                    report, rubric, item=expected, decided_by=verdict["decidedBy"]
                )
            except (contract.RubricError, TypeError):
                continue
            if contract.canonical(again) == dump(verdict):
                return True
    return False


def dump(value: object) -> str:
    try:
        return str(contract.canonical(value))
    except (TypeError, ValueError, OverflowError):
        return "not canonical"


@settings(max_examples=400)
@given(question=questions(), data=st.data())
def test_every_single_change_is_found_unless_it_is_another_verdict(
    question: Question, data: st.DataObject
) -> None:
    rubric = question[1]
    verdict = decided(question)
    key = data.draw(st.sampled_from(sorted(verdict)))
    changed = {**verdict, key: data.draw(CHANGES[key])}
    if contract.validate(changed, rubric):
        assert not hashable(changed) or not reachable(changed, rubric)
    else:
        assert reachable(changed, rubric)
        assert schema.is_valid(changed)
    if not contract.validate(changed):
        assert schema.is_valid(changed)


def hashable(verdict: dict[str, Any]) -> bool:
    return isinstance(verdict["item"], str | None) and isinstance(verdict["criteria"], list)


@settings(max_examples=250)
@given(question=questions(), data=st.data())
def test_every_change_of_a_criterion_is_found_unless_it_decides_alike(
    question: Question, data: st.DataObject
) -> None:
    rubric = question[1]
    verdict = decided(question)
    if not verdict["criteria"]:
        return
    place = data.draw(st.integers(0, len(verdict["criteria"]) - 1))
    key = data.draw(st.sampled_from(["id", "score", "pass", "evidence"]))
    entry = {
        **verdict["criteria"][place],
        key: data.draw(st.one_of(oddities, texts, st.floats(0, 1))),
    }
    criteria = [*verdict["criteria"][:place], entry, *verdict["criteria"][place + 1 :]]
    changed = {**verdict, "criteria": criteria}
    report = {"item": verdict["item"], "abstain": False, "criteria": criteria}
    again = contract.decide(report, rubric, decided_by=verdict["decidedBy"])
    assert (contract.validate(changed, rubric) == []) == (dump(again) == dump(changed))
    if not contract.validate(changed):
        assert schema.is_valid(changed)


@pytest.mark.parametrize("key", sorted(CHANGES))
def test_a_key_less_or_more_is_found(key: str) -> None:
    verdict = contract.decide(
        None, {"id": "a-b@1", "threshold": 1, "criteria": [{"id": "a", "question": "q"}]}
    )
    less = {name: verdict[name] for name in verdict if name != key}
    for wrong in (less, {**verdict, f"{key}2": None}, {**less, 1: None}):
        assert contract.validate(wrong)
        assert not schema.is_valid(wrong)


RELABELLED: list[tuple[str, dict[str, Any], str]] = [
    (
        "a fail as undecidable",
        {"outcome": "abstain", "abstain": True, "abstainReason": "undecidable:b", "score": 0},
        "outcome",
    ),
    ("a fail as a pass", {"outcome": "pass"}, "outcome"),
    ("another score", {"score": 0.5}, "score"),
    (
        "an abstain that keeps its criteria",
        {"outcome": "abstain", "abstain": True, "abstainReason": "bad-score:a", "score": 0},
        "outcome",
    ),
    ("without its criteria", {"criteria": []}, "abstainReason"),
]


@pytest.mark.parametrize(
    ("changes", "names"), [row[1:] for row in RELABELLED], ids=[row[0] for row in RELABELLED]
)
def test_a_relabelled_fail_is_found(changes: dict[str, Any], names: str) -> None:
    rubric = {
        "id": "a-b@1",
        "threshold": 0.8,
        "criteria": [{"id": name, "question": "q"} for name in "ab"],
    }
    entries = [
        {"id": "a", "score": 0.1, "pass": False, "evidence": "x"},
        {"id": "b", "score": None, "pass": None, "evidence": "x"},
    ]
    verdict = contract.decide({"item": "i", "abstain": False, "criteria": entries}, rubric)
    assert verdict["outcome"] == "fail"
    problems = contract.validate({**verdict, **changes})
    assert any(problem.startswith(f"{names}: ") for problem in problems)


@settings(max_examples=400)
@given(rubric=rubrics(), data=st.data())
def test_the_rubric_schema_says_what_check_rubric_says(
    rubric: dict[str, Any], data: st.DataObject
) -> None:
    places: list[dict[str, Any]] = [
        rubric,
        rubric["criteria"][0],
        rubric.get("calibration", rubric),
    ]
    place = data.draw(st.sampled_from(places))
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(st.one_of(oddities, texts))
    try:
        contract.check_rubric(rubric)
        refused = ""
    except contract.RubricError as error:
        refused = str(error)
    assert rubric_schema.is_valid(rubric) == (
        not refused or "the same as an earlier one" in refused
    )


HOSTILE = [
    ("tuple of criteria", {"criteria": ()}, "malformed:criteria"),
    ("a set", {"criteria": {1}}, "malformed:criteria"),
    ("bytes", {"item": b"i"}, "missing-item"),
    ("integer abstain", {"abstain": 0}, "malformed:abstain"),
    ("ellipsis", {"abstain": ...}, "malformed:abstain"),
]


@pytest.mark.parametrize(
    ("changes", "reason"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE]
)
def test_what_json_cannot_hold(changes: dict[str, Any], reason: str) -> None:
    rubric = {"id": "a-b@1", "threshold": 0.8, "criteria": [{"id": "a", "question": "q"}]}
    report = {"item": "i", "abstain": False, "criteria": [], **changes}
    assert contract.decide(report, rubric)["abstainReason"] == reason


class Float64(float):
    """What numeric libraries return: a double by another name."""


@pytest.mark.parametrize(
    "score", [10**400, -(10**400), 2**53 + 1, 1 + 0j, b"1", (1,), {1}, ..., float("nan")]
)
def test_a_score_that_is_no_double_in_range(score: object) -> None:
    rubric = {"id": "a-b@1", "threshold": 0.8, "criteria": [{"id": "a", "question": "q"}]}
    entry = {"id": "a", "score": score, "pass": True, "evidence": "x"}
    verdict = contract.decide({"item": "i", "abstain": False, "criteria": [entry]}, rubric)
    assert verdict["abstainReason"] == "bad-score:a"
    entry["score"] = Float64(0.9)
    verdict = contract.decide({"item": "i", "abstain": False, "criteria": [entry]}, rubric)
    assert (verdict["score"], type(verdict["score"])) == (0.9, float)


def test_inputs_are_left_alone_and_nothing_is_shared() -> None:
    rubric = {"id": "a-b@1", "threshold": 0.8, "criteria": [{"id": "a", "question": "q"}]}
    report = {
        "item": "i",
        "abstain": False,
        "criteria": [{"id": "a", "score": 1, "pass": True, "evidence": "x"}],
    }
    before = json.dumps([report, rubric])
    verdict = contract.decide(report, rubric)
    verdict["criteria"][0]["score"] = 0
    verdict["criteria"].append(1)
    assert json.dumps([report, rubric]) == before
    assert contract.decide(None, rubric)["criteria"] == []
