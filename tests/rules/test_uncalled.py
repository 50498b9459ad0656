"""What the planted trees of JC-UNCALLED do not show: the hint is to paste."""

from __future__ import annotations

from pathlib import Path

from tests.rules.shapes import context, found

from judge_conformance.catalog import Catalog
from judge_conformance.planted.scripts import HEAD, PATH
from judge_conformance.rules.uncalled import RULE


def test_a_script_without_a_block_is_somebody_elses(tmp_path: Path, catalog: Catalog) -> None:
    assert found(RULE, tmp_path, catalog, {PATH: "return decideVerdict\n"}) == []


def test_the_hint_holds_the_lines_to_paste(tmp_path: Path, catalog: Catalog) -> None:
    hint = RULE.examples[1]
    assert hint.at is not None
    pasted = HEAD + ("const items = ['a'];\n" + _idiom(tmp_path / "a", catalog) + "\n")
    assert found(RULE, tmp_path / "b", catalog, {PATH: pasted}) == []


def _idiom(root: Path, catalog: Catalog) -> str:
    (finding,) = RULE.check(context(root, catalog, {PATH: HEAD}))
    assert finding.hint is not None
    return finding.hint.partition("\n")[2]
