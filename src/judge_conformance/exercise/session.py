"""One Node process that runs one script, again and again: what is asked, and what came out.

The Node side (`driver.mjs`, `globals.mjs`, `replies.mjs`) lies beside this file. It runs under
Node's permission model with an empty environment; each run has a fresh context and a deadline.
"""

from __future__ import annotations

import json
import queue
import secrets
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

from judge_conformance.errors import BrokenInstrumentError, NodeError
from judge_conformance.node import Node

MOST_CALLS = 1000  # of agent() in one run: the runtime's own cap

_HERE = Path(__file__).parent
_DRIVER = _HERE / "driver.mjs"
_MODULES = (_HERE / "globals.mjs", _HERE / "replies.mjs")
_MEMORY_MB = 512
_MOST_STOPPED = 4  # runs of one script may meet their deadline
_GRACE_SECONDS = 5.0  # beyond a run's deadline, for Node itself

Json = Any
Site = tuple[int, int]
First = Literal["run", "item"]


class ScriptDiedError(NodeError):
    """The script ended its Node process, or did not let go of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What `agent()` gives: a reply made from the schema, or one of the faults.

    `choices` sets values of a reply by pointer (`/findings/*/real`), `optional` whether properties
    that may be missing are there, `count` how many elements an open list gets; `text` answers a
    call without a schema; `value` is garbage.
    """

    kind: Literal["reply", "null", "throw", "garbage"]
    choices: Mapping[str, Json] = field(default_factory=dict)
    optional: bool = True
    count: int = 2
    text: str | None = None
    value: Json = None

    def sent(self) -> Json:
        """Return the form in which it goes to Node."""
        return {
            "kind": self.kind,
            "choices": dict(self.choices),
            "optional": self.optional,
            "count": self.count,
            "text": self.text,
            "value": self.value,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Which calls get an answer: by site, agent type and the label as a regular expression.

    `label` is JavaScript's (flags `su`), None for calls without one; `first_of` leaves all but
    the first such call, of a run or about one item, to later rules.
    """

    site: Site
    agent_type: str | None
    label: str | None
    answer: Answer
    first_of: First | None = None

    def sent(self) -> Json:
        """Return the form in which it goes to Node."""
        return {
            "site": list(self.site),
            "agent_type": self.agent_type,
            "label": self.label,
            "first_of": self.first_of,
            "answer": self.answer.sent(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One `agent()` call of a run; lines and columns from 1.

    `site` is where the judge was first asked (a dead one may be asked again, `at` another place),
    `outer` who called it within the script; `rule` the index of the rule that answered;
    `names` the marks of earlier replies and arguments that its prompt or label shows; `made` the
    marks of its own reply; `unmade` why no reply could be made; `unheeded` the schema keywords
    that were not heeded; `prompt` a digest of its prompt without marks.
    """

    at: Site
    site: Site
    outer: Site | None
    label: str | None
    agent_type: str | None
    phase: str | None
    schema: str | None
    rule: int | None
    names: tuple[str, ...]
    made: tuple[str, ...]
    unheeded: tuple[str, ...]
    unmade: str | None
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended: `value` (its JSON text, empty for undefined), `error`, or without either."""

    kind: Literal["value", "error", "timeout", "unsettled", "huge", "unwritable"]
    value: str = ""
    message: str = ""
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run did: how it ended, its calls and log lines in order, what it missed in `args`.

    `items` maps each mark to the item that it names: marks of one list element share theirs.
    """

    ended: Ended
    calls: tuple[Call, ...]
    logs: tuple[str, ...]
    reads: tuple[tuple[str, ...], ...]
    items: Mapping[str, str]


class Session:
    """A running Node with one script loaded; use it as a context manager."""

    def __init__(self, node: Node, *, timeout: float) -> None:
        self._secret = secrets.token_hex(16)
        self._timeout = timeout
        self.schemas: dict[str, Json] = {}
        self.runs = 0
        self.stopped = 0  # runs that met their deadline
        argv = node.confined(_DRIVER, reads=_MODULES)
        flags = ["--experimental-vm-modules", f"--max-old-space-size={_MEMORY_MB}"]
        try:
            self._process = subprocess.Popen(
                [argv[0], *flags, *argv[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"TZ": "UTC", "LANG": "C"},
                cwd=_HERE,
            )
        except OSError as error:
            raise NodeError(f"Node could not be started: {error}") from error
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        reader = threading.Thread(target=_pump, args=(self._process.stdout, self._lines))
        reader.daemon = True
        reader.start()

    def __enter__(self) -> Self:
        """Return the session, whose Node is running."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End Node, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def load(self, source: str) -> tuple[str, int | None] | None:
        """Load a script; returns why Node cannot compile it, with the line, or None."""
        answer = self._ask({"verb": "load", "source": source})
        return (str(answer["refused"]), answer["line"]) if "refused" in answer else None

    def run(self, args: str | None, rules: Sequence[Rule], *, made: bool) -> Run:
        """Run the script once. `args` is JSON (None: undefined); `made`: we made it, so note reads.

        Raises ScriptDiedError when the process ends, does not answer in time, or when too many
        runs met their deadline.
        """
        self.runs += 1
        answer = self._ask(
            {
                "verb": "run",
                "args": args,
                "made": made,
                "rules": [rule.sent() for rule in rules],
                "timeout_ms": int(self._timeout * 1000),
                "most_calls": MOST_CALLS,
            }
        )
        self.schemas.update(answer["schemas"])
        run = _run(answer)
        self.stopped += run.ended.kind == "timeout"
        if self.stopped > _MOST_STOPPED:
            raise ScriptDiedError(
                f"it did not end within {self._timeout:g} s, {self.stopped} times"
            )
        return run

    def reply(self, schema: Json, **options: Json) -> Json:
        """Make one reply from a schema: `{value, made, unheeded}`, or `{unmade: why}`."""
        return self._ask({"verb": "reply", "schema": schema, "options": options})

    def prompts(self, names: Sequence[str]) -> list[str]:
        """Return the prompts of calls by their digests, without marks; empty where not kept."""
        found: list[str] = self._ask({"verb": "prompts", "names": list(names)})
        return found

    def _ask(self, request: Mapping[str, Json]) -> Json:
        line = json.dumps({**request, "secret": self._secret}).encode() + b"\n"
        stdin = self._process.stdin
        if stdin is None:
            raise BrokenInstrumentError("Node was started without a standard input")
        try:
            stdin.write(line)
            stdin.flush()
        except OSError as error:
            raise ScriptDiedError("it ended the Node process that ran it") from error
        return self._answer()

    def _answer(self) -> Json:
        mark = self._secret.encode()
        while True:
            try:
                line = self._lines.get(timeout=self._timeout + _GRACE_SECONDS)
            except queue.Empty:
                raise ScriptDiedError("it did not let go of Node in time") from None
            if line is None:
                raise ScriptDiedError("it ended the Node process that ran it")
            if line.startswith(mark):
                return json.loads(line[len(mark) :])


def _pump(pipe: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    with suppress(OSError, ValueError):
        for line in pipe:
            lines.put(line)
    lines.put(None)


def _run(answer: Json) -> Run:
    ended = answer["ended"]
    return Run(
        ended=Ended(
            kind=ended["kind"],
            value=ended.get("value", ""),
            message=ended.get("message", ""),
            line=ended.get("line"),
            column=ended.get("column"),
        ),
        calls=tuple(_call(call) for call in answer["calls"]),
        logs=tuple(answer["logs"]),
        reads=tuple(tuple(path) for path in answer["reads"]),
        items=answer["items"],
    )


def _call(call: Json) -> Call:
    outer = call["outer"]
    return Call(
        at=(call["at"][0], call["at"][1]),
        site=(call["site"][0], call["site"][1]),
        outer=(outer[0], outer[1]) if outer else None,
        label=call["label"],
        agent_type=call["agent_type"],
        phase=call["phase"],
        schema=call["schema"],
        rule=call["rule"],
        names=tuple(call["names"]),
        made=tuple(call["made"]),
        unheeded=tuple(call["unheeded"]),
        unmade=call["unmade"],
        prompt=call["prompt"],
    )
