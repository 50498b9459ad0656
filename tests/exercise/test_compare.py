"""When two runs are the same, apart from the judge's own words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from judge_conformance.exercise.compare import Outcome, decides, differ, outcome, same, says_more
from judge_conformance.exercise.session import Ended, Run

ITEM, OTHER, OWN = "title-qaaaaaaz", "title-qbbbbbbz", "reason-qcccccc" + "z"
MARKS = frozenset({"qccccccz"})


def ran(value: Any = None, *, error: str | None = None, given: tuple[str, ...] = ()) -> Run:  # noqa: ANN401 - JSON
    ended = Ended(kind="value", value=json.dumps(value))
    if error is not None:
        ended = Ended(kind="error", message=error)
    items = dict.fromkeys(("qaaaaaaz", "qbbbbbbz", "qccccccz", *given), "item")
    return Run(ended=ended, calls=(), logs=(), reads=(), items=items)


SAME: dict[str, tuple[Any, Any]] = {
    "equal": ({"a": [1, "x", None]}, {"a": [1, "x", None]}),
    "no verdict where the judge's words stood": (
        {"t": ITEM, "v": None},
        {"t": ITEM, "v": {"real": True, "reason": OWN}},
    ),
    "nothing where the judge's words stood": ({"t": ITEM}, {"t": ITEM, "why": OWN}),
    "undefined in a text": ({"t": f"{ITEM}: undefined"}, {"t": f"{ITEM}: {OWN}"}),
}
SAME |= {
    "nothing in a text": ({"t": f"{ITEM} ()"}, {"t": f"{ITEM} ({OWN})"}),
    "nothing where a place stood": ({"t": f"{ITEM} at "}, {"t": f"{ITEM} at src/qccccccz.js:7"}),
}
APART: dict[str, tuple[Any, Any]] = {
    "another value": ({"a": 1}, {"a": 2}),
    "another type": ({"a": True}, {"a": 1}),
    "a word instead of a verdict": ({"v": "unjudged"}, {"v": "confirmed"}),
    "an item missing": ([ITEM], [ITEM, OTHER]),
    "an item gone to null": ({"a": None}, {"a": ITEM}),
    "an item gone with a verdict": ({"a": None}, {"a": {"t": ITEM, "real": True}}),
    "an item elsewhere": ({"kept": [], "gone": [ITEM]}, {"kept": [ITEM], "gone": []}),
    "something where there was nothing": ({"t": ITEM, "note": "x"}, {"t": ITEM}),
    "another item": ({"t": ITEM}, {"t": OTHER}),
    "an empty list for a full one": ({"a": []}, {"a": [1]}),
}


@pytest.mark.parametrize(("dead", "reference"), SAME.values(), ids=SAME)
def test_same(dead: object, reference: object) -> None:
    assert same(outcome(ran(dead), MARKS), outcome(ran(reference), MARKS))


@pytest.mark.parametrize(("dead", "reference"), APART.values(), ids=APART)
def test_not_the_same(dead: object, reference: object) -> None:
    assert not same(outcome(ran(dead), MARKS), outcome(ran(reference), MARKS))
    assert differ(outcome(ran(dead), MARKS), outcome(ran(reference), MARKS))


def test_two_results_differ_whichever_of_them_says_more() -> None:
    bare, full = (outcome(ran(value), MARKS) for value in ({"t": ITEM}, {"t": ITEM, "why": OWN}))
    assert same(bare, full)
    assert differ(bare, full)
    assert differ(full, bare)


def test_given_names_are_items_too() -> None:
    dead, reference = ({"a": None}, {"a": "billing"})
    named = [outcome(ran(v, given=("billing",)), MARKS) for v in (dead, reference)]
    assert not same(*named)


def test_errors_are_the_same_apart_from_the_judges_words() -> None:
    one, other = (outcome(ran(error=e), MARKS) for e in ("Error: undefined", f"Error: {OWN}"))
    assert not same(one, outcome(ran({}), MARKS))
    assert not same(outcome(ran({}), MARKS), one)
    assert not same(one, outcome(ran(error="Error: other"), MARKS))
    assert same(one, other)


def test_a_value_that_is_only_passed_on_decides_nothing() -> None:
    one, other = (outcome(ran({"t": ITEM, "lane": lane}), MARKS) for lane in ("a", "b"))
    assert differ(one, other)
    assert not decides(one, other)
    assert decides(one, outcome(ran({"lane": "a"}), MARKS))


def test_a_result_says_more_when_it_has_texts_that_no_reference_has() -> None:
    dead = outcome(ran([f"{ITEM} was not judged", "3 kept"]), MARKS)
    known = outcome(ran(["4 kept", ITEM]), MARKS)
    others = outcome(ran([f"{OTHER} was not judged"]), MARKS)
    assert says_more(dead, [known])
    assert not says_more(dead, [known, others])


def test_no_more_references_are_asked_for_than_it_takes() -> None:
    known = outcome(ran(["4 kept"]), MARKS)

    def references() -> Iterator[Outcome]:
        yield known
        raise AssertionError

    assert not says_more(known, references())


@pytest.mark.parametrize("kind", ["timeout", "unsettled", "huge", "unwritable"])
def test_what_has_no_result_is_an_error(kind: Any) -> None:  # noqa: ANN401 - a literal
    run = Run(ended=Ended(kind=kind), calls=(), logs=(), reads=(), items={})
    assert outcome(run, MARKS).error
