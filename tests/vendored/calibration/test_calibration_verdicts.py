"""Stored verdicts are held to validate()'s rule: the two canonical files never disagree."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.vendored.contract.strategies import oddities, reports, rubrics, texts

REASONS = [
    "verdict-missing",
    "missing-item",
    "item-mismatch",
    "malformed:abstain",
    "malformed:criteria",
    "malformed:x",
    "judge:x",
    "judge: ",
    "malformed-criterion:0",
    "malformed-criterion:01",
    "unknown-criterion:",
    "unknown-criterion",
    "duplicate-criterion:a",
    "duplicate-criterion:a,b",
    "bad-score:a",
    "bad-pass:",
    "bad-evidence:a",
    "missing-criterion:a",
    "undecidable:a",
    "undecidable:a,b",
]


@st.composite
def verdicts(draw: st.DrawFn, decide: Callable[..., Any]) -> tuple[dict[str, Any], Any]:
    """Draw what decide() made of a report, and in most draws change it in up to two places."""
    rubric = draw(rubrics())
    verdict: Any = copy.deepcopy(decide(draw(reports(rubric)), rubric, item="i"))
    for _ in range(draw(st.integers(0, 2))):
        places: list[Any] = [
            verdict,
            *(one for one in verdict["criteria"] if isinstance(one, dict)),
        ]
        place = draw(st.sampled_from(places))
        key = draw(st.sampled_from(sorted(place)))
        match draw(st.sampled_from(["odd", "text", "reason", "gone", "flip", "twice", "empty"])):
            case "odd":
                place[key] = draw(oddities)
            case "text":
                place[key] = draw(texts)
            case "reason":
                verdict["abstainReason"] = draw(st.sampled_from(REASONS))
            case "gone":
                place.pop(key)
            case "flip":
                outcome = draw(st.sampled_from(["pass", "fail", "abstain"]))
                verdict |= {"outcome": outcome, "abstain": outcome == "abstain"}
            case "twice":
                verdict["criteria"] = verdict["criteria"] * 2
            case _:
                verdict["criteria"] = []
        if not isinstance(verdict.get("criteria"), list) or "criteria" not in verdict:
            break
    return rubric, verdict


@settings(max_examples=200)
@given(data=st.data())
def test_a_verdict_is_at_fault_exactly_when_validate_says_so(
    calibration: ModuleType, contract: ModuleType, data: st.DataObject
) -> None:
    _, verdict = data.draw(verdicts(contract.decide))
    valid = contract.validate(verdict) == []
    # a verdict without an item cannot be joined with a case, so it is refused here
    joinable = isinstance(verdict, dict) and verdict.get("item") is not None
    assert (calibration.fault(verdict, None) is None) == (valid and joinable)


@settings(max_examples=100)
@given(data=st.data())
def test_with_the_rubric_what_validate_accepts_is_accepted(
    calibration: ModuleType, contract: ModuleType, data: st.DataObject
) -> None:
    rubric, verdict = data.draw(verdicts(contract.decide))
    if contract.validate(verdict, rubric) == [] and verdict["item"] is not None:
        assert calibration.fault(verdict, rubric) is None
    if calibration.fault(verdict, rubric) is None:
        assert contract.validate(verdict) == []
        assert (verdict["rubric"], verdict["threshold"]) == (rubric["id"], rubric["threshold"])
        if verdict["criteria"]:
            assert [one["id"] for one in verdict["criteria"]] == [
                one["id"] for one in rubric["criteria"]
            ]


@settings(max_examples=100)
@given(rubric=rubrics(), data=st.data())
def test_a_rubric_is_refused_exactly_when_check_rubric_refuses_it(
    calibration: ModuleType,
    contract: ModuleType,
    rubric: dict[str, Any],
    data: st.DataObject,
) -> None:
    rubric.pop("calibration", None)
    broken: Any = copy.deepcopy(rubric)
    if data.draw(st.booleans()):
        place = data.draw(st.sampled_from([broken, broken["criteria"][0]]))
        place[data.draw(st.sampled_from(sorted(place)))] = data.draw(st.one_of(oddities, texts))
    try:
        contract.check_rubric(broken)
        good = True
    except contract.RubricError:
        good = False
    try:
        calibration.demand_rubric(broken, "rubric")
        accepted = True
    except calibration.Refused:
        accepted = False
    assert accepted == good
