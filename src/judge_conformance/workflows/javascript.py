"""The JavaScript parser: esprima-fork 5.0.0, mended in a subclass where it was measured wrong.

Its modules are everybody's and stay as they are. It is imported late: most runs parse nothing.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from judge_conformance.errors import BrokenInstrumentError

DISTRIBUTION = ("esprima-fork", "5.0.0")
PREFIX = "async function workflow(){\n"

_LINE_BREAK = re.compile("[\n\r\u2028\u2029]")
_STACK = 256 * 1024 * 1024  # bytes of address space; touched only as deep as a script nests
_DEPTH = 20_000  # Python frames: some 1,500 nested brackets
_LABELS = 100  # on one statement; checking them takes their square
T = TypeVar("T")
Comments = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What was left out of a text: offsets from `start` on count `width` more."""

    start: int
    width: int


class Fault(Exception):  # noqa: N818 - becomes a ScriptError once its place is known
    """Why a text is no body of an async function, and at which offset into it."""

    def __init__(self, story: str, offset: int) -> None:
        super().__init__(story)
        self.story = story
        self.offset = offset


def parse_body(
    text: str, tolerates: Callable[[str], bool], gap: Gap | None = None
) -> tuple[list[Any], Comments]:
    """Parse the body of an async function: its statements, and the ranges of its comments.

    Ranges are offsets into `text`, or into what it was before the gap was left out. A name declared
    twice that `tolerates` accepts is let through, for a rule to report. Raises Fault;
    BrokenInstrumentError when the parser is another one.
    """
    try:
        return _parse(text, tolerates, gap)
    except RecursionError:
        return _with_room(lambda: _parse_deep(text, tolerates, gap))


def _parse_deep(
    text: str, tolerates: Callable[[str], bool], gap: Gap | None
) -> tuple[list[Any], Comments]:
    try:
        return _parse(text, tolerates, gap)
    except RecursionError as error:
        raise Fault("nested too deeply to be read", 0) from error


def _parse(
    text: str, tolerates: Callable[[str], bool], gap: Gap | None
) -> tuple[list[Any], Comments]:
    Parser, validate, Error = _parser()  # noqa: N806 - classes
    source = f"{PREFIX}{text}\n}}"

    def refuse(message: str, node: Any) -> None:  # noqa: ANN401 - esprima's
        twice = re.fullmatch(r"Identifier '(.*)' has already been declared", message)
        if not (twice and tolerates(twice[1])):
            raise Fault(message, (node.range or [0])[0])

    options = {"comment": True, "range": True, "positionEncoding": "scalar"}
    try:
        parser = Parser(source, options, gap)
        program = parser.parseScript()
        validate(program, refuse)
    except Error as error:
        story = re.sub(r"^Line \d+: ", "", str(error))
        raise Fault(story, (getattr(error, "index", None) or 0) - len(PREFIX)) from error
    whole = len(source) - len(PREFIX) + (gap.width if gap else 0)
    if len(program.body) != 1 or program.body[0].range[1] != whole:
        raise Fault("closes the function that it runs in", program.body[0].range[1] - 1)
    return program.body[0].body.body, tuple(sorted(parser.comments))


@cache
def _parser() -> tuple[type[Any], Callable[..., None], type[Exception]]:
    """Import the parser, make sure whose it is, and mend it."""
    _demand_the_fork()
    from esprima import Error  # noqa: PLC0415 - late, see above
    from esprima.parser import Parser  # noqa: PLC0415
    from esprima.validation import validate_program  # noqa: PLC0415

    return _mended(Parser), validate_program, Error


def _mended(Parser: type[Any]) -> type[Any]:  # noqa: C901, N803 - a class around small methods
    class Mended(Parser):  # type: ignore[misc] # esprima has no types
        """Ranges, of nodes and of `comments`, are offsets that count from the end of PREFIX."""

        def __init__(self, code: str, options: dict[str, Any], gap: Gap | None) -> None:
            self.comments: set[tuple[int, int]] = set()
            self.gap = gap.start + len(PREFIX) if gap else len(code) + 1
            self.width = gap.width if gap else 0
            super().__init__(code, options=options)

        def nextToken(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401, N802 - esprima's form
            """See a line break before a token in the text, not in the token that follows."""
            token = super().nextToken(*args, **kwargs)
            gap = (self.lastMarker.index, self.startMarker.index)
            self.hasLineTerminator = _LINE_BREAK.search(self.scanner.source, *gap) is not None
            return token

        def collectComments(self) -> None:  # noqa: N802
            """Refuse HTML-like comments, which only look like code to a reader."""
            for comment in self.scanner.scanComments():
                start, end = map(self.offset, comment.range)
                if self.scanner.source.startswith(("<!--", "-->"), comment.range[0]):
                    raise Fault("an HTML-like comment", start)
                self.comments.add((start, end))

        def finalize(self, marker: Any, node: Any) -> Any:  # noqa: ANN401
            """Set what the validator reads and the range, nothing else."""
            start, end = marker.index, self.lastMarker.index
            node._start, node._end = start, end  # noqa: SLF001
            node.range = [self.offset(start), self.offset(end)]
            return node

        def offset(self, index: int) -> int:
            """Return the offset into the script's text of an index into what is parsed."""
            return index - len(PREFIX) + (self.width if index >= self.gap else 0)

        def parseObjectPropertyKey(self) -> Any:  # noqa: ANN401, N802
            """Read `get` or `set` on a line before its name as the accessor that it is."""
            key = super().parseObjectPropertyKey()
            named = self.lookahead.private or self.qualifiedPropertyName(self.lookahead)
            if named and key.name in {"get", "set"}:
                self.hasLineTerminator = False
            return key

        def parseLabelledStatement(self) -> Any:  # noqa: ANN401, N802
            """Refuse more labels than can be checked in time."""
            if len(self.context.labelSet) > _LABELS:
                self.throwError("too many labels")
            return super().parseLabelledStatement()

    return Mended


def _demand_the_fork() -> None:
    """Look for whatever brings the import name; asking for all distributions takes far longer."""
    from importlib import metadata  # noqa: PLC0415 - late, as the parser itself

    owners = {
        (found.metadata["Name"], found.version)
        for name in ("esprima-fork", "esprima", "esprima2", "pyesprima")
        for found in metadata.distributions(name=name)
    }
    if owners != {DISTRIBUTION}:
        culprits = ", ".join(" ".join(owner) for owner in sorted(owners)) or "nothing"
        raise BrokenInstrumentError(
            f"the import name esprima is brought by {culprits}, not by esprima-fork 5.0.0 alone",
            hint="uninstall the others, then reinstall esprima-fork==5.0.0",
        )


def _with_room(work: Callable[[], T]) -> T:
    """Run in a thread whose stack holds deep nesting, and hand on what it raises."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            failure.append(error)

    size, limit = threading.stack_size(_STACK), sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEPTH))
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if failure:
        raise failure[0]
    return outcome[0]
