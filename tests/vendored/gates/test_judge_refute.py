"""judge_refute.py: a claim stands only when no majority, and nobody missing, refutes it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vendored.gates.conftest import REFUTE

MODULE = REFUTE.module
NO: dict[str, Any] = {"refuted": False}
YES: dict[str, Any] = {"refuted": True, "reason": "line 3 says otherwise"}
BARE: dict[str, Any] = {"refuted": True}

DECISIONS: list[tuple[str, list[Any], str, int, str]] = [
    ("upheld", [NO, NO, NO], "", 0, "adopt"),
    ("one refutes", [YES, NO, NO], "", 0, "adopt"),
    ("a majority refutes", [YES, YES, NO], "", 1, "stop"),
    ("an even split is no majority", [YES, NO], "", 0, "adopt"),
    ("an even split of four", [YES, NO, NO, YES], "", 0, "adopt"),
    ("one alone refutes", [YES], "", 1, "stop"),
    ("nobody", [], "", 2, "abstain"),
    ("nobody of a panel", [], "--panel 3", 2, "abstain"),
    ("nobody valid", [{}, None, 7, "no", {"refuted": "false"}, {"refuted": 0}], "", 2, "abstain"),
    ("invalid ones are left out", [NO, {"refuted": "yes"}, {"refuted": 1}, {}], "", 0, "adopt"),
    ("a shrunk panel", [NO, {"refuted": "no"}, {}, {"refuted": 1}, None], "--panel 5", 2,
     "abstain"),
    ("missing ones could overturn", [NO, NO, YES], "--panel 5", 2, "abstain"),
    ("missing ones could only split", [NO, NO, YES], "--panel 4", 0, "adopt"),
    ("missing ones could change nothing", [NO, NO, NO], "--panel 5", 0, "adopt"),
    ("missing ones do not hold up a stop", [YES, YES], "--panel 9", 1, "stop"),
    ("fewer than asked", [NO, NO], "--min-valid 3", 2, "abstain"),
    ("fewer than asked, refuted", [YES, YES], "--min-valid 3", 2, "abstain"),
    ("as many as asked", [NO, NO, NO], "--min-valid 3", 0, "adopt"),
    ("no reason counts", [BARE, BARE, NO], "", 1, "stop"),
    ("no reason, and it is required", [YES, BARE, NO, NO], "--require-reason", 0, "adopt"),
    ("strictness never opens the gate", [BARE, BARE, NO], "--require-reason", 2, "abstain"),
    ("strictness keeps a stop", [YES, YES, BARE, NO], "--require-reason", 1, "stop"),
    ("strictness with nothing left", [BARE, BARE], "--require-reason", 2, "abstain"),
    ("a blank reason is none", [{**BARE, "reason": " \n\u200b"}, {**BARE, "reason": ""}, NO],
     "--require-reason", 2, "abstain"),
    ("null is no reason", [{**BARE, "reason": None}] * 2 + [NO], "", 1, "stop"),
    ("a reason that is no string", [{**BARE, "reason": 7}] * 2 + [NO], "", 2, "abstain"),
    ("upheld for a reason that is no string", [{**NO, "reason": 7}], "", 2, "abstain"),
    ("upheld without a reason", [NO, NO], "--require-reason", 0, "adopt"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("votes", "flags", "code", "decision"),
    [row[1:] for row in DECISIONS],
    ids=[row[0] for row in DECISIONS],
)
def test_decisions(votes: list[Any], flags: str, code: int, decision: str) -> None:
    told = REFUTE.decides("--votes", "-", *flags.split(), given=votes)
    assert (told["code"], told["decision"]) == (code, decision)


def test_a_whole_document() -> None:
    votes = [YES, NO, BARE, {"refuted": "yes"}, NO]
    assert REFUTE.decides("--votes", "-", given=votes) == {
        "kind": "refute",
        "gate": "judge-refute",
        "decision": "adopt",
        "total": 5,
        "valid": 4,
        "invalid": 1,
        "refuted": 2,
        "upheld": 2,
        "majority": 2,
        "unreasoned": 1,
        "reason": "2 of 4 refute the claim",
        "code": 0,
    }


def test_an_unreasoned_refutation_is_counted_where_it_is_invalid_too() -> None:
    told = REFUTE.decides("--votes", "-", "--require-reason", given=[BARE, NO, NO, NO])
    assert (told["valid"], told["invalid"], told["unreasoned"]) == (3, 1, 1)


def test_an_adopt_says_that_it_is_no_approval() -> None:
    assert REFUTE.run("--votes", "-", given=[NO]).out == (
        "adopt: 0 of 1 refute the claim (0 invalid, 0 unreasoned)\n"
        "  a gate, not an approval: what is externally visible, financial or binding still needs"
        " a person\n"
    )
    assert "approval" not in REFUTE.run("--votes", "-", given=[YES]).out


def test_more_votes_than_the_panel_has() -> None:
    REFUTE.run("--votes", "-", "--panel", "2", given=[NO] * 3).is_one_line(
        2, "3 votes for a panel of 2"
    )


def test_check_is_another_name_of_the_self_test() -> None:
    said = REFUTE.run("--check")
    assert (said.code, said.err) == (0, "")
    assert said.out.endswith(" planted cases, 0 wrong\n")


def test_the_input_schema_holds_what_is_valid() -> None:
    schema = REFUTE.schema("input")
    assert schema.is_valid([NO, YES, BARE, {**BARE, "reason": None}])
    assert not schema.is_valid([{"refuted": 1}])
    assert not schema.is_valid([{"refuted": True, "reason": 7}])


JUNK: list[Any] = [None, 7, "no", {}, [], {"refuted": "yes"}, {"refuted": 0}, {**NO, "reason": 7}]
VOTES = st.lists(
    st.sampled_from([NO, YES, BARE, {**BARE, "reason": " "}, {**BARE, "reason": []}, *JUNK]),
    max_size=8,
)
RULES = st.fixed_dictionaries(
    {
        "panel": st.one_of(st.none(), st.integers(8, 11)),
        "min_valid": st.integers(1, 3),
        "require_reason": st.booleans(),
    }
)


@given(VOTES, RULES, st.randoms(use_true_random=False))
def test_order_never_matters(votes: list[Any], rule: dict[str, Any], random: Any) -> None:  # noqa: ANN401 - Hypothesis's own
    shuffled = list(votes)
    random.shuffle(shuffled)
    one, other = (MODULE.decide(order, **rule) for order in (votes, shuffled))
    assert json.dumps(one) == json.dumps(other)


@given(VOTES, RULES, st.sampled_from([*JUNK, {**BARE, "reason": 7}]))
def test_an_invalid_vote_never_opens_the_gate(
    votes: list[Any], rule: dict[str, Any], junk: object
) -> None:
    one, other = (MODULE.decide(order, **rule) for order in (votes, [*votes, junk]))
    assert one["decision"] == "adopt" or other["decision"] != "adopt"
    assert (one["decision"] == "stop") == (other["decision"] == "stop")


@given(VOTES, RULES, st.integers(0, 7), st.sampled_from(JUNK))
def test_a_vote_that_becomes_unreadable_turns_no_stop_into_a_go(
    votes: list[Any], rule: dict[str, Any], where: int, junk: object
) -> None:
    """Where the panel is told; without it, whoever cannot be read is left out of the tally."""
    rule = {**rule, "panel": rule["panel"] or 8}
    lost = [junk if number == where else vote for number, vote in enumerate(votes)]
    gone = [vote for number, vote in enumerate(votes) if number != where]
    one, other, fewer = (MODULE.decide(order, **rule) for order in (votes, lost, gone))
    assert one["decision"] == "adopt" or "adopt" not in {other["decision"], fewer["decision"]}


@given(VOTES, RULES)
def test_strictness_never_opens_the_gate(votes: list[Any], rule: dict[str, Any]) -> None:
    loose, strict = (MODULE.decide(votes, **{**rule, "require_reason": on}) for on in (False, True))
    assert loose["decision"] == "adopt" or strict["decision"] != "adopt"


@given(VOTES, RULES)
def test_the_figures_add_up(votes: list[Any], rule: dict[str, Any]) -> None:
    told = MODULE.decide(votes, **rule)
    REFUTE.schema("output").validate(told)
    assert told["total"] == len(votes) == told["valid"] + told["invalid"]
    assert told["valid"] == told["refuted"] + told["upheld"]
    assert (told["decision"] == "stop") == (
        told["refuted"] * 2 > told["valid"] >= rule["min_valid"]
    )
