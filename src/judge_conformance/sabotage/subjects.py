"""The subjects of a session: the contract in either language, a gate, a module of ours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import judge_conformance
from judge_conformance.node import Node
from judge_conformance.parity.cases import Case, Language
from judge_conformance.parity.loading import Program
from judge_conformance.parity.protocol import PATIENCE, Worker
from judge_conformance.sabotage import javascript_sites, python_sites
from judge_conformance.sabotage.hosts import Host, InProcess, InWorker, Several
from judge_conformance.sabotage.mutants import Edit, Mutant, Site, named, to_wire
from judge_conformance.sabotage.python_engine import Check, PythonEngine
from judge_conformance.sabotage.session import Subject

CONTRACT = ("decide", "spot_check", "check_rubric", "is_calibrated")
"""What both languages have, and cases call; the rest of the file is held by its self-test."""

_SMALL = "--max-semi-space-size=1"  # MB: mutants leave much garbage and keep nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source text and what it is: `path` is for people, `name` the canonical file's name."""

    name: str
    path: str
    language: Language
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    """How a worker with the source loaded comes to be, as often as one is needed."""

    source: Source
    argv: Sequence[str]
    start: Mapping[str, object]
    patience: float = PATIENCE

    def __call__(self) -> Worker:
        """Start a worker and load the source; raises BrokenInstrumentError when it throws."""
        worker = Worker(self.source.language, self.argv, patience=self.patience)
        try:
            worker.tell("start", source=self.source.text, **self.start)
        except BaseException:
            worker.end()
            raise
        return worker


def python_launcher(source: Source, *, patience: float = PATIENCE) -> Launcher:
    """Return the launcher of the Python side: this interpreter, isolated from any site."""
    root = str(Path(judge_conformance.__file__).parents[1])
    main = (
        f"import sys; sys.path.insert(0, {root!r});"
        " from judge_conformance.sabotage.python_worker import main; main()"
    )
    return Launcher(
        source=source,
        argv=[sys.executable, "-I", "-S", "-c", main],
        start={"filename": source.path},
        patience=patience,
    )


def javascript_launcher(
    source: Source, *, node: Node, adapter: Path, patience: float = PATIENCE
) -> Launcher:
    """Return the launcher of the Node side, confined, which loads the block as a sloppy script."""
    block = javascript_sites.parse(source.text, source.path)
    program, *rest = node.confined(adapter)
    return Launcher(
        source=source,
        argv=[program, _SMALL, *rest],
        start={
            "ticks": to_wire(source.text, block.ticks),
            "strict": False,
            "patience": int(patience * 500),
        },
        patience=patience,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What mutants of a source are run against: cases that it answers, or its own self-test.

    `workers` are the processes that share the mutants; what is found does not depend on them.
    """

    cases: Sequence[Case] = ()
    selftest: bool = False
    inputs: Callable[[], Sequence[str]] = tuple
    accepted: Mapping[str, str] = field(default_factory=dict)
    workers: int = 1


def in_worker(launcher: Launcher, trial: Trial, *, roots: Sequence[str] = CONTRACT) -> Subject:
    """Return the subject of a source whose mutants run in a worker."""
    source = launcher.source
    held = [{"id": case.id, "text": case.text, "expected": case.expected} for case in trial.cases]

    def launch() -> tuple[Worker, int]:
        worker = launcher()
        try:
            reply = worker.tell("hold", cases=held, selftest=trial.selftest)
        except BaseException:
            worker.end()
            raise
        return worker, reply["checks"]

    def wire(edits: Sequence[Edit]) -> object:
        if source.language == "javascript":
            return to_wire(source.text, edits)
        return [[edit.start, edit.end, edit.text] for edit in edits]

    @contextmanager
    def host() -> Iterator[Host]:
        with ExitStack() as stack:
            hosts = []
            for _ in range(trial.workers):
                hosts.append(host := InWorker(launch, wire))
                stack.callback(host.end)
            yield hosts[0] if len(hosts) == 1 else Several(hosts)

    mutants, forced = _broken(source, roots)
    return Subject(
        name=source.name,
        path=source.path,
        language=source.language,
        source=source.text,
        mutants=mutants,
        forced=forced,
        host=host,
        inputs=trial.inputs,
        accepted=trial.accepted,
    )


def in_process(
    source: Source,
    checks: Mapping[str, Callable[[ModuleType], bool]],
    *,
    roots: Sequence[str],
    accepted: Mapping[str, str] | None = None,
) -> Subject:
    """Return the subject of a Python module of ours whose checks are functions of a module.

    Each of `checks` takes the loaded module and returns whether it behaves as it should; at least
    one of them is run on every mutant. `roots` are the names where sites are looked for.
    """
    mutants, forced = _broken(source, roots)

    @contextmanager
    def host() -> Iterator[Host]:
        program = Program(name=f"sabotaged_{source.name}", source=source.text, filename=source.path)
        yield InProcess(
            PythonEngine(program, [Check(name=name, green=green) for name, green in checks.items()])
        )

    return Subject(
        name=source.name,
        path=source.path,
        language="python",
        source=source.text,
        mutants=mutants,
        forced=forced,
        host=host,
        accepted=accepted or {},
    )


def _broken(source: Source, roots: Sequence[str]) -> tuple[list[Mutant], tuple[Edit, ...]]:
    if source.language == "javascript":
        block = javascript_sites.parse(source.text, source.path)
        return _named(source, javascript_sites.sites(block)), javascript_sites.forced(block)
    found = python_sites.sites(source.text, roots=roots, spared=("selftest",))
    return _named(source, found), python_sites.forced(source.text, roots)


def _named(source: Source, found: Iterator[Site]) -> list[Mutant]:
    return [mutant for mutant, _ in named(source.text, found)]
