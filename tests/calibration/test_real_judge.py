"""A real judge, measured end to end: a checker of links over pages with planted faults."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from judge_conformance.cli.app import main
from judge_conformance.records import absent, canonical_module, contradicted, stale_files
from judge_conformance.tree import open_folder

ROOT = Path(__file__).parents[2]
HOME = "tests/calibration/judge_links"
BOUND = [
    "--cases",
    f"{HOME}/cases",
    "--prompt",
    f"{HOME}/prompt.md",
    "--rubric",
    f"{HOME}/rubric.json",
]
LOG = ["--receipts", f"{HOME}/calibration-receipts.jsonl"]
MODEL = ["--model", "check_links.py@1"]
JUDGE = ["--judge", f"{sys.executable} {HOME}/check_links.py", "--jobs", "2"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the judge's folder, at the same place below another root."""
    shutil.copytree(ROOT / HOME, tmp_path / HOME)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def calibrate(*words: str) -> int:
    return main(["calibrate", *words])


def read(path: Path) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(path.read_text("utf-8"))


def test_its_rubric_says_that_it_is_calibrated() -> None:
    rubric, record = read(ROOT / HOME / "rubric.json"), read(ROOT / HOME / "record.json")
    assert canonical_module("judge_contract.py").is_calibrated(rubric)
    assert {**record, **rubric["calibration"]} == record
    assert (record["sealed"], record["attempt"], record["weakest_figure"]) == (
        18,
        1,
        "recall of fail",
    )


def test_its_record_is_not_stale_and_the_log_agrees() -> None:
    record = read(ROOT / HOME / "record.json")
    assert absent(record, open_folder(ROOT)) == stale_files(record, open_folder(ROOT)) == []
    log = (ROOT / HOME / "calibration-receipts.jsonl").read_bytes()
    assert contradicted(record, log) == []


def test_it_clears_the_floor_on_the_tuning_set(tree: Path) -> None:
    assert calibrate("split", "--cases", f"{HOME}/cases") == 0
    assert calibrate("run", *BOUND, *JUDGE, "--out", "out") == 0
    score = ["score", "--cases", f"{HOME}/cases", "--verdicts", "out/verdicts.jsonl"]
    assert calibrate(*score, "--floor", "1") == 0
    assert (tree / "out/verdicts.jsonl").exists()


def test_the_whole_way_ends_where_it_ended_once(tree: Path) -> None:
    """Start again without its log: the judge is a program, so that it must measure the same."""
    recorded = read(tree / HOME / "record.json")
    for name in ("record.json", "calibration-receipts.jsonl"):
        (tree / HOME / name).unlink()
    rubric = read(tree / HOME / "rubric.json")
    del rubric["calibration"]
    (tree / HOME / "rubric.json").write_text(json.dumps(rubric))
    assert calibrate("freeze", *BOUND, *MODEL, *LOG) == 0
    assert calibrate("run", *BOUND, *JUDGE, *LOG, "--split", "sealed", "--out", "out") == 0
    sealed = ["sealed", *BOUND, *MODEL, *LOG, "--verdicts", "out/verdicts.jsonl"]
    assert calibrate(*sealed, "--record", f"{HOME}/record.json") == 0
    into = ["record", "--into", f"{HOME}/rubric.json", "--record", f"{HOME}/record.json"]
    assert calibrate(*into) == 0
    measured = read(tree / HOME / "record.json")
    assert {**measured, "date": recorded["date"]} == recorded
    assert canonical_module("judge_contract.py").is_calibrated(read(tree / HOME / "rubric.json"))


def test_the_committed_log_refuses_another_look(
    tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert calibrate("run", *BOUND, *JUDGE, *LOG, "--split", "sealed", "--out", "out") == 0
    sealed = ["sealed", *BOUND, *MODEL, *LOG, "--verdicts", "out/verdicts.jsonl"]
    before = (tree / HOME / "calibration-receipts.jsonl").read_bytes()
    assert calibrate(*sealed) == 2
    assert "met these sealed cases before (attempt 1)" in capfd.readouterr().err
    assert (tree / HOME / "calibration-receipts.jsonl").read_bytes() == before


def test_a_judge_that_stopped_looking_is_found_out(tree: Path) -> None:
    judge = tree / HOME / "check_links.py"
    judge.write_text(judge.read_text().replace("if not is_there(place)", "if False"))
    assert calibrate("run", *BOUND, *JUDGE, "--out", "out") == 0
    score = ["score", "--cases", f"{HOME}/cases", "--verdicts", "out/verdicts.jsonl"]
    assert calibrate(*score) == 1
