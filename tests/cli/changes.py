"""A branch of a marketplace that is held by a gate, and what `check --base` says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.trees import commit, git

from judge_conformance.cli.app import main

CONFIG, LOCK = "judge-contract.toml", "judge-contract.lock"
PY = "plugins/acme/scripts/judge_contract.py"
MD = "plugins/acme/references/judge-contract.md"
JS = "plugins/acme/workflows/review.js"
MANIFEST = "plugins/acme/.claude-plugin/plugin.json"
GATE = ".github/workflows/judge-contract.yml"
SKILL = "plugins/acme/skills/review/SKILL.md"
OWNERS = "/judge-contract.toml @maintainers\n"

Captured = pytest.CaptureFixture[str]
Findings = list[tuple[str, str, str, str | None]]


def branch(root: Path) -> Path:
    """A branch `change` of a marketplace whose config, workflow and owners hold it."""
    (root / CONFIG).write_text(
        f'required = ["{JS}"]\nbump = "pull-request"\nminimum-release = "0.2.0"\n'
        'exclude = ["attic/"]\n[severity]\nJC-MODE = "error"\n'
    )
    (root / ".github/workflows").mkdir(parents=True)
    (root / GATE).write_text("jobs:\n  a:\n    steps:\n      - run: judge-contract check\n")
    (root / ".github/CODEOWNERS").write_text(OWNERS)
    git(root, "branch", "-M", "main")
    commit(root, "the gate")
    git(root, "checkout", "-qb", "change")
    return root


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new, 1))


def raise_version(root: Path) -> None:
    edit(root, MANIFEST, "1.0.0", "1.0.1")


def check(root: Path, capfd: Captured, *flags: str, base: str = "main") -> tuple[int, Findings]:
    commit(root)
    capfd.readouterr()
    code = main(["check", "--base", base, "--format", "json", *flags])
    rows = json.loads(capfd.readouterr().out)["findings"]
    return code, [(r["code"], r["path"], r["severity"], r["origin"]) for r in rows]
