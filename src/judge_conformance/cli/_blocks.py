"""Blocks that a judge writes in YAML, as the JSON that the canonical scripts read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from judge_conformance.errors import UnusableInputError

LIMIT = 128 * 1024  # bytes of YAML, which is slow to read
DEPTH = 100  # levels of nesting, as in the canonical scripts


def json_of(path: str) -> str | None:
    """Return a YAML file's mapping as JSON text; None for a file that is meant as JSON, or is none.

    YAML 1.2, without tags, aliases, duplicate keys and keys that are no strings. Raises
    UnusableInputError with the line.
    """
    file = Path(path)
    try:
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            data = opened.read(LIMIT + 1)
    except (OSError, ValueError):
        return None
    if data.lstrip()[:1] in (b"{", b"[", b""):
        return None
    if len(data) > LIMIT:
        raise UnusableInputError(f"more than {LIMIT} bytes of YAML", path=path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return _converted(text, path)


def _converted(text: str, path: str) -> str:
    from ruamel.yaml import YAML  # noqa: PLC0415 - 40 ms, for those who write YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415 - likewise
    from ruamel.yaml.events import (  # noqa: PLC0415 - likewise
        AliasEvent,
        CollectionEndEvent,
        CollectionStartEvent,
    )

    yaml = YAML(typ="safe", pure=True)
    depth = 0
    try:
        for event in yaml.parse(text):
            line = event.start_mark.line + 1
            if isinstance(event, AliasEvent):  # a page of them can stand for a terabyte
                raise UnusableInputError("an alias, where all is written out", path=path, line=line)
            depth += isinstance(event, CollectionStartEvent)
            depth -= isinstance(event, CollectionEndEvent)
            if depth > DEPTH:
                message = f"nested more than {DEPTH} levels deep"
                raise UnusableInputError(message, path=path, line=line)
        value = yaml.load(text)
        if not isinstance(value, dict):
            raise UnusableInputError("not a mapping", path=path)
        if odd := [key for key in _keys(value) if not isinstance(key, str)]:
            raise UnusableInputError(f"the key {odd[0]!r} is no string (quote it)", path=path)
        return json.dumps(value, allow_nan=False, indent=2, default=_date)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise UnusableInputError(f"not YAML: {error.problem}", path=path, line=line) from error
    except (YAMLError, ValueError, TypeError) as error:
        why = str(error).partition("\n")[0]
        raise UnusableInputError(f"not YAML: {why}", path=path) from error


def _keys(value: object) -> Iterator[object]:
    """Yield the keys of all mappings in a value."""
    if isinstance(value, dict):
        yield from value
    children = value.values() if isinstance(value, dict) else value
    if isinstance(children, Iterable) and not isinstance(children, str | bytes):
        for child in children:
            yield from _keys(child)


def _date(value: object) -> str:
    """Return a date, which YAML tells from a string, as the string that JSON has for it."""
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")
