"""A real judge, measured end to end: a checker of links over pages with planted faults."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from judge_conformance.cli.app import main
from judge_conformance.records import (
    RECEIPTS,
    absent,
    canonical_module,
    contradicted,
    stale_files,
)
from judge_conformance.tree import open_folder

MARKET = Path(__file__).parents[1] / "marketplaces/calibrated"
HOME = "plugins/example"
RUBRIC, RECORD = f"{HOME}/references/rubric.json", f"{HOME}/calibration/record.json"
CASES, LOG_FILE = f"{HOME}/calibration/cases", f"{HOME}/calibration/{RECEIPTS}"
BOUND = ["--cases", CASES, "--prompt", f"{HOME}/references/prompt.md", "--rubric", RUBRIC]
LOG = ["--receipts", LOG_FILE]
MODEL = ["--model", "check_links.py@1"]
JUDGE = ["--judge", f"{sys.executable} {HOME}/scripts/check_links.py", "--jobs", "2"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the marketplace whose judge it is."""
    shutil.copytree(MARKET, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def calibrate(*words: str) -> int:
    return main(["calibrate", *words])


def read(path: Path) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(path.read_text("utf-8"))


def test_its_rubric_says_that_it_is_calibrated() -> None:
    rubric, record = read(MARKET / RUBRIC), read(MARKET / RECORD)
    assert canonical_module("judge_contract.py").is_calibrated(rubric)
    assert {**record, **rubric["calibration"]} == record
    assert (record["sealed"], record["attempt"], record["weakest_figure"]) == (
        18,
        1,
        "recall of fail",
    )


def test_its_record_is_not_stale_and_the_log_agrees() -> None:
    record = read(MARKET / RECORD)
    assert absent(record, open_folder(MARKET)) == stale_files(record, open_folder(MARKET)) == []
    log = (MARKET / LOG_FILE).read_bytes()
    assert contradicted(record, log) == []


def test_its_row_holds(tree: Path) -> None:
    assert main(["judges", "check"]) == 0
    prompt = tree / HOME / "references/prompt.md"
    prompt.write_text(prompt.read_text().replace("every", "each"))
    assert main(["judges", "check"]) == 1


def test_it_clears_the_floor_on_the_tuning_set(tree: Path) -> None:
    assert calibrate("split", "--cases", CASES) == 0
    assert calibrate("run", *BOUND, *JUDGE, "--out", "out") == 0
    score = ["score", "--cases", CASES, "--verdicts", "out/verdicts.jsonl"]
    assert calibrate(*score, "--floor", "1") == 0
    assert (tree / "out/verdicts.jsonl").exists()


def test_the_whole_way_ends_where_it_ended_once(tree: Path) -> None:
    """Start again without its log: the judge is a program, so that it must measure the same."""
    recorded = read(tree / RECORD)
    for name in (RECORD, LOG_FILE):
        (tree / name).unlink()
    rubric = read(tree / RUBRIC)
    del rubric["calibration"]
    (tree / RUBRIC).write_text(json.dumps(rubric))
    assert calibrate("freeze", *BOUND, *MODEL, *LOG) == 0
    assert calibrate("run", *BOUND, *JUDGE, *LOG, "--split", "sealed", "--out", "out") == 0
    sealed = ["sealed", *BOUND, *MODEL, *LOG, "--verdicts", "out/verdicts.jsonl"]
    assert calibrate(*sealed, "--record", RECORD) == 0
    into = ["record", "--into", RUBRIC, "--record", RECORD]
    assert calibrate(*into) == 0
    measured = read(tree / RECORD)
    assert {**measured, "date": recorded["date"]} == recorded
    assert canonical_module("judge_contract.py").is_calibrated(read(tree / RUBRIC))


def test_the_committed_log_refuses_another_look(
    tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert calibrate("run", *BOUND, *JUDGE, *LOG, "--split", "sealed", "--out", "out") == 0
    sealed = ["sealed", *BOUND, *MODEL, *LOG, "--verdicts", "out/verdicts.jsonl"]
    before = (tree / LOG_FILE).read_bytes()
    assert calibrate(*sealed) == 2
    assert "met these sealed cases before (attempt 1)" in capfd.readouterr().err
    assert (tree / LOG_FILE).read_bytes() == before


def test_a_judge_that_stopped_looking_is_found_out(tree: Path) -> None:
    judge = tree / HOME / "scripts/check_links.py"
    judge.write_text(judge.read_text().replace("if not is_there(place)", "if False"))
    assert calibrate("run", *BOUND, *JUDGE, "--out", "out") == 0
    score = ["score", "--cases", CASES, "--verdicts", "out/verdicts.jsonl"]
    assert calibrate(*score) == 1
