"""Character classes of regular expressions, narrowed and widened, in either language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judge_conformance.sabotage.mutants import Edit

_ATOM = r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|[^\]\\])"
_CLASS = re.compile(rf"(?<!\\)\[\^?((?:{_ATOM})+)\]")
_ITEM = re.compile(rf"({_ATOM})(?:-({_ATOM}))?")
_HEXADECIMAL = re.compile(r"\\([ux])([0-9a-fA-F]+)")
_NO_END = re.compile(r"\\[wWdDsSbB]")


def narrowed(pattern: str, offset: int) -> Iterator[Edit]:
    """Yield the removal of each range or character from a class that keeps another."""
    for items in _classes(pattern):
        for item in items if len(items) > 1 else ():
            yield Edit(start=offset + item.start(), end=offset + item.end(), text="")
        for item in items:
            first, last = item.groups()
            if last is not None:
                yield Edit(
                    start=offset + item.start(1), end=offset + item.end(1), text=_next(first, 1)
                )
                yield Edit(
                    start=offset + item.start(2), end=offset + item.end(2), text=_next(last, -1)
                )


def widened(pattern: str, offset: int) -> Iterator[Edit]:
    """Yield each range and character taken one code point further, at both ends."""
    for items in _classes(pattern):
        for item in items:
            first, last = item.group(1), item.group(2) or item.group(1)
            if _NO_END.fullmatch(first):
                continue
            for text in (f"{_next(first, -1)}-{last}", f"{first}-{_next(last, 1)}"):
                yield Edit(start=offset + item.start(), end=offset + item.end(), text=text)


def _classes(pattern: str) -> Iterator[list[re.Match[str]]]:
    for found in _CLASS.finditer(pattern):
        yield list(_ITEM.finditer(pattern, found.start(1), found.end(1)))


def _next(atom: str, step: int) -> str:
    """Return the atom of the neighbouring code point, written in the same way."""
    if escape := _HEXADECIMAL.fullmatch(atom):
        letter, digits = escape.groups()
        return f"\\{letter}{max(int(digits, 16) + step, 0):0{len(digits)}x}"
    point = ord(atom[-1]) + step
    return f"\\x{point:02x}" if point < 256 else f"\\u{point:04x}"  # noqa: PLR2004 - a byte
