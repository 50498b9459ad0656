"""Read a Workflow script as its runtime does: the body of an async function, markers beside it.

The parser is esprima-fork 5.0.0, subclassed where it was measured to be wrong; its modules are
everybody's and stay as they are. It is imported late: most runs parse nothing.
"""

from __future__ import annotations

import re
import sys
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from itertools import pairwise
from typing import Any, Literal, TypeVar

from judge_conformance.catalog import MARKER_END, MARKER_START
from judge_conformance.errors import BrokenInstrumentError

NAMES = ("JUDGE_VERDICT_SCHEMA", "decideVerdict", "spotCheck")
LIMIT = 4 * 1024 * 1024  # bytes of a script that are parsed, some twenty seconds
DISTRIBUTION = ("esprima-fork", "5.0.0")

_NEWLINE = re.compile(r"\r\n|[\r\n]")
_MARKER = re.compile(
    r"// judge-contract:(?:start(?![\w-])[ \t]*(?P<version>[^\r\n]*?)|end(?![\w-])[^\r\n]*?)"
    r"[ \t]*$",
    re.MULTILINE,
)
_META = re.compile(
    r"(?:\s|//[^\r\n]*|/\*.*?\*/|\ufeff)*(?P<export>export)(?=\s+const\b)", re.DOTALL
)
_PREFIX = "async function workflow(){\n"
T = TypeVar("T")
_STACK = 512 * 1024 * 1024  # bytes of address space; touched only as deep as a script nests
_DEPTH = 100_000  # Python frames


class ScriptError(Exception):
    """A script that cannot be read, and where (line and column from 1)."""

    def __init__(self, message: str, *, path: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One marker text: offsets into the script's text, line from 1.

    `live`: a line comment alone on its line at column 0; anything else is text.
    """

    kind: Literal["start", "end"]
    version: str
    start: int
    end: int
    line: int
    live: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """From the first character of a start marker to the last of its end marker."""

    version: str
    start: int
    end: int
    line: int
    end_line: int


@dataclass(frozen=True, kw_only=True)
class Script:
    """A script that was read: `body` are esprima's statements, ranges are offsets into `text`."""

    path: str
    data: bytes
    text: str
    body: list[Any]
    comments: tuple[tuple[int, int], ...]
    markers: tuple[Marker, ...]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The live blocks: each start that its end follows at once."""
        live = [marker for marker in self.markers if marker.live]
        return tuple(
            Block(
                version=start.version,
                start=start.start,
                end=end.end,
                line=start.line,
                end_line=end.line,
            )
            for start, end in pairwise(live)
            if (start.kind, end.kind) == ("start", "end")
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column (from 1, in characters) of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def block_bytes(self, block: Block) -> bytes:
        """Return the bytes of a block as they stand in the file."""
        return self.text[block.start : block.end].encode()


def mentions(data: bytes) -> bool:
    """Whether a file may concern the contract: it holds a marker or one of the three names."""
    return b"judge-contract:" in data or any(name.encode() in data for name in NAMES)


def scan_markers(data: bytes) -> tuple[Marker, ...]:
    """Seek markers line by line, for what cannot be parsed; at column 0 they count as live."""
    text = data.decode("utf-8", "replace")
    return tuple(_markers(text, lambda start, _end: _at_column_0(text, start)))


def parse(path: str, data: bytes) -> Script:
    """Read a script. Raises ScriptError; BrokenInstrumentError when the parser is another one."""
    if len(data) > LIMIT:
        raise ScriptError(f"larger than {LIMIT} bytes, which is no script by hand", path=path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = len(_NEWLINE.findall(data[: error.start].decode("utf-8"))) + 1
        raise ScriptError("not UTF-8", path=path, line=line) from error
    body, comments = _deep(lambda: _body(path, text))
    lines = {start: end for start, end in comments if text.startswith("//", start)}
    markers = tuple(
        _markers(text, lambda start, end: lines.get(start) == end and _at_column_0(text, start))
    )
    return Script(
        path=path, data=data, text=text, body=body, comments=tuple(comments), markers=markers
    )


def walk(node: Any) -> Iterator[Any]:  # noqa: ANN401 - esprima's nodes
    """Yield a node and all below it, in the order of the source, without recursion."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, list):
            pending.extend(reversed(current))
        elif "range" in getattr(current, "__dict__", ()):
            yield current
            fields = (value for name, value in vars(current).items() if name[0] != "_")
            pending.extend(reversed([value for value in fields if not isinstance(value, str)]))


def _markers(text: str, is_live: Callable[[int, int], bool]) -> Iterator[Marker]:
    number, last = 1, 0
    for match in _MARKER.finditer(text):
        number += len(_NEWLINE.findall(text, last, match.start()))
        last = match.start()
        is_start = match[0].startswith(MARKER_START)
        exact = is_start or match[0].rstrip() == MARKER_END
        live = exact and is_live(match.start(), match.start() + len(match[0]))
        yield Marker(
            kind="start" if is_start else "end",
            version=match["version"] or "",
            start=match.start(),
            end=match.end(),
            line=number,
            live=live,
        )


def _at_column_0(text: str, offset: int) -> bool:
    return offset == 0 or text[offset - 1] in "\r\n"


def _body(path: str, text: str) -> tuple[list[Any], list[tuple[int, int]]]:
    """Return the statements of a script and the ranges of its comments, as offsets into it."""
    source = text
    if match := _META.match(text):
        source = text[: match.start("export")] + " " * 6 + text[match.end("export") :]
    source = _PREFIX + source + "\n}"
    try:
        program, comments = _program(source)
    except _FaultAt as fault:
        raise _fault(path, text, fault.offset - len(_PREFIX), str(fault)) from fault
    except RecursionError as error:
        raise ScriptError("nested too deeply to be read", path=path) from error
    if len(program.body) != 1 or program.body[0].range[1] != len(source):
        raise ScriptError("closes the function that it runs in", path=path)
    body = program.body[0].body.body
    for node in walk(body):
        node.range = [offset - len(_PREFIX) for offset in node.range]
    for node in walk(body):
        if node.type == "ClassBody":
            _refuse_split_accessor(path, text, node)
    return body, [(start - len(_PREFIX), end - len(_PREFIX)) for start, end in comments]


class _FaultAt(Exception):  # noqa: N818 - a place, carried to where it becomes a ScriptError
    def __init__(self, story: str, offset: int) -> None:
        super().__init__(story)
        self.offset = offset


def _program(source: str) -> tuple[Any, list[tuple[int, int]]]:
    """Parse and validate. Raises _FaultAt, RecursionError."""
    Parser, validate, Error = _parser()  # noqa: N806 - classes
    comments: list[tuple[int, int]] = []

    def collect(node: Any, place: Any) -> None:  # noqa: ANN401 - esprima's
        if node.type in {"LineComment", "BlockComment"}:
            if source.startswith(("<!--", "-->"), place.start.offset):
                raise _FaultAt("an HTML-like comment", place.start.offset)
            comments.append((place.start.offset, place.end.offset))

    def refuse(message: str, node: Any) -> None:  # noqa: ANN401 - esprima's
        raise _FaultAt(message, (node.range or [0])[0])

    options = {"comment": True, "range": True, "positionEncoding": "scalar"}
    try:
        program = Parser(source, options=options, delegate=collect).parseScript()
        validate(program, refuse)
    except Error as error:
        story = re.sub(r"^Line \d+: ", "", str(error))
        raise _FaultAt(story, getattr(error, "index", None) or 0) from error
    return program, comments


def _refuse_split_accessor(path: str, text: str, node: Any) -> None:  # noqa: ANN401 - esprima's
    """Refuse `get` or `set` on a line before its method's name, which the parser reads wrongly."""
    for member, following in pairwise(node.body):
        key = getattr(member, "key", None)
        split = (
            getattr(key, "name", "") in {"get", "set"}
            and getattr(member, "value", None) is None
            and following.type == "MethodDefinition"
            and ";" not in text[member.range[0] : following.range[0]]
        )
        if split:
            raise _fault(path, text, member.range[0], "write `get` or `set` beside its name")


def _fault(path: str, text: str, offset: int, story: str) -> ScriptError:
    offset = min(max(offset, 0), len(text))
    starts = [0, *(match.end() for match in _NEWLINE.finditer(text, 0, offset))]
    return ScriptError(story, path=path, line=len(starts), column=offset - starts[-1] + 1)


@cache
def _parser() -> tuple[type[Any], Callable[..., None], type[Exception]]:
    """Import the parser, make sure whose it is, and mend it in a subclass."""
    owners = [
        (found.metadata["Name"], found.version)
        for name in ("esprima-fork", "esprima", "esprima2", "pyesprima")
        for found in metadata.distributions(name=name)
    ]
    if sorted(set(owners)) != [DISTRIBUTION]:
        culprits = ", ".join(f"{name} {version}" for name, version in owners) or "nothing"
        raise BrokenInstrumentError(
            f"the import name esprima is brought by {culprits}, not by esprima-fork 5.0.0 alone",
            hint="uninstall the others, then reinstall esprima-fork==5.0.0",
        )
    from esprima import Error  # noqa: PLC0415 - late, see above
    from esprima.parser import Parser  # noqa: PLC0415
    from esprima.validation import validate_program  # noqa: PLC0415

    class Mended(Parser):  # type: ignore[misc] # esprima has no types
        """A line break before a token is one in the text, not in the token that follows."""

        def nextToken(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401, N802 - esprima's form
            token = super().nextToken(*args, **kwargs)
            gap = self.scanner.source[self.lastMarker.index : self.startMarker.index]
            self.hasLineTerminator = any(c in gap for c in "\n\r\u2028\u2029")
            return token

    return Mended, validate_program, Error


def _deep(work: Callable[[], T]) -> T:
    """Run in a thread whose stack holds deep nesting, and hand on what it raises."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            failure.append(error)

    size, limit = threading.stack_size(_STACK), sys.getrecursionlimit()
    sys.setrecursionlimit(_DEPTH)
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
