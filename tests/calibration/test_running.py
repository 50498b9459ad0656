"""`calibrate run`: every case asked once, whatever the judge does, and resumed after a kill."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.calibration.conftest import (
    ASK,
    REPORT,
    Cli,
    asked,
    plant_cases,
    plant_judge,
    rows,
    saying,
)

RUN = ["run", *ASK, "--out", "out"]
FENCED = "printf '```json\\n{}\\n```'"

STANCES = [
    ("passes", saying(), "pass", None),
    ("fails", saying(REPORT.replace("true", "false")), "fail", None),
    ("abstains", saying(REPORT.replace("false", "true")), "abstain", "judge:unstated"),
    ("says garbage", "echo all good", "abstain", "verdict-missing"),
    ("fences its report", FENCED, "abstain", "verdict-missing"),
    ("says two reports", f"{saying()}; {saying()}", "abstain", "verdict-missing"),
    ("says nothing", "true", "abstain", "verdict-missing"),
    ("says null", "echo null", "abstain", "verdict-missing"),
    ("says NaN", saying(REPORT.replace("1,", "NaN,")), "abstain", "verdict-missing"),
    ("is not UTF-8", "printf '\\377'", "abstain", "verdict-missing"),
    ("dies after its report", f"{saying()}; exit 1", "abstain", "verdict-missing"),
    ("dies by a signal", f"{saying()}; kill -9 $$", "abstain", "verdict-missing"),
    ("names another item", "item=other; " + saying(), "abstain", "item-mismatch"),
    ("lists a report", f"printf '['; {saying()}; printf ']'", "abstain", "verdict-missing"),
    ("talks to stderr", f"echo thinking >&2; {saying()}", "pass", None),
]


@pytest.mark.parametrize(
    ("body", "outcome", "reason"), [row[1:] for row in STANCES], ids=[row[0] for row in STANCES]
)
def test_what_a_judge_says_is_what_is_decided(
    tree: Path, cli: Cli, body: str, outcome: str, reason: str | None
) -> None:
    code = cli(*RUN, "--judge", plant_judge(tree, body))
    verdicts = [row["verdict"] for row in rows(tree / "out/verdicts.jsonl")]
    assert {(one["outcome"], one["abstainReason"]) for one in verdicts} == {(outcome, reason)}
    assert [one["item"] for one in verdicts] == sorted(asked(tree))
    assert code == (2 if reason == "verdict-missing" else 0)


def test_the_judge_gets_prompt_and_question(tree: Path, cli: Cli) -> None:
    assert cli(*RUN, "--judge", "sh -c 'cat > got; cat got'") == 2
    prompt, blank, question = (tree / "got").read_text().splitlines()
    assert (prompt, blank) == ("Follow every link.", "")
    told = json.loads(question)
    assert list(told) == ["item", "criteria", "input", "folder"]
    assert told["item"].startswith("tuning-")
    assert "expected" not in question


def test_every_raw_reply_is_kept(tree: Path, cli: Cli) -> None:
    cli(*RUN, "--judge", plant_judge(tree, "printf 'a\\000\\377'; echo why >&2; exit 3"))
    call = tree / "out/calls/0001-1"
    assert (call / "stdout").read_bytes() == b"a\x00\xff"
    assert (call / "stderr").read_bytes() == b"why\n"
    assert (call / "ending").read_text() == "exit status 3"
    assert rows(tree / "out/verdicts.jsonl")[0]["output"] == 3


def test_a_slow_judge_is_ended_with_all_that_it_started(tree: Path, cli: Cli) -> None:
    body = "sleep 600 & echo $! >> started; sleep 600"
    assert cli(*RUN, "--judge", plant_judge(tree, body), "--timeout", "0.3", "--jobs", "4") == 2
    assert (tree / "out/calls/0001-1/ending").read_text() == "timed out after 0.3 s"
    for pid in (tree / "started").read_text().split():
        assert gone(int(pid))


def gone(pid: int) -> bool:
    """Whether a process is no more, or a zombie that nobody has waited for yet."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("away", ["", "setsid "], ids=["in its group", "out of it"])
def test_a_child_that_outlives_its_judge_holds_nobody_up(tree: Path, cli: Cli, away: str) -> None:
    """It holds the judge's output open; what it says later is no part of the reply."""
    body = f"{away}sh -c 'sleep 600; echo more' & echo $! >> started; {saying()}"
    begun = time.monotonic()
    assert cli(*RUN, "--judge", plant_judge(tree, body), "--jobs", "4") == 0
    assert time.monotonic() - begun < 60
    assert {row["verdict"]["outcome"] for row in rows(tree / "out/verdicts.jsonl")} == {"pass"}
    for pid in map(int, (tree / "started").read_text().split()):
        if away:  # it left the group on purpose, and is no more ours to end
            with contextlib.suppress(ProcessLookupError):  # unless it was ended before it left
                os.killpg(pid, signal.SIGKILL)
        assert gone(pid)


def test_answers_in_another_order_are_told_in_that_of_the_cases(tree: Path, cli: Cli) -> None:
    late = f"case $item in *fail-0) sleep 1;; *fail*) sleep 0.5;; esac; {saying()}"
    assert cli(*RUN, "--judge", plant_judge(tree, late), "--jobs", "4") == 0
    told = [row["verdict"]["item"] for row in rows(tree / "out/verdicts.jsonl")]
    assert told == sorted(told)
    assert told == sorted(asked(tree))


def test_a_better_answer_on_a_second_try_is_never_asked_for(tree: Path, cli: Cli) -> None:
    body = f'[ "$(grep -c "^$item$" asked)" -gt 1 ] || {{ echo no; exit; }}; {saying()}'
    judge = plant_judge(tree, body)
    for _ in range(2):
        cli(*RUN, "--judge", judge)
    assert len(asked(tree)) == 4
    outcomes = {row["verdict"]["outcome"] for row in rows(tree / "out/verdicts.jsonl")}
    assert outcomes == {"abstain"}


def test_a_judge_that_never_stops_talking_is_ended(tree: Path, cli: Cli) -> None:
    assert cli(*RUN, "--judge", "cat /dev/zero", "--jobs", "4") == 2
    assert (tree / "out/calls/0001-1/ending").read_text() == "said more than 4194304 bytes"
    assert (tree / "out/calls/0001-1/stdout").stat().st_size == 4194304


def test_a_judge_that_is_not_there_abstains(
    tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli(*RUN, "--judge", "./no-such-judge") == 2
    assert "could not start" in capsys.readouterr().out
    assert len(rows(tree / "out/verdicts.jsonl")) == 4


def test_nothing_is_asked_twice(tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    judge = plant_judge(tree, "echo garbage")
    cli(*RUN, "--judge", judge)
    cli(*RUN, "--judge", judge)
    assert len(asked(tree)) == 4
    assert "0 asked (4 kept from before)" in capsys.readouterr().out


def test_a_judge_that_abstains_where_it_is_hard_is_below_the_floor(tree: Path, cli: Cli) -> None:
    """It decides nothing wrongly, and still is not to be trusted with what it leaves open."""
    shy = saying(REPORT.replace('"abstain": false', '"abstain": true'))
    fail = saying(REPORT.replace("true", "false"))
    body = f"case $item in *-1) {shy};; *pass*) {saying()};; *) {fail};; esac"
    assert cli(*RUN, "--judge", plant_judge(tree, body)) == 0
    score = ["score", "--cases", "cases.jsonl", "--verdicts", "out/verdicts.jsonl"]
    assert cli(*score) == 1
    assert cli(*score, "--floor", "0.5", "--family-floor", "0.1") == 0


def test_repeats_are_each_asked(tree: Path, cli: Cli) -> None:
    cli(*RUN, "--judge", plant_judge(tree, saying()), "--repeats", "3", "--jobs", "3")
    assert sorted(asked(tree)) == sorted([row["verdict"]["item"] for row in rows(
        tree / "out/verdicts.jsonl")])  # fmt: skip
    assert len(asked(tree)) == 12


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "judge_conformance", "calibrate", *words]


def test_a_run_that_is_killed_at_37_of_100_goes_on_at_38(tree: Path, cli: Cli) -> None:
    plant_cases(tree, 50)
    deadly = 'if [ "$(wc -l < asked)" = 37 ]; then kill -9 $PPID; sleep 9; fi; ' + saying()
    judge = plant_judge(tree, deadly)
    first = subprocess.run(
        command(*RUN, "--judge", judge), cwd=tree, check=False, capture_output=True
    )
    assert first.returncode == -signal.SIGKILL
    assert len(asked(tree)) == 37
    assert not (tree / "out/verdicts.jsonl").exists()
    assert cli(*RUN, "--judge", judge) == 0
    assert len(asked(tree)) == len(set(asked(tree))) == 100
    reasons = [row["verdict"]["abstainReason"] for row in rows(tree / "out/verdicts.jsonl")]
    assert (reasons.count(None), reasons.count("verdict-missing")) == (99, 1)
    assert reasons[36] == "verdict-missing"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_the_reply_it_waits_for(
    tree: Path, cli: Cli, number: signal.Signals
) -> None:
    judge = plant_judge(tree, '[ "$(wc -l < asked)" -gt 1 ] || sleep 6; ' + saying())
    with subprocess.Popen(
        command(*RUN, "--judge", judge), cwd=tree, stderr=subprocess.PIPE, text=True
    ) as process:
        while not (tree / "asked").exists():
            time.sleep(0.02)
        os.kill(process.pid, number)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told.strip()) == (130, "judge-contract: interrupted")
    assert len(asked(tree)) == 1
    assert cli(*RUN, "--judge", judge) == 0
    assert len(asked(tree)) == 4
    assert all(row["verdict"]["outcome"] == "pass" for row in rows(tree / "out/verdicts.jsonl"))


def test_two_runs_never_share_a_folder(
    tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = plant_judge(tree, "sleep 1; " + saying())
    with subprocess.Popen(command(*RUN, "--judge", judge), cwd=tree) as process:
        while not (tree / "asked").exists():
            time.sleep(0.02)
        assert cli(*RUN, "--judge", judge) == 2
        assert "another run is at work here" in capsys.readouterr().err
        assert process.wait(60) == 0


REFUSED = [
    ("another judge", "judge", ["--judge", "sh other.sh"]),
    ("more repeats", "repeats", ["--judge", "sh judge.sh", "--repeats", "2"]),
]


@pytest.mark.parametrize(
    ("told", "flags"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_folder_holds_one_run(
    tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str], told: str, flags: list[str]
) -> None:
    cli(*RUN, "--judge", plant_judge(tree, saying()))
    assert cli(*RUN, *flags) == 2
    assert f"holds another run, with another {told}" in capsys.readouterr().err


def test_a_changed_prompt_is_another_run(
    tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = plant_judge(tree, saying())
    cli(*RUN, "--judge", judge)
    (tree / "prompt.md").write_text("Follow each link.\n")
    assert cli(*RUN, "--judge", judge) == 2
    assert "with another hashes" in capsys.readouterr().err


def test_somebody_elses_folder_is_left_alone(tree: Path, cli: Cli) -> None:
    (tree / "out").mkdir()
    (tree / "out/thesis.md").write_text("mine")
    assert cli(*RUN, "--judge", plant_judge(tree, saying())) == 2
    assert [path.name for path in (tree / "out").iterdir()] == ["thesis.md"]
    assert not (tree / "asked").exists()


def test_the_sealed_set_is_shown_after_the_freeze_only(
    tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    sealed = [*RUN, "--split", "sealed", "--judge", plant_judge(tree, saying())]
    assert cli(*sealed) == 2
    assert "are not frozen" in capsys.readouterr().err
    assert not (tree / "asked").exists()
    assert cli("freeze", *ASK, "--model", "m") == 0
    (tree / "prompt.md").write_text("Follow each link.\n")
    assert cli(*sealed) == 2
    assert cli("freeze", *ASK, "--model", "m") == 0
    assert cli(*sealed) == 0
    assert all(item.startswith("sealed-") for item in asked(tree))


def test_a_judge_never_sees_the_answer_beside_its_material(tree: Path, cli: Cli) -> None:
    for name, expected in (("one", "pass"), ("two", "fail")):
        folder = tree / "cases" / name
        (folder / "more").mkdir(parents=True)
        case = {"item": name, "expected": expected, "evidence": "known"}
        (folder / "case.json").write_text(json.dumps(case))
        (folder / "page.md").write_text("[a](b.md)\n")
        (folder / "more/b.md").write_text("b\n")
    flags = ["--cases", "cases", *ASK[2:], "--out", "out"]
    (tree / "look.sh").write_text(
        'folder=$(tail -n 1 | sed \'s/.*"folder": "\\([^"]*\\)".*/\\1/\')\n'
        'cd "$folder" && pwd && find . -type f | sort\n'
    )
    assert cli("run", *flags, "--judge", "sh look.sh") == 2
    place, *found = (tree / "out/calls/0001-1/stdout").read_text().split()
    assert found == ["./more/b.md", "./page.md"]
    assert str(tree) not in place
    assert not Path(place).exists()


BAD = [
    ("no such cases", ["--cases", "none", *ASK[2:]], 2),
    ("no such prompt", [*ASK[:2], "--prompt", "none", *ASK[4:]], 2),
    ("no such rubric", [*ASK[:4], "--rubric", "none"], 2),
    ("a rubric without a threshold", [*ASK[:4], "--rubric", "bad.json"], 3),
    ("an unbalanced command", [*ASK, "--judge", "sh -c 'x"], 2),
    ("an empty command", [*ASK, "--judge", " "], 2),
    ("an impossible timeout", [*ASK, "--timeout", "0"], 2),
]


@pytest.mark.parametrize(("flags", "code"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_input_is_one_line_and_asks_nothing(
    tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str], flags: list[str], code: int
) -> None:
    (tree / "bad.json").write_text('{"id": "acme-links@1"}')
    assert cli("run", "--judge", plant_judge(tree, saying()), *flags, "--out", "out") == code
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert not (tree / "out").exists()


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Windows lacks is taken away: importing fcntl fails there."""
    monkeypatch.setitem(sys.modules, "fcntl", None)


@pytest.mark.usefixtures("windows")
def test_without_file_locks_it_is_told_in_a_line_and_nobody_is_asked(
    tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli(*RUN, "--judge", plant_judge(tree, saying())) == 2
    told = "judges are asked where there are process groups and file locks; Windows has none"
    assert capsys.readouterr().err == f"judge-contract: {told}\n"
    assert {path.name for path in tree.iterdir()} == {
        "cases.jsonl", "prompt.md", "rubric.json", "judge.sh"}  # fmt: skip


def test_two_judges_are_compared_by_a_rule_that_came_first(
    tree: Path, cli: Cli, capfd: pytest.CaptureFixture[str]
) -> None:
    plant_cases(tree, 6)
    fail = REPORT.replace("true", "false")
    (tree / "good.sh").write_text(
        'item=$(tail -n 1 | sed \'s/.*"item": "\\([^"]*\\)".*/\\1/\')\n'
        f"case $item in *pass*) {saying()};; *) {saying(fail)};; esac\n"
    )
    (tree / "rule.json").write_text('{"alpha": 0.05, "margin": 0.25, "max_cost_ratio": 2}')
    words = ["paired", "run", *ASK, "--out", "both", "--rule", "rule.json", "--json"]
    baseline = plant_judge(tree, saying())
    code = cli(*words, "--baseline", baseline, "--candidate", "sh good.sh", "--repeats", "3")
    told = json.loads(capfd.readouterr().out)
    assert (code, told["decision"]) == (0, "adopt")
    assert (told["candidate_only"], told["baseline_only"], told["p"]) == (6, 0, 0.03125)
    log = rows(tree / "calibration-receipts.jsonl")
    assert [event["event"] for event in log] == ["declare"]
    assert told["declared"] == log[0]["date"]


def test_a_terminal_shows_how_far_it_is(tree: Path) -> None:
    ours, theirs = pty.openpty()
    judge = plant_judge(tree, saying())
    with subprocess.Popen(command(*RUN, "--judge", judge), cwd=tree, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal says that its other side is gone
            while chunk := os.read(ours, 4096):
                shown += chunk
        assert process.wait(60) == 0
    os.close(ours)
    assert b"asking sh" in shown
    assert b"4/4" in shown
