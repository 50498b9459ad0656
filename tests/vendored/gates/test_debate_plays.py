"""Whole debates, played from files as an orchestrator does: what is asked, said and reported.

Each page of plays/ holds the target, the specification and every reply as files, the commands with
all that they print, and the report. `pytest --rewrite` writes what is printed into the pages.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.pages import played
from tests.vendored.gates.conftest import DEBATE

PLAYS = sorted(Path(__file__).with_name("plays").glob("*.md"))


@pytest.mark.parametrize("page", PLAYS, ids=lambda page: page.stem)
def test_a_play(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(DEBATE.path, tmp_path / "scripts")
    text = played(page.read_text("utf-8"), tmp_path)
    if request.config.getoption("--rewrite"):
        page.write_text(text, "utf-8")
    assert text == page.read_text("utf-8")
