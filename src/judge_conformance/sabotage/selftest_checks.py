"""A gate's own self-test as many checks: each planted case alone, so that the first wrong ends it.

A self-test draws what it tries from functions without arguments: `for case in _planted()` or
`[*_planted()]`. Each thing that one of them yields becomes a check: the self-test with that thing
alone. One that yields nothing while all is well, there or within another, yields what is wrong:
that it goes on yielding nothing is a check too. The whole self-test is the last check, for what it
does besides.
"""

from __future__ import annotations

import ast
import contextlib
import marshal
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from judge_conformance.parity.loading import PLENTY, SPARE, Program, replaced
from judge_conformance.sabotage.python_engine import Check, quiet
from judge_conformance.sabotage.python_sites import reached

_KEPT = "__planted__"
_MEMORY = "/dev/shm"  # noqa: S108 - a folder in memory, where there is one: mutants make many files


def selftest_checks(program: Program, clean: ModuleType) -> Iterator[Check]:
    """Yield a check for each planted case of the program's self-test, and one for all of it."""
    planted = [_Planted(program, clean, name) for name in _sources(program)]
    within = [name for one in planted for name in _sources(program, one.function)]
    silent = [one for name in within if not (one := _Planted(program, clean, name)).count]
    cases = [_alone(one, at, planted) for one in planted for at in range(one.count)]
    yield from cases
    for one in (*planted, *silent):
        if not one.count:
            yield _faultless(one, cases[:1])
    yield Check(name="--selftest", green=_passes)


def _sources(program: Program, function: str = "selftest") -> Iterator[str]:
    """Yield the functions without arguments that a function goes through, in order."""
    for statement in program.statements:
        if isinstance(statement, ast.FunctionDef) and statement.name == function:
            for node in ast.walk(statement):
                drawn = node.iter if isinstance(node, ast.For | ast.comprehension) else None
                drawn = node.value if isinstance(node, ast.Starred) else drawn
                match drawn:
                    case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
                        yield name


class _Planted:
    """What one function of a self-test plants, in the clean module and in sabotaged ones."""

    def __init__(self, program: Program, clean: ModuleType, function: str) -> None:
        """Draw all that the clean module plants."""
        self.function = function
        self.name = function.strip("_")
        self._made_of = frozenset(reached(program.statements, roots=[function]))
        self._fuel = program.fuel
        self._fuel.fill(PLENTY)
        with _aside(), quiet():
            things = [*clean.__dict__[function]()]
        self._enough = 10 * self._fuel.burnt(PLENTY) + SPARE
        self.count = len(things)
        self._plain = _plain(things)

    def drawn(self, module: ModuleType, part: slice) -> list[Any]:
        """Return a part of what a module plants; it may plant less than the clean one.

        Plain data of functions that are whole are a copy of what the clean module plants.
        """
        if self._plain and not replaced(module) & self._made_of:
            return [marshal.loads(thing) for thing in self._plain[part]]  # noqa: S302 - its own
        kept: dict[str, tuple[Iterator[Any], list[Any]]] = module.__dict__.setdefault(_KEPT, {})
        drawing, drawn = kept.setdefault(self.name, (iter(module.__dict__[self.function]()), []))
        with self._fuel.instead(self._enough), _aside(), quiet():
            drawn += islice(drawing, max(0, part.stop - len(drawn)))
        return drawn[part]


def _plain(things: Sequence[Any]) -> list[bytes]:
    """Return each thing as bytes, so that no mutant spoils it for the next; none if one is more."""
    try:
        return [marshal.dumps(thing) for thing in things]
    except ValueError:
        return []


def _alone(one: _Planted, at: int, planted: Sequence[_Planted]) -> Check:
    """Return the check that the self-test passes with nothing planted but one thing."""

    def green(module: ModuleType) -> bool:
        drawn = one.drawn(module, slice(at, at + 1))
        whole = {each.function: module.__dict__[each.function] for each in planted}
        module.__dict__.update(dict.fromkeys(whole, ().__iter__))
        module.__dict__[one.function] = drawn.__iter__
        try:
            return _passes(module)
        finally:
            module.__dict__.update(whole)

    return Check(name=f"--selftest {one.name} {at + 1}", green=green)


def _faultless(one: _Planted, cases: Sequence[Check]) -> Check:
    """Return the check that nothing is found wrong; and cases, as that may not notice all."""

    def green(module: ModuleType) -> bool:
        wrong = one.drawn(module, slice(0, 1))
        return not wrong and all(case.green(module) for case in cases)

    return Check(name=f"--selftest {one.name}", green=green)


def _passes(module: ModuleType) -> bool:
    with _aside(), quiet():
        return bool(module.selftest() == 0)


@contextlib.contextmanager
def _aside() -> Iterator[None]:
    """Work in a folder of its own, as home and for what is temporary, that goes away again."""
    home = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="judge-contract-", dir=home))
    before, environment, stdin = Path.cwd(), dict(os.environ), sys.stdin
    os.environ.update(HOME=str(folder), TMPDIR=str(folder))
    tempfile.tempdir = str(folder)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        sys.stdin = stdin  # a self-test that is left half-way may have another
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)
