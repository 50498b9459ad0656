"""The case set covers the decision table by construction.

Each row is a predicate of its own here, written from the table and blind to order. Every row, and
every pair of rows that can hold at once, must be the exact set of faults of some case; what the
table says of the pair (the earlier row names the outcome) must be what that case expects.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import pytest

from judge_conformance.parity.cases import Case

NAMES = {
    "1": "verdict-missing",
    "2": "missing-item",
    "3": "item-mismatch",
    "4": "malformed:abstain",
    "5": "judge:",
    "6": "malformed:criteria",
    "7a": "malformed-criterion:",
    "7b": "duplicate-criterion:",
    "7c": "unknown-criterion:",
    "7d": "bad-score:",
    "7e": "bad-pass:",
    "7f": "bad-evidence:",
    "8": "missing-criterion:",
    "9": "fail",
    "10": "undecidable:",
}
CRITERION = ("7a", "7b", "7c", "7d", "7e", "7f")

# Pairs of rows that no report can show at once.
IMPOSSIBLE = {
    *((f"1 {row}") for row in NAMES if row not in ("1", "3")),
    "4 5",
    *(f"6 {row}" for row in (*CRITERION, "8", "9", "10")),
}
# Two faults that no one criterion can have at once: what is no object has no fields, what is a
# duplicate is known, and a score that is bad is not null.
NOT_IN_ONE = {*(f"7a {row}" for row in CRITERION), "7b 7c"}

Fault = tuple[str, int]  # row, index of the criterion (-1: the report)


def faults(case: dict[str, Any]) -> frozenset[Fault]:
    return frozenset(_faults(case))


def _faults(case: dict[str, Any]) -> Iterator[Fault]:
    report, rubric = case.get("report"), case["rubric"]
    if case.get("item") is not None and (
        not isinstance(report, dict) or report.get("item") != case["item"]
    ):
        yield "3", -1
    if not isinstance(report, dict):
        yield "1", -1
        return
    item, abstain, criteria = (report.get(key) for key in ("item", "abstain", "criteria"))
    if not (isinstance(item, str) and item.strip()):
        yield "2", -1
    if not isinstance(abstain, bool):
        yield "4", -1
    elif abstain:
        yield "5", -1
    if not isinstance(criteria, list):
        yield "6", -1
        return
    asked = [criterion["id"] for criterion in rubric["criteria"]]
    seen: list[str] = []
    for index, criterion in enumerate(criteria):
        yield from ((row, index) for row in _criterion(criterion, asked, seen, rubric["threshold"]))
    if any(name not in seen for name in asked):
        yield "8", -1


def _criterion(criterion: Any, asked: list[str], seen: list[str], bar: float) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(criterion, dict) or not isinstance(criterion.get("id"), str):
        yield "7a"
        return
    if criterion["id"] in seen:
        yield "7b"
    elif criterion["id"] not in asked:
        yield "7c"
    seen.append(criterion["id"])
    score, passed, evidence = (
        criterion.get(key, "absent") for key in ("score", "pass", "evidence")
    )
    if not (isinstance(evidence, str) and evidence.strip()) or evidence == "absent":
        yield "7f"
    if score is None and passed is None:
        yield "10"
        return
    good_score = isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1
    if not good_score:
        yield "7d"
    if not isinstance(passed, bool):
        yield "7e"
    if (good_score and score < bar) or passed is False:
        yield "9"


@pytest.fixture(scope="module")
def table(cases: tuple[Case, ...]) -> dict[frozenset[Fault], list[Case]]:
    found: dict[frozenset[Fault], list[Case]] = {}
    for case in cases:
        value = json.loads(case.text, parse_int=float, parse_float=float)
        rubric = value.get("rubric")
        whole = isinstance(rubric, dict) and isinstance(rubric.get("criteria"), list)
        decided = value.get("call", "decide") == "decide" and "error" not in value
        if decided and whole and "$make" not in case.text:
            found.setdefault(faults(value), []).append(case)
    return found


def told(case: Case) -> str:
    verdict = json.loads(case.expected.removeprefix("returns "))
    return str(verdict["abstainReason"] or verdict["outcome"])


Wanted = Callable[[frozenset[Fault]], bool]


def demand(
    table: dict[frozenset[Fault], list[Case]],
    wanted: Wanted,
    row: str,
) -> None:
    """Demand a case with the wanted faults and nothing else, whose outcome is the row's."""
    matching = [case for key, group in table.items() if wanted(key) for case in group]
    assert matching, f"no case shows {row} so"
    for case in matching:
        assert told(case).startswith(NAMES[row]), case.id


@pytest.mark.parametrize("row", NAMES)
def test_every_row_stands_alone_in_a_case(
    row: str, table: dict[frozenset[Fault], list[Case]]
) -> None:
    demand(table, lambda key: {name for name, _ in key} == {row} and len(key) == 1, row)


@pytest.mark.parametrize(
    ("first", "second"),
    [pair for pair in combinations(NAMES, 2) if " ".join(pair) not in IMPOSSIBLE],
    ids="-".join,
)
def test_every_pair_of_rows_is_told_by_the_first(
    first: str, second: str, table: dict[frozenset[Fault], list[Case]]
) -> None:
    if first in CRITERION and second in CRITERION:
        wanted_in_one(first, second, table)
        return
    demand(table, lambda key: {name for name, _ in key} == {first, second}, first)


def wanted_in_one(first: str, second: str, table: dict[frozenset[Fault], list[Case]]) -> None:
    if f"{first} {second}" in NOT_IN_ONE:
        return
    demand(
        table,
        lambda key: (
            len(key) == 2
            and {name for name, _ in key} == {first, second}
            and len({index for _, index in key}) == 1
        ),
        first,
    )


@pytest.mark.parametrize(("first", "second"), list(product(CRITERION, repeat=2)), ids="-then-".join)
def test_of_two_criteria_the_earlier_one_tells(
    first: str, second: str, table: dict[frozenset[Fault], list[Case]]
) -> None:
    def wanted(key: frozenset[Fault]) -> bool:
        in_order = sorted(key, key=lambda fault: fault[1])
        return [name for name, _ in in_order] == [first, second] and (
            len({index for _, index in in_order}) == 2
        )

    demand(table, wanted, first)
