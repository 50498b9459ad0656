"""A self-test as checks: which there are, what each is tried for, and in which order."""

from __future__ import annotations

import pytest

from judge_conformance.parity.loading import PLENTY, OutOfFuel, Program
from judge_conformance.sabotage.mutants import Edit
from judge_conformance.sabotage.python_engine import Outcome, PythonEngine
from judge_conformance.sabotage.selftest_checks import selftest_checks

GATE = """
def larger(numbers):
    kept = numbers
    if len(kept) > 1:
        kept.sort()
    return kept[-1]

def named(word):
    return word.upper()

def _numbers():
    for _ in range(300):
        pass
    yield [3, 1], 3
    yield [2], 2
    yield from _words()

def _words():
    for word in ["a", "b"]:
        yield word, word.upper()
    for fault in _faults():
        yield "fault", fault

def _faults():
    if named("c") != "C":
        yield "c"

def _unread():
    if named("") != "":
        yield "nothing"

def selftest():
    cases = [*_numbers()]
    wrong = [*_unread()]
    for given, expected in cases:
        found = named(given) if isinstance(given, str) else larger(given)
        wrong += [given] if found != expected else []
    return int(bool(wrong))
"""


@pytest.fixture
def program() -> Program:
    return Program(name="gate", source=GATE, filename="gate.py")


@pytest.fixture
def engine(program: Program) -> PythonEngine:
    return PythonEngine(program, list(selftest_checks(program, program.load())))


def edit(old: str, new: str) -> list[Edit]:
    start = GATE.index(old)
    return [Edit(start=start, end=start + len(old), text=new)]


def test_each_planted_thing_is_a_check_and_so_is_each_source_of_faults(program: Program) -> None:
    names = [check.name for check in selftest_checks(program, program.load())]
    cases = [f"--selftest numbers {number}" for number in (1, 2, 3, 4)]
    assert names == [*cases, "--selftest unread", "--selftest"]


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        ("kept[-1]", "kept[0]", ("red", "--selftest numbers 1")),
        ("    return word.upper()", "    return 'C'", ("red", "--selftest numbers 3")),
        ("return word.upper()", "return word.upper() or 'x'", ("red", "--selftest unread")),
        ("kept.sort()", "pass", ("red", "--selftest numbers 1")),
        ("len(kept) > 1", "len(kept) > 0", ("green", None)),
        ('["a", "b"]', '["a", "b", "ß", 5]', ("red", "--selftest")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mutant_is_noticed_by_the_check_that_runs_it(
    engine: PythonEngine, old: str, new: str, outcome: tuple[str, str | None]
) -> None:
    (found,) = engine.outcomes([("mutant", edit(old, new))])
    assert found == Outcome(status=outcome[0], check=outcome[1])


def test_a_mutant_that_changes_what_it_is_given_spoils_nothing_for_the_next(
    engine: PythonEngine,
) -> None:
    spoils = edit("kept = numbers", "kept = numbers; numbers.append(9)")
    equal = edit("len(kept) > 1", "len(kept) > 0")
    found = [outcome.status for outcome in engine.outcomes([("a", spoils), ("b", equal)])]
    assert found == ["red", "green"]


def test_planting_burns_fuel_of_its_own(program: Program) -> None:
    """The last thing is far behind 300 rounds; alone, these are not what its check may take."""
    slow = GATE.replace("range(300)", "range(30_000)")
    program = Program(name="gate", source=slow, filename="gate.py")
    engine = PythonEngine(program, list(selftest_checks(program, program.load())))
    start = slow.index('["a", "b"]')
    drawn = [Edit(start=start, end=start + 10, text='["a", "bb"]')]
    assert [*engine.outcomes([("mutant", drawn)])] == [Outcome(status="green")]


@pytest.mark.parametrize(
    ("old", "new"),
    [("    for _ in range(300):", "    while True:"), ("range(300)", "iter(int, 1)")],
)
def test_planting_that_never_ends_is_a_hang(engine: PythonEngine, old: str, new: str) -> None:
    (found,) = engine.outcomes([("mutant", edit(old, new))])
    assert found.status == "hang"


def test_what_was_left_of_the_fuel_is_there_again(program: Program) -> None:
    fuel = program.fuel
    fuel.fill(PLENTY)
    with fuel.instead(2):
        fuel.tick()
    assert fuel.burnt(PLENTY) == 0
    with fuel.instead(0), pytest.raises(OutOfFuel):
        fuel.tick()
    assert fuel.empty
