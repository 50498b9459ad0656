"""Write a calibration record into its rubric, in place: every other byte stays as it was.

A rubric is a JSON file, or an object literal in a script. Both are seen as one thing: the span of
an object in a text, and its members with their spans.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge_conformance.errors import AuthorMistakeError, UnusableInputError

WRITTEN = ("sealed", "agreement", "floor", "model", "attempt", "date", "files", "hashes")
"""What of a record goes into a rubric: the three that decide() reads, and what they rest on."""

_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member of an object: its name, and where key and value stand in the text."""

    name: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """An object as it stands in a text: its value, its span and its members."""

    value: Mapping[str, Any]
    start: int
    end: int
    members: Sequence[Member]
    quoted: bool


def json_literal(text: str, *, path: str) -> Literal:
    """Return the object that a JSON text is. Raises UnusableInputError for any other text."""
    decoder = json.JSONDecoder()
    try:
        start = _skip(text, 0)
        value, end = decoder.raw_decode(text, start)
        if not isinstance(value, dict) or _skip(text, end) != len(text):
            raise UnusableInputError("not one JSON object", path=path)
        members, at = [], _skip(text, start + 1)
        while text[at] != "}":
            name, after = decoder.raw_decode(text, at)
            begin = _skip(text, _skip(text, after) + 1)
            _, stop = decoder.raw_decode(text, begin)
            members.append(Member(name=name, start=at, value=begin, end=stop))
            at = _skip(text, stop)
            at = _skip(text, at + 1) if text[at] == "," else at
    except (ValueError, RecursionError) as error:
        raise UnusableInputError(f"not JSON: {error}", path=path) from error
    return Literal(value=value, start=start, end=end, members=members, quoted=True)


def with_calibration(text: str, literal: Literal, record: Mapping[str, Any]) -> str:
    """Return the text with the record as the object's `calibration`, put in or replaced."""
    kept = {key: record[key] for key in WRITTEN if key in record}
    step = _indentation(text, literal)
    break_ = "\r\n" if "\r\n" in text[literal.start : literal.end] else "\n"
    value = _written(kept, step, break_, quoted=literal.quoted)
    for member in literal.members:
        if member.name == "calibration":
            return text[: member.value] + value + text[member.end :]
    key = '"calibration"' if literal.quoted else "calibration"
    if not literal.members:
        raise AuthorMistakeError("a rubric without members cannot carry a calibration")
    last = literal.members[-1].end
    gap = " " if step is None else break_ + step
    return f"{text[:last]},{gap}{key}: {value}{text[last:]}"


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _indentation(text: str, literal: Literal) -> str | None:
    """Return the white space before the members, or None for an object on one line."""
    if not literal.members:
        return None
    first = literal.members[0].start
    before = text[literal.start + 1 : first]
    return before.rsplit("\n", 1)[1] if "\n" in before else None


def _written(value: Mapping[str, Any], step: str | None, break_: str, *, quoted: bool) -> str:
    """Return the object as its author would have laid it out, numbers as JSON writes them."""
    if step is None:
        flat = json.dumps(value)
        return flat if quoted else _unquoted(flat)
    unit = "\t" if step.startswith("\t") else "  "
    lines = json.dumps(value, indent=unit).split("\n")
    told = break_.join([lines[0], *(step + line for line in lines[1:])])
    return told if quoted else _unquoted(told)


def _unquoted(text: str) -> str:
    """Return an object's JSON with bare names, as scripts write them."""
    return re.sub(r'(^|[{,]\s*)"(\w+)":', r"\1\2:", text, flags=re.MULTILINE)
