"""The shapes on which `JC-NULL-DROP` stands, and those on which it must not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.shapes import in_script, shapes

from judge_conformance.catalog import Catalog
from judge_conformance.rules.null_drop import RULE

PASSES, FAILS = shapes("null_drop")


@pytest.mark.parametrize("shape", PASSES.values(), ids=PASSES)
def test_what_is_right(tmp_path: Path, catalog: Catalog, shape: str) -> None:
    assert in_script(RULE, tmp_path, catalog, shape) == ([], [])


@pytest.mark.parametrize("shape", FAILS.values(), ids=FAILS)
def test_what_is_wrong(tmp_path: Path, catalog: Catalog, shape: str) -> None:
    lines, marked = in_script(RULE, tmp_path, catalog, shape)
    assert marked
    assert lines == marked
