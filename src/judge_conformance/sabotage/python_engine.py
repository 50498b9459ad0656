"""Python mutants in one process: recompile what changed, load, and run checks until one is red."""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import CodeType, ModuleType

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.parity.loading import PLENTY, SPARE, Program, compiled
from judge_conformance.sabotage.mutants import Edit, apply, line_and_column
from judge_conformance.sabotage.python_operators import Text
from judge_conformance.sabotage.python_order import Order

GREEN, RED, HANG = "green", "red", "hang"
DUPLICATE, UNCHANGED = "duplicate", "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must hold of a module: `green` returns whether it does, or raises."""

    name: str
    green: Callable[[ModuleType], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a mutant.

    `green` (it lives), `red` or `hang` with the check that noticed, `duplicate` with the id of the
    mutant that compiles to the same code, `unchanged` where that is the clean source; of a worker
    also `stuck` and `crash`.
    """

    status: str
    check: str | None = None


class PythonEngine:
    """A program and the checks that hold of it; runs them on the clean source and on mutants."""

    def __init__(self, program: Program, checks: Sequence[Check]) -> None:
        """Run the clean source once, which must be green; raises BrokenInstrumentError."""
        if not checks:
            raise BrokenInstrumentError(f"{program.name}: there is no check to notice anything")
        self.program = program
        self._text = Text.of(program.source)
        self._spans = [self._text.span(statement) for statement in program.statements]
        self._checks = tuple(checks)
        self._fuel: dict[str, int] = {}
        self._order = self._measured()

    @property
    def checks(self) -> int:
        """How many checks it holds."""
        return len(self._checks)

    def _measured(self) -> Order:
        """Run every check on the clean source, and learn what each runs and takes."""
        lines, costs, ran = list[AbstractSet[int]](), list[int](), set[int]()
        try:
            module = self.program.marked(ran)
        except Exception as error:
            raise BrokenInstrumentError(f"{self.program.name} throws at load: {error!r}") from error
        for check in self._checks:
            self.program.fuel.fill(PLENTY)
            ran.clear()
            holds = _holds(check, module)
            if not holds:
                raise BrokenInstrumentError(
                    f"{self.program.name}: {check.name} is red before any sabotage"
                )
            lines.append(frozenset(ran))
            costs.append(self.program.fuel.burnt(PLENTY))
            self._fuel[check.name] = 10 * costs[-1] + SPARE
        return Order(self.program.statements, lines, costs)

    def outcomes(self, mutants: Iterable[tuple[str, Sequence[Edit]]]) -> Iterator[Outcome]:
        """Yield what becomes of each mutant, in order; equal ones are run once.

        Raises BrokenInstrumentError for a mutant that changes nothing or does not parse.
        """
        known: dict[object, str] = {}
        self._order.forget()
        for name, edits in mutants:
            codes = self._codes(edits)
            shape = {index: _shape(code) for index, code in codes.items()}
            if shape == {index: _shape(self.program.code(index)) for index in codes}:
                yield Outcome(status=UNCHANGED)
                continue
            first = known.setdefault(tuple(shape.items()), name)
            yield (
                self._attempt(codes, edits)
                if first == name
                else Outcome(status=DUPLICATE, check=first)
            )

    def unmoved(self, edits: Sequence[Edit]) -> list[str]:
        """Return the checks that stay green on a mutant, all of them run."""
        module, _ = self._loaded(self._codes(edits))
        if module is None:
            return []
        return [check.name for check in self._checks if self._status(check, module) == GREEN]

    def load(self, edits: Sequence[Edit]) -> ModuleType:
        """Return the mutant's module; raises whatever it raises at load."""
        return self.program.load(self._codes(edits))

    def _attempt(self, codes: Mapping[int, CodeType], edits: Sequence[Edit]) -> Outcome:
        """Run the checks, the likely killers first, until one notices."""
        module, outcome = self._loaded(codes)
        if module is None:
            return outcome
        line, _ = line_and_column(self.program.source, edits[0].start)
        for position in self._order.checks(self._statement(edits[0]), line):
            check = self._checks[position]
            status = self._status(check, module)
            if status != GREEN:
                self._order.killed(position)
                return Outcome(status=status, check=check.name)
        return Outcome(status=GREEN)

    def _loaded(self, codes: Mapping[int, CodeType]) -> tuple[ModuleType | None, Outcome]:
        self.program.fuel.fill(SPARE * 10)
        try:
            with quiet():
                return self.program.load(codes), Outcome(status=GREEN)
        except BaseException:  # noqa: BLE001 - whatever a mutant raises at load is red
            status = HANG if self.program.fuel.empty else RED
            return None, Outcome(status=status, check="load")

    def _status(self, check: Check, module: ModuleType) -> str:
        self.program.fuel.fill(self._fuel[check.name])
        holds = _holds(check, module)
        if self.program.fuel.empty:
            return HANG
        return GREEN if holds else RED

    def _codes(self, edits: Sequence[Edit]) -> dict[int, CodeType]:
        changed: dict[int, list[Edit]] = {}
        for edit in edits:
            changed.setdefault(self._statement(edit), []).append(edit)
        return {index: self._recompiled(index, group) for index, group in changed.items()}

    def _statement(self, edit: Edit) -> int:
        for index, (start, end) in enumerate(self._spans):
            if start <= edit.start and edit.end <= end:
                return index
        raise BrokenInstrumentError(f"no statement holds the edit at {edit.start}")

    def _recompiled(self, index: int, edits: Sequence[Edit]) -> CodeType:
        text = apply(self.program.source, edits, within=self._spans[index])
        try:
            (statement,) = ast.parse(text).body
            return compiled(statement, self.program.filename)
        except (SyntaxError, ValueError) as error:
            raise BrokenInstrumentError(f"a mutant does not parse: {error}: {text!r}") from error


def _holds(check: Check, module: ModuleType) -> bool:
    try:
        return check.green(module)
    except BaseException:  # noqa: BLE001 - a check that breaks has noticed
        return False


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Let nothing that a subject prints reach anybody."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        yield


def _shape(code: CodeType) -> tuple[object, ...]:
    """Return all of a code object that decides what it does."""
    constants = tuple(
        _shape(constant) if isinstance(constant, CodeType) else (type(constant), repr(constant))
        for constant in code.co_consts
    )
    return (
        code.co_name,
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_argcount,
        code.co_kwonlyargcount,
        code.co_exceptiontable,
    )
