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
from judge_conformance.workflows.literals import COMPUTED, constant, key_of
from judge_conformance.workflows.parse import ScriptError, parse, walk

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


def script_literals(data: bytes, *, path: str) -> tuple[str, list[Literal]]:
    """Return a script's text and the object literals in it that are rubrics, in its order.

    A rubric is written out: strings, numbers, lists and objects, and nothing to compute. Raises
    UnusableInputError for a script that cannot be read.
    """
    try:
        script = parse(path, data)
    except ScriptError as error:
        raise UnusableInputError(error.message, path=path, line=error.line) from error
    found = [
        Literal(
            value=value,
            start=node.range[0],
            end=node.range[1],
            members=[_member(member) for member in node.properties],
            quoted=False,
        )
        for node in walk(script.body)
        if node.type == "ObjectExpression" and (value := constant(node)) is not COMPUTED
        if {"id", "threshold", "criteria"} <= value.keys()
    ]
    return script.text, found


def _member(member: Any) -> Member:  # noqa: ANN401 - likewise
    return Member(
        name=key_of(member),
        start=member.range[0],
        value=member.value.range[0],
        end=member.range[1],
    )


def with_calibration(text: str, literal: Literal, record: Mapping[str, Any]) -> str:
    """Return the text with the record as the object's `calibration`, put in or replaced.

    Raises AuthorMistakeError for a record without the numbers that decide() reads.
    """
    kept = {key: record[key] for key in WRITTEN if key in record}
    if lacking := [key for key in WRITTEN[:3] if key not in kept]:
        raise AuthorMistakeError(f"the record has no {' and no '.join(lacking)}")
    value = _written(kept, literal, text)
    for member in literal.members:
        if member.name == "calibration":
            return text[: member.value] + value + text[member.end :]
    key = '"calibration"' if literal.quoted else "calibration"
    layout, last = _indentation(text, literal), literal.members[-1].end
    gap = " " if layout is None else _break(text, literal) + layout[0]
    return f"{text[:last]},{gap}{key}: {value}{text[last:]}"


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _indentation(text: str, literal: Literal) -> tuple[str, str] | None:
    """Return the white space before the members and one step of it; None for a single line."""
    lead = text[literal.start + 1 : literal.members[0].start] if literal.members else ""
    if "\n" not in lead:
        return None
    inner = lead.rsplit("\n", 1)[1]
    line = text.rfind("\n", 0, literal.end) + 1
    outer = text[line : _skip(text, line)]
    inner = inner if not inner.strip() else ""
    step = inner.removeprefix(outer) if inner.startswith(outer) and inner != outer else "  "
    return inner, step


def _written(value: Mapping[str, Any], literal: Literal, text: str) -> str:
    """Return the object as its author would have laid it out, numbers as JSON writes them."""
    layout = _indentation(text, literal)
    if layout is None:
        told = json.dumps(value)
    else:
        inner, step = layout
        lines = json.dumps(value, indent=step).split("\n")
        told = _break(text, literal).join([lines[0], *(inner + line for line in lines[1:])])
    return told if literal.quoted else _unquoted(told)


def _break(text: str, literal: Literal) -> str:
    return "\r\n" if "\r\n" in text[literal.start : literal.end] else "\n"


def _unquoted(text: str) -> str:
    """Return an object's JSON with bare names, as scripts write them."""
    return re.sub(r'(^|[{,]\s*)"(\w+)":', r"\1\2:", text, flags=re.MULTILINE)
