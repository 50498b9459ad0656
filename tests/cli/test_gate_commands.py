"""The commands over the gates: the same bytes run, the same bytes come out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

GATES = Path(__file__).parents[2] / "vendored/gates"
VOTES = [{"verdict": "pass"}, {"verdict": "pass"}, {"verdict": "fail"}]
RUNS: list[tuple[str, str, list[str], object, int]] = [
    ("vote", "judge_vote.py", ["--votes", "-"], VOTES, 0),
    ("vote", "judge_vote.py", ["--votes", "-", "--agree", "0.67", "--json"], VOTES, 1),
    ("vote", "judge_vote.py", ["--votes=-", "--expect", "fail"], VOTES, 1),
    ("vote", "judge_vote.py", ["--votes", "none"], None, 2),
    ("vote", "judge_vote.py", ["--help"], None, 0),
    ("vote", "judge_vote.py", ["--version"], None, 0),
    ("vote", "judge_vote.py", ["--vote", "x\udcff"], None, 2),
    ("refute", "judge_refute.py", ["--votes", "-", "--panel", "3"], [{"refuted": True}], 1),
    ("refute", "judge_refute.py", [], None, 2),
    ("fanout", "judge_fanout.py", ["--in", "-", "--json"], {"claims": []}, 1),
    ("fanout", "judge_fanout.py", ["--in", "-"], [], 3),
    ("debate", "judge_debate.py", ["--help"], None, 0),
    ("debate", "judge_debate.py", ["report", "--state", "-"], {}, 2),
    ("debate", "judge_debate.py", ["start", "--artifact", ".", "--task", "x"], None, 2),
    ("advisory", "judge_advisory.py", ["cite", "--text", "a"], None, 0),
    ("advisory", "judge_advisory.py", ["advise", "--checklist", "-", "--sink", "s"], [], 2),
    ("advisory", "judge_advisory.py", ["verify", "none"], None, 2),
    ("advisory", "judge_advisory.py", ["--help"], None, 0),
    ("goal", "judge_goal_loop.py", ["--check", "true", "--cap", "2"], None, 0),
    ("goal", "judge_goal_loop.py", ["--check", "false", "--cap", "2"], None, 1),
    ("goal", "judge_goal_loop.py", ["--check", "echo x", "--step", "false", "--cap", "1"], None, 0),
]  # fmt: skip


@pytest.mark.parametrize("row", RUNS, ids=[ascii(" ".join([row[0], *row[2]])) for row in RUNS])
def test_a_command_is_its_file(
    row: tuple[str, str, list[str], object, int], tmp_path: Path
) -> None:
    command, file, words, given, code = row
    ways = [
        [sys.executable, "-m", "judge_conformance", command],
        [sys.executable, "-I", "-S", str(GATES / file)],
    ]
    through, itself = (
        subprocess.run(
            [*way, *words],
            input=json.dumps(given).encode(),
            capture_output=True,
            cwd=tmp_path,
            check=False,
        )
        for way in ways
    )
    assert through.returncode == code
    assert (through.returncode, through.stdout, through.stderr) == (
        itself.returncode,
        itself.stdout,
        itself.stderr,
    )


@pytest.mark.parametrize("command", ["vote", "refute", "fanout", "goal", "debate", "advisory"])
def test_a_gate_tries_itself(command: str, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "judge_conformance", command, "--selftest"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" planted cases, 0 wrong\n")
