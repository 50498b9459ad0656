"""judge_debate.py: three judges, at most three rounds, and no consensus that was not there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.vendored.gates.conftest import DEBATE, Said

MODULE = DEBATE.module
DAY = "2026-01-31"
STATE = f"audits/judge/{DAY} judge-with-debate state.json"
REPORT = f"audits/judge/{DAY} judge-with-debate consensus.md"
NO_CONSENSUS = "Final Recommendation: NO CONSENSUS \u2014 human review required"


def criterion(name: str, weight: float) -> dict[str, Any]:
    return {
        "id": name,
        "name": name.capitalize(),
        "weight": weight,
        "scale": {"min": 1, "max": 5},
        "rubric": {"1": "bad", "3": "fair", "5": "good"},
        "checklist": ["Is it?"],
    }


SPEC = {"criteria": [criterion("truth", 0.6), criterion("form", 0.4)]}


def block(judge: int, number: int, truth: float, form: float, **more: object) -> dict[str, Any]:
    return {
        "status": "Complete",
        "judge": judge,
        "round": number,
        "scores": {
            "overall": round(0.6 * truth + 0.4 * form, 2),
            "criteria": {"truth": truth, "form": form},
        },
        "agreement": "accept-consensus",
        "strengths": [],
        "weaknesses": [],
        **more,
    }


def revised(name: str, old: float, new: float, evidence: str) -> dict[str, Any]:
    return {"revisions": [{"criterion": name, "old": old, "new": new, "evidence": evidence}]}


class Play:
    """A debate in a folder of its own, played from files as an orchestrator does."""

    def __init__(self, folder: Path, *flags: str, spec: object = SPEC) -> None:
        self.folder = folder
        (folder / "design.md").write_text("A design.\n")
        (folder / "spec.json").write_text(json.dumps(spec))
        for name in ("design.md", "spec.json"):
            os.utime(folder / name, (0, 0))
        self.started = self.does(
            "start", "--artifact", "design.md", "--task", "Is it sound?", "--date", DAY, *flags
        )

    def does(self, *words: str) -> dict[str, Any]:
        return DEBATE.decides(*words, cwd=self.folder)

    def spec(self, file: str = "spec.json") -> dict[str, Any]:
        return self.does("spec", "--state", STATE, file)

    def files(self, number: int, blocks: list[dict[str, Any]]) -> list[str]:
        names = [f"round-{number}-{i}.json" for i in range(len(blocks))]
        for name, one in zip(names, blocks, strict=True):
            (self.folder / name).write_text(json.dumps(one))
        return names

    def reply(self, number: int, blocks: list[dict[str, Any]], *flags: str) -> dict[str, Any]:
        names = self.files(number, blocks)
        return self.does("reply", "--state", STATE, "--round", str(number), *flags, *names)

    def report(self, *flags: str) -> tuple[dict[str, Any], str]:
        told = self.does("report", "--state", STATE, *flags)
        return told, (self.folder / REPORT).read_text("utf-8")


def test_a_start_gives_out_the_paths_and_creates_no_report(tmp_path: Path) -> None:
    play = Play(tmp_path)
    names = [f"judge-{n}" for n in (1, 2, 3)]
    paths = [f"audits/judge/{DAY} judge-with-debate {name}.md" for name in names]
    assert play.started["reports"] == paths
    assert (play.started["consensus_report"], play.started["state"]) == (REPORT, STATE)
    assert [path.name for path in (tmp_path / "audits/judge").iterdir()] == [Path(STATE).name]
    (tmp_path / REPORT.replace(".md", "-2.md")).touch()
    third = Play(tmp_path).started
    assert third["consensus_report"] == REPORT.replace(".md", "-3.md")
    assert third["reports"] == [path.replace(".md", "-3.md") for path in paths]


def test_without_a_date_it_is_today(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    before = time.strftime("%Y-%m-%d", time.gmtime())
    told = DEBATE.decides("start", "--artifact", "a", "--task", "x", cwd=tmp_path)
    after = time.strftime("%Y-%m-%d", time.gmtime())
    assert Path(told["state"]).name[:10] in {before, after}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--artifact", "none", "--task", "x"], "none: cannot be read: No such file"),
        (["--artifact", "a", "none", "--task", "x"], "none: cannot be read: No such file"),
        (["--artifact", ".", "--task", "x"], ".: not a regular file"),
        (["--artifact", "fifo", "--task", "x"], "fifo: not a regular file"),
        (["--artifact", "a", "--task", " \n\u200b"], "--task: blank"),
        (["--artifact", "a", "--task", "x", "--models", "5=a:b"], "5=a:b: not SLOT=ASKED:GOT"),
        (["--artifact", "a", "--task", "x", "--date", "../../x"], "--date: not YYYY-MM-DD"),
    ],
)
def test_what_is_missing_at_the_start_is_named(words: list[str], text: str, tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    os.mkfifo(tmp_path / "fifo")
    DEBATE.run("start", *words, cwd=tmp_path).is_one_line(2, text)
    assert not (tmp_path / "audits").exists()


def test_the_schemas_hold_for_what_is_accepted(tmp_path: Path) -> None:
    DEBATE.schema("specification").validate(SPEC)
    DEBATE.schema("reply").validate(block(1, 1, 4, 4, **revised("form", 3, 4, "line 2")))
    assert not DEBATE.schema("specification").is_valid({"criteria": []})
    assert not DEBATE.schema("reply").is_valid({**block(1, 0, 4, 4), "judge": 4})
    assert Play(tmp_path).spec()["decision"] == "Accepted"


def change(**what: object) -> dict[str, Any]:
    return {"criteria": [criterion("truth", 0.6), {**criterion("form", 0.4), **what}]}


SPECS: list[tuple[str, object, str]] = [
    ("prose around it", b"Here it is:\n{}", "syntax"),
    ("a fence", b"```json\n{}\n```", "syntax"),
    ("a key twice", b'{"criteria": [], "criteria": []}', "syntax"),
    ("NaN", b'{"criteria": [NaN]}', "syntax"),
    ("a list", [], "syntax"),
    ("too deep", b"[" * 100_000, "syntax"),
    ("no criteria", {}, "weights"),
    ("no weight", change(weight=None), "weights"),
    ("weight 0", change(weight=0), "weights"),
    ("weight above 1", change(weight=1.4), "weights"),
    ("weights and shape wrong", change(weight=0.5, id=""), "weights"),
    ("sum 1.0011", change(weight=0.4011), "weights"),
    ("sum 0.9989", change(weight=0.3989), "weights"),
    ("an id twice", change(id="truth"), "shape"),
    ("no name", change(name=" "), "shape"),
    ("a scale of ten", change(scale={"min": 1, "max": 10}), "shape"),
    ("no anchor for 3", change(rubric={"1": "a", "5": "b"}), "shape"),
    ("no checklist", change(checklist=[]), "shape"),
]


@pytest.mark.parametrize("row", SPECS, ids=[row[0] for row in SPECS])
def test_the_first_check_that_fails_is_named(row: tuple[str, object, str], tmp_path: Path) -> None:
    _, content, check = row
    play = Play(tmp_path)
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    (tmp_path / "spec.json").write_bytes(raw)
    first, second = play.spec(), play.spec()
    assert (first["code"], first["decision"]) == (4, "Retry")
    assert first["reason"].startswith(f"{check}: ")
    assert (second["code"], second["decision"]) == (2, "Blocked")
    assert sum(name in first["reason"] for name in ("syntax:", "weights:", "shape:")) == 1


WEIGHTS: list[tuple[list[float], str]] = [
    ([0.1] * 10, "Accepted"),
    ([0.1] * 9 + [0.101], "Accepted"),
    ([0.1] * 9 + [0.1010001], "Retry"),
    ([0.1] * 9 + [0.099], "Accepted"),
    ([0.1] * 9 + [0.0989999], "Retry"),
    ([0.6, 0.401], "Accepted"),
    ([0.6, 0.399], "Accepted"),
    ([0.7, 0.2, 0.1], "Accepted"),
    ([1], "Accepted"),
    ([1 / 3] * 3, "Accepted"),
    ([0.33] * 3, "Retry"),
]


@pytest.mark.parametrize(("weights", "decision"), WEIGHTS)
def test_weights_that_add_up(weights: list[float], decision: str, tmp_path: Path) -> None:
    criteria = [criterion(f"c{i}", weight) for i, weight in enumerate(weights)]
    assert Play(tmp_path, spec={"criteria": criteria}).spec()["decision"] == decision


def test_one_retry_then_a_frozen_specification(tmp_path: Path) -> None:
    play = Play(tmp_path, spec={})
    assert play.spec()["decision"] == "Retry"
    (tmp_path / "spec.json").write_text(json.dumps(SPEC))
    assert play.spec()["decision"] == "Accepted"
    first = play.reply(0, [block(n, 0, 4, 2 * n - 1) for n in (1, 2, 3)])
    assert (first["decision"], first["contested"]) == ("Another Round", ["form", "overall"])
    (tmp_path / "spec.json").write_text(json.dumps(SPEC) + "\n")
    told = play.reply(1, [block(n, 1, 4, 4) for n in (1, 2, 3)])
    assert (told["code"], told["decision"]) == (2, "Blocked")
    assert told["reason"] == "the specification has changed since it was accepted"


APART: list[tuple[str, list[tuple[float, float]], list[str]]] = [
    ("2.2 and 1.7 are 0.5 apart", [(2.2, 2.2), (1.7, 1.7), (1.7, 1.7)], []),
    ("4.6 and 4.1", [(4.6, 4.6), (4.1, 4.1), (4.3, 4.3)], []),
    ("0.51 apart", [(2.21, 2.21), (1.7, 1.7), (2, 2)], ["overall"]),
    ("1 apart on criteria", [(3, 4), (4, 3), (3.5, 3.5)], []),
    ("1.01 apart on one", [(3, 4), (4.01, 3), (3.5, 3.5)], ["truth"]),
    ("all apart", [(1, 1), (3, 3), (5, 5)], ["truth", "form", "overall"]),
]


@pytest.mark.parametrize("row", APART, ids=[row[0] for row in APART])
def test_how_far_apart(
    row: tuple[str, list[tuple[float, float]], list[str]], tmp_path: Path
) -> None:
    _, scores, contested = row
    play = Play(tmp_path)
    play.spec()
    told = play.reply(0, [block(n, 0, *pair) for n, pair in enumerate(scores, 1)])
    assert told["contested"] == contested
    assert told["code"] == (4 if contested else 0)


TRAPS: list[tuple[str, list[float], str, bool]] = [
    ("2.2 and 1.7", [2.2, 1.7, 2], "overall", False),
    ("2.2 and 1.699", [2.2, 1.699, 2], "overall", True),
    ("2.201 and 1.7", [2.201, 1.7, 2], "overall", True),
    ("4.1 and 3.6", [4.1, 3.6, 4], "overall", False),
    ("1.1 and 1.6", [1.1, 1.6, 1.1], "overall", False),
    ("4.7 and 4.2000000000000001", [4.7, 4.2000000000000001, 4.5], "overall", False),
    ("4.7 and 4.199999999999999", [4.7, 4.199999999999999, 4.5], "overall", True),
    ("3.3 and 2.3", [3.3, 2.3, 3], "truth", False),
    ("3.3 and 2.29", [3.3, 2.29, 3], "truth", True),
    ("4.1 and 3.1", [4.1, 3.1, 3.5], "truth", False),
    ("3.3000000000000003 and 2.3", [3.3000000000000003, 2.3, 3], "truth", True),
]  # what binary floating point gets wrong, and its neighbours


@pytest.mark.parametrize("row", TRAPS, ids=[row[0] for row in TRAPS])
def test_floating_point_decides_nothing(
    row: tuple[str, list[float], str, bool], tmp_path: Path
) -> None:
    _, scores, what, apart = row
    criteria = [criterion("truth", 0.5), criterion("form", 0.5)]
    play = Play(tmp_path, spec={"criteria": criteria})
    play.spec()
    blocks = [block(n, 0, score, score) for n, score in enumerate(scores, 1)]
    for one, score in zip(blocks, scores, strict=True):
        form, overall = (score, score) if what == "overall" else (6 - score, 3)
        one["scores"] = {"overall": overall, "criteria": {"truth": score, "form": form}}
    contested = play.reply(0, blocks)["contested"]
    assert (what in contested) == apart


MALFORMED: list[tuple[str, object]] = [
    ("no scores", None),
    ("no overall", {"criteria": {"truth": 4, "form": 4}}),
    ("an id too few", {"overall": 4, "criteria": {"truth": 4}}),
    ("an id too many", {"overall": 4, "criteria": {"truth": 4, "form": 4, "more": 4}}),
    ("a string", {"overall": 4, "criteria": {"truth": "4", "form": 4}}),
    ("a boolean", {"overall": 1, "criteria": {"truth": True, "form": 1}}),
    ("above the scale", {"overall": 5, "criteria": {"truth": 5.01, "form": 5}}),
    ("below the scale", {"overall": 1, "criteria": {"truth": 0, "form": 2}}),
    ("overall off by 0.06", {"overall": 4.06, "criteria": {"truth": 4, "form": 4}}),
]


@pytest.mark.parametrize("row", MALFORMED, ids=[row[0] for row in MALFORMED])
def test_malformed_scores_contest_and_twice_they_block(
    row: tuple[str, object], tmp_path: Path
) -> None:
    play = Play(tmp_path)
    play.spec()
    for number in (0, 1):
        blocks = [block(n, number, 4, 4) for n in (1, 2, 3)]
        blocks[1]["scores"] = row[1]
        told = play.reply(number, blocks)
        assert told["contesting"] == [2]
        assert told["marks"][-1] == {"round": number, "judge": 2, "mark": "malformed"}
        assert told["decision"] == ("Blocked" if number else "Another Round")


GOOD = [block(n, 0, 4, 4) for n in (1, 2, 3)]
WRONG: list[tuple[str, int, list[dict[str, Any]], str]] = [
    ("two judges", 0, GOOD[:2], "needs one block of each"),
    ("four judges", 0, [*GOOD, GOOD[0]], "needs one block of each"),
    ("the same judge twice", 0, [GOOD[0], GOOD[0], GOOD[1]], "needs one block of each"),
    ("judge 4", 0, [*GOOD[:2], {**GOOD[2], "judge": 4}], "needs one block of each"),
    ("a block of another round", 0, [*GOOD[:2], {**GOOD[2], "round": 1}], "needs one block of"),
    ("round 1 before round 0", 1, [block(n, 1, 4, 4) for n in (1, 2, 3)], "round 0 is next"),
    ("round 4", 4, GOOD, "round 0 is next"),
    ("a judge is missing", 0, [{**GOOD[0], "status": "Blocked"}, *GOOD[1:]], "judge 1 is missing"),
]


@pytest.mark.parametrize("row", WRONG, ids=[row[0] for row in WRONG])
def test_what_blocks_and_stays_blocked(
    row: tuple[str, int, list[dict[str, Any]], str], tmp_path: Path
) -> None:
    _, number, blocks, text = row
    play = Play(tmp_path)
    play.spec()
    told = play.reply(number, blocks)
    assert (told["code"], told["decision"]) == (2, "Blocked")
    assert text in told["reason"]
    assert play.reply(0, GOOD)["reason"] == told["reason"]
    assert play.spec()["decision"] == "Blocked"
    last, text = play.report()
    assert last["code"] == 2
    assert f"# Judge with debate: blocked\n\n{NO_CONSENSUS}\n" in text


def test_a_round_that_is_said_again_gets_the_same_answer(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.spec()
    apart = [block(n, 0, n, n) for n in (1, 2, 3)]
    first = play.reply(0, apart)
    state = (tmp_path / STATE).read_bytes()
    assert play.reply(0, apart[::-1]) == first
    assert (tmp_path / STATE).read_bytes() == state
    assert play.spec()["decision"] == "Accepted"


def test_never_a_fourth_round_of_debate(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.spec()
    codes = [
        play.reply(number, [block(n, number, n, n) for n in (1, 2, 3)])["code"]
        for number in range(4)
    ]
    assert codes == [4, 4, 4, 1]
    state = (tmp_path / STATE).read_bytes()
    names = play.files(4, [block(n, 4, 4, 4) for n in (1, 2, 3)])
    words = ["reply", "--state", STATE, "--round", "4", *names]
    DEBATE.run(*words, cwd=tmp_path).is_one_line(2, "the debate is over: No Consensus")
    assert (tmp_path / STATE).read_bytes() == state


def test_an_edited_state_is_refused(tmp_path: Path) -> None:
    Play(tmp_path)
    path = tmp_path / STATE
    path.write_text(path.read_text().replace("Is it sound?", "Is it safe?"))
    DEBATE.run("report", "--state", STATE, cwd=tmp_path).is_one_line(2, "changed by another hand")


def test_a_report_of_an_unfinished_debate_is_not_written(tmp_path: Path) -> None:
    play = Play(tmp_path)
    for _ in range(2):
        told = play.does("report", "--state", STATE)
        assert (told["code"], told["decision"], told["recommendation"]) == (2, "Unfinished", None)
        play.spec()
        play.reply(0, [block(n, 0, n, n) for n in (1, 2, 3)])
    assert not (tmp_path / REPORT).exists()


@pytest.mark.parametrize(
    ("flags", "recommendation"),
    [
        ([], "left to a person (no thresholds were given)"),
        (["--pass-at", "4", "--fail-below", "3"], "Pass"),
        (["--pass-at", "4.01", "--fail-below", "4"], "Needs Revision"),
        (["--pass-at", "5", "--fail-below", "4.01"], "Fail"),
    ],
)
def test_the_thresholds_decide_what_is_recommended(
    flags: list[str], recommendation: str, tmp_path: Path
) -> None:
    play = Play(tmp_path)
    play.spec()
    play.reply(0, GOOD)
    told, text = play.report(*flags)
    assert told["recommendation"] == recommendation
    assert f"\nFinal Recommendation: {recommendation}\n" in text


MALFORMED_MEANS = " (no usable scores: it contests, and its scores from before stand)"


def rich(number: int) -> list[dict[str, Any]]:
    """One round of a debate with a malformed reply, a bare revision, and a real one."""
    said = {
        "strengths": ["It names its limits.", "It is short."],
        "weaknesses": ["No word on failure."],
        "risks_and_skips": ["I did not run it."],
        "next_step": "Run it.",
    }
    own = {**said, "strengths": ["It names its limits!"], "next_step": "Ask its author."}
    return [
        [block(1, 0, 4, 4, **said), {**block(2, 0, 4, 4), "scores": "good"}, block(3, 0, 2, 4)],
        [block(1, 1, 4, 4, **said), block(2, 1, 4, 4.5, **own), block(3, 1, 4, 4)],
        [
            block(1, 2, 4, 4, **said),
            block(2, 2, 4, 4.5, **own),
            block(3, 2, 3.5, 4, **own, **revised("truth", 2, 3.5, "line 7: as measured in May")),
        ],
    ][number]


def test_a_whole_debate_ends_in_consensus(tmp_path: Path) -> None:
    models = ["meta=kimi-k3:kimi-k3", "1=a:a", "2=b:b", "3=c:d"]
    play = Play(tmp_path, "--models", *models, "--base", "0a1b", "--head", "2c3d")
    play.spec()
    told = [play.reply(number, rich(number), "--local", "2") for number in range(3)]
    assert [one["decision"] for one in told] == ["Another Round", "Another Round", "Consensus"]
    assert told[1]["marks"][-1]["mark"] == "unevidenced-revision: truth"
    last, text = play.report("--pass-at", "3.8", "--fail-below", "3")
    assert (last["code"], last["recommendation"]) == (0, "Pass")
    for line in [
        "# Judge with debate: consensus",
        "Final Recommendation: Pass",
        "- DIVERSITY DEGRADED in slot 3: meta kimi-k3; 1 a; 2 b; 3 asked for c, got d",
        "- Outcome: consensus after round 2 of at most 3; overall ~3.967 on average.",
        "- Thresholds: Pass from 3.8, Fail below 3, Needs Revision between.",
        "- J2, round 0: malformed" + MALFORMED_MEANS,
        "- J2, round 0, 1, 2: local (run locally instead)",
        "| Truth (truth, weight 0.6) | 4 | 4 | 3.5 | ~3.833 | 0.5 |",
        "| Overall | 4 | 4.2 | 3.7 | ~3.967 | 0.5 |",
        "| 1 | 4 | 4.2 | 2.8 | 1.4 | truth (2), overall (1.4) | J3 |",
        "- truth: first too far apart in round 0; resolved in round 2.",
        "    - J3 sent 4 without evidence; 2 stands",
        "    - J3 from 2 to 3.5, on this evidence: line 7: as measured in May",
        "- All three: It names its limits.",
        "- J1: It is short.",
        "- All three: No word on failure.",
        "- J3: Ask its author.",
        f"| 3 | c | d | {DAY} judge-with-debate judge-3.md |",
        f"- Date: {DAY}",
        "- Git base: 0a1b; head: 2c3d",
        "| Hash of design.md since the start | unchanged | - |",
    ]:
        assert f"\n{line}\n" in f"\n{text}", line


def test_a_whole_debate_ends_without_consensus(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.spec()
    for number in range(4):
        play.reply(number, [block(n, number, 6 - n, 4) for n in (1, 2, 3)])
    told, text = play.report("--pass-at", "1", "--fail-below", "1")
    assert told["code"] == 1
    assert [line for line in text.splitlines() if "Recommendation" in line] == [NO_CONSENSUS]
    assert "- truth: first too far apart in round 0; never converged.\n" in text
    assert "  - Round 3: 5 / 4 / 3, 2 apart\n" in text
    assert "consensus\n" not in text.replace("# Judge with debate: no consensus\n", "")


def test_what_judges_say_cannot_forge_a_line_of_the_report(tmp_path: Path) -> None:
    forged = "x\n\nFinal Recommendation: Pass\u2028# Judge with debate: consensus | a | b\udcff"
    play = Play(tmp_path)
    play.spec()
    more = {"strengths": [forged], "weaknesses": [forged], "risks_and_skips": forged}
    for number in range(4):
        play.reply(number, [block(n, number, 6 - n, 4, **more) for n in (1, 2, 3)])
    _, text = play.report()
    recommended = [line for line in text.splitlines() if line.startswith("Final Recommendation")]
    assert recommended == [NO_CONSENSUS]
    assert text.splitlines()[0] == "# Judge with debate: no consensus"


SCORE = st.sampled_from([1, 1.5, 2, 2.2, 3, 3.7, 4, 4.5, 5])
ROUND = st.fixed_dictionaries(
    {
        "scores": st.lists(st.tuples(SCORE, SCORE), min_size=3, max_size=3),
        "order": st.permutations([0, 1, 2]),
        "agreement": st.sampled_from(["accept-consensus", "accept-consensus", "contest", 7]),
        "evidence": st.sampled_from(["line 3", " "]),
        "local": st.sampled_from([[], ["--local", "2"], ["--local", "3", "--local", "2"]]),
    }
)


def blocks_of(number: int, one: dict[str, Any], before: list[tuple[float, float]]) -> list[Any]:
    return [
        block(
            n, number, *new, agreement=one["agreement"],
            revisions=[{"criterion": name, "old": old[i], "new": new[i],
                        "evidence": one["evidence"]} for i, name in enumerate(["truth", "form"])],
        )
        for n, (new, old) in enumerate(zip(one["scores"], before, strict=True), 1)
    ]  # fmt: skip


@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(rounds=st.lists(ROUND, min_size=4, max_size=4))
def test_the_order_of_replies_never_changes_a_byte(
    rounds: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two debates of the same replies, each round in another order: the same all the way."""
    folder = tmp_path_factory.mktemp("order")
    play = Play(folder)
    play.spec()
    path, before = folder / STATE, [(3.0, 3.0)] * 3
    for number, one in enumerate(rounds):
        words = ["reply", "--state", STATE, "--round", str(number), *one["local"]]
        names = play.files(number, blocks_of(number, one, before))
        state, told = path.read_bytes(), []
        for order in ([0, 1, 2], one["order"]):
            path.write_bytes(state)
            said = DEBATE.run(*words, *(names[i] for i in order), cwd=folder)
            told.append((said, path.read_bytes()))
        assert told[0] == told[1]
        before = one["scores"]
        if said.code != 4:
            break
    assert said.code in {0, 1, 2, 4}


BROKEN: list[object] = [None, {}, {"overall": 4}, {"overall": "4", "criteria": {}}, "4", [4]]


@pytest.mark.parametrize("scores", BROKEN, ids=json.dumps)
@pytest.mark.parametrize("judge", [1, 2, 3])
def test_a_reply_that_cannot_be_used_is_never_an_accepting_one(
    judge: int, scores: object, tmp_path: Path
) -> None:
    """Two who agree, or three who agreed before, are no consensus without the third."""
    play = Play(tmp_path)
    play.spec()
    replies = [block(n, 0, 4, 4) for n in (1, 2, 3)]
    replies[judge - 1]["scores"] = scores
    told = play.reply(0, replies)
    assert (told["code"], told["contesting"]) == (4, [judge])
    left = [reply for reply in replies if reply["judge"] != judge]
    assert play.reply(1, [{**reply, "round": 1} for reply in left])["decision"] == "Blocked"


def alone(words: list[str], place: Path) -> subprocess.Popen[bytes]:
    run = [sys.executable, "-I", "-S", str(DEBATE.path), *words]
    return subprocess.Popen(run, cwd=place, stdout=subprocess.PIPE)


def kept(place: Path) -> dict[str, bytes]:
    files = [place / STATE, place / REPORT]
    return {file.name: file.read_bytes() for file in files if file.exists()}


def test_a_debate_is_killed_at_many_moments_and_goes_on(tmp_path: Path) -> None:
    """Each command is killed again and again, then said once more: nothing differs in the end."""
    place = tmp_path / "debate"
    words = ["--state", STATE]
    names = [[f"round-{n}-{i}.json" for i in range(3)] for n in range(3)]
    rounds = [["reply", *words, "--round", str(n), "--local", "2", *names[n]] for n in range(3)]
    commands = [["spec", *words, "spec.json"], *rounds, ["report", *words]]
    whole: list[tuple[float, bytes, dict[str, bytes]]] = []
    for kills in (0, 12):
        place.mkdir()
        play = Play(place)
        for number in range(3):
            play.files(number, rich(number))
        for turn, command in enumerate(commands):
            before = kept(place)
            for moment in range(kills):
                took, _, after = whole[turn]
                process = alone(command, place)
                time.sleep(took * moment / 10)
                process.kill()
                process.communicate()
                assert kept(place) in [before, after]
            began = time.monotonic()
            said = alone(command, place).communicate()[0]
            if not kills:
                whole.append((time.monotonic() - began, said, kept(place)))
            assert (said, kept(place)) == whole[turn][1:]
        shutil.rmtree(place)
    assert whole[-1][1].startswith(b"Consensus after round 2\n")


def test_a_start_that_is_killed_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    """A name that a killed start took is passed over; what the next one gives out is whole."""
    (tmp_path / "design.md").touch()
    (tmp_path / "spec.json").write_text(json.dumps(SPEC))
    words = ["start", "--artifact", "design.md", "--task", "x", "--date", DAY]
    for moment in range(12):
        process = alone(words, tmp_path)
        time.sleep(0.03 + moment * 0.006)
        process.kill()
        process.communicate()
        told = DEBATE.decides(*words, cwd=tmp_path)
        spec = ["spec", "--state", told["state"], "spec.json"]
        assert DEBATE.decides(*spec, cwd=tmp_path)["decision"] == "Accepted"


@pytest.mark.parametrize("command", [["spec", "--state", STATE], ["reply", "--state", STATE]])
def test_input_that_cannot_be_read_changes_nothing(command: list[str], tmp_path: Path) -> None:
    play = Play(tmp_path)
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 200 * 1024 * 1024)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "bad.json").write_bytes(b"[" * 100_000)
    words = [*command]
    rows = [("none", "No such file"), (".", "not a regular file"), ("fifo", "not a regular file")]
    if command[0] == "reply":
        play.spec()
        words += ["--round", "0"]
        rows += [("sparse", "16777216 bytes or more"), ("bad.json", "nested too deeply")]
    state = (tmp_path / STATE).read_bytes()
    for path, text in rows:
        said: Said = DEBATE.run(*words, path, cwd=tmp_path)
        said.is_one_line(2, text)
        assert (tmp_path / STATE).read_bytes() == state
