"""What `explain` and docs/rules.md show of a rule is run: red is red, and mended is clean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main
from judge_conformance.engine import base_context, context_for, run
from judge_conformance.planted.proofs import TODAY
from judge_conformance.planted.shown import example_of, mended
from judge_conformance.planted.trees import plant
from judge_conformance.rule import Rule
from judge_conformance.rules import all_rules
from judge_conformance.sabotage.rule_modules import HOME
from judge_conformance.tree import open_tree

RULES = all_rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_what_explain_shows_is_red_and_clean_once_it_is_mended(
    tmp_path: Path, catalog: Catalog, capsys: pytest.CaptureFixture[str], rule: Rule
) -> None:
    red = example_of(rule)
    sides: dict[str, tuple[Path, set[str]]] = {}
    for name, example in {"-": red, "+": mended(red)}.items():
        root = tmp_path / str(len(sides))
        root.mkdir()
        plant(root, catalog, example)
        base = base_context(root, "HEAD", catalog, today=TODAY) if red.base is not None else None
        context = context_for(open_tree(root), catalog, today=TODAY, base=base)
        asked = [rule] if rule.code == "JC-OLD" else RULES
        sides[name] = (root, {f.code for f in run(asked, context).findings})
    assert {name: codes for name, (_, codes) in sides.items()} == {"-": {rule.code}, "+": set()}
    assert main(["explain", rule.code]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{rule.code} ({rule.severity.value}): {rule.title}\n\n{rule.doc}\n\n")
    path, *lines = said.partition(f"{red.title}:\n")[2].splitlines()
    assert {line[0] for line in lines if line} <= {*"-+ "}
    assert any(line[0] in "-+" for line in lines if line)
    for line in lines:
        if line[:1] in {"-", "+"} and line[1:2] != "(" and not line.endswith("..."):
            text = (sides[line[0]][0] / path).read_text("utf-8")
            assert line[1:] in (one.rstrip() for one in text.splitlines())


def test_codes_of_exercise_and_of_proofs_are_explained_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sources = (file.read_text("utf-8") for file in HOME.rglob("*.py"))
    codes = {code for text in sources for code in re.findall(r'code="(J[XP]-[A-Z-]+)"', text)}
    assert {"JX-LOST", "JP-RED"} <= codes
    for code in codes:
        assert main(["explain", code]) == 0
        assert capsys.readouterr().out.startswith(f"{code} (")
    assert main(["explain", "JC-NONE"]) == 2
