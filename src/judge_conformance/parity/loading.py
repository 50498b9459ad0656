"""Python source as a module whose loops and calls burn fuel, so that a runaway ends by count.

Each top-level statement is compiled by itself: a variant of the source recompiles only what it
changed, and is executed whole, so that a constant that another is made of changes both.
"""

from __future__ import annotations
import __future__

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, ModuleType

PLENTY = 10**9
"""Ticks that nothing which ends burns."""

SPARE = 10_000
"""Ticks that a variant gets beyond ten times what its source burns."""

_TICK = "__tick__"
_RAN, _REPLACED = "__ran__", "__replaced__"
_ANNOTATIONS = __future__.annotations.compiler_flag


class OutOfFuel(BaseException):
    """The subject ran longer than it was given fuel for."""


class Fuel:
    """A tank that every loop round and every call of the subject draws one tick from."""

    def __init__(self) -> None:
        self.left = sys.maxsize

    def fill(self, ticks: int) -> None:
        """Allow `ticks` more ticks, whatever was left."""
        self.left = ticks

    @contextmanager
    def instead(self, ticks: int) -> Iterator[None]:
        """Burn other fuel for a while; then what was left is there again, if that was enough."""
        left, self.left = self.left, ticks
        try:
            yield
        finally:
            if not self.empty:
                self.left = left

    def burnt(self, ticks: int) -> int:
        """Return how many of the ticks that it was filled with are gone."""
        return ticks - self.left

    @property
    def empty(self) -> bool:
        """Whether the subject asked for more than it had, even where it swallowed the error."""
        return self.left < 0

    def tick(self) -> bool:
        """Draw one tick; raises OutOfFuel when there is none."""
        self.left -= 1
        if self.left < 0:
            raise OutOfFuel
        return True


def compiled(statement: ast.stmt, filename: str) -> CodeType:
    """Compile one top-level statement with the ticks put in; raises SyntaxError."""
    _put_ticks_in(statement)
    module = ast.Module(body=[statement], type_ignores=[])
    code: CodeType = compile(module, filename, "exec", flags=_ANNOTATIONS, dont_inherit=True)
    return code


def _put_ticks_in(statement: ast.stmt) -> None:
    for node in list(ast.walk(statement)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body.insert(_after_docstring(node.body), _tick(node))
        elif isinstance(node, ast.For | ast.While | ast.AsyncFor):
            node.body.insert(0, _tick(node))
        elif isinstance(node, ast.comprehension):
            node.ifs.insert(0, _tick(node.target).value)


def _put_marks_in(statement: ast.stmt) -> None:
    """Put before each statement within a function, a class or a branch that it ran."""
    for node in list(ast.walk(statement)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                marked = [part for inner in block for part in (_call(_RAN, inner), inner)]
                setattr(node, name, marked[_after_docstring(block) :])


def _after_docstring(body: Sequence[ast.stmt]) -> int:
    first = body[0] if body else None
    return int(isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant))


def _tick(node: ast.stmt | ast.expr) -> ast.Expr:
    return _call(_TICK, node)


def _call(name: str, node: ast.stmt | ast.expr) -> ast.Expr:
    """Return the statement that calls `name`, with the line of the node where it is a mark."""
    given: list[ast.expr] = [ast.Constant(value=node.lineno)] if name == _RAN else []
    call = ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=given, keywords=[])
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(value=call), node))


class Program:
    """One Python source, ready to be loaded again and again, whole or with statements replaced."""

    def __init__(self, *, name: str, source: str, filename: str) -> None:
        """Parse and compile the source; raises SyntaxError where it does not parse."""
        self.name = name
        self.source = source
        self.filename = filename
        self.fuel = Fuel()
        self.statements = ast.parse(source, filename).body
        self._codes = [
            compiled(statement, filename) for statement in ast.parse(source, filename).body
        ]

    def code(self, index: int) -> CodeType:
        """Return the compiled statement at `index`, ticks included."""
        return self._codes[index]

    def load(self, replaced: Mapping[int, CodeType] | None = None) -> ModuleType:
        """Execute the statements in a new module; raises whatever the subject raises at load."""
        codes = [(replaced or {}).get(index, code) for index, code in enumerate(self._codes)]
        return self._loaded(codes, {_REPLACED: frozenset(replaced or ())})

    def marked(self, ran: set[int]) -> ModuleType:
        """Load the source with marks in it: `ran` takes in the first line of what runs."""
        statements = ast.parse(self.source, self.filename).body
        for statement in statements:
            _put_marks_in(statement)
        codes = [compiled(statement, self.filename) for statement in statements]
        return self._loaded(codes, {_REPLACED: frozenset(), _RAN: ran.add})

    def _loaded(self, codes: Sequence[CodeType], given: Mapping[str, object]) -> ModuleType:
        module = ModuleType(self.name)
        module.__file__ = self.filename
        module.__dict__.update(given, __tick__=self.fuel.tick)
        sys.modules[self.name] = module  # dataclasses look their module up there
        for code in codes:
            exec(code, module.__dict__)  # noqa: S102 - that is the job
        return module


def replaced(module: ModuleType) -> frozenset[int]:
    """Return which statements of its program a loaded module has others for."""
    indexes: frozenset[int] = module.__dict__[_REPLACED]
    return indexes
