"""One session of sabotage: clean green, forced failure red, and only then do kills count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Literal

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.sabotage.hosts import CRASH, STUCK, Host
from judge_conformance.sabotage.mutants import Edit, Mutant
from judge_conformance.sabotage.python_engine import (
    DUPLICATE,
    GREEN,
    HANG,
    RED,
    UNCHANGED,
    Outcome,
)

MOST_ACCEPTED = 0.03
"""The largest share of mutants that may live with a reason."""

_TRIED = 25  # survivors for which an input is sought; with more, cases are missing anyway

Status = Literal["killed", "hang", "survived", "accepted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is sabotaged, and what ought to notice.

    `mutants` are all that the operators make of `source`; `forced` edits break it so that every
    one of its checks must be red; `host` opens the place where mutants run; `inputs` are made
    and tried where there are survivors; `accepted` maps ids of mutants that may live to the reason.
    """

    name: str
    path: str
    language: Literal["python", "javascript"]
    source: str
    mutants: Sequence[Mutant]
    forced: Sequence[Edit]
    host: Callable[[], AbstractContextManager[Host]]
    inputs: Callable[[], Sequence[str]] = tuple
    accepted: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One distinct mutant and its fate: `check` noticed it, `reason` accepts it.

    `witness` is an input that tells a survivor from the source, where one was found, and `answer`
    what the source answers to it; `tried` counts the inputs that were.
    """

    mutant: Mutant
    status: Status
    check: str | None = None
    reason: str | None = None
    witness: str | None = None
    answer: str | None = None
    tried: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SabotageReport:
    """What a session found; with `faults` the instrument is broken and nothing else counts.

    `checks` counts what each mutant was run against until one of them was red.
    """

    subject: Subject
    checks: int
    results: tuple[Result, ...]
    merged: int
    faults: tuple[str, ...]

    def count(self, *statuses: Status) -> int:
        """How many distinct mutants ended so."""
        return sum(result.status in statuses for result in self.results)

    @property
    def survivors(self) -> tuple[Result, ...]:
        """The mutants that nothing noticed and nobody accepted."""
        return tuple(result for result in self.results if result.status == "survived")

    @property
    def operators(self) -> Mapping[str, Counter[Status]]:
        """Fates by operator, in the order in which operators first occur by name."""
        table: dict[str, Counter[Status]] = {}
        for result in sorted(self.results, key=lambda result: result.mutant.operator):
            table.setdefault(result.mutant.operator, Counter())[result.status] += 1
        return table


def run(subject: Subject) -> SabotageReport:
    """Run every mutant of a subject. Raises BrokenInstrumentError before kills can count."""
    if not subject.mutants:
        raise BrokenInstrumentError(f"{subject.name}: no site found to sabotage")
    with subject.host() as host:
        if unmoved := host.unmoved(subject.forced):
            raise BrokenInstrumentError(
                f"{subject.name}: a forced failure goes unnoticed by {unmoved[0]}"
                f" ({len(unmoved)} of {host.checks} checks)"
            )
        paired = list(zip(subject.mutants, host.outcomes(subject.mutants), strict=True))
        results = [
            _result(subject, mutant, outcome)
            for mutant, outcome in paired
            if outcome.status not in (DUPLICATE, UNCHANGED, STUCK)
        ]
        return SabotageReport(
            subject=subject,
            checks=host.checks,
            results=tuple(_with_witnesses(subject, host, results)),
            merged=sum(outcome.status in (DUPLICATE, UNCHANGED) for _, outcome in paired),
            faults=(*_stuck(subject, paired), *_acceptances(subject, results)),
        )


def _result(subject: Subject, mutant: Mutant, outcome: Outcome) -> Result:
    if outcome.status == GREEN:
        reason = subject.accepted.get(mutant.id)
        return Result(mutant=mutant, status="accepted" if reason else "survived", reason=reason)
    fates: Mapping[str, Status] = {RED: "killed", CRASH: "killed", HANG: "hang"}
    return Result(mutant=mutant, status=fates[outcome.status], check=outcome.check)


def _with_witnesses(subject: Subject, host: Host, results: Sequence[Result]) -> list[Result]:
    """Try the inputs on the first survivors, for one that shows each."""
    if not any(result.status == "survived" for result in results):
        return list(results)
    inputs = subject.inputs()

    first = [result.mutant.id for result in results if result.status == "survived"][:_TRIED]

    def sought(result: Result) -> Result:
        if result.mutant.id not in first or not inputs:
            return result
        found = host.distinguish(result.mutant.edits, inputs)
        tried = replace(result, tried=len(inputs))
        return replace(tried, witness=inputs[found[0]], answer=found[1]) if found else tried

    return [sought(result) for result in results]


def _stuck(subject: Subject, paired: Sequence[tuple[Mutant, Outcome]]) -> list[str]:
    return [
        f"{subject.name}: {mutant.id} is stuck in native code, twice"
        for mutant, outcome in paired
        if outcome.status == STUCK
    ]


def _acceptances(subject: Subject, results: Sequence[Result]) -> list[str]:
    fates = {result.mutant.id: result for result in results}
    faults = []
    for name in subject.accepted:
        if name not in fates:
            faults.append(f"{subject.name}: {name} is accepted and is no mutant")
        elif fates[name].status != "accepted":
            faults.append(f"{subject.name}: {name} is accepted as equivalent and dies")
    if len(subject.accepted) > MOST_ACCEPTED * len(results):
        faults.append(
            f"{subject.name}: {len(subject.accepted)} of {len(results)} mutants are accepted,"
            f" more than {MOST_ACCEPTED:.0%}"
        )
    return faults
