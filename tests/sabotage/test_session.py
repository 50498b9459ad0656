"""A session over small gates: kills, hangs, crashes, survivors, in a worker and in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from judge_conformance.parity.loading import Program
from judge_conformance.sabotage import mutation_report, session, tables
from judge_conformance.sabotage.hosts import InWorker
from judge_conformance.sabotage.mutants import Edit, Mutant
from judge_conformance.sabotage.python_engine import Check, PythonEngine
from judge_conformance.sabotage.selftest_checks import selftest_checks
from judge_conformance.sabotage.subjects import (
    Source,
    Trial,
    in_process,
    in_worker,
    python_launcher,
)

GATE = '''
"""Count down, and say how it ended."""
import os
import sys
import tempfile

STEPS = [3, 2]


def main(argv):
    """Count the first argument down to zero by the steps."""
    left = int(argv[0])
    for step in STEPS:
        left -= step
    while left > 1:
        left -= 1
    print("left:", left)
    return left


def selftest():
    with tempfile.NamedTemporaryFile("w", dir=".") as file:
        file.write("the folder is ours")
    good = [main(["9", "x"]) == 1, main(["5"]) == 0, main(["4"]) == -1, main(["6"]) == 1]
    return 0 if all(good) else 1
'''


def source(text: str) -> Source:
    return Source(name="gate.py", path="gates/gate.py", language="python", text=text)


def run(text: str, roots: Sequence[str] = ("main",)) -> session.SabotageReport:
    launcher = python_launcher(source(text), patience=5)
    return session.run(in_worker(launcher, Trial(selftest=True), roots=roots))


def test_a_gate_is_held_to_its_own_self_test(capfd: pytest.CaptureFixture[str]) -> None:
    before = sorted(Path.cwd().iterdir())
    report = run(GATE)
    fates = {result.mutant.operator: result.status for result in report.results}
    survivors = {result.mutant.operator for result in report.survivors}
    assert survivors == {"string-changed", "statement-deleted"}, "what it prints is never looked at"
    assert fates["loop-once"] == "killed"
    assert report.count("hang") >= 1
    assert not report.faults
    assert sorted(Path.cwd().iterdir()) == before
    assert capfd.readouterr().out == ""


def test_two_sessions_are_the_same() -> None:
    first, again = run(GATE), run(GATE)
    assert first.results == again.results
    assert tables.table([first]) == tables.table([again])


def test_the_table_and_the_findings_tell_operators_and_places() -> None:
    report = run(GATE)
    head, columns, *rows = tables.table([report])
    assert head.startswith(f"gates/gate.py: {len(report.results)} mutants against 1 checks, ")
    assert columns.split() == [
        *("operator", "mutants", "killed", "of", "these", "hung", "survived", "accepted")
    ]
    assert sum(int(row.split()[1]) for row in rows) == len(report.results)
    found = list(tables.findings(report))
    assert {finding.location.line for finding in found} == {17}
    assert all(
        finding.hint == "no check shows it: plant one that does, or take the code away"
        for finding in found
    )


def test_the_mutation_report_spans_every_edit() -> None:
    document = mutation_report.document([run(GATE)])
    mutants = document["files"]["gates/gate.py"]["mutants"]
    once = next(mutant for mutant in mutants if mutant["mutatorName"] == "loop-once")
    assert once["location"] == {
        "start": {"line": 14, "column": 21},
        "end": {"line": 14, "column": 21},
    }
    assert once["replacement"] == "\n        break"
    assert {mutant["status"] for mutant in mutants} == {"Killed", "Timeout", "Survived"}


def by_hand(name: str, find: str, put: str) -> Mutant:
    start = GATE.index(find)
    edit = Edit(start=start, end=start + len(find), text=put)
    return Mutant(id=name, function="main", operator="by-hand", edits=(edit,))


def test_a_mutant_that_ends_its_process_twice_is_killed_and_one_that_is_stuck_is_a_fault() -> None:
    launcher = python_launcher(source(GATE), patience=1.0)
    subject = in_worker(launcher, Trial(selftest=True), roots=("main",))
    mutants = (
        by_hand("red", "return left", "return None"),
        by_hand("dies", "return left", "os._exit(7)"),
        by_hand("stuck", "return left", "__import__('time').sleep(60)"),
        by_hand("red too", "return left", "return 8"),
    )
    with subject.host() as host:
        assert isinstance(host, InWorker)
        fates = [(outcome.status, outcome.check) for outcome in host.outcomes(mutants)]
    assert fates == [
        ("red", "--selftest"),
        ("crash", "the process ends"),
        ("stuck", None),
        ("red", "--selftest"),
    ]


def test_equal_mutants_are_run_once_and_the_clean_source_is_none() -> None:
    program = Program(name="gate", source="def f(a):\n    return a\n", filename="gate.py")
    engine = PythonEngine(program, [Check(name="one", green=lambda module: module.f(1) == 1)])
    edits = [
        [Edit(start=21, end=22, text="None")],
        [Edit(start=14, end=22, text="pass")],
        [Edit(start=21, end=22, text="(a)")],
        [Edit(start=14, end=22, text="return None")],
    ]
    found = engine.outcomes((str(index), edit) for index, edit in enumerate(edits))
    assert [outcome.status for outcome in found] == ["red", "duplicate", "unchanged", "duplicate"]


def test_a_constant_that_another_is_made_of_changes_both() -> None:
    text = "A = 2\nB = A + 1\n\n\ndef f():\n    return B\n"

    def green(module: object) -> bool:
        return isinstance(module, ModuleType) and module.f() == 3

    report = session.run(in_process(source(text), {"f": green}, roots=("f",)))
    assert not report.survivors
    assert {result.mutant.function for result in report.results} == {"A", "B", "f"}


PLANTING = (
    GATE[: GATE.index("def selftest")]
    + """def _planted():
    yield ["9", "x"], 1
    yield ["5"], 0
    yield ["4"], -1
    yield ["6"], 1


def selftest():
    cases = [*_planted()]
    return int(any(main(argv) != left for argv, left in cases) or main(["5"]) != 0)
"""
)


def planted(workers: int) -> session.SabotageReport:
    launcher = python_launcher(source(PLANTING), patience=20)
    trial = Trial(selftest=True, workers=workers)
    return session.run(in_worker(launcher, trial, roots=("main",)))


def test_each_planted_case_is_a_check_of_its_own_and_the_whole_self_test_the_last() -> None:
    program = Program(name="planting", source=PLANTING, filename="planting.py")
    checks = list(selftest_checks(program, program.load()))
    assert [check.name for check in checks] == [
        *(f"--selftest planted {number}" for number in (1, 2, 3, 4)),
        "--selftest",
    ]
    wrong = program.source.replace("return left", "return left if argv != ['4'] else 9")
    mutant = Program(name="planting", source=wrong, filename="planting.py").load()
    assert [check.green(mutant) for check in checks] == [True, True, False, True, False]
    assert len([*mutant.__dict__["_planted"]()]) == 4, "what was set aside is back"


def test_several_workers_find_what_one_finds_and_miss_what_it_misses() -> None:
    one, two = planted(1), planted(2)
    assert one.results == two.results
    survivors = {result.mutant.operator for result in one.survivors}
    assert survivors == {"string-changed", "statement-deleted"}
    assert {result.check for result in one.results} > {"--selftest planted 1"}
