"""Python source as a module whose loops and calls burn fuel, so that a runaway ends by count.

Each top-level statement is compiled by itself: a variant of the source recompiles only what it
changed, and is executed whole, so that a constant that another is made of changes both.
"""

from __future__ import annotations
import __future__

import ast
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, ModuleType

_TICK = "__tick__"
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


def _after_docstring(body: Sequence[ast.stmt]) -> int:
    first = body[0]
    return int(isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant))


def _tick(node: ast.stmt | ast.expr) -> ast.Expr:
    call = ast.Call(func=ast.Name(id=_TICK, ctx=ast.Load()), args=[], keywords=[])
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
        module = ModuleType(self.name)
        module.__file__ = self.filename
        module.__dict__[_TICK] = self.fuel.tick
        sys.modules[self.name] = module  # dataclasses look their module up there
        for index, code in enumerate(self._codes):
            exec((replaced or {}).get(index, code), module.__dict__)  # noqa: S102 - that is the job
        return module
