"""The gates: run as a plugin runs them, and loaded for the properties of their decisions."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from hypothesis import settings
from jsonschema import Draft202012Validator
from tests.vendored.contract.conftest import VENDORED, load

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

PATIENCE = 60.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How a run ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    def is_one_line(self, code: int, text: str) -> None:
        """Assert that it failed with this code, one ASCII line on stderr and nothing on stdout."""
        assert (self.code, self.out) == (code, "")
        assert self.err.isascii()
        assert self.err.count("\n") == 1
        assert self.err.startswith("judge_")
        assert text in self.err


class Warm:
    """A script in a Python that has started already (warm.py), which runs it in a fork each time.

    It saves the start-up, which is most of the time of a run.
    """

    def __init__(self, path: Path) -> None:
        self.link, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.link.settimeout(PATIENCE)
        self.turn = threading.Lock()
        script = str(Path(__file__).with_name("warm.py"))
        with other:
            number = other.fileno()
            words = [sys.executable, "-I", "-S", script, str(path), str(number)]
            self.process = subprocess.Popen(words, pass_fds=[number])
        atexit.register(self.end)

    def end(self) -> None:
        self.link.close()
        self.process.wait(PATIENCE)

    def run(
        self,
        words: Sequence[str],
        given: bytes,
        cwd: Path,
        env: Mapping[str, str],
        limits: Mapping[str, int],
    ) -> tuple[int, bytes, bytes]:
        """Run the script with these words; return its exit, and what is on its two streams."""
        asked = {"words": words, "cwd": str(cwd), "env": dict(env), "limits": dict(limits)}
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            streams[0].write(given)
            streams[0].seek(0)  # which flushes, too
            numbers = [stream.fileno() for stream in streams]
            with self.turn:
                socket.send_fds(self.link, [json.dumps(asked).encode()], numbers)
                code = int(self.link.recv(99))
            for stream in streams:
                stream.seek(0)
            return code, streams[1].read(), streams[2].read()


@functools.cache
def warm(path: Path) -> Warm:
    return Warm(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One gate: its file, run isolated, and its schemas."""

    name: str

    @property
    def path(self) -> Path:
        return VENDORED / "gates" / f"{self.name}.py"

    @property
    def module(self) -> ModuleType:
        return load(self.path)

    def run(
        self,
        *words: str,
        given: object = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        limits: Mapping[str, int] = MappingProxyType({}),
    ) -> Said:
        """Run it; `given` goes to its standard input, as JSON unless it is bytes.

        `limits` are resources by their names, such as RLIMIT_AS in bytes.
        """
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        place, around = cwd or Path.cwd(), os.environ if env is None else env
        code, out, err = warm(self.path).run(words, data, place, around, limits)
        return Said(code=code, out=out.decode("ascii"), err=err.decode("ascii"))

    @property
    def keys(self) -> list[str]:
        """The keys that its output must have, in their order."""
        text = (VENDORED / f"schemas/{self.name}.output.schema.json").read_text("ascii")
        return list(json.loads(text)["required"])

    def schema(self, kind: str) -> Draft202012Validator:
        """The schema of its `input` or `output`."""
        text = (VENDORED / f"schemas/{self.name}.{kind}.schema.json").read_text("ascii")
        schema = json.loads(text)
        Draft202012Validator.check_schema(schema)
        return Draft202012Validator(schema)

    def decides(self, *words: str, given: object = None, cwd: Path | None = None) -> dict[str, Any]:
        """Run it with --json and return the document, which its schema must accept."""
        said = self.run(*words, "--json", given=given, cwd=cwd)
        self.schema("output").validate(said.document)
        assert list(said.document) == self.keys
        assert said.err == ""
        return {**said.document, "code": said.code}


VOTE = Gate(name="judge_vote")
REFUTE = Gate(name="judge_refute")
FANOUT = Gate(name="judge_fanout")
GOAL = Gate(name="judge_goal_loop")
DEBATE = Gate(name="judge_debate")
ADVISORY = Gate(name="judge_advisory")
