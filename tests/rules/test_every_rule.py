from __future__ import annotations

from pathlib import Path

import pytest

from judge_conformance import rules
from judge_conformance.catalog import Catalog
from judge_conformance.rule import Example, Rule
from judge_conformance.selftest import _judge, plant

RULES = rules.all_rules()
CASES = [(rule, example) for rule in RULES for example in rule.examples]


@pytest.mark.parametrize(
    ("rule", "example"), CASES, ids=[f"{rule.code}: {example.title}" for rule, example in CASES]
)
def test_a_planted_tree_gives_exactly_its_finding(
    tmp_path: Path, catalog: Catalog, rule: Rule, example: Example
) -> None:
    plant(tmp_path, catalog, example)
    assert _judge(tmp_path, catalog, RULES, rule, example) is None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_form_of_a_rule(rule: Rule) -> None:
    module = rule.check.__module__.rpartition(".")[2]
    assert rule.code == "JC-" + module.upper().replace("_", "-")
    paragraphs = rule.doc.split("\n\n")
    assert len(paragraphs) == 3, "what it checks, why, how to mend"
    assert all(paragraph.endswith(".") for paragraph in paragraphs)
    assert {example.at is None for example in rule.examples} == {True, False}
    assert rule.title == rule.title.strip().rstrip(".")


def test_codes_are_unique_and_sorted() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len(codes) >= 16


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_blanked_rule_turns_its_plants_red(tmp_path: Path, catalog: Catalog, rule: Rule) -> None:
    blanked = Rule(
        code=rule.code,
        title=rule.title,
        severity=rule.severity,
        check=lambda _context: iter(()),
        examples=rule.examples,
    )
    others = [blanked if one.code == rule.code else one for one in RULES]
    if rule.code == "JC-ALLOW":  # idle allowances are the engine's to find
        others = [one for one in others if one.code != rule.code]
    failing = next(example for example in rule.examples if example.at is not None)
    plant(tmp_path, catalog, failing)
    assert _judge(tmp_path, catalog, others, rule, failing) is not None
