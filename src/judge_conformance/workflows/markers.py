"""The two comment lines that hold a block: where they stand, and whether they count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from judge_conformance.catalog import MARKER_END, MARKER_START

NEWLINE = re.compile(r"\r\n|[\r\n]")
_MARKER = re.compile(
    r"(?://|/\*)[ \t]*judge-contract:(?:start(?P<version>(?![\w-])[^\r\n]*)|end(?![\w-])[^\r\n]*)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One marker: offsets into the script's text (trailing blanks left out), line from 1.

    `version` is what follows `start`: `verdict@2`. `live`: a line comment, spelled exactly so and
    alone on its line at column 0; anything else is text.
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


def has_marker(data: bytes) -> bool:
    """Whether a file holds anything that is spelled like a marker, live or not."""
    return b"judge-contract:" in data and bool(_MARKER.search(data.decode("utf-8", "replace")))


def scan_markers(data: bytes) -> tuple[Marker, ...]:
    """Seek markers line by line, for what cannot be parsed; at column 0 they count as live."""
    return tuple(find_markers(data.decode("utf-8", "replace"), lambda _start, _end: True))


def find_markers(text: str, is_comment: Callable[[int, int], bool]) -> Iterator[Marker]:
    """Yield the markers of a text; `is_comment` says whether a line comment has these offsets."""
    line, last = 1, 0
    for match in _MARKER.finditer(text):
        words = match[0].rstrip(" \t")
        line += len(NEWLINE.findall(text, last, match.start()))
        last = match.start()
        is_start = match["version"] is not None
        exact = words.startswith(MARKER_START) if is_start else words == MARKER_END
        at_column_0 = match.start() == 0 or text[match.start() - 1] in "\r\n"
        yield Marker(
            kind="start" if is_start else "end",
            version=(match["version"] or "").strip(),
            start=match.start(),
            end=match.start() + len(words),
            line=line,
            live=exact and at_column_0 and is_comment(match.start(), match.end()),
        )


def blocks_of(markers: tuple[Marker, ...]) -> tuple[Block, ...]:
    """Return the live blocks: each start that its end follows at once."""
    live = [marker for marker in markers if marker.live]
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
