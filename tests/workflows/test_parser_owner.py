"""Whose parser it is: another distribution of that import name is found and not trusted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["esprima", "esprima2", "pyesprima"])
def test_another_parser_of_that_name_is_refused_by_name(
    adopted: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    root = adopted()
    other = tmp_path / "other" / f"{name}-4.0.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 4.0.1\n")
    (other / "RECORD").write_text("esprima/__init__.py,,\n")

    def check(path: Path | None) -> subprocess.CompletedProcess[str]:
        environment = os.environ | ({"PYTHONPATH": str(path)} if path else {})
        argv = [sys.executable, "-m", "judge_conformance", "check"]
        return subprocess.run(
            argv, cwd=root, env=environment, capture_output=True, text=True, check=False
        )

    assert check(None).returncode == 0
    refused = check(other.parent)
    assert (refused.returncode, refused.stdout) == (2, "")
    both = ", ".join(sorted([f"{name} 4.0.1", "esprima-fork 5.0.0"]))
    assert refused.stderr == (
        f"judge-contract: the import name esprima is brought by {both},"
        " not by esprima-fork 5.0.0 alone"
        " (uninstall the others, then reinstall esprima-fork==5.0.0)\n"
    )
