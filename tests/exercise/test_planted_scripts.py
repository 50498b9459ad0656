"""Small Workflow scripts with one planted fault each; a comment says what must be found there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judge_conformance.exercise.report import report
from judge_conformance.exercise.suite import exercise_script
from judge_conformance.findings import Severity
from judge_conformance.node import Node

SCRIPTS = sorted(Path(__file__).with_name("scripts").glob("*.js"))
EXPECT = re.compile(r"// expect (JX-[A-Z-]+)( warning)?")


def expected(source: str) -> set[tuple[str, int, Severity]]:
    found = set()
    for number, line in enumerate(source.splitlines(), 1):
        for code, warning in EXPECT.findall(line):
            mild = warning or code == "JX-UNSURE"
            found.add((code, number, Severity.WARNING if mild else Severity.ERROR))
    return found


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_what_is_planted_is_found_and_nothing_else(path: Path, node: Node) -> None:
    source = path.read_text("utf-8")
    result = exercise_script(path.name, source, node)
    found = report([result])
    assert {(f.code, f.location.line, f.severity) for f in found.findings} == expected(source)
    assert found.notes == ()
    assert result.exercised


def test_the_scripts_plant_every_code_and_some_are_sound() -> None:
    planted = {path.stem: {code for code, _, _ in expected(path.read_text())} for path in SCRIPTS}
    assert set().union(*planted.values()) == {"JX-FAIL-OPEN", "JX-LOST", "JX-CRASH", "JX-UNSURE"}
    sound = {name for name, codes in planted.items() if not codes}
    assert sound == {
        "sound",
        "retried",
        "ends_by_design",
        "passed_on",
        "told_by_alias",
        "told_in_prompt",
    }


def test_a_role_whose_values_are_only_passed_on_is_no_judge(node: Node) -> None:
    source = (Path(__file__).with_name("scripts") / "passed_on.js").read_text()
    result = exercise_script("a.js", source, node)
    assert [done.role.name for done in result.exercised] == ["verify"]


def test_what_had_to_happen_first_is_told(node: Node) -> None:
    source = (Path(__file__).with_name("scripts") / "behind_a_fail.js").read_text()
    (finding,) = report([exercise_script("a.js", source, node)]).findings
    assert finding.hint is not None
    assert finding.hint.splitlines()[1] == "reached when first answers real: false"


def test_the_same_script_gives_the_same_report(node: Node) -> None:
    source = (Path(__file__).with_name("scripts") / "lost_by_filter.js").read_text()
    first, second = (exercise_script("a.js", source, node) for _ in range(2))
    assert first == second
