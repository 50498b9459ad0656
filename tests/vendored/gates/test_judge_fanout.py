"""judge_fanout.py: evidence is data, a label is what somebody says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vendored.gates.conftest import FANOUT

MODULE = FANOUT.module


def claim(name: str, status: str, *sources: object) -> dict[str, Any]:
    return {
        "id": name,
        "claim": "It is so.",
        "status": status,
        "sources": list(sources),
        "agent": "x",
    }


GOOD = claim("good", "verified", "https://example.org/a")
DECISIONS: list[tuple[str, list[Any], str, int, str, list[str], list[str]]] = [
    ("verified", [GOOD], "", 0, "ADOPT", [], []),
    ("no claim", [], "", 1, "HOLD", [], []),
    ("pending", [GOOD, claim("p", "pending", "s")], "", 1, "HOLD", ["p"], []),
    ("unverified", [claim("u", "unverified", "s"), GOOD], "", 1, "HOLD", ["u"], []),
    ("refuted", [GOOD, claim("r", "refuted", "s")], "", 2, "CONFLICT", [], ["r"]),
    ("a conflict wins", [claim("u", "pending"), claim("r", "refuted"), GOOD], "", 2, "CONFLICT",
     ["u"], ["r"]),
    ("no source", [claim("n", "verified"), GOOD], "", 1, "HOLD", ["n"], []),
    ("blank sources", [claim("n", "verified", "", " \t\n", "\u200b\u00ad\u3000")], "", 1, "HOLD",
     ["n"], []),
    ("sources that are no strings", [claim("n", "verified", 7, None, {"url": "x"}, ["s"])], "", 1,
     "HOLD", ["n"], []),
    ("one source twice", [claim("n", "verified", "a", " a ", "a\u200b")], "--min-sources 2", 1,
     "HOLD", ["n"], []),
    ("two sources", [claim("n", "verified", "a", "b")], "--min-sources 2", 0, "ADOPT", [], []),
    ("one of three", [claim("n", "verified", "a", "b")], "--min-sources 3", 1, "HOLD", ["n"], []),
    ("sources are null", [{"id": "n", "status": "verified", "sources": None}], "", 1, "HOLD",
     ["n"], []),
    ("sources are left out", [{"id": "n", "status": "verified"}], "", 1, "HOLD", ["n"], []),
    ("a refuted one needs no source", [{"id": "r", "status": "refuted"}], "", 2, "CONFLICT", [],
     ["r"]),
    ("sorted", [claim("b", "refuted"), claim("a", "refuted"), claim("d", "pending"),
                claim("c", "pending")], "", 2, "CONFLICT", ["c", "d"], ["a", "b"]),
]  # fmt: skip


@pytest.mark.parametrize("row", DECISIONS, ids=[row[0] for row in DECISIONS])
def test_decisions(row: tuple[str, list[Any], str, int, str, list[str], list[str]]) -> None:
    _, claims, flags, code, verdict, held, refuted = row
    told = FANOUT.decides("--in", "-", *flags.split(), given={"topic": "x", "claims": claims})
    assert (told["code"], told["verdict"], told["exit"]) == (code, verdict, code)
    assert (told["held_ids"], told["refuted_ids"]) == (held, refuted)


def test_a_whole_document() -> None:
    claims = [GOOD, claim("n", "verified"), *(claim(s[:3], s) for s in ("pending", "unverified"))]
    assert FANOUT.decides("--in", "-", given={"claims": claims}) == {
        "kind": "fanout",
        "gate": "judge-fanout",
        "verdict": "HOLD",
        "exit": 1,
        "counts": {
            "claims": 4,
            "verified": 1,
            "refuted": 0,
            "unverified": 1,
            "pending": 1,
            "undersourced": 1,
        },
        "held_ids": ["n", "pen", "unv"],
        "refuted_ids": [],
        "code": 1,
    }


def test_the_summary_names_who_is_held() -> None:
    claims = [GOOD, claim("\u00e9", "pending"), claim("r", "refuted")]
    assert FANOUT.run("--in", "-", given={"claims": claims}).out == (
        "CONFLICT: 1 of 3 claims are verified\n"
        '  refuted, so that a person decides: "r"\n'
        '  held: "\\u00e9"\n'
    )


UNUSABLE: list[tuple[str, object, str]] = [
    ("a list", [GOOD], "not an object with a list of claims"),
    ("no claims", {"topic": "x"}, "not an object with a list of claims"),
    ("claims are null", {"claims": None}, "not an object with a list of claims"),
    ("claims are an object", {"claims": {"a": GOOD}}, "not an object with a list of claims"),
    ("a claim is a string", {"claims": [GOOD, "x"]}, "claims[1]: not an object"),
    ("no id", {"claims": [{"status": "pending"}]}, "claims[0].id: not a non-blank string"),
    ("a blank id", {"claims": [claim(" \u200b", "pending")]}, "claims[0].id: not a non-blank"),
    ("a number for an id", {"claims": [{**GOOD, "id": 1}]}, "claims[0].id: not a non-blank"),
    ("an id twice", {"claims": [GOOD, GOOD]}, "claims[1].id: the same as an earlier one"),
    ("no status", {"claims": [{"id": "a"}]}, "claims[0].status: none of verified, refuted,"),
    ("another status", {"claims": [claim("a", "VERIFIED", "s")]}, "claims[0].status: none of"),
    ("a status that is true", {"claims": [{**GOOD, "status": True}]}, "claims[0].status: none of"),
    ("sources are a string", {"claims": [{**GOOD, "sources": "a"}]}, "claims[0].sources: not a"),
]


@pytest.mark.parametrize(
    ("document", "text"), [row[1:] for row in UNUSABLE], ids=[row[0] for row in UNUSABLE]
)
@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["", "json"])
def test_what_is_no_set_of_claims(flags: list[str], document: object, text: str) -> None:
    FANOUT.run("--in", "-", *flags, given=document).is_one_line(3, text)
    if "twice" not in text and "earlier" not in text and "blank" not in text:
        assert not FANOUT.schema("input").is_valid(document)


CLAIMS = st.lists(
    st.builds(
        lambda name, status, sources: {"id": name, "status": status, "sources": sources},
        st.sampled_from("abcdefgh\u00e9"),
        st.sampled_from(["verified", "verified", "refuted", "unverified", "pending"]),
        st.lists(st.sampled_from(["s", " s", "t", "", None]), max_size=3),
    ),
    unique_by=lambda one: one["id"],
    max_size=6,
)


@given(CLAIMS, st.integers(1, 3), st.randoms(use_true_random=False))
def test_order_never_matters(claims: list[Any], least: int, random: Any) -> None:  # noqa: ANN401 - Hypothesis's own
    shuffled = [
        {**one, "sources": random.sample(one["sources"], len(one["sources"]))} for one in claims
    ]
    random.shuffle(shuffled)
    one, other = (MODULE.decide({"claims": c}, min_sources=least) for c in (claims, shuffled))
    assert json.dumps(one) == json.dumps(other)
    FANOUT.schema("output").validate(one)


@given(CLAIMS, st.integers(1, 3))
def test_adopt_means_every_claim_and_one_at_least(claims: list[Any], least: int) -> None:
    told = MODULE.decide({"claims": claims}, min_sources=least)
    sound = [
        one["status"] == "verified"
        and len({source.strip() for source in one["sources"] if source}) >= least
        for one in claims
    ]
    assert (told["verdict"] == "ADOPT") == (bool(claims) and all(sound))
    assert (told["verdict"] == "CONFLICT") == any(one["status"] == "refuted" for one in claims)
    assert sum(told["counts"].values()) == 2 * len(claims)


JUNK: list[Any] = [None, 7, "x", [], {}, {"id": "z"}, {"id": "z", "status": "ok"}, {"status": 1}]


@given(CLAIMS, st.integers(1, 3), st.sampled_from(JUNK), st.integers(0, 6))
def test_a_claim_that_cannot_be_read_is_never_a_go(
    claims: list[Any], least: int, junk: object, where: int
) -> None:
    with pytest.raises(MODULE.Unusable):
        MODULE.decide({"claims": [*claims[:where], junk, *claims[where:]]}, min_sources=least)
