"""Whatever a flag cannot use is a line and an exit: nothing hangs, and nothing is half written."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from tests.calibration.conftest import ASK
from tests.judges.market import MEASURED

from judge_conformance.cli.app import main

RECORD = str(MEASURED / "plugins/example/calibration/record.json")
RUN = ["calibrate", "run", "--judge", "false", "--out", "out"]
DRAW = ["calibrate", "report", "--out", "page.html"]
TAKES = {
    "cases": [*RUN, *ASK[2:], "--cases"],
    "prompt": [*RUN, *ASK[:2], *ASK[4:], "--prompt"],
    "rubric": [*RUN, *ASK[:4], "--rubric"],
    "log of a run": [*RUN, *ASK, "--split", "sealed", "--receipts"],
    "rubric to write to": ["calibrate", "record", "--record", RECORD, "--into"],
    "record": ["calibrate", "record", "--into", "rubric.json", "--record"],
    "log of a record": ["calibrate", "record", "--into", "rubric.json", "--receipts"],
    "script": ["calibrate", "rubric"],
    "record to draw": [*DRAW, "--record"],
    "paired run to draw": [*DRAW, "--paired"],
    "repository to draw": [*DRAW, "--judges"],
    "registry": ["judges", "check", "--root"],
    "registry to draft": ["judges", "scan", "--root"],
    "page of a registry": ["judges", "render", "--root", str(MEASURED), "--into"],
    "repository to scan": ["scan"],
}
"""What takes a file, its flag last."""

BAD = ("missing", "missing/file", "folder", "fifo", "/dev/zero", "empty", "latin", "list", "deep")


SAYS_MORE = ("are not frozen", "there is no judges.toml")
"""What is told instead of the name, where something that is missing is not the trouble."""

ANY_TEXT = {"prompt": {"empty", "latin", "list", "deep"}}
"""What a flag can use after all: a prompt is whatever bytes the judge is given."""

CASES = [
    (name, bad) for name in TAKES for bad in BAD if bad not in ANY_TEXT.get(name, ())
]  # fmt: skip


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Fail what hangs."""

    def stop(_number: int, _frame: object) -> NoReturn:
        raise TimeoutError(seconds)

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def planted(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tree)
    (tree / "folder").mkdir()
    os.mkfifo(tree / "fifo")
    for name, data in {
        "empty": b"", "latin": b"\xff", "list": b"[]", "deep": b"[" * 100_000
    }.items():  # fmt: skip
        (tree / name).write_bytes(data)
    return tree


@pytest.mark.parametrize(("name", "bad"), CASES)
def test_it_is_told_in_a_line(
    planted: Path, capfd: pytest.CaptureFixture[str], name: str, bad: str
) -> None:
    before = sorted(path.name for path in planted.iterdir())
    with within(20):
        code = main([*TAKES[name], bad])
    told = capfd.readouterr()
    assert code in {2, 3}
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert any(part in told.err for part in (bad, *SAYS_MORE))
    assert sorted(path.name for path in planted.iterdir()) == before


NUMBERS = {
    "--jobs": ("0", "-1", "1.5", "x", "nan", "1000000000"),
    "--timeout": ("0", "-1", "x", "nan", "inf", "1e99"),
    "--repeats": ("0", "-1", "1.5", "x", "1000000000"),
    "--split": ("", "tests"),
}


@pytest.mark.parametrize(
    ("flag", "value"), [(flag, value) for flag, values in NUMBERS.items() for value in values]
)
def test_a_number_out_of_range_is_told_in_a_line(
    planted: Path, capfd: pytest.CaptureFixture[str], flag: str, value: str
) -> None:
    assert main([*RUN, *ASK, flag, value]) == 2
    told = capfd.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert flag in told.err
    assert not (planted / "out").exists()
