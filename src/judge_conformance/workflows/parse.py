"""Read a Workflow script as its runtime does: the body of an async function, markers beside it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from judge_conformance.workflows.javascript import Comments, Fault, Gap, parse_body
from judge_conformance.workflows.markers import (
    NEWLINE,
    Block,
    Marker,
    blocks_of,
    find_markers,
    has_marker,
    scan_markers,
)
from judge_conformance.workflows.scopes import Scopes

__all__ = [
    "Block",
    "Marker",
    "Script",
    "ScriptError",
    "has_marker",
    "mentions",
    "parse",
    "parse_text",
    "scan_markers",
    "walk",
]

NAMES = ("JUDGE_VERDICT_SCHEMA", "decideVerdict", "spotCheck")
LIMIT = 4 * 1024 * 1024  # bytes of a script that are parsed, some twenty seconds

_TRIVIA = re.compile(r"[\s\ufeff]+|//[^\r\n\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
_CONST = re.compile(r"const\b")
_ESCAPE = re.compile(rb"\\u(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))")


class ScriptError(Exception):
    """A script that cannot be read, and where (line and column from 1)."""

    def __init__(self, message: str, *, path: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.column = column


@dataclass(frozen=True, kw_only=True)
class Script:
    """A script that was read: `body` are esprima's statements, ranges are offsets into `text`."""

    path: str
    data: bytes
    text: str
    body: list[Any]
    comments: Comments
    markers: tuple[Marker, ...]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The live blocks: each start that its end follows at once."""
        return blocks_of(self.markers)

    @cached_property
    def scopes(self) -> Scopes:
        """The variables of the script, found once for all who ask."""
        return Scopes(self.body)

    @cached_property
    def outside(self) -> tuple[Any, ...]:
        """All nodes that are no part of a block, found once for all who look through them."""
        blocks = [(block.start, block.end) for block in self.blocks]
        return tuple(
            node
            for node in self.scopes.nodes
            if not any(start <= node.range[0] and node.range[1] <= end for start, end in blocks)
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in NEWLINE.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column (from 1, in characters) of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def block_bytes(self, block: Block) -> bytes:
        """Return the bytes of a block as they stand in the file."""
        return self.text[block.start : block.end].encode()


def mentions(data: bytes) -> bool:
    """Whether a file may concern the contract: a marker or one of the names, in any spelling."""
    if b"\\u" in data:
        data = _ESCAPE.sub(_unescaped, data)
    return b"judge-contract:" in data or any(name.encode() in data for name in NAMES)


def parse(path: str, data: bytes) -> Script:
    """Read a script. Raises ScriptError; BrokenInstrumentError when the parser is another one.

    One of the three names declared twice is let through: JC-SHADOW says it better.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise _error("not UTF-8", path, before, len(before)) from error
    return parse_text(path, data, text, text, None)


def parse_text(path: str, data: bytes, text: str, code: str, gap: Gap | None) -> Script:
    """Read a script by `code`, which is its text, or its text less what the gap says.

    Raises what `parse` raises; the places of faults are offsets into `code`.
    """
    if len(data) > LIMIT:
        raise ScriptError(f"larger than {LIMIT} bytes, which is no script by hand", path=path)
    try:
        body, comments = parse_body(_as_body(code), NAMES.__contains__, gap)
    except Fault as fault:
        raise _error(fault.story, path, text, fault.offset) from fault
    lines = {start: end for start, end in comments if text.startswith("//", start)}
    markers = find_markers(text, lambda start, end: lines.get(start) == end)
    return Script(
        path=path, data=data, text=text, body=body, comments=comments, markers=tuple(markers)
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


def _as_body(text: str) -> str:
    """Make a hashbang a comment and blank the `export` before `const meta`; offsets stay."""
    if text.startswith("#!"):
        text = "//" + text[2:]
    start = _past_trivia(text, 0)
    end = start + len("export")
    const = _past_trivia(text, end)
    if not text.startswith("export", start) or const == end or not _CONST.match(text, const):
        return text
    return text[:start] + " " * (end - start) + text[end:]


def _past_trivia(text: str, offset: int) -> int:
    """Return where white space and comments end."""
    while match := _TRIVIA.match(text, offset):
        offset = match.end()
    return offset


def _error(story: str, path: str, text: str, offset: int) -> ScriptError:
    offset = min(max(offset, 0), len(text))
    starts = [0, *(match.end() for match in NEWLINE.finditer(text, 0, offset))]
    return ScriptError(story, path=path, line=len(starts), column=offset - starts[-1] + 1)


def _unescaped(match: re.Match[bytes]) -> bytes:
    point = int(match[1] or match[2], 16)
    return bytes([point]) if point < 0x80 else match[0]  # noqa: PLR2004 - ASCII
