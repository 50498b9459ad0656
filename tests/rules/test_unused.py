"""What counts as showing a sample of the verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.shapes import in_script, shapes

from judge_conformance.catalog import Catalog
from judge_conformance.rules.unused import RULE

DECIDED = "const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }))\n"

PASSES, FAILS = shapes("unused")


@pytest.mark.parametrize("shape", PASSES.values(), ids=PASSES)
def test_a_sample_that_is_shown(tmp_path: Path, catalog: Catalog, shape: str) -> None:
    assert in_script(RULE, tmp_path, catalog, DECIDED + shape)[0] == []


@pytest.mark.parametrize("shape", FAILS.values(), ids=FAILS)
def test_no_sample_is_shown(tmp_path: Path, catalog: Catalog, shape: str) -> None:
    lines, marked = in_script(RULE, tmp_path, catalog, DECIDED + shape)
    assert lines == (marked or [3])


def test_a_script_that_never_decides_is_told_once(tmp_path: Path, catalog: Catalog) -> None:
    assert in_script(RULE, tmp_path, catalog, "return 1")[0] == []
