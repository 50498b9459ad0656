"""A tree with cases, a prompt and a rubric, and small judges that misbehave in one way each."""

from __future__ import annotations

import json
import subprocess
import sys
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
HOSTILE = '<script>alert(1)</script> & "quotes" \u202e'
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
    return plant_tree(tmp_path)


def plant_tree(root: Path) -> Path:
    """Plant a prompt, a rubric and two cases of each kind."""
    (root / "prompt.md").write_text("Follow every link.\n")
    (root / "rubric.json").write_text(json.dumps(RUBRIC, indent=2) + "\n")
    plant_cases(root, 2)
    return root


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


def calibrated(tree: Path, *words: str) -> str:
    """Run `judge-contract calibrate` as a process in a tree; return what it printed."""
    command = [sys.executable, "-m", "judge_conformance", "calibrate", *words]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plant_measured(tmp_path_factory.mktemp("measured"))


def plant_measured(root: Path) -> Path:
    """Plant everything measured: a record, a second attempt, a paired run with errata."""
    tree = plant_tree(root)
    cases = plant_cases(tree, 3)
    for case in cases:
        case["family"] = "anchors & links"
    cases[0]["item"] = HOSTILE
    (tree / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    fail = saying(REPORT.replace("true", "false"))
    judge = plant_judge(tree, f"case $item in *pass*) {saying()};; *) {fail};; esac")
    calibrated(tree, "freeze", *ASK, "--model", "m <b>")
    calibrated(tree, "run", *ASK, "--split", "sealed", "--judge", judge, "--out", "out")
    sealed = ["sealed", *ASK, "--model", "m <b>", "--verdicts", "out/verdicts.jsonl"]
    calibrated(tree, *sealed, "--record", "record.json")
    calibrated(tree, *sealed, "--again", "--why", HOSTILE)
    (tree / "rule.json").write_text('{"alpha": 0.9, "margin": 0.1, "max_cost_ratio": 3}')
    errata = [{"item": HOSTILE, "kind": "key", "expected": "abstain", "why": HOSTILE}]
    (tree / "errata.jsonl").write_text(json.dumps(errata))
    both = ["paired", "run", *ASK, "--out", "both", "--rule", "rule.json"]
    arms = {"baseline": saying(), "candidate": judge}
    (tree / "yes.sh").write_text(f"{READ_ITEM}{saying()}\n")
    calibrated(tree, *both, "--baseline", "sh yes.sh", "--candidate", arms["candidate"])
    told = [word for arm in arms for word in (f"--{arm}", f"both/{arm}/verdicts.jsonl")]
    shown = ["--cases", "cases.jsonl", "--rule", "rule.json", "--errata", "errata.jsonl", "--json"]
    (tree / "paired.json").write_text(calibrated(tree, "paired", *told, *shown))
    return tree
