"""One judge at a time is made to pass, fail, abstain, return null, throw and answer garbage."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Literal

from judge_conformance.exercise.compare import (
    Outcome,
    decides,
    differ,
    effects,
    outcome,
    same,
    says_more,
    told_apart,
)
from judge_conformance.exercise.roles import Context, Role, Stage
from judge_conformance.exercise.session import Answer, Call, Rule, Run
from judge_conformance.exercise.stances import Choices, Stance, abstention, points, stances

Fault = Literal["abstain", "null", "throw", "garbage"]
Said = Literal["crash", "as pass", "lost", "like one", "like other", "as fail", "told"]
Scope = Literal["every call", "one call", "all but one"]

FAULTS: tuple[Fault, ...] = ("abstain", "null", "throw", "garbage")
DEADLY: tuple[Fault, ...] = ("abstain", "null", "throw")
WORST_FIRST: tuple[Said, ...] = (
    "crash",
    "as pass",
    "lost",
    "like one",
    "like other",
    "as fail",
    "told",
)
_MOST_STANCES = 24
_PANEL = 3  # seats


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What came of one fault: what it is like, how many judges died, and the particulars.

    `detail` is the error of a crash, or the name of a lost item as the exercise made it; `logged`
    says that a log line still names the item.
    """

    fault: Fault
    said: Said
    scope: Scope
    detail: str = ""
    logged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercised:
    """A role whose replies make a difference: which two, and what came of each fault."""

    role: Role
    context: Context
    stance: Stance
    cells: tuple[Cell, ...]
    unheeded: tuple[str, ...] = ()

    def worst(self, fault: Fault) -> Cell | None:
        """Return the gravest thing that came of a fault; None where it cannot be expressed."""
        cells = [cell for cell in self.cells if cell.fault == fault]
        return min(cells, key=lambda cell: WORST_FIRST.index(cell.said), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A role that looks like a judge and could not be exercised, and why."""

    role: Role
    why: str


def exercise_role(stage: Stage, role: Role, context: Context) -> Exercised | Undecided | None:
    """Exercise one role in the circumstances in which it is asked; None when it decides nothing."""
    schema = stage.schema_of(role)
    if schema is None:
        return None
    every = list(islice(stances(schema), _MOST_STANCES))
    for optional in (True, False):
        for stance in every:
            trial = _Trial(stage, role, context, stance, optional=optional)
            if trial.differs():
                return Exercised(
                    role=role,
                    context=context,
                    stance=stance,
                    cells=tuple(trial.cells()),
                    unheeded=trial.unheeded,
                )
    if not any(stance.named for stance in every):
        return None
    return Undecided(role=role, why=_why_not(stage, role, context))


def _why_not(stage: Stage, role: Role, context: Context) -> str:
    run = stage.run(context)
    unmade = next((call.unmade for call in stage.calls_of(role, run) if call.unmade), None)
    if unmade:
        return f"no reply could be made ({unmade})"
    if run.ended.kind != "value":
        return f"the script ends without a result whatever it answers ({outcome(run, set()).error})"
    tried = ", ".join(dict.fromkeys(point.name for point in points(stage.schema_of(role))))
    return f"whatever it answers ({tried}), the script does the same"


class _Trial:
    """The runs of one role with one stance, compared."""

    def __init__(
        self, stage: Stage, role: Role, context: Context, stance: Stance, *, optional: bool
    ) -> None:
        self._stage, self._role, self._context = stage, role, context
        self._stance, self._optional = stance, optional
        self._passing = role.rule(self._reply(stance.one))
        self._one = self._run([self._passing])
        self._other = self._run([role.rule(self._reply(stance.other))])
        self._calls = [c for run in (self._one, self._other) for c in stage.calls_of(role, run)]
        self._questions = {_question(call) for call in self._calls}
        self._own = frozenset(mark for call in self._calls for mark in call.made)
        self._in_result = differ(self._result(self._one), self._result(self._other))

    def differs(self) -> bool:
        """Whether the two replies of the stance make a difference to anyone."""
        one, other = self._view(self._one), self._view(self._other)
        return differ(one, other) if self._stance.named else decides(one, other)

    @property
    def unheeded(self) -> tuple[str, ...]:
        """Return the schema keywords that the replies may break."""
        return tuple(sorted({keyword for call in self._calls for keyword in call.unheeded}))

    def cells(self) -> Iterator[Cell]:
        """Yield what comes of each fault: of every call at once, and of one call alone."""
        yield from self._cells("every call", self._other)
        calls = self._stage.calls_of(self._role, self._one)
        if len(calls) > 1:
            yield from self._cells("one call", self._failing("one call"))
        if _is_panel(calls):
            yield from self._cells("all but one", self._failing("all but one"))

    def _cells(self, scope: Scope, other: Run) -> Iterator[Cell]:
        if not differ(self._view(self._one), self._view(other)):
            return  # one vote among several changes nothing, whatever it is
        for fault in FAULTS:
            answer = self._answer(fault)
            if answer is not None:
                yield self._cell(fault, scope, self._run(self._rules(scope, answer)), other)

    def _cell(self, fault: Fault, scope: Scope, run: Run, failing: Run) -> Cell:
        dead, one, other = (self._view(r) for r in (run, self._one, failing))
        as_one, as_other = same(dead, one), same(dead, other)
        if dead.error is not None and one.error is None and not as_other:
            return Cell(fault=fault, said="crash", scope=scope, detail=dead.error)
        named = self._stance.named
        if as_one and not as_other and not self._is_told_to_others(run, failing):
            return Cell(fault=fault, said="as pass" if named else "like one", scope=scope)
        item, logged = self._lost(run, scope, failing) if named else ("", False)
        if item:
            return Cell(fault=fault, said="lost", scope=scope, detail=item, logged=logged)
        if as_other and not as_one:
            return Cell(fault=fault, said="as fail" if named else "like other", scope=scope)
        return Cell(fault=fault, said="told", scope=scope)

    def _is_told_to_others(self, run: Run, failing: Run) -> bool:
        """Whether the prompts of others say that nobody judged."""
        prompts = (self._stage.session.prompts(self._asked(r)) for r in (run, self._one, failing))
        return told_apart(*prompts)

    def _asked(self, run: Run) -> list[str]:
        return [call.prompt for call in run.calls if not self._is_exercised(call)]

    def _lost(self, run: Run, scope: Scope, failing: Run) -> tuple[str, bool]:
        """Find an item that nothing but the judge's death took out of the result.

        A result that has words of its own for it tells of the death, however it names the item.
        """
        dead = self._result(run)
        others = [self._result(r) for r in (self._one, failing)]
        if dead.error is not None or any(other.error is not None for other in others):
            return "", False
        shown, left = "\n".join(other.text for other in others), dead.text
        gone = (self._gone(call, run, shown, left) for call in run.calls if call.rule == 0)
        names = next((names for names in gone if names), [])
        if not names or says_more(dead, chain(others, self._rest(scope))):
            return "", False
        return names[0], any(name in line for line in run.logs for name in names)

    def _gone(self, call: Call, run: Run, shown: str, left: str) -> list[str]:
        for item in dict.fromkeys(run.items[name] for name in call.names):
            names = [n for n, of in run.items.items() if of == item and n not in self._own]
            named = [name for name in names if _names(name, shown)]
            if named and not any(_names(name, left) for name in names):
                return named
        return []

    def _rest(self, scope: Scope) -> Iterator[Outcome]:
        for choices in self._stance.rest:
            yield self._result(self._run(self._rules(scope, self._reply(choices))))

    def _answer(self, fault: Fault) -> Answer | None:
        if fault == "garbage":
            return Answer(kind="garbage", value="garbage")
        if fault != "abstain":
            return Answer(kind=fault)
        choices = abstention(self._stage.schema_of(self._role))
        return None if choices is None else self._reply({**self._stance.one, **choices})

    def _reply(self, choices: Choices) -> Answer:
        return Answer(kind="reply", choices=choices, optional=self._optional)

    def _rules(self, scope: Scope, answer: Answer) -> list[Rule]:
        """Return the rules by which these calls get this answer, while the others pass."""
        match scope:
            case "every call":
                return [self._role.rule(answer)]
            case "one call":
                return [self._role.rule(answer, "run"), self._passing]
            case "all but one":
                return [replace(self._passing, first_of="item"), self._role.rule(answer)]

    def _failing(self, scope: Scope) -> Run:
        return self._run(self._rules(scope, self._reply(self._stance.other)))

    def _run(self, rules: Sequence[Rule]) -> Run:
        return self._stage.run(self._context, rules)

    def _result(self, run: Run) -> Outcome:
        return outcome(run, self._own)

    def _view(self, run: Run) -> Outcome:
        """Return what is compared: the result, or what others are asked where it never differs."""
        if self._in_result:
            return self._result(run)
        return effects(run, self._is_exercised, self._own)

    def _is_exercised(self, call: Call) -> bool:
        """Whether this is the judge, or the same question asked once more under another label."""
        return self._stage.role_of(call).key == self._role.key or _question(call) in self._questions


def _is_panel(calls: Sequence[Call]) -> bool:
    """Whether three calls or more ask about one item, so that two of them can outvote one."""
    seats = Counter(name for call in calls for name in set(call.names))
    return any(count >= _PANEL for count in seats.values())


def _question(call: Call) -> tuple[object, ...]:
    return (call.site, call.agent_type, call.schema, call.prompt)


def _names(name: str, text: str) -> bool:
    return name in text or json.dumps(name)[1:-1] in text
