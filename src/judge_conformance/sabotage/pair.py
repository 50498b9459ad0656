"""The whole proof of the pair: cases, then fuzz, then sabotage, both languages at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.node import find_node
from judge_conformance.parity import fuzz
from judge_conformance.parity.cases import Case, Language
from judge_conformance.parity.protocol import PATIENCE, Worker
from judge_conformance.parity.runner import Difference, differences
from judge_conformance.sabotage import session
from judge_conformance.sabotage.session import SabotageReport
from judge_conformance.sabotage.subjects import (
    Launcher,
    Source,
    Trial,
    in_worker,
    javascript_launcher,
    python_launcher,
)

TRIED = 2_000
"""Inputs that each survivor is tried on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be proved, and how much of it."""

    sources: Mapping[Language, Source]
    cases: Sequence[Case]
    adapter: Path
    accepted: Mapping[str, Mapping[str, str]]
    node: str | None = None
    seed: int = 0
    inputs: int = 0
    sabotage: bool = True
    parallel: int = 2
    patience: float = PATIENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What one language came to; a fault of the instrument ends its examination."""

    language: Language
    differences: tuple[Difference, ...] = ()
    sabotage: SabotageReport | None = None
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Everything that was found; nothing in it depends on time or place."""

    request: Request
    examined: tuple[Examined, ...]
    fuzz: fuzz.FuzzReport | None

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every case that a side answers otherwise than it should."""
        return tuple(found for side in self.examined for found in side.differences)

    @property
    def agreements(self) -> int:
        """How many cases every side answers as it should; none where one could not be asked."""
        if any(side.faults and side.sabotage is None for side in self.examined):
            return 0
        wrong = {found.case.id for found in self.differences}
        return len(self.request.cases) - len(wrong)

    @property
    def sabotage(self) -> tuple[SabotageReport, ...]:
        """The reports of the languages that were sabotaged."""
        return tuple(side.sabotage for side in self.examined if side.sabotage is not None)

    @property
    def faults(self) -> tuple[str, ...]:
        """Why the instrument cannot be trusted; empty when it can."""
        of_sabotage = (fault for report in self.sabotage for fault in report.faults)
        return (*(fault for side in self.examined for fault in side.faults), *of_sabotage)


def prove(request: Request) -> Proof:
    """Hold both languages to the cases and to one another, and sabotage each that is green.

    Raises BrokenInstrumentError for an empty case set, NodeError where there is no Node.
    """
    if not request.cases:
        raise BrokenInstrumentError("the case set is empty")
    with ThreadPoolExecutor(max_workers=request.parallel) as pool:
        pending = [
            pool.submit(_examined, language, partial(_launchers, request, language), request)
            for language in request.sources
        ]
        examined = tuple(future.result() for future in pending)
    proof = Proof(request=request, examined=examined, fuzz=None)
    if request.inputs and not proof.faults:
        proof = replace(proof, fuzz=_fuzzed(request))
    return proof


def _launchers(request: Request, language: Language) -> Mapping[str, Launcher]:
    """Return a language's sides: JavaScript is run as a script and in strict mode."""
    source = request.sources[language]
    if language == "python":
        return {"python": python_launcher(source, patience=request.patience)}
    script = javascript_launcher(
        source,
        node=find_node(request.node),
        adapter=request.adapter,
        patience=request.patience,
    )
    strict = replace(script, start={**script.start, "strict": True})
    return {"javascript": script, "javascript (strict)": strict}


def _examined(
    language: Language, launchers: Callable[[], Mapping[str, Launcher]], request: Request
) -> Examined:
    cases = [case for case in request.cases if case.concerns(language)]
    try:
        sides = launchers()
        found = [differences(side, launch, cases) for side, launch in sides.items()]
    except BrokenInstrumentError as error:
        where = error.where or f"{request.sources[language].path}: "
        return Examined(language=language, faults=(f"{where}{error.message}",))
    examined = Examined(language=language, differences=tuple(one for side in found for one in side))
    if not request.sabotage:
        return examined
    if examined.differences:
        note = f"{request.sources[language].path} is not sabotaged: it must be green first"
        return replace(examined, notes=(note,))
    return _sabotaged(examined, sides[language], request)


def _sabotaged(examined: Examined, launcher: Launcher, request: Request) -> Examined:
    trial = Trial(
        cases=[case for case in request.cases if case.concerns(examined.language)],
        inputs=partial(fuzz.sample, request.seed, TRIED),
        accepted=request.accepted.get(launcher.source.name, {}),
    )
    try:
        return replace(examined, sabotage=session.run(in_worker(launcher, trial)))
    except BrokenInstrumentError as error:
        return replace(examined, faults=(f"{error.where}{error.message}",))


def _fuzzed(request: Request) -> fuzz.FuzzReport:
    with ExitStack() as stack, ThreadPoolExecutor(max_workers=2) as pool:
        ask: dict[str, Callable[[str, Sequence[str]], Mapping[str, Any]]] = {}
        for language in request.sources:
            worker = stack.enter_context(_launchers(request, language)[language]())
            ask[language] = partial(_ask, worker)
        return fuzz.run(fuzz.Sides(ask, pool), seed=request.seed, count=request.inputs)


def _ask(worker: Worker, command: str, texts: Sequence[str]) -> Mapping[str, Any]:
    return worker.tell(command, texts=list(texts))
