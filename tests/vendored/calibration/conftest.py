"""The canonical script as a module, and as a plugin would start it; rows to feed it with."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

VENDORED = Path(__file__).parents[3] / "vendored"
SCRIPT = VENDORED / "gates" / "judge_calibration.py"

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

Run = Callable[..., subprocess.CompletedProcess[str]]


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"canonical_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def calibration() -> ModuleType:
    return load(SCRIPT)


@pytest.fixture(scope="session")
def contract() -> ModuleType:
    return load(VENDORED / "judge_contract.py")


@pytest.fixture
def run(calibration: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the script's own command line in an empty folder; a process would only be slower."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = calibration.main(list(words))
            except SystemExit as stopped:
                code = stopped.code
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    return run


RUBRIC: dict[str, Any] = {
    "id": "acme-links@1",
    "threshold": 0.5,
    "criteria": [{"id": "links", "question": "Does every link lead somewhere?"}],
}


def key(item: str, expected: str, **more: object) -> dict[str, Any]:
    return {"item": item, "expected": expected, "evidence": f"line 3 of {item}", **more}


def verdict(item: str, outcome: str, rubric: dict[str, Any] = RUBRIC) -> dict[str, Any]:
    """Return a verdict as the contract decides it."""
    score = {"pass": 1.0, "fail": 0.0}.get(outcome)
    passed = None if score is None else bool(score)
    return {
        "item": item,
        "rubric": rubric["id"],
        "decidedBy": "judge",
        "criteria": [{"id": "links", "score": score, "pass": passed, "evidence": "line 3"}],
        "abstain": outcome == "abstain",
        "abstainReason": "undecidable:links" if outcome == "abstain" else None,
        "threshold": rubric["threshold"],
        "score": score or 0,
        "outcome": outcome,
        "calibrated": False,
    }


def write_rows(path: Path, rows: Iterable[object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path.name


def split_cases(size: int = 4) -> list[dict[str, Any]]:
    """Return `size` passes, fails and abstains for either set."""
    return [
        key(f"{split}-{expected}-{number}", expected, split=split)
        for split in ("tuning", "sealed")
        for expected in ("pass", "fail", "abstain")
        for number in range(size)
    ]


def right(cases: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [verdict(case["item"], case["expected"]) for case in cases]
