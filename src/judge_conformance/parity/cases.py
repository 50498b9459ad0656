"""The case set: JSON lines that say what goes in and what must come out, in either language.

Each file opens with a line that declares how many cases follow, so that a file cut short is
noticed. The text of a case goes to both sides as it stands; each parses it by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.parity.canonical import canonical

Language = Literal["python", "javascript"]

_FORMAT = 1
_HEADER = "judge-parity-cases"
_CALLS = ("decide", "spotCheck", "validate", "isCalibrated", "schema")
_KEYS = frozenset(
    {
        *("id", "tags", "only", "call", "expect", "error"),
        *("report", "rubric", "item", "decidedBy", "options", "pollute"),
        *("verdicts", "k", "verdict"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case: its raw `text`, the `expected` answer, and the file and line that hold it.

    `only` names the one language that it is for; None is both.
    """

    id: str
    text: str
    expected: str
    tags: tuple[str, ...]
    only: Language | None
    path: str
    line: int

    def concerns(self, language: Language) -> bool:
        """Whether this language answers the case."""
        return self.only in (None, language)


def load(folder: Path | Traversable) -> tuple[Case, ...]:
    """Read every `*.jsonl` of a folder. Raises BrokenInstrumentError, naming file and line."""
    try:
        names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".jsonl"))
    except OSError as error:
        raise BrokenInstrumentError(
            f"the case set cannot be read: {error.strerror}", path=str(folder)
        ) from error
    if not names:
        raise BrokenInstrumentError("the case set is empty: no *.jsonl", path=str(folder))
    cases = tuple(case for name in names for case in _read(folder.joinpath(name), name))
    first: dict[str, Case] = {}
    for case in cases:
        if (other := first.setdefault(case.id, case)) is not case:
            raise BrokenInstrumentError(
                f"the id {case.id!r} is taken by {other.path}:{other.line}",
                path=case.path,
                line=case.line,
            )
    return cases


def _read(file: Path | Traversable, name: str) -> Iterator[Case]:
    try:
        lines = file.read_bytes().decode("ascii").splitlines()
    except OSError as error:
        raise BrokenInstrumentError(f"cannot be read: {error.strerror}", path=name) from error
    except UnicodeDecodeError as error:
        raise BrokenInstrumentError(
            f"not ASCII at byte {error.start}; write \\u escapes", path=name
        ) from error
    header = _object(lines[0], name, 1) if lines else {}
    if header.get(_HEADER) != _FORMAT:
        raise BrokenInstrumentError(f'the first line declares no "{_HEADER}": {_FORMAT}', path=name)
    if header.get("cases") != len(lines) - 1 or len(lines) == 1:
        raise BrokenInstrumentError(
            f"{len(lines) - 1} cases, {header.get('cases')} declared", path=name
        )
    for line, text in enumerate(lines[1:], start=2):
        yield _case(text, name, line)


def _object(text: str, name: str, line: int) -> Mapping[str, Any]:
    try:
        value = json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise BrokenInstrumentError(f"not JSON: {error}", path=name, line=line) from error
    if not isinstance(value, dict):
        raise BrokenInstrumentError("not an object", path=name, line=line)
    return value


def _case(text: str, name: str, line: int) -> Case:
    value = _object(text, name, line)
    for holds, message in (
        (value.keys() <= _KEYS, f"unknown keys: {sorted(value.keys() - _KEYS)}"),
        (isinstance(value.get("id"), str) and value["id"], "no id"),
        (_texts(value.get("tags")), "tags: not a list of strings"),
        (value.get("only") in (None, "python", "javascript"), "only: no language"),
        (value.get("call", "decide") in _CALLS, f"call: not one of {', '.join(_CALLS)}"),
        (("expect" in value) != ("error" in value), "neither expect nor error, or both"),
        (isinstance(value.get("error", ""), str), "error: not a string"),
    ):
        if not holds:
            raise BrokenInstrumentError(message, path=name, line=line)
    return Case(
        id=value["id"],
        text=text,
        expected=_expected(value),
        tags=tuple(value["tags"]),
        only=value.get("only"),
        path=name,
        line=line,
    )


def _expected(value: Mapping[str, Any]) -> str:
    if "error" in value:
        return f"raises {json.dumps(value['error'])}"
    return f"returns {canonical(value['expect'])}"


def _integer(text: str) -> float:
    return int(text) if len(text) < 400 else float(text)  # noqa: PLR2004 - far beyond a double's digits


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(tag, str) and tag for tag in value)


def ready(text: str, *, name: str, tags: Sequence[str], answer: str) -> str:
    """Return an input with its answer as a line that can be pasted into a case file.

    The input stays as it is written: what a number is written as may be the point of it.
    """
    head = json.dumps({"id": name, "tags": list(tags)})[:-1]
    kind, _, said = answer.partition(" ")
    end = {"returns": "expect", "raises": "error"}.get(kind)
    told = f'"{end}": {said}' if end else f'"error": {json.dumps(answer)}'
    return f"{head}, {text.strip()[1:-1]}, {told}}}"
