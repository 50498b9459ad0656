"""Scripts that are read in forks give what they give when one process reads them all."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.trees import commit, git

BUILDER = Path(__file__).parents[1] / "scripts/benchmarks/big_repository.py"
DROPS = "plugins/plugin-0003/workflows/review.js"
BROKEN = "plugins/plugin-0020/workflows/triage.js"

DECIDED = "items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }))"
FILTERED = "replies.filter(Boolean).map((reply) => decideVerdict(reply, RUBRIC))"
COUNTED = """
import os, signal, sys
from judge_conformance import sharing
from judge_conformance.cli.app import main
forks = []
os.register_at_fork(after_in_parent=lambda: forks.append(1))
{set_up}
code = main(sys.argv[1:])
print("forks:", len(forks), file=sys.stderr)
sys.exit(code)
"""
TWO = "sharing._cores = lambda: 2"
WAYS = {
    "alone": ("sharing._cores = lambda: 1", 0),
    "two forks": (TWO, 2),
    "more cores than shares": ("sharing._cores = lambda: 64", 2),
    "beside a thread": (
        f"import threading; {TWO}; stop = threading.Event()\n"  # noqa: ISC004
        "threading.Thread(target=stop.wait, daemon=True).start()",
        0,
    ),
    "forks that are killed": (
        f"{TWO}; sharing._answer = lambda *_: os.kill(os.getpid(), signal.SIGKILL)",
        2,
    ),
    "forks that fail": (
        f"{TWO}; answer = sharing._answer\n"  # noqa: ISC004
        "sharing._answer = lambda pipe, work, share: answer(pipe, None, share)",
        2,
    ),
}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository of 50 scripts, one of which drops dead judges, and one is no script."""
    root = tmp_path_factory.mktemp("many") / "market"
    argv = [sys.executable, str(BUILDER), str(root), "--plugins", "25", "--files", "6"]
    subprocess.run(argv, check=True, capture_output=True)
    file = root / DROPS
    file.write_text(file.read_text().replace(DECIDED, FILTERED))
    (root / BROKEN).write_text((root / BROKEN).read_text() + "}\n")
    commit(root)
    git(root, "branch", "base")
    file.write_text(file.read_text().replace(", sample: spotCheck(verdicts)", ""))
    commit(root)
    return root


@cache
def checked(root: Path, way: str, *argv: str) -> tuple[int, str, int]:
    """Return exit code and output of a check, and how many forks it made."""
    code = COUNTED.format(set_up=WAYS[way][0])
    done = subprocess.run(
        [sys.executable, "-c", code, "check", str(root), "--fresh", *argv],
        capture_output=True,
        text=True,
        check=False,
    )
    told, _, forks = done.stderr.rpartition("forks: ")
    assert not told
    return done.returncode, done.stdout, int(forks)


@pytest.mark.parametrize("way", WAYS)
def test_a_shared_check_says_what_one_process_says(many: Path, way: str) -> None:
    code, alone, _ = checked(many, "alone")
    assert code == 1
    assert "25 plugins, 100 copies, 49 scripts" in alone
    assert [part for part in (DROPS, BROKEN, "JC-PARSE", "JC-NULL-DROP") if part not in alone] == []
    assert checked(many, way) == (1, alone, WAYS[way][1])


@pytest.mark.parametrize("argv", [("--base", "base"), ("--staged",), ("--select", "JC-UNUSED")])
def test_so_does_one_of_git_s_own_bytes(many: Path, argv: tuple[str, ...]) -> None:
    code, alone, _ = checked(many, "alone", *argv)
    assert DROPS in alone
    trees = 2 if "--base" in argv else 1
    assert checked(many, "two forks", *argv) == (code, alone, 2 * trees)
