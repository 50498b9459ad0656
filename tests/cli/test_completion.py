"""Completion: bash itself completes a word; each shell gets the answers it asks for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
PATH = f"{BIN}{os.pathsep}{os.environ['PATH']}"
ASKED = 'COMP_WORDS=(judge-contract %s); COMP_CWORD=%d; "$f" judge-contract'


def shell(script: str, **variables: str) -> str:
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-euo", "pipefail", "-c", script],
        env={**os.environ, "PATH": PATH, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(
    ("words", "at", "offered"),
    [
        ("ch", 1, "check check-rubric"),
        ("check --stat", 2, "--statistics"),
        ("check --format sa", 3, "sarif"),
        ("completion z", 2, "zsh"),
    ],
)
def test_bash_completes(words: str, at: int, offered: str) -> None:
    script = (
        "source <(judge-contract completion bash)\n"
        'set -- $(complete -p judge-contract); f="${@:$#-1:1}"\n'
        + ASKED % (words, at)
        + '\necho "${COMPREPLY[*]}"'
    )
    assert shell(script).strip() == offered


@pytest.mark.parametrize(
    ("name", "asked", "registered"),
    [
        ("zsh", {"COMP_WORDS": "judge-contract che", "COMP_CWORD": "1"}, "compdef "),
        ("fish", {"COMP_WORDS": "judge-contract", "COMP_CWORD": "che"}, "complete --no-files "),
    ],
)
def test_other_shells_get_what_their_script_asks_for(
    name: str, asked: dict[str, str], registered: str
) -> None:
    script = shell(f"judge-contract completion {name}")
    assert f"{registered}" in script
    assert f"_JUDGE_CONTRACT_COMPLETE={name}_complete" in script
    told = shell("judge-contract", **asked, _JUDGE_CONTRACT_COMPLETE=f"{name}_complete")
    assert "check-rubric" in told
    assert "vendor" not in told
