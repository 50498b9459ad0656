"""The Python side of parity and sabotage: a process that answers requests over JSON lines.

The subject's standard streams are not the protocol's: what it prints is part of its answer, what
it reads is nothing, and what its children say goes nowhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, BinaryIO

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.parity.answers import Question
from judge_conformance.parity.loading import PLENTY, SPARE, Program
from judge_conformance.parity.protocol import VERSION
from judge_conformance.sabotage.mutants import Edit
from judge_conformance.sabotage.python_engine import Check, PythonEngine
from judge_conformance.sabotage.selftest_checks import selftest_checks

_AT_LOAD = 1_000_000  # ticks: the contract needs hardly any
_LONGEST = 200  # characters of what a subject throws
_THROWS = "the module throws at load:"
Reply = Callable[..., None]


class Service:
    """What the worker holds between requests: the subject, and the engine with its checks."""

    def __init__(self) -> None:
        self._program: Program | None = None
        self._module: ModuleType | None = None
        self._engine: PythonEngine | None = None

    def start(self, request: Mapping[str, Any], _: Reply) -> Mapping[str, Any]:
        """Load a subject; what it throws or prints at load is reported as what it is."""
        said = io.StringIO()
        try:
            self._program = Program(
                name="subject", source=request["source"], filename=request["filename"]
            )
            self._program.fuel.fill(_AT_LOAD)
            with contextlib.redirect_stdout(said):
                self._module = self._program.load()
        except BaseException as error:  # noqa: BLE001 - a subject may raise anything at load
            told = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
            hangs = self._program is not None and self._program.fuel.empty
            return {"broken": "the module hangs at load" if hangs else f"{_THROWS} {told}"}
        if said.getvalue():
            return {"broken": f"the module prints at load: {json.dumps(said.getvalue()[:80])}"}
        return {}

    def answers(self, request: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
        """Answer cases one by one."""
        program, module = self._subject
        for case in request["cases"]:
            question = Question(case["text"])
            reply(case["id"], answer=question.answer(module, program.fuel, request["fuel"]))
        return {}

    def digest(self, request: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
        """Answer many inputs by one digest."""
        joined = "\n".join(self.texts(request, reply)["answers"])
        return {"digest": hashlib.sha256(joined.encode("ascii", "replace")).hexdigest()}

    def texts(self, request: Mapping[str, Any], _: Reply) -> Mapping[str, Any]:
        """Answer many inputs."""
        program, module = self._subject
        answered = (Question(t).answer(module, program.fuel, PLENTY) for t in request["texts"])
        return {"answers": list(answered)}

    def hold(self, request: Mapping[str, Any], _: Reply) -> Mapping[str, Any]:
        """Hold the checks that mutants are run against, which must be green now."""
        program, module = self._subject
        checks = list(selftest_checks(program, module)) if request.get("selftest") else []
        checks += [_case(program, module, case) for case in request.get("cases", ())]
        self._engine = PythonEngine(program, checks)
        return {"checks": len(checks)}

    def unmoved(self, request: Mapping[str, Any], _: Reply) -> Mapping[str, Any]:
        """Return the checks that do not notice a mutant."""
        return {"unmoved": self._held.unmoved(_edits(request["edits"]))}

    def sabotage(self, request: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
        """Run mutants, one reply each."""
        mutants = [(mutant["id"], _edits(mutant["edits"])) for mutant in request["mutants"]]
        for (name, _edited), outcome in zip(mutants, self._held.outcomes(mutants), strict=True):
            reply(name, status=outcome.status, check=outcome.check)
        return {}

    def distinguish(self, request: Mapping[str, Any], _: Reply) -> Mapping[str, Any]:
        """Look for an input that a mutant answers otherwise than the clean source."""
        program, module = self._subject
        mutant = self._held.load(_edits(request["edits"]))
        for index, text in enumerate(request["texts"]):
            clean = Question(text).answer(module, program.fuel, PLENTY)
            if Question(text).answer(mutant, program.fuel, SPARE) != clean:
                return {"index": index, "clean": clean}
        return {}

    @property
    def _subject(self) -> tuple[Program, ModuleType]:
        if self._program is None or self._module is None:
            raise BrokenInstrumentError("asked before it was started")
        return self._program, self._module

    @property
    def _held(self) -> PythonEngine:
        if self._engine is None:
            raise BrokenInstrumentError("asked before it held any check")
        return self._engine


def _case(program: Program, clean: ModuleType, case: Mapping[str, str]) -> Check:
    question, expected = Question(case["text"]), case["expected"]
    earlier = question.bytes_of(clean)

    def green(module: ModuleType) -> bool:
        with contextlib.suppress(Exception):
            if question.repeats(module, earlier):
                return True
        return question.answer(module, program.fuel, program.fuel.left) == expected

    return Check(name=case["id"], green=green)


def _edits(wired: Sequence[tuple[int, int, str]]) -> list[Edit]:
    return [Edit(start=start, end=end, text=text) for start, end, text in wired]


def serve(requests: Iterator[bytes], out: BinaryIO, service: Service) -> None:
    """Answer requests until they end or say `stop`."""
    for line in requests:
        request = json.loads(line)
        head = {"judge-parity": VERSION, "seq": request.get("seq")}
        if request.get("judge-parity") != VERSION:
            result: Mapping[str, Any] = {"broken": f"version {request.get('judge-parity')!r}"}
        elif request["command"] == "stop":
            return
        else:
            try:
                result = getattr(service, request["command"])(request, _replier(head, out))
            except Exception as error:  # noqa: BLE001 - told to the parent, which ends with it
                told = isinstance(error, BrokenInstrumentError)
                result = {"broken": str(error) if told else f"{type(error).__name__}: {error}"}
        _write(out, {**head, "done": True, **result})


def _replier(head: Mapping[str, object], out: BinaryIO) -> Reply:
    def reply(name: str, **result: object) -> None:
        _write(out, {**head, "id": name, **result})

    return reply


def _write(out: BinaryIO, message: Mapping[str, object]) -> None:
    out.write(json.dumps(message).encode("ascii") + b"\n")
    out.flush()


def main(service: Service | None = None) -> None:
    """Take standard input and output for the protocol, and give the subject empty ones."""
    requests, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    with requests, out:
        serve(iter(requests), out, service or Service())


if __name__ == "__main__":
    main()
