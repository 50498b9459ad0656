"""Where mutants run: in this process, or in a worker that is started again when one breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from queue import SimpleQueue
from typing import Protocol

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.parity.protocol import Worker, WorkerDiedError, WorkerStuckError
from judge_conformance.sabotage.mutants import Edit, Mutant
from judge_conformance.sabotage.python_engine import Outcome, PythonEngine

STUCK, CRASH = "stuck", "crash"


class Host(Protocol):
    """Something that holds a clean subject with its checks and runs mutants of it."""

    @property
    def checks(self) -> int:
        """How many checks it holds."""

    def unmoved(self, edits: Sequence[Edit]) -> Sequence[str]:
        """Return the checks that stay green."""

    def outcomes(self, mutants: Sequence[Mutant]) -> Iterator[Outcome]:
        """Yield what becomes of each mutant, in order."""

    def distinguish(self, edits: Sequence[Edit], texts: Sequence[str]) -> tuple[int, str] | None:
        """Return the first input that a mutant answers differently, and the clean answer."""


class Several:
    """Hosts of one subject, among which the mutants of each function go to whichever is free.

    A function's mutants stay together, in order: what becomes of them depends on no other.
    """

    def __init__(self, hosts: Sequence[Host]) -> None:
        """All of `hosts` hold the same clean subject."""
        self._hosts = hosts

    @property
    def checks(self) -> int:
        """How many checks each holds."""
        return self._hosts[0].checks

    def unmoved(self, edits: Sequence[Edit]) -> Sequence[str]:
        """Return the checks that stay green."""
        return self._hosts[0].unmoved(edits)

    def outcomes(self, mutants: Sequence[Mutant]) -> Iterator[Outcome]:
        """Yield what becomes of each mutant, in order."""
        free = SimpleQueue[Host]()
        for host in self._hosts:
            free.put(host)

        def fates(group: Sequence[Mutant]) -> list[Outcome]:
            host = free.get()
            try:
                return list(host.outcomes(group))
            finally:
                free.put(host)

        groups = [list(group) for _, group in groupby(mutants, lambda mutant: mutant.function)]
        with ThreadPoolExecutor(max_workers=len(self._hosts)) as pool:
            for done in pool.map(fates, groups):
                yield from done

    def distinguish(self, edits: Sequence[Edit], texts: Sequence[str]) -> tuple[int, str] | None:
        """Return the first input that a mutant answers differently, and the clean answer."""
        return self._hosts[0].distinguish(edits, texts)


class InProcess:
    """Python mutants in this very process: for checks that are functions of ours."""

    def __init__(self, engine: PythonEngine) -> None:
        self._engine = engine

    @property
    def checks(self) -> int:
        """How many checks it holds."""
        return self._engine.checks

    def unmoved(self, edits: Sequence[Edit]) -> Sequence[str]:
        """Return the checks that stay green."""
        return self._engine.unmoved(edits)

    def outcomes(self, mutants: Sequence[Mutant]) -> Iterator[Outcome]:
        """Yield what becomes of each mutant, in order."""
        return self._engine.outcomes((mutant.id, mutant.edits) for mutant in mutants)

    def distinguish(self, edits: Sequence[Edit], texts: Sequence[str]) -> tuple[int, str] | None:
        """Know of no inputs: plants are all that there is."""
        del edits, texts
        return None


class InWorker:
    """Mutants in a worker process; one that breaks the worker is run again, alone, in a new one."""

    def __init__(
        self,
        launch: Callable[[], tuple[Worker, int]],
        wire: Callable[[Sequence[Edit]], object],
    ) -> None:
        """`launch` returns a worker that holds subject and checks, and how many of these.

        `wire` writes edits for it.
        """
        self._launch = launch
        self._wire = wire
        self._worker, self._checks = launch()

    @property
    def checks(self) -> int:
        """How many checks it holds."""
        return self._checks

    @property
    def worker(self) -> Worker:
        """The worker that is at it now."""
        return self._worker

    def end(self) -> None:
        """End the worker."""
        self._worker.end()

    def unmoved(self, edits: Sequence[Edit]) -> Sequence[str]:
        """Return the checks that stay green."""
        names: list[str] = self._worker.tell("unmoved", edits=self._wire(edits))["unmoved"]
        return names

    def outcomes(self, mutants: Sequence[Mutant]) -> Iterator[Outcome]:
        """Yield what becomes of each mutant, in order."""
        remaining = list(mutants)
        while remaining:
            done = 0
            try:
                for outcome in self._batch(remaining):
                    yield outcome
                    done += 1
            except (WorkerStuckError, WorkerDiedError):
                self._start_again()
                yield self._alone(remaining[done])
                done += 1
            remaining = remaining[done:]

    def distinguish(self, edits: Sequence[Edit], texts: Sequence[str]) -> tuple[int, str] | None:
        """Return the first input that a mutant answers differently, and the clean answer."""
        reply = self._worker.tell("distinguish", edits=self._wire(edits), texts=list(texts))
        return (reply["index"], reply["clean"]) if "clean" in reply else None

    def _batch(self, mutants: Sequence[Mutant]) -> Iterator[Outcome]:
        wired = [{"id": mutant.id, "edits": self._wire(mutant.edits)} for mutant in mutants]
        ids = [mutant.id for mutant in mutants]
        for mutant, reply in zip(
            [*ids, None], self._worker.ask("sabotage", ids, mutants=wired), strict=True
        ):
            if mutant is None:
                return
            if reply["id"] != mutant:
                raise BrokenInstrumentError(f"{self._worker.name} answers out of turn")
            if reply["status"] == STUCK:  # the worker's own watchdog says so
                raise WorkerStuckError(f"{self._worker.name} is stuck in {mutant}")
            yield Outcome(status=reply["status"], check=reply.get("check"))

    def _alone(self, mutant: Mutant) -> Outcome:
        try:
            (outcome,) = self._batch([mutant])
        except WorkerStuckError:
            outcome = Outcome(status=STUCK)
        except WorkerDiedError:
            outcome = Outcome(status=CRASH, check="the process ends")
        if outcome.status in (STUCK, CRASH):
            self._start_again()
        return outcome

    def _start_again(self) -> None:
        self._worker.end()
        self._worker, self._checks = self._launch()
