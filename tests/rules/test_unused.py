"""A script that never decides has no sample to show."""

from __future__ import annotations

from pathlib import Path

from tests.rules.shapes import in_script

from judge_conformance.catalog import Catalog
from judge_conformance.rules.unused import RULE


def test_a_script_that_never_decides_is_told_once(tmp_path: Path, catalog: Catalog) -> None:
    assert in_script(RULE, tmp_path, catalog, "return 1")[0] == []
