from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from judge_conformance import rules
from judge_conformance.catalog import Catalog
from judge_conformance.planted.proofs import Proof, proofs
from judge_conformance.planted.scripts import shapes
from judge_conformance.rule import Rule
from judge_conformance.selftest import misplaced, selftest

RULES = rules.all_rules()
OF_USE = [
    rule
    for rule in RULES
    if rule.code in {"JC-FAIL-OPEN", "JC-NULL-DROP", "JC-NULL-PASS", "JC-UNCALLED", "JC-UNUSED"}
]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Sequence[Proof]:
    """Plant every tree and script once."""
    return [*proofs(tmp_path_factory.mktemp("planted"), catalog, RULES)]


def test_each_planted_tree_and_script_gives_exactly_its_findings(catalog: Catalog) -> None:
    wrong = [
        (proof.rule.code, proof.title, said) for proof, said in selftest(catalog, RULES, RULES)
    ]
    assert [row for row in wrong if row[2] is not None] == []
    assert len(wrong) >= 300


@pytest.mark.parametrize("rule", OF_USE, ids=lambda rule: rule.code)
def test_a_rule_of_use_has_twenty_scripts_of_either_kind(rule: Rule) -> None:
    kinds = Counter((shape.path, bool(shape.places)) for shape in shapes(rule))
    languages = 1 if rule.code == "JC-UNUSED" else 2
    assert len(kinds) == 2 * languages
    assert min(kinds.values()) >= 20


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_form_of_a_rule(rule: Rule) -> None:
    module = rule.check.__module__.rpartition(".")[2]
    assert rule.code == "JC-" + module.upper().replace("_", "-")
    paragraphs = rule.doc.split("\n\n")
    assert len(paragraphs) == 4, "what it checks, why, how to mend, what it cannot see"
    assert paragraphs[3].startswith("Not seen: ")
    assert all(paragraph.endswith(".") for paragraph in paragraphs)
    assert {example.at is None for example in rule.examples} == {True, False}
    assert rule.title == rule.title.strip().rstrip(".")


def test_codes_are_unique_and_sorted() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len(codes) >= 16


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_blanked_rule_turns_its_plants_red(planted: Sequence[Proof], rule: Rule) -> None:
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
    for proof in planted:
        if proof.rule.code == rule.code and proof.places:
            assert misplaced(proof, proof.found(others)) is not None, proof.title
