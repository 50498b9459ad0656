"""Judge roles: who is asked at which site, and under what circumstances a script asks them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any

from judge_conformance.exercise.arguments import more
from judge_conformance.exercise.script import LabelPattern, Script
from judge_conformance.exercise.session import Answer, Call, First, Rule, Run, Session, Site
from judge_conformance.exercise.stances import points, usual

Json = Any

_MOST_EXPLORING = 400  # runs that only look for roles
_MOST_EXPLORED_CALLS = 10_000  # of agent() in those runs
_MANY = 8  # elements of a reply's lists, where two are too few
_MOST_ROUNDS = 6
_UNSET = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """The calls of one site with one label and agent type; `line` is where people look for it."""

    site: Site
    agent_type: str | None
    label: LabelPattern | None
    schema: str | None
    place: Site

    @property
    def key(self) -> tuple[Site, str, str]:
        """Return what tells roles apart, in the order of the text."""
        return (self.site, self.label.shown if self.label else "", self.agent_type or "")

    @property
    def name(self) -> str:
        """Return how the role is called in output."""
        if self.label is not None:
            return self.label.shown
        return self.agent_type or f"agent() at line {self.site[0]}"

    def rule(self, answer: Answer, first_of: First | None = None) -> Rule:
        """Return the rule that gives this role's calls (or the first of them) an answer."""
        label = self.label.expression if self.label else None
        return Rule(
            site=self.site,
            agent_type=self.agent_type,
            label=label,
            answer=answer,
            first_of=first_of,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Circumstances: the arguments (JSON; None: undefined), and what some roles answer in them."""

    args: str | None
    made: bool
    orders: tuple[tuple[Role, Answer, bool], ...] = ()
    told: tuple[str, ...] = ()


class Stage:
    """One script in one session, with the roles known so far; every run goes through `run`."""

    def __init__(self, script: Script, session: Session) -> None:
        self.script = script
        self.session = session
        self.roles: dict[tuple[Site, str, str], Role] = {}
        self.reached: set[Site] = set()
        self._usual: dict[str | None, Answer] = {}
        self._known: dict[tuple[Site, str | None, str | None], Role] = {}

    def schema_of(self, role: Role) -> Json:
        """Return the JSON Schema that a role's calls carry; None without one."""
        return self.session.schemas.get(role.schema) if role.schema else None

    def usual_answer(self, role: Role) -> Answer:
        """Return what a role answers while another is exercised: a pass, as far as names tell."""
        if role.schema not in self._usual:
            schema = self.schema_of(role)
            choices = {} if schema is None else usual(schema)
            self._usual[role.schema] = Answer(kind="reply", choices=choices)
        return self._usual[role.schema]

    def run(self, context: Context, faults: Sequence[Rule] = ()) -> Run:
        """Run once; a role that is seen for the first time is run again with its usual answer."""
        for _ in range(_MOST_ROUNDS):
            run = self.session.run(context.args, self._rules(context, faults), made=context.made)
            self.reached |= {call.at for call in run.calls}
            new = [role for role in self._seen(run) if role.key not in self.roles]
            self.roles.update({role.key: role for role in new})
            if not any(self.usual_answer(role).choices for role in new):
                break
        return run

    def role_of(self, call: Call) -> Role:
        """Return the role that a call belongs to."""
        seen = (call.site, call.agent_type, call.label)
        if seen not in self._known:
            label = None if call.label is None else self.script.label_of(call.site, call.label)
            self._known[seen] = Role(
                site=call.site,
                agent_type=call.agent_type,
                label=label,
                schema=call.schema,
                place=self.script.place(self._place(call)),
            )
        return self._known[seen]

    def calls_of(self, role: Role, run: Run) -> list[Call]:
        """Return a role's calls in a run, in order."""
        return [call for call in run.calls if self.role_of(call).key == role.key]

    def _place(self, call: Call) -> Site:
        """Return the call itself, or who called the helper that makes calls for several."""
        own = [s for s in self.script.sites if s.site == call.site]
        literal = any(p.weight for s in own for p in s.labels)
        return call.site if literal or call.label is None else call.outer or call.site

    def _seen(self, run: Run) -> Iterator[Role]:
        seen = {(call.site, call.agent_type, call.label): call for call in reversed(run.calls)}
        yield from {role.key: role for role in map(self.role_of, seen.values())}.values()

    def _rules(self, context: Context, faults: Sequence[Rule]) -> list[Rule]:
        ordered = [
            role.rule(answer, "run" if first else None) for role, answer, first in context.orders
        ]
        weight = {role.key: role.label.weight if role.label else 0 for role in self.roles.values()}
        known = sorted(self.roles.values(), key=lambda role: -weight[role.key])
        return [*faults, *ordered, *(role.rule(self.usual_answer(role)) for role in known)]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class _Trial:
    """Circumstances to be tried, the likeliest to lead somewhere first."""

    likely: int
    depth: int
    number: int
    context: Context = field(compare=False)


def explore(stage: Stage, start: Context) -> dict[tuple[Site, str, str], Context]:
    """Find the roles of a script, and for each the first circumstances in which it is asked.

    Tried are the strings that arguments are compared with, every enum, boolean and number of every
    reply, a judge's first reply alone, and dead roles; what shows a new role is tried further.
    """
    found: dict[tuple[Site, str, str], Context] = {}
    trials = [_Trial(likely=0, depth=0, number=0, context=start)]
    number = runs = calls = 0
    while trials and runs < _MOST_EXPLORING and calls < _MOST_EXPLORED_CALLS:
        trial = heappop(trials)
        run = stage.run(trial.context)
        runs, calls = runs + 1, calls + len(run.calls)
        keys = dict.fromkeys(stage.role_of(call).key for call in run.calls)
        new = [key for key in keys if key not in found]
        found.update(dict.fromkeys(new, trial.context))
        if trial.number and not new:
            continue
        asked = [stage.roles[key] for key in keys]
        for likely, context in _variations(stage, trial.context, asked, new):
            number += 1
            heappush(
                trials,
                _Trial(likely=likely, depth=trial.depth + 1, number=number, context=context),
            )
    return found


def _variations(
    stage: Stage,
    context: Context,
    asked: Sequence[Role],
    new: Sequence[tuple[Site, str, str]],
) -> Iterator[tuple[int, Context]]:
    """Yield what could lead elsewhere, with its rank: arguments, fails, sizes, the rest, deaths."""
    if context.made and not context.orders:
        yield from ((0, other) for other in _other_args(stage, context))
    for role in asked:
        schema = stage.schema_of(role)
        if schema is None:
            continue
        base = stage.usual_answer(role)
        for point in points(schema):
            failing = any(point.meaning(value) == "fail" for value in point.values)
            if not failing and role.key not in new:
                continue
            for value in point.values:
                if base.choices.get(point.pointer, _UNSET) == value:
                    continue
                answer = replace(base, choices={**base.choices, point.pointer: value})
                told = f"{role.name} answers {point.name}: {json.dumps(value)}"
                yield (1 if failing else 2), _ordered(context, role, answer, told)
                if failing and not point.in_list:
                    first = _ordered(context, role, answer, f"the first {told}", first=True)
                    yield 1, first
        if role.key in new:
            many = replace(base, count=_MANY)
            told = f"{role.name} answers with {_MANY} elements"
            yield 2, _ordered(context, role, many, told)
            yield 3, _ordered(context, role, Answer(kind="null"), f"{role.name} dies")


def _ordered(
    context: Context, role: Role, answer: Answer, told: str, *, first: bool = False
) -> Context:
    order = (role, answer, first)
    return replace(context, orders=(order, *context.orders), told=(*context.told, told))


def _other_args(stage: Stage, context: Context) -> Iterator[Context]:
    args = json.loads(context.args) if context.args is not None else None
    grown = more(args)
    if grown != args:
        told = "args hold more elements in each list"
        yield replace(context, args=json.dumps(grown), told=(*context.told, told))
    if not isinstance(args, dict):
        return
    for name, values in stage.script.literals.items():
        if name not in args and f".{name}" not in stage.script.source:
            continue
        for value in values:
            if value and args.get(name) != value:
                changed = json.dumps({**args, name: value})
                told = f"args.{name} is {json.dumps(value)}"
                yield replace(context, args=changed, told=(*context.told, told))
