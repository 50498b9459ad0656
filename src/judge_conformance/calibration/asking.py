"""Ask a judge that is a command one question: prompt on stdin, report on stdout, once."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from judge_conformance.errors import UsageError

MOST = 4 * 1024 * 1024
"""Bytes of a reply that are kept; a judge that says more is ended."""

EXITED = "exit status 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A command and how long one call of it may take, in seconds."""

    argv: Sequence[str]
    timeout: float

    @classmethod
    def parse(cls, command: str, timeout: float) -> Judge:
        """Split a command as a shell would; raises UsageError when it is empty or unbalanced."""
        try:
            argv = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"the judge's command cannot be split: {error}") from error
        if not argv:
            raise UsageError("the judge's command is empty")
        return cls(argv=argv, timeout=timeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one call left behind: raw bytes, and how it ended, in words."""

    stdout: bytes
    stderr: bytes
    ending: str


class Leash:
    """The judges that are at work, so that they can be ended before their time."""

    def __init__(self) -> None:
        self._held: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def holding(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Hold a judge while it works; what it started is ended with it."""
        with self._lock:
            self._held.add(process)
        try:
            yield
        finally:
            with self._lock:
                self._held.remove(process)
            _end(process)

    def end(self) -> None:
        """End every judge that is at work."""
        with self._lock:
            for process in self._held:
                _end(process)


def ask(judge: Judge, prompt: Path, leash: Leash) -> Reply:
    """Run the judge with the file `prompt` as its standard input; never raises for what it does.

    It is a process group of its own, and whatever it started is ended with it.
    """
    try:
        with prompt.open("rb") as given:
            process = subprocess.Popen(
                judge.argv,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
    except OSError as error:
        return Reply(stdout=b"", stderr=b"", ending=f"could not start: {error}")
    out, err = _Drain(process, process.stdout), _Drain(process, process.stderr)
    with leash.holding(process):
        try:
            ending = f"exit status {process.wait(judge.timeout)}"
        except subprocess.TimeoutExpired:
            ending = f"timed out after {judge.timeout:g} s"
    process.wait()
    if out.join() or err.join():
        ending = f"said more than {MOST} bytes"
    return Reply(stdout=bytes(out.data), stderr=bytes(err.data), ending=ending)


class _Drain:
    """Read a stream while the process runs, so that it never waits for a reader."""

    def __init__(self, process: subprocess.Popen[bytes], stream: IO[bytes] | None) -> None:
        self.data = bytearray()
        self._full = False
        self._process = process
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def join(self) -> bool:
        """Wait for the last bytes, not for what left the group; return whether it was too much."""
        self._thread.join(1)
        return self._full

    def _read(self) -> None:
        if self._stream is None:
            return
        with self._stream:
            while chunk := os.read(self._stream.fileno(), 1 << 16):
                self.data += chunk[: MOST - len(self.data)]
                if len(self.data) == MOST:
                    self._full = True
                    _end(self._process)
                    return


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
