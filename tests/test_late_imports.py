"""What takes long to import is imported when it is needed, and not before."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.trees import commit, git

ADOPTED = Path(__file__).parent / "marketplaces/adopted"
SCRIPT = "plugins/acme/workflows/review.js"
HEAVY = (
    "esprima",
    "rich",
    "unittest.mock",
    "asyncio",
    "pathspec",
    "multiprocessing",
    "judge_conformance.judges",
    "judge_conformance.scan.tree",
    "judge_conformance.vendoring",
)
LOOKED = f"""
import sys
from judge_conformance.cli.app import main
main(sys.argv[1:])
print(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


@pytest.fixture
def market(tmp_path: Path) -> Path:
    """Return an adopted marketplace in git."""
    root = tmp_path / "market"
    shutil.copytree(ADOPTED, root)
    git(root, "init", "-q")
    commit(root)
    return root


def imported(*argv: str) -> set[str]:
    """Return which heavy modules a command leaves imported."""
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run(
        [sys.executable, "-c", LOOKED, *argv],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "argv", [("--version",), ("rules",), ("explain", "JC-SHADOW"), ("schema",)]
)
def test_what_reads_no_script_imports_no_parser(argv: tuple[str, ...]) -> None:
    assert imported(*argv) == set()


def test_check_imports_the_parser_for_scripts_that_it_reads(market: Path) -> None:
    assert imported("check", str(market), "--fresh") == {"esprima"}
    time.sleep(2.1)  # what was written just now is not remembered
    assert imported("check", str(market)) == {"esprima"}
    assert imported("check", str(market)) == set(), "remembered, so that nothing is parsed"
    (market / SCRIPT).unlink()
    assert imported("check", str(market), "--fresh") == set()
