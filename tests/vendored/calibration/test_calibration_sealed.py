"""Sealed once: what is refused, what is shown, and what no revert hides."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.vendored.calibration.conftest import (
    RUBRIC,
    SCRIPT,
    Run,
    key,
    right,
    split_cases,
    verdict,
    write_rows,
)

BOUND = ["--cases", "cases", "--prompt", "prompt.md", "--rubric", "rubric.json", "--model", "m-1"]
FREEZE = ["freeze", *BOUND]
SEALED = ["sealed", *BOUND, "--verdicts", "verdicts"]
LOG = "calibration-receipts.jsonl"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    cases = split_cases()
    write_rows(tmp_path / "cases", cases)
    write_rows(tmp_path / "verdicts", right(cases))
    (tmp_path / "prompt.md").write_text("Does every link lead somewhere?\n")
    (tmp_path / "rubric.json").write_text(json.dumps(RUBRIC))
    return tmp_path


def log(tree: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tree / LOG).read_text().splitlines()]


def test_the_first_attempt_calibrates(tree: Path, run: Run, contract: Any) -> None:  # noqa: ANN401
    assert run(*FREEZE).returncode == 0
    done = run(*SEALED, "--record", "record.json", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads((tree / "record.json").read_text())
    assert record == json.loads(done.stdout)
    assert (record["sealed"], record["agreement"], record["floor"]) == (12, 1.0, 0.8)
    assert contract.is_calibrated({**RUBRIC, "calibration": record})
    event = log(tree)[-1]
    assert {**event, "items": None} == {
        **{name: record[name] for name in list(record)[3:]}, "event": "sealed", "items": None
    }  # fmt: skip


def test_a_second_attempt_is_refused_and_writes_nothing(tree: Path, run: Run) -> None:
    run(*FREEZE)
    run(*SEALED)
    before = (tree / LOG).read_bytes()
    done = run(*SEALED, "--record", "record.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "this model met these sealed cases before (attempt 1)" in done.stderr
    assert (tree / LOG).read_bytes() == before
    assert not (tree / "record.json").exists()


def test_an_attempt_that_is_insisted_on_is_shown_and_calibrates_nothing(
    tree: Path,
    run: Run,
    contract: Any,  # noqa: ANN401
) -> None:
    run(*FREEZE)
    write_rows(tree / "verdicts", [verdict(case["item"], "pass") for case in split_cases()])
    assert run(*SEALED).returncode == 1
    write_rows(tree / "verdicts", right(split_cases()))
    done = run(*SEALED, "--again", "--why", "the prompt had a typo", "--json")
    record = json.loads(done.stdout)
    assert done.returncode == 1
    assert (record["attempt"], record["why"]) == (2, "the prompt had a typo")
    assert (record["agreement"], record["sealed"], record["calibrated"]) == (1.0, 0, False)
    assert not contract.is_calibrated({**RUBRIC, "calibration": record})


def test_putting_the_record_back_does_not_hide_an_attempt(tree: Path, run: Run) -> None:
    run(*FREEZE)
    write_rows(tree / "verdicts", [verdict(case["item"], "pass") for case in split_cases()])
    run(*SEALED, "--record", "record.json")
    (tree / "record.json").unlink()
    (tree / "prompt.md").write_text("A better prompt.\n")
    write_rows(tree / "verdicts", right(split_cases()))
    assert run(*FREEZE).returncode == 0
    done = run(*SEALED, "--record", "record.json")
    assert done.returncode == 2
    assert not (tree / "record.json").exists()


def _prompt(tree: Path) -> None:
    (tree / "prompt.md").write_text("Does every link lead somewhere? \n")


def _rubric(tree: Path) -> None:
    criteria = [{"id": "links", "question": "Does each link lead somewhere?"}]
    (tree / "rubric.json").write_text(json.dumps({**RUBRIC, "criteria": criteria}))


def _cases(tree: Path) -> None:
    cases = split_cases()
    cases[-1]["evidence"] += "."
    write_rows(tree / "cases", cases)


CHANGES: list[tuple[str, Callable[[Path], None], str]] = [
    ("the prompt", _prompt, "changed since the last freeze: prompt;"),
    ("a question", _rubric, "changed since the last freeze: rubric;"),
    ("a sealed case", _cases, "changed since the last freeze: sealed;"),
]


@pytest.mark.parametrize(
    ("change", "told"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_a_changed_byte_undoes_the_freeze(
    tree: Path, run: Run, change: Callable[[Path], None], told: str
) -> None:
    run(*FREEZE)
    change(tree)
    done = run(*SEALED)
    assert done.returncode == 2
    assert told in done.stderr
    assert [event["event"] for event in log(tree)] == ["freeze"]


@pytest.mark.usefixtures("tree")
def test_another_model_is_another_judge(run: Run) -> None:
    run(*FREEZE)
    run(*SEALED)
    other = [word if word != "m-1" else "m-2" for word in FREEZE]
    assert "model" in run("sealed", *other[1:], "--verdicts", "verdicts").stderr
    run(*other)
    assert run("sealed", *other[1:], "--verdicts", "verdicts").returncode == 0


def test_what_the_tuning_set_says_does_not_undo_the_freeze(tree: Path, run: Run) -> None:
    run(*FREEZE)
    cases = split_cases()
    cases[0]["evidence"] = "line 4"
    write_rows(tree / "cases", cases)
    assert run(*SEALED).returncode == 0


def test_the_same_rubric_spelled_otherwise_is_the_same(tree: Path, run: Run) -> None:
    run(*FREEZE)
    text = json.dumps({**dict(reversed(RUBRIC.items())), "threshold": 0.50}, indent=8)
    (tree / "rubric.json").write_text(text)
    assert run(*SEALED).returncode == 0


def test_a_lower_floor_after_the_fact_helps_nobody(tree: Path, run: Run) -> None:
    run(*FREEZE)
    write_rows(tree / "verdicts", [verdict(case["item"], "pass") for case in split_cases()])
    assert run(*SEALED).returncode == 1
    assert run(*FREEZE, "--floor", "0.0001").returncode == 0
    assert run(*SEALED).returncode == 2


def test_a_sealed_case_that_is_reworded_is_still_counted_as_seen(tree: Path, run: Run) -> None:
    run(*FREEZE)
    run(*SEALED)
    _cases(tree)
    run(*FREEZE)
    record = json.loads(run(*SEALED, "--json").stdout)
    assert (record["attempt"], record["seen_before"]) == (1, 12)


def test_a_log_that_lost_its_last_line_end_is_not_glued_to(tree: Path, run: Run) -> None:
    run(*FREEZE)
    path = tree / LOG
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert run(*SEALED).returncode == 0
    assert [event["event"] for event in log(tree)] == ["freeze", "sealed"]


def test_a_torn_log_proves_nothing(tree: Path, run: Run) -> None:
    run(*FREEZE)
    with (tree / LOG).open("a") as file:
        file.write('{"event": "seal')
    done = run(*SEALED)
    assert done.returncode == 2
    assert f"{LOG}:2: not JSON" in done.stderr


def test_a_record_is_never_overwritten(tree: Path, run: Run) -> None:
    run(*FREEZE)
    (tree / "record.json").write_text("history")
    done = run(*SEALED, "--record", "record.json")
    assert (done.returncode, (tree / "record.json").read_text()) == (2, "history")
    assert [event["event"] for event in log(tree)] == ["freeze"]


def test_the_files_of_a_sealed_case_are_part_of_it(tmp_path: Path, run: Run) -> None:
    for case in split_cases(1):
        name = f"sealed-{case['item']}" if case["split"] == "sealed" else case["item"]
        folder = tmp_path / "cases" / name
        folder.mkdir(parents=True)
        (folder / "case.json").write_text(
            json.dumps({**case, "split": "ignored"} | {"split": None})
        )
        (folder / "page.md").write_text("[a](b.md)\n")
    digest = json.loads(run("split", "--cases", "cases", "--json").stdout)["sealed_sha256"]
    (folder / "page.md").write_text("[a](c.md)\n")
    after = json.loads(run("split", "--cases", "cases", "--json").stdout)["sealed_sha256"]
    assert digest != after


def test_a_judge_that_passes_everything_is_not_trusted(tmp_path: Path, run: Run) -> None:
    cases = [key("i0", "fail"), *(key(f"i{number}", "pass") for number in range(1, 10))]
    for case in cases:
        case.pop("evidence")
    (tmp_path / "cases").write_text(json.dumps(cases))
    write_rows(tmp_path / "verdicts", [verdict(f"i{number}", "pass") for number in range(10)])
    done = run("score", "--cases", "cases", "--verdicts", "verdicts", "--floor", "0.8", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert (told["overall"], told["weakest"]) == (0.9, 0.0)
    assert (told["false_passes"], told["false_fails"]) == (1, 0)


STANCES = [
    ("flags everything", {"pass": "fail", "fail": "fail", "abstain": "fail"}, "recall of pass"),
    (
        "never decides",
        {"pass": "abstain", "fail": "abstain", "abstain": "abstain"},
        "recall of pass",
    ),
    ("never abstains", {"pass": "pass", "fail": "fail", "abstain": "pass"}, "recall of abstain"),
    ("turns all around", {"pass": "fail", "fail": "pass", "abstain": "abstain"}, "recall of pass"),
]


@pytest.mark.parametrize(
    ("answers", "weakest"), [row[1:] for row in STANCES], ids=[row[0] for row in STANCES]
)
def test_a_stance_is_no_judgement(
    tree: Path, run: Run, answers: dict[str, str], weakest: str
) -> None:
    rows = [verdict(case["item"], answers[case["expected"]]) for case in split_cases()]
    write_rows(tree / "verdicts", rows)
    run(*FREEZE)
    done = run(*SEALED, "--json")
    record = json.loads(done.stdout)
    assert (done.returncode, record["agreement"], record["weakest_figure"]) == (1, 0.0, weakest)


def test_score_never_looks_at_the_sealed_set(tree: Path, run: Run) -> None:
    rows = [verdict(case["item"], "pass") for case in split_cases() if case["split"] == "sealed"]
    write_rows(tree / "verdicts", [*right(split_cases(4)[:12]), *rows])
    told = json.loads(run("score", "--cases", "cases", "--verdicts", "verdicts", "--json").stdout)
    assert (told["set"], told["cases"], told["weakest"]) == ("tuning", 12, 1.0)


def test_no_input_ends_in_a_traceback(tree: Path, run: Run) -> None:
    hostile = ["[]", "{}", "null", "7", '"x"', "", "\x00", "[[[[", '[{"item": []}]', '{"item": {}}']
    for text in hostile:
        (tree / "odd").write_text(text)
        for words in (
            ["split", "--cases", "odd"],
            ["score", "--cases", "odd", "--verdicts", "odd"],
            ["score", "--cases", "cases", "--verdicts", "odd"],
            ["kappa", "--labels", "odd"],
            ["declare", "--rule", "odd"],
            ["freeze", *BOUND[:4], "--rubric", "odd", "--model", "m"],
            [
                "paired",
                "--cases",
                "cases",
                "--baseline",
                "odd",
                "--candidate",
                "odd",
                "--rule",
                "odd",
            ],
            [*FREEZE, "--receipts", "odd"],
        ):
            (tree / "odd").write_text(text)
            done = run(*words)
            assert done.returncode in {0, 2, 3}
            assert done.returncode == 0 or done.stderr.count("\n") == 1


def test_it_runs_alone_and_tests_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), "--selftest"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" planted cases, 0 wrong\n")


def test_a_reader_who_goes_away_is_no_traceback(tree: Path) -> None:
    command = [sys.executable, "-I", "-S", str(SCRIPT), "split", "--cases", str(tree / "cases")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read().decode()
    assert "Traceback" not in told
    assert process.returncode != 0


def test_without_file_locks_the_figures_are_there_and_the_log_is_not(
    tree: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert run("split", "--cases", "cases").returncode == 0
    assert run("score", "--cases", "cases", "--verdicts", "verdicts").returncode == 0
    done = run(*FREEZE)
    told = f"judge_calibration.py: {LOG}: cannot be locked here: this system has no fcntl\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
    assert not (tree / LOG).exists()
