"""A gate's own self-test as many checks: each planted case alone, so that the first wrong ends it.

A self-test draws what it tries from functions without arguments: `for case in _planted()` or
`[*_planted()]`. Each thing that one of them yields becomes a check: the self-test with that thing
alone. The whole self-test is the last check, for what it does besides.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from judge_conformance.parity.loading import Program
from judge_conformance.sabotage.python_engine import Check, quiet

_KEPT = "__planted__"
_MEMORY = "/dev/shm"  # noqa: S108 - a folder in memory, where there is one: mutants make many files


def selftest_checks(program: Program, clean: ModuleType) -> Iterator[Check]:
    """Yield a check for each planted case of the program's self-test, and one for all of it."""
    sources = _sources(program)
    for name in sources:
        for index in range(len(_planted(clean, name))):
            yield _one(sources, name, index)
    yield Check(name="--selftest", green=_passes)


def _sources(program: Program) -> list[str]:
    """Return the functions without arguments that the self-test goes through, in order."""
    names = []
    for statement in program.statements:
        if isinstance(statement, ast.FunctionDef) and statement.name == "selftest":
            for node in ast.walk(statement):
                drawn = node.iter if isinstance(node, ast.For | ast.comprehension) else None
                drawn = node.value if isinstance(node, ast.Starred) else drawn
                match drawn:
                    case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
                        names.append(name)
    return names


def _planted(module: ModuleType, source: str, most: int = sys.maxsize) -> Sequence[Any]:
    """Return what one of a module's own functions plants, drawn no further than `most` of it.

    What a self-test tries after its planted cases may be slow, and is left to the whole of it.
    """
    kept: dict[str, tuple[Iterator[Any], list[Any]]] = module.__dict__.setdefault(_KEPT, {})
    if source not in kept:
        kept[source] = iter(module.__dict__[source]()), []
    drawing, drawn = kept[source]
    with _aside(), quiet():
        drawn += itertools.islice(drawing, max(0, most - len(drawn)))
    return drawn


def _one(sources: Sequence[str], chosen: str, index: int) -> Check:
    def green(module: ModuleType) -> bool:
        drawn = _planted(module, chosen, index + 1)[index : index + 1]
        whole = {name: module.__dict__[name] for name in sources}
        for name in sources:
            module.__dict__[name] = (drawn if name == chosen else ()).__iter__
        try:
            return _passes(module)
        finally:
            module.__dict__.update(whole)

    return Check(name=f"--selftest {chosen.strip('_')} {index + 1}", green=green)


def _passes(module: ModuleType) -> bool:
    with _aside(), quiet():
        return bool(module.selftest() == 0)


@contextlib.contextmanager
def _aside() -> Iterator[None]:
    """Work in a folder of its own, as home and for what is temporary, that goes away again."""
    home = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="judge-contract-", dir=home))
    before, environment = Path.cwd(), dict(os.environ)
    os.environ.update(HOME=str(folder), TMPDIR=str(folder))
    tempfile.tempdir = str(folder)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)
