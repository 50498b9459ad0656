"""A tree with cases, a prompt and a rubric, and small judges that misbehave in one way each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge_conformance.cli.app import main

RUBRIC: dict[str, Any] = {
    "id": "acme-links@1",
    "threshold": 0.5,
    "criteria": [{"id": "links", "question": "Does every link lead somewhere?"}],
}
REPORT = (
    '{"item": "%s", "criteria": [{"id": "links", "score": 1, "pass": true, "evidence": "line 1"}],'
    ' "abstain": false, "abstainReason": null}'
)
READ_ITEM = (
    """item=$(tail -n 1 | sed 's/.*"item": "\\([^"]*\\)".*/\\1/')\necho "$item" >> asked\n"""
)

Cli = Callable[..., int]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run `judge-contract calibrate` in the tree."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> int:
        return main(["calibrate", *words])

    return run


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "prompt.md").write_text("Follow every link.\n")
    (tmp_path / "rubric.json").write_text(json.dumps(RUBRIC, indent=2) + "\n")
    plant_cases(tmp_path, 2)
    return tmp_path


def plant_cases(tree: Path, size: int) -> list[dict[str, Any]]:
    """Plant `size` cases that pass and as many that fail, in either set."""
    cases = [
        {
            "item": f"{split}-{expected}-{n}",
            "expected": expected,
            "evidence": "known",
            "split": split,
        }
        for split in ("tuning", "sealed")
        for expected in ("pass", "fail")
        for n in range(size)
    ]
    (tree / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return cases


def plant_judge(tree: Path, body: str) -> str:
    """Write a judge in sh that notes what it is asked about; return its command."""
    (tree / "judge.sh").write_text(f"{READ_ITEM}{body}\n")
    return "sh judge.sh"


def saying(report: str = REPORT) -> str:
    return f"printf '{report}' \"$item\""


def asked(tree: Path) -> list[str]:
    return (tree / "asked").read_text().splitlines()


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


ASK = ["--cases", "cases.jsonl", "--prompt", "prompt.md", "--rubric", "rubric.json"]
