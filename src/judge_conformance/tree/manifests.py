"""JSON manifests that know where in the file each value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judge_conformance.errors import UnusableInputError
from judge_conformance.tree.base import Tree

_LARGEST = 8 * 1024 * 1024  # bytes; the largest marketplaces have a tenth of one mebibyte
_BOM = "\ufeff"
_BETWEEN = re.compile(r"[ \t\r\n,:]*")
_DECODE = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One JSON value and the span of its text, counted in characters."""

    text: str
    start: int
    end: int
    value: Any

    @property
    def line(self) -> int:
        """The line on which the value begins, from 1."""
        return self.text.count("\n", 0, self.start) + 1

    @property
    def span(self) -> tuple[int, int]:
        """Where the value stands in the file's bytes: start and end."""
        return len(self.text[: self.start].encode()), len(self.text[: self.end].encode())

    def members(self) -> dict[str, Node]:
        """Return an object's members, the last of equal keys; none of what is no object."""
        return dict(self._members()) if isinstance(self.value, dict) else {}

    def items(self) -> Iterator[Node]:
        """Yield an array's items; none of what is no array."""
        at = self._skip(self.start + 1)
        while isinstance(self.value, list) and self.text[at] != "]":
            item = self._node(at)
            yield item
            at = self._skip(item.end)

    def _members(self) -> Iterator[tuple[str, Node]]:
        at = self._skip(self.start + 1)
        while self.text[at] != "}":
            key = self._node(at)
            member = self._node(self._skip(key.end))
            yield key.value, member
            at = self._skip(member.end)

    def _node(self, start: int) -> Node:
        value, end = _DECODE(self.text, start)
        return Node(text=self.text, start=start, end=end, value=value)

    def _skip(self, at: int) -> int:
        between = _BETWEEN.match(self.text, at)
        return between.end() if between else at


class ManifestError(Exception):
    """A manifest that holds no JSON object; `line` is where that shows."""

    def __init__(self, message: str, *, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def read_manifest(tree: Tree, path: str) -> Node:
    """Return the JSON object that a manifest holds. Raises ManifestError."""
    try:
        data = tree.read(path)
    except UnusableInputError as error:
        raise ManifestError(error.message) from error
    if len(data) > _LARGEST:
        raise ManifestError(f"is larger than {_LARGEST // 1024 // 1024} MiB, so it is not read")
    try:
        text = data.decode("utf-8")
        start = len(_BOM) if text.startswith(_BOM) else 0
        value = json.loads(text[start:])
    except UnicodeDecodeError as error:
        raise ManifestError("is not UTF-8", line=data.count(b"\n", 0, error.start) + 1) from error
    except json.JSONDecodeError as error:
        raise ManifestError(f"is not JSON: {error.msg}", line=error.lineno) from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits; deep nesting
        raise ManifestError("is not JSON that can be read") from error
    if not isinstance(value, dict):
        raise ManifestError("holds no JSON object")
    return Node(text=text, start=text.index("{"), end=len(text.rstrip()), value=value)
