"""Sabotage of the rules: what is held, what a weaker self-test lets through, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import FunctionType, ModuleType

import jsonschema
import pytest

from judge_conformance import python, rules
from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main
from judge_conformance.planted.proofs import proofs
from judge_conformance.python import criteria
from judge_conformance.sabotage import rule_subjects, rule_worker
from judge_conformance.sabotage.rule_modules import HOME, Graph, file_of, remade
from judge_conformance.sabotage.rule_worker import RuleService

RULES = rules.all_rules()
SCHEMA = HOME / "schemas/report.json"


def test_every_mutant_of_small_rules_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["selftest", "--sabotage", "--rule", "JC-IGNORED", "--rule", "JC-LINK"]
    assert main([*argv, "--jobs", "1", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, json.loads(SCHEMA.read_text("utf-8")))
    checked = report["summary"]["checked"]
    assert report["tool"] == "selftest"
    assert (checked["modules"], checked["survived"], checked["accepted"]) == (2, 0, 0)
    assert checked["killed"] == checked["mutants"] >= 30


def test_an_acceptance_of_what_dies_breaks_the_instrument() -> None:
    accepted = {"rules/ignored.py": {"check:body-blanked:1:00000000": "it does nothing at all"}}
    reports, faults = rule_subjects.run(
        ["rules.ignored"], Catalog.load(), RULES, accepted, parallel=1
    )
    assert not reports[0].survivors
    assert "rules/ignored.py: check:body-blanked:1:00000000 is accepted and is no mutant" in faults


def test_without_the_trees_that_fail_a_blanked_rule_goes_unnoticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = file_of("rules.ignored").read_text("utf-8")
    start, end = source.index("    for copy in"), source.index("RULE = ")
    blank = [start, len(source[:end].rstrip()), "    yield from ()"]

    def outcome() -> str:
        service, heard = RuleService(), list[object]()
        service.plant({"folder": str(tmp_path)}, _unheard)
        service.start({"source": source, "filename": "rules/ignored.py"}, _unheard)
        service.hold({"module": "rules.ignored"}, _unheard)
        mutants = {"mutants": [{"id": "blanked", "edits": [blank]}]}
        service.sabotage(mutants, lambda _id, status, check: heard.extend([status, check]))
        return str(heard[0])

    assert outcome() == "red"
    monkeypatch.setattr(
        rule_worker, "proofs", lambda *of: (one for one in proofs(*of) if not one.places)
    )
    assert outcome() == "green"
    assert rules.all_rules() == RULES, "the modules are what they were"


def _unheard(name: str, **result: object) -> None:
    raise AssertionError((name, result))


@pytest.mark.parametrize(
    ("name", "above", "not_above"),
    [
        ("rules.drift", {"rules.md_drift", "rules.py_drift"}, {"rules.mode"}),
        ("workflows.called", {"rules.uncalled", "rules.unused"}, {"rules.shadow"}),
    ],
)
def test_a_module_is_held_by_the_rules_that_lead_to_it(
    name: str, above: set[str], not_above: set[str]
) -> None:
    dependents = set(Graph.read().dependents(name))
    assert above <= dependents
    assert not dependents & not_above


def test_a_module_stands_for_the_one_that_its_package_holds() -> None:
    module = ModuleType("another")
    made = remade(Graph.read(), "python.criteria", module)
    held = made["JC-NULL-PASS"].check
    assert isinstance(held, FunctionType)
    assert held.__globals__["criteria"] is module
    assert python.criteria is criteria, "the modules are what they were"


@pytest.mark.parametrize(
    ("argv", "story"),
    [
        (["--sabotage", "--rule", "JC-NONE"], "--rule JC-NONE: no such rule"),
        (["--helpers"], "go with --sabotage"),
        (["--sabotage", "--report", "x"], "not of the form mutation=FILE"),
    ],
)
def test_what_is_asked_wrongly(
    capsys: pytest.CaptureFixture[str], argv: list[str], story: str
) -> None:
    assert main(["selftest", *argv]) == 2
    assert story in capsys.readouterr().err
