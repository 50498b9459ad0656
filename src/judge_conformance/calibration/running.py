"""Run a judge over the cases of a set: asked once each, every reply kept, resumed after a kill.

A folder `calls/NNNN-R` is made before a case is asked the R-th time and holds what came of it:
`prompt`, `stdout`, `stderr`, and last `ending`. A folder without an ending was interrupted: that
case was asked and is never asked again. The verdicts are decided from these folders.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge_conformance.calibration.asking import EXITED, Judge, Leash, ask
from judge_conformance.errors import (
    AuthorMistakeError,
    RefusedError,
    UnusableInputError,
)
from judge_conformance.records import canonical_module, read_file

INTERRUPTED = "interrupted: it was asked, and no reply was kept"
ENDING = "ending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked of whom, and where the replies go.

    `split` is `tuning`, `sealed`, or None for a set without splits; `repeats` is how often each
    case is asked; `cases` is the path given, `folder` where this run is kept.
    """

    judge: Judge
    cases: Path
    prompt: Path
    rubric: Path
    folder: Path
    split: str | None = None
    repeats: int = 1
    parallel: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One case asked once: its place in the run, and its own folder."""

    case: Mapping[str, Any]
    folder: Path

    @property
    def claimed(self) -> bool:
        """Whether it was asked, in this run or in an earlier one."""
        return self.folder.is_dir()

    @property
    def ending(self) -> str:
        """How the call ended, in words."""
        try:
            return (self.folder / ENDING).read_text("utf-8")
        except OSError:
            return INTERRUPTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a run came to: `asked` now, `kept` from before, `reports` among the replies."""

    verdicts: Path
    asked: int
    kept: int
    reports: int
    outcomes: Mapping[str, int]
    endings: Mapping[str, int]


class Run:
    """A run over one set, checked when it is made: files readable, folder ours or new.

    Raises UnusableInputError, AuthorMistakeError for a rubric, and RefusedError for a folder that
    holds another run.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._contract = canonical_module("judge_contract.py")
        self._arithmetic = canonical_module("judge_calibration.py")
        self._prompt = read_file(plan.prompt)
        self.rubric = self._read_rubric()
        self._cases = self._read_cases()
        self._leash = Leash()
        self._stopped = threading.Event()

    @property
    def calls(self) -> list[Call]:
        """Every call of the run, in the order in which they are asked."""
        folder = self.plan.folder / "calls"
        return [
            Call(case=case, folder=folder / f"{number:04}-{repeat}")
            for number, case in enumerate(self._cases, 1)
            for repeat in range(1, self.plan.repeats + 1)
        ]

    @property
    def hashes(self) -> dict[str, str]:
        """What `freeze` wrote down of the same prompt, rubric and cases."""
        return {
            "prompt": self._arithmetic.digest(self._prompt),
            "rubric": self._arithmetic.rubric_digest(self.rubric),
            self.plan.split or "cases": self._arithmetic.cases_digest(self._cases),
        }

    def go(self, tell: Callable[[int, int], None]) -> Done:
        """Ask what was not asked yet, then decide everything; `tell` hears done and total.

        Interrupted, it waits for the replies to what was asked; interrupted again, it ends those.
        """
        with self._own_folder():
            calls = self.calls
            pending = [call for call in calls if not call.claimed]
            tell(len(calls) - len(pending), len(calls))
            with ThreadPoolExecutor(max_workers=self.plan.parallel) as pool:
                futures = [pool.submit(self._ask, call) for call in pending]
                try:
                    for number, future in enumerate(as_completed(futures), 1):
                        future.result()
                        tell(len(calls) - len(pending) + number, len(calls))
                except BaseException:
                    self._stop(futures)
                    raise
            return self._decide(calls, asked=len(pending))

    def _stop(self, futures: Sequence[Future[None]]) -> None:
        self._stopped.set()
        try:
            wait(futures)
        except KeyboardInterrupt:
            self._leash.end()

    def _ask(self, call: Call) -> None:
        if self._stopped.is_set():
            return
        call.folder.mkdir(parents=True)
        with _material(self.plan.cases, call.case) as material:
            prompt = call.folder / "prompt"
            prompt.write_bytes(self._prompt_for(call.case, material))
            reply = ask(self.plan.judge, prompt, self._leash)
        (call.folder / "stdout").write_bytes(reply.stdout)
        (call.folder / "stderr").write_bytes(reply.stderr)
        _write_whole(call.folder / ENDING, reply.ending)

    def _prompt_for(self, case: Mapping[str, Any], material: str | None) -> bytes:
        question = {
            "item": case["item"],
            "criteria": self.rubric["criteria"],
            "input": case["input"],
            "folder": material,
        }
        return self._prompt.rstrip(b"\n") + b"\n\n" + json.dumps(question).encode() + b"\n"

    def _decide(self, calls: Sequence[Call], *, asked: int) -> Done:
        rows, reports = [], 0
        endings: dict[str, int] = {}
        outcomes = {"pass": 0, "fail": 0, "abstain": 0}
        for call in calls:
            report = self._report(call)
            verdict = self._contract.decide(report, self.rubric, item=call.case["item"])
            rows.append({"verdict": verdict, "output": _size(call.folder / "stdout")})
            reports += isinstance(report, dict)
            outcomes[verdict["outcome"]] += 1
            endings[call.ending] = endings.get(call.ending, 0) + 1
        verdicts = self.plan.folder / "verdicts.jsonl"
        _write_whole(verdicts, "".join(json.dumps(row) + "\n" for row in rows))
        return Done(
            verdicts=verdicts,
            asked=asked,
            kept=len(calls) - asked,
            reports=reports,
            outcomes=outcomes,
            endings=endings,
        )

    def _report(self, call: Call) -> object:
        """Return the JSON value that the judge said, or None: it died, or that was no JSON."""
        if call.ending != EXITED:
            return None
        try:
            report: object = self._contract.read_json(str(call.folder / "stdout"))
        except self._contract.Unusable:
            return None
        return report

    def _read_rubric(self) -> dict[str, Any]:
        try:
            rubric = self._contract.read_json(str(self.plan.rubric))
            self._contract.check_rubric(rubric)
        except self._contract.Unusable as error:
            raise UnusableInputError(str(error)) from error
        except self._contract.RubricError as error:
            raise AuthorMistakeError(str(error), path=str(self.plan.rubric)) from error
        return dict(rubric)

    def _read_cases(self) -> list[dict[str, Any]]:
        try:
            cases = self._arithmetic.read_cases(str(self.plan.cases))
            if self.plan.split is None:
                return list(cases)
            return list(self._arithmetic.of_split(cases, self.plan.split))
        except self._arithmetic.Unusable as error:
            raise UnusableInputError(str(error)) from error
        except (OSError, ValueError) as error:
            raise UnusableInputError(
                f"cannot be read: {error}", path=str(self.plan.cases)
            ) from error

    @contextmanager
    def _own_folder(self) -> Iterator[None]:
        """Hold the folder of the run alone; a new one gets what is asked, an old one must agree."""
        try:
            import fcntl  # noqa: PLC0415 - not on Windows, where judges could not be ended either
        except ImportError:
            raise RefusedError(
                "judges are asked where there are process groups and file locks; Windows has none"
            ) from None
        plan, place = self.plan, self.plan.folder / "run.json"
        told = {
            "judge": list(plan.judge.argv),
            "split": plan.split,
            "repeats": plan.repeats,
            "hashes": self.hashes,
        }
        try:
            plan.folder.mkdir(parents=True, exist_ok=True)
            if {entry.name for entry in plan.folder.iterdir()} - {"lock"} and not place.exists():
                raise RefusedError(
                    "holds something else than a run",
                    path=str(plan.folder),
                    hint="name a new folder",
                )
            with (plan.folder / "lock").open("wb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if place.exists():
                    self._compare(place, told)
                else:
                    _write_whole(place, json.dumps(told, indent=2) + "\n")
                yield
        except BlockingIOError:
            raise RefusedError("another run is at work here", path=str(plan.folder)) from None
        except OSError as error:
            raise UnusableInputError(
                f"cannot be written: {error.strerror}", path=error.filename or str(plan.folder)
            ) from error

    def _compare(self, place: Path, told: Mapping[str, Any]) -> None:
        try:
            before = json.loads(place.read_bytes())
        except ValueError as error:
            raise UnusableInputError(f"not JSON: {error}", path=str(place)) from error
        known = before if isinstance(before, dict) else {}
        if differs := [key for key in told if known.get(key) != told[key]]:
            raise RefusedError(
                f"holds another run, with another {' and '.join(differs)}",
                path=str(self.plan.folder),
                hint="name a new folder",
            )


@contextmanager
def _material(cases: Path, case: Mapping[str, Any]) -> Iterator[str | None]:
    """Lend a copy of a case's files, without its answer and the name that tells its set."""
    if case["files"] is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="judge-") as folder:
        shutil.copytree(_home(cases, case["item"]), folder, dirs_exist_ok=True)
        (Path(folder) / "case.json").unlink()
        yield folder


def _home(cases: Path, item: object) -> Path:
    """Return the folder of a case: the one whose case.json names its item."""
    found = (place.parent for place in sorted(cases.glob("*/case.json")) if _item(place) == item)
    return next(found)


def _item(place: Path) -> object:
    return canonical_module("judge_calibration.py").read_json(str(place))["item"]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    aside.write_text(text, "utf-8")
    aside.replace(path)
