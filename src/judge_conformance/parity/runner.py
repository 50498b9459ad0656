"""One side answers the whole case set; what is not the expected answer is a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge_conformance.parity.cases import Case
from judge_conformance.parity.protocol import Worker, WorkerStuckError

FUEL = 1_000_000
"""Ticks that one case may take; the canonical sides need fewer than a thousand."""

Launch = Callable[[], Worker]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A case that a side answers otherwise than it should; `side` is a language, or its mode."""

    case: Case
    side: str
    answer: str


def differences(side: str, launch: Launch, cases: Sequence[Case]) -> tuple[Difference, ...]:
    """Put every case to a side. Raises BrokenInstrumentError for one that gives no answer.

    A case in which the side is stuck (in native code: loops run out of fuel and are an answer) is
    put once more, alone, to a new worker.
    """
    found = []
    for case, answer in _answers(launch, cases):
        if answer != case.expected:
            found.append(Difference(case=case, side=side, answer=answer))
    return tuple(found)


def _answers(launch: Launch, cases: Sequence[Case]) -> Iterator[tuple[Case, str]]:
    remaining = list(cases)
    while remaining:
        done = 0
        try:
            for answer in _batch(launch, remaining):
                yield remaining[done], answer
                done += 1
        except WorkerStuckError:
            for answer in _batch(launch, remaining[done : done + 1]):
                yield remaining[done], answer
            done += 1
        remaining = remaining[done:]


def _batch(launch: Launch, cases: Sequence[Case]) -> Iterator[str]:
    wired = [{"id": case.id, "text": case.text} for case in cases]
    with launch() as worker:
        for reply in worker.ask("answers", [case.id for case in cases], cases=wired, fuel=FUEL):
            if "id" in reply:
                yield _answer(worker.name, reply)


def _answer(name: str, reply: Mapping[str, Any]) -> str:
    if reply.get("status") == "stuck":
        raise WorkerStuckError(f"{name} is stuck in {reply['id']!r}, in native code")
    return str(reply["answer"])
