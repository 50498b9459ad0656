"""judge_vote.py: a majority, exactly counted, and never a hung panel that passes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vendored.gates.conftest import VOTE

MODULE = VOTE.module
NULL = {"verdict": None}


def votes(*verdicts: object) -> list[dict[str, object]]:
    return [{"verdict": verdict} for verdict in verdicts]


DECISIONS: list[tuple[str, list[Any], str, int, str, object]] = [
    ("unanimous", votes("pass", "pass", "pass"), "", 0, "pass", "pass"),
    ("a unanimous fail is a consensus", votes("fail", "fail"), "", 0, "pass", "fail"),
    ("two of three by default", votes("a", "a", "b"), "", 0, "pass", "a"),
    ("two of three at 0.66", votes("a", "b", "a"), "--agree 0.66", 0, "pass", "a"),
    ("two of three at 0.67", votes("a", "a", "b"), "--agree 0.67", 1, "fail", None),
    ("two of three at what 2/3 prints", votes("a", "a", "b"),
     "--agree 0.6666666666666666", 0, "pass", "a"),
    ("two of three a hair above", votes("a", "a", "b"),
     "--agree 0.6666666666666667", 1, "fail", None),
    ("two of three at 0.66, among ten times as many", votes(*"aab" * 10), "--agree 0.66", 0,
     "pass", "a"),
    ("65 of 100 at 0.66", votes(*"a" * 65, *map(str, range(35))), "--agree 0.66", 1, "fail", None),
    ("66 of 100 at 0.66", votes(*"a" * 66, *map(str, range(34))), "--agree 0.66", 0, "pass", "a"),
    ("29 of 50 at 0.58", votes(*"a" * 29, *map(str, range(21))), "--agree 0.58", 0, "pass", "a"),
    ("57 of 100 at 0.57", votes(*"a" * 57, *map(str, range(43))), "--agree 0.57", 0, "pass", "a"),
    ("1 of 3 and more than 1 of 3", votes("a", "b", "c", "a"), "--agree 0.5", 0, "pass", "a"),
    ("half and a hair", votes("a", "a", "b", "c"), "--agree 0.5000000000000001", 1, "fail", None),
    ("three of ten at 0.3", votes(*"aaabcdefgh"), "--agree 0.3", 0, "pass", "a"),
    ("seven of ten at 0.7", votes(*"aaaaaaabcd"), "--agree 0.7", 0, "pass", "a"),
    ("hung", votes("a", "a", "b", "c"), "", 1, "fail", None),
    ("everybody at 1", votes("a", "a"), "--agree 1", 0, "pass", "a"),
    ("nearly everybody at 1", votes(*"a" * 99, "b"), "--agree 1", 1, "fail", None),
    ("an order decided", [*votes("correct"), {"note": "unreadable"}, *votes("incorrect")], "",
     1, "fail", None),
    ("a tie at 0.5", votes("pass", "fail"), "--agree 0.5", 1, "fail", None),
    ("a tie at the smallest bar", votes("pass", "fail"), "--agree 5e-324", 1, "fail", None),
    ("a survivor of three", votes("pass"), "--panel 3", 1, "fail", None),
    ("two survivors of three", votes("pass", "pass"), "--panel 3", 0, "pass", "pass"),
    ("the whole panel", votes("a", "a", "a"), "--panel 3 --agree 1", 0, "pass", "a"),
    ("unreadable ones are no voters", [*votes("a", "a"), 7, {}, "a", None, ["verdict"], "verdict"],
     "--panel 2 --agree 1", 0, "pass", "a"),
    ("an abstention in the denominator", votes("a", "a", None), "--agree 0.67", 1, "fail", None),
    ("an abstention outvoted", votes("a", "a", None), "", 0, "pass", "a"),
    ("abstentions first", votes(None, None, "a"), "", 2, "observe", None),
    ("abstentions first at any bar", votes(None, None, "a"), "--agree 0.1", 2, "observe", None),
    ("abstentions alone", votes(None, None), "--agree 0.1", 2, "observe", None),
    ("abstentions tied", votes(None, "a"), "--agree 0.1", 1, "fail", None),
    ("nobody", [], "", 2, "observe", None),
    ("nobody of a panel", [], "--panel 3", 2, "observe", None),
    ("nobody readable", [{"note": 1}, None], "", 2, "observe", None),
    ("too few", votes("a", "a"), "--min-votes 3", 2, "observe", None),
    ("enough", votes("a", "a", "a"), "--min-votes 3", 0, "pass", "a"),
    ("1 and 1.0 are one", votes(1, 1.0, 1e0), "--agree 1", 0, "pass", 1),
    ("inside, too", votes({"n": [1.0]}, {"n": [1]}), "--agree 1", 0, "pass", {"n": [1]}),
    ("keys in any order", votes({"a": 1, "b": 2}, {"b": 2, "a": 1}), "--agree 1", 0, "pass",
     {"a": 1, "b": 2}),
    ("four verdicts", votes(*[True, "true", 1, "1"]), "--agree 0.25", 1, "fail", None),
    ("false is a verdict", votes(*[False, False, 0]), "", 0, "pass", False),
    ("0 and -0.0 are one", votes(0, -0.0), "--agree 1", 0, "pass", 0),
    ("capitals differ", votes("Pass", "pass"), "", 1, "fail", None),
    ("empty text is a verdict", votes("", "", "a"), "", 0, "pass", ""),
    ("the expected one", votes("pass", "pass"), "--expect pass", 0, "pass", "pass"),
    ("another one", votes("fail", "fail"), "--expect pass", 1, "fail", "fail"),
    ("expected, of another type", votes(*[True] * 2), "--expect '\"true\"'", 1, "fail", True),
    ("expected, as JSON", votes(*[True] * 2), "--expect true", 0, "pass", True),
    ("expected, hung", votes("pass", "fail"), "--expect pass", 1, "fail", None),
    ("expected, nobody", [], "--expect pass", 2, "observe", None),
    ("expected, abstained", votes(None, None), "--expect pass", 2, "observe", None),
    ("an abstention is never adopted", votes(None, None), "--expect null", 2, "observe", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("ballots", "flags", "code", "status", "verdict"),
    [row[1:] for row in DECISIONS],
    ids=[row[0] for row in DECISIONS],
)
def test_decisions(ballots: list[Any], flags: str, code: int, status: str, verdict: object) -> None:
    words = flags.replace("'", "").split()
    told = VOTE.decides("--votes", "-", *words, given=ballots)
    assert (told["code"], told["status"], told["verdict"]) == (code, status, verdict)
    assert type(told["verdict"]) is type(verdict)


def test_a_whole_document() -> None:
    ballots = [
        {"verdict": "pass", "score": 0.9},
        {"verdict": "pass", "score": 0.8, "note": "ignored"},
        {"verdict": "fail", "score": True},
        {"verdict": 1, "score": "0.5"},
        {"verdict": None, "score": None},
        {"score": 0.1},
        "pass",
    ]
    assert VOTE.decides("--votes", "-", "--agree", "0.4", given=ballots) == {
        "kind": "vote",
        "gate": "judge-vote",
        "subcommand": "judge-vote",
        "status": "pass",
        "score": 0.4,
        "threshold": 0.4,
        "metrics": {
            "votes": 5,
            "verdicts": {'"fail"': 1, '"pass"': 2, "1": 1, "null": 1},
            "majority": "pass",
            "agreement": 0.4,
            "mean_score": 0.85,
            "score_variance": 0.0025,
            "ignored": 2,
            "ignored_scores": 3,
        },
        "findings": [],
        "verdict": "pass",
        "code": 0,
    }


DIFFER = ["the scores differ much although the verdicts agree"]
SCORES: list[tuple[str, list[Any], object, object, list[str]]] = [
    ("none", [None, None], None, None, []),
    ("one", [0.7], 0.7, 0, []),
    ("0.02 exactly, as decimals", [0, 0, 0.3], 0.1, 0.02, DIFFER),
    ("0.02 exactly, again", [0.1, 0.1, 0.4], 0.2, 0.02, DIFFER),
    ("just below", [0.1, 0.1, 0.3997], 0.1999, 0.01996002, []),
    ("ten tenths", [0.1] * 10, 0.1, 0, []),
    ("integers", [1, 2, 3], 2, 2 / 3, DIFFER),
    ("huge", [1e308, -1e308, 1e308], 1e308 / 3, 1.7976931348623157e308, DIFFER),
]


@pytest.mark.parametrize(
    ("scores", "mean", "variance", "findings"),
    [row[1:] for row in SCORES],
    ids=[row[0] for row in SCORES],
)
def test_scores(scores: list[Any], mean: object, variance: object, findings: list[str]) -> None:
    ballots = [{"verdict": "a", "score": score} for score in scores] + votes("a")
    told = VOTE.decides("--votes", "-", given=ballots)
    assert (told["metrics"]["mean_score"], told["metrics"]["score_variance"]) == (mean, variance)
    assert (told["code"], told["verdict"], told["findings"]) == (0, "a", findings)


def test_scores_never_decide() -> None:
    ballots = [
        {"verdict": "a", "score": 0},
        {"verdict": "a", "score": 0},
        {"verdict": "b", "score": 9},
    ]
    assert VOTE.decides("--votes", "-", given=ballots)["verdict"] == "a"


def test_a_number_that_no_double_holds_is_no_verdict_and_no_score() -> None:
    text = b'[{"verdict": 1e400}, {"verdict": {"x": [-1e999]}}, {"verdict": "a", "score": 1e400}]'
    metrics = VOTE.decides("--votes", "-", given=text)["metrics"]
    assert (metrics["votes"], metrics["ignored"], metrics["ignored_scores"]) == (1, 2, 1)


HEAD = 'consensus: "fail" (agreement 1.000, threshold 0.66)'
ALONE = "a single vote is a consensus with itself"
OTHER = 'this consensus is not the expected one, which is "pass"'
NONE = "consensus: none (agreement 0.222, threshold 0.66)"
SUMMARIES: list[tuple[list[Any], str, str]] = [
    (votes("a", "a", "b"), "", 'consensus: "a" (agreement 0.667, threshold 0.66)\n'),
    (votes("fail"), "", f"{HEAD}\n  {ALONE}\n"),
    (votes("fail", "fail"), "--expect pass", f"{HEAD}\n  {OTHER}\n"),
    (votes("a", "b", "b"), "--panel 9", f"{NONE}\n  hung: 2 of 9 agree, where 0.66 must\n"),
    (votes("\u00e9\u2028\ud800") * 2, "", 'consensus: "\\u00e9\\u2028\\ud800" (agree'),
]


@pytest.mark.parametrize(("ballots", "flags", "text"), SUMMARIES, ids=lambda value: str(value)[:30])
def test_the_summary_says_which_consensus(ballots: list[Any], flags: str, text: str) -> None:
    assert VOTE.run("--votes", "-", *flags.split(), given=ballots).out.startswith(text)


def test_more_votes_than_the_panel_has() -> None:
    said = VOTE.run("--votes", "-", "--panel", "2", given=votes("a", "a", "a"))
    said.is_one_line(2, "3 votes for a panel of 2")


def test_the_input_schema_holds_what_counts() -> None:
    schema = VOTE.schema("input")
    assert schema.is_valid([{"verdict": None}, {"verdict": [1], "score": 0.5, "note": ""}])
    assert not schema.is_valid([{"score": 1}])
    assert not schema.is_valid([{"verdict": 1, "score": "1"}])
    assert not schema.is_valid({"verdict": 1})


VERDICTS = st.sampled_from(["a", "b", None, 1, 1.0, True, {"k": [1.0]}, {"k": [1]}, ""])
SCORES_OF = st.sampled_from([0.1, 0.2, 0.3, 1, -1e308, 1e308, True, "x", None])
BALLOTS = st.lists(
    st.one_of(
        st.builds(lambda verdict: {"verdict": verdict}, VERDICTS),
        st.builds(lambda verdict, score: {"verdict": verdict, "score": score}, VERDICTS, SCORES_OF),
        st.sampled_from([None, 7, "a", {}, {"score": 1}]),
    ),
    max_size=9,
)
RULES = st.fixed_dictionaries(
    {
        "agree": st.sampled_from([0.1, 0.5, 0.66, 0.67, 1.0]),
        "min_votes": st.integers(1, 4),
        "panel": st.one_of(st.none(), st.integers(9, 12)),
        "expect": st.sampled_from([None, '"a"', "1"]),
    }
)


@given(BALLOTS, RULES, st.randoms(use_true_random=False))
def test_order_never_matters(ballots: list[Any], rule: dict[str, Any], random: Any) -> None:  # noqa: ANN401 - Hypothesis's own
    shuffled = list(ballots)
    random.shuffle(shuffled)
    one, other = (MODULE.decide(order, **rule) for order in (ballots, shuffled))
    assert json.dumps(one) == json.dumps(other)
    assert MODULE.summary(one) == MODULE.summary(other)


@given(BALLOTS, RULES, st.integers(0, 8), st.sampled_from([None, 7, "a", {}, {"score": 1}]))
def test_a_vote_that_becomes_unreadable_opens_no_gate(
    ballots: list[Any], rule: dict[str, Any], where: int, junk: object
) -> None:
    """Where the panel is told, and more than half must agree, whoever is missing says no."""
    rule = {**rule, "panel": rule["panel"] or 9, "agree": max(rule["agree"], 0.51)}
    lost = [junk if number == where else vote for number, vote in enumerate(ballots)]
    gone = [vote for number, vote in enumerate(ballots) if number != where]
    one, other, fewer = (MODULE.decide(order, **rule) for order in (ballots, lost, gone))
    assert one["status"] == "pass" or (other["status"] != "pass" and fewer["status"] != "pass")


@given(BALLOTS, RULES, st.sampled_from([None, 7, "a", {}, [], {"score": 1}]), st.integers(0, 9))
def test_an_unreadable_vote_changes_no_decision(
    ballots: list[Any], rule: dict[str, Any], junk: object, where: int
) -> None:
    more = [*ballots[:where], junk, *ballots[where:]]
    one, other = (MODULE.decide(order, **rule) for order in (ballots, more))
    assert (one["status"], one["verdict"]) == (other["status"], other["verdict"])
    assert other["metrics"]["ignored"] == one["metrics"]["ignored"] + 1


@given(BALLOTS, RULES)
def test_what_passes_has_the_votes(ballots: list[Any], rule: dict[str, Any]) -> None:
    told = MODULE.decide(ballots, **rule)
    VOTE.schema("output").validate(told)
    counts = told["metrics"]["verdicts"]
    seats = rule["panel"] or sum(counts.values())
    if told["status"] == "pass":
        text = json.dumps(told["verdict"], separators=(",", ":"))
        assert all(counts[text] > number for other, number in counts.items() if other != text)
        assert counts[text] * 100 >= seats * round(rule["agree"] * 100)
        assert told["verdict"] is not None
        assert rule["expect"] in (None, text)
    if told["status"] == "observe":
        assert told["verdict"] is None
