"""Two persistent workers, one for each language, that answer over versioned ASCII JSON lines.

Request: `{"judge-parity": 1, "seq": N, "command": C, ...}`. Replies: one line for each thing asked
about, `{"judge-parity": 1, "seq": N, "id": ID, ...}`, every id exactly once, then
`{"judge-parity": 1, "seq": N, "done": true, ...}`. A worker that does anything else is a broken
instrument, and is told for what it did.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from judge_conformance.errors import BrokenInstrumentError

VERSION = 1
PATIENCE = 20.0  # seconds of silence after which a worker is stuck; never a verdict on a subject
_CHUNK = 1 << 16


class WorkerStuckError(BrokenInstrumentError):
    """A worker gave no answer in time and was ended."""


class WorkerDiedError(BrokenInstrumentError):
    """A worker ended by itself before it had answered."""


class WorkerLiesError(BrokenInstrumentError):
    """A worker broke the protocol: an answer too many, too few, unknown, or no answer at all."""


class Worker:
    """A worker process: started once, asked many times, ended at the end of the `with`."""

    def __init__(self, name: str, argv: Sequence[str], *, patience: float = PATIENCE) -> None:
        """Start it. Raises WorkerDiedError when the program cannot be started."""
        self.name = name
        self._patience = patience
        self._seq = 0
        self._pending = b""
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env=_plain_environment(),
            )
        except OSError as error:
            raise WorkerDiedError(f"{name}: {argv[0]} cannot be started: {error}") from error

    def __enter__(self) -> Self:
        """Return itself, already started."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.end()

    def end(self) -> None:
        """End the process, answered or not."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def ask(
        self, command: str, ids: Sequence[str] = (), **body: object
    ) -> Iterator[Mapping[str, Any]]:
        """Ask, and yield a reply for each id in the order of arrival, then the closing one.

        Raises WorkerStuckError, WorkerDiedError or WorkerLiesError, saying which id was open.
        """
        self._seq += 1
        self._send({"judge-parity": VERSION, "seq": self._seq, "command": command, **body})
        open_ids = dict.fromkeys(ids)
        if len(open_ids) != len(ids):
            raise BrokenInstrumentError(f"{self.name}: an id is asked for twice")
        answered: set[str] = set()
        while not (reply := self._reply(next(iter(open_ids), command))).get("done"):
            asked = reply.get("id")
            if asked in answered:
                raise WorkerLiesError(f"{self.name} answers {asked!r} twice")
            if asked not in open_ids:
                raise WorkerLiesError(f"{self.name} answers {asked!r}, which was not asked")
            del open_ids[asked]
            answered.add(asked)
            yield reply
        if open_ids:
            raise WorkerLiesError(f"{self.name} says nothing about {next(iter(open_ids))!r}")
        yield reply

    def tell(self, command: str, **body: object) -> Mapping[str, Any]:
        """Ask for one thing without ids and return the closing reply."""
        (reply,) = self.ask(command, (), **body)
        return reply

    def _send(self, message: Mapping[str, object]) -> None:
        line = json.dumps(message, ensure_ascii=True).encode("ascii") + b"\n"
        pipe = self._process.stdin
        if pipe is None:
            raise WorkerDiedError(f"{self.name} has no input")
        try:
            pipe.write(line)
            pipe.flush()
        except OSError as error:
            raise self._died("its next request") from error

    def _reply(self, about: str) -> Mapping[str, Any]:
        line = self._line(about)
        try:
            reply = json.loads(line)
            version, seq = reply["judge-parity"], reply["seq"]
        except (ValueError, KeyError, TypeError) as error:
            raise WorkerLiesError(
                f"{self.name} chats instead of answering: {line[:80].decode('latin-1')!a}"
            ) from error
        if version != VERSION:
            raise WorkerLiesError(f"{self.name} speaks version {version!r}, this is {VERSION}")
        if seq != self._seq:
            raise WorkerLiesError(f"{self.name} answers request {seq!r}, this is {self._seq}")
        if "broken" in reply:
            raise BrokenInstrumentError(f"{self.name}: {reply['broken']}")
        result: Mapping[str, Any] = reply
        return result

    def _line(self, about: str) -> bytes:
        pipe = self._process.stdout
        if pipe is None:
            raise WorkerDiedError(f"{self.name} has no output")
        deadline = time.monotonic() + self._patience
        while b"\n" not in self._pending:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                self.end()
                raise WorkerStuckError(
                    f"{self.name} is stuck in {about!r}: no answer for {self._patience:g} s"
                )
            chunk = os.read(pipe.fileno(), _CHUNK)
            if not chunk:
                raise self._died(repr(about))
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def _died(self, about: str) -> WorkerDiedError:
        self.end()
        code = self._process.returncode
        return WorkerDiedError(f"{self.name} died in {about} (exit {code})")


def _plain_environment() -> dict[str, str]:
    """Keep what a process needs to start and nothing that changes how a language runs."""
    wanted = ("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG")
    return {name: os.environ[name] for name in wanted if name in os.environ}
