"""The gates speak alike: the same flags and table of exits, in --help and in docs/gates.md."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.vendored.gates.conftest import ADVISORY, DEBATE, FANOUT, GOAL, REFUTE, VOTE, Gate

PAGE = Path(__file__).parents[3] / "docs/gates.md"
GATES = [VOTE, REFUTE, FANOUT, GOAL, DEBATE, ADVISORY]
EACH = pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
UNUSABLE = "input or flags that cannot be used: never a go"
COMMON = {"--help", "--version", "--selftest", "--self-test"}
SECOND_NAMES = {"-h", "--self-test"}  # what the usage need not show
CODES = {FANOUT: 3}  # what is unusable; else 2
MORE = {GOAL: {143}, ADVISORY: {0}}


def told(gate: Gate) -> str:
    return gate.run("--help").out


def exits(gate: Gate) -> list[tuple[int, str]]:
    """Return the rows of the table of exits that --help ends with, in order."""
    table = told(gate).partition("\nExits:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"(?m)^  (\d+)  (\S.*)$", table)
    assert len(rows) == table.count("\n") + 1
    return [(int(code), text) for code, text in rows]


def usage(gate: Gate) -> str:
    """Return the lines of --help that show the commands and their flags, without explanations."""
    text = str(gate.module.__doc__)
    return text[text.index("\n    judge_") : text.index("\n\n", text.index("\n    judge_"))]


def parsers(gate: Gate) -> Iterator[argparse.ArgumentParser]:
    top = gate.module._parser()  # noqa: SLF001 - the flags themselves
    yield top
    for action in top._actions:  # noqa: SLF001 - argparse has no other way to its commands
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - likewise
            yield from action.choices.values()


@EACH
def test_the_table_of_exits_is_the_same_table(gate: Gate) -> None:
    code, rows = CODES.get(gate, 2), exits(gate)
    assert rows[-2:] == [(code, UNUSABLE), (130, "interrupted")]
    decisions = set(getattr(gate.module, "EXITS", {}).values())
    assert {number for number, _ in rows} == decisions | {code, 130} | MORE.get(gate, set())
    assert told(gate).count("never a go") == 1


@EACH
def test_the_usage_shows_every_flag_there_is(gate: Gate) -> None:
    flags = {
        flag for parser in parsers(gate) for action in parser._actions  # noqa: SLF001 - as above
        for flag in action.option_strings
    }  # fmt: skip
    shown = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", usage(gate)))
    assert shown == flags - SECOND_NAMES - ({"--check"} if gate is REFUTE else set())
    assert flags >= COMMON | {"--json"}
    assert f"    {gate.name}.py --selftest | --version | --help" in usage(gate)


@EACH
def test_every_command_prints_json(gate: Gate) -> None:
    having = [
        parser
        for parser in parsers(gate)
        if parser.prog.count(" ") or gate not in {DEBATE, ADVISORY}
    ]
    assert having
    for parser in having:
        assert "--json" in parser.format_usage()


def test_what_flags_are_for_is_said_in_the_same_words() -> None:
    """A flag of one name takes the same kind of value wherever it is."""
    kinds: dict[str, set[object]] = {}
    for gate in GATES:
        for parser in parsers(gate):
            for action in parser._actions:  # noqa: SLF001 - as above
                for flag in action.option_strings:
                    kind = (
                        type(action).__name__,
                        str(action.metavar),
                        getattr(action.type, "__name__", None),
                    )
                    kinds.setdefault(flag, set()).add(kind)
    odd = {flag for flag, known in kinds.items() if len(known) > 1}
    assert odd == {"--check"}  # a command in the goal loop, the self-test's third name in refute


def test_the_page_has_every_gate_with_its_exits() -> None:
    rows = re.findall(
        r"(?m)^\| \[`(judge_\w+)\.py`\]\(([^)]+)\) \| (.*) \|$", PAGE.read_text("utf-8")
    )
    assert [name for name, _, _ in rows] == [*(gate.name for gate in GATES), "judge_calibration"]
    for gate, (_, link, cells) in zip(GATES, rows, strict=False):
        place, _, _ = link.partition("#")
        assert not place or (PAGE.parent / place).is_file()
        said: dict[str, str] = {}
        for code, text in exits(gate):
            said.setdefault(str(code), text)
        first, second, third, rest = cells.split(" | ")
        assert (first, second, third) == (said["0"], said.get("1", "-"), said["2"])
        others = {code for code in said if code not in {"0", "1", "2", "130"}}
        assert rest == (", ".join(f"{code}: {said[code]}" for code in sorted(others)) or "-")
