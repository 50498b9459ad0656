"""The hook that is offered, in a scratch repository, by pre-commit itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.trees import commit, git

ROOT = Path(__file__).parents[2]
PY = "plugins/acme/scripts/judge_contract.py"
OFFERED = ("src", "vendored")
FILES = ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")


@pytest.fixture(scope="module")
def offered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as a repository of its own, so that pre-commit builds its environment once."""
    folder = tmp_path_factory.mktemp("offered") / "judge-contract"
    folder.mkdir()
    for name in OFFERED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    git(folder, "init", "-q")
    commit(folder)
    return folder


def test_the_hook_is_green_when_clean_and_red_on_drift_and_on_a_deleted_copy(
    adopted: Callable[..., Path], offered: Path, tmp_path: Path
) -> None:
    root = adopted()

    def hook() -> tuple[int, str]:
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(offered), "--all-files"]
        done = subprocess.run(
            command,
            cwd=root,
            env={
                **os.environ,
                "PRE_COMMIT_HOME": str(tmp_path / "home"),
                "PRE_COMMIT_COLOR": "never",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    code, said = hook()
    assert code == 0, said
    assert "Passed" in said
    content = (root / PY).read_bytes()
    (root / PY).write_bytes(content + b"# mine\n")
    git(root, "add", "-A")
    code, said = hook()
    assert (code, "JC-PY-DRIFT" in said) == (1, True), said
    (root / PY).write_bytes(content)
    git(root, "rm", "-qf", "--cached", PY)
    code, said = hook()
    assert (code, "JC-REQUIRED" in said) == (1, True), said
