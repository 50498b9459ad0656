"""A rule's example for people: what is red, and the same mended, as the lines that differ."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from judge_conformance.catalog import Catalog
from judge_conformance.planted.trees import planted
from judge_conformance.rule import Change, Example, Executable, LinkTo, Rule

_LINES = 12  # of one file; a whole vendored file shows nothing
_WIDTH = 120  # characters of a line: a bundled one has thousands


def example_of(rule: Rule) -> Example:
    """Return the example that is shown: the first that fails."""
    return next(example for example in rule.examples if example.at is not None)


def mended(example: Example) -> Example:
    """Return a failing example once it is mended: no rule finds anything in it."""
    changes = (example.base or {}) if example.mended is None else example.mended
    return Example(title=f"{example.title}, mended", changes=changes, base=example.base)


def shown(rule: Rule, catalog: Catalog) -> str:
    """Return the example of a rule: its title, then a path and the lines that differ in it.

    A line that begins with `-` is the red one, with `+` the mended one.
    """
    red = example_of(rule)
    changes = {**mended(red).changes, **red.changes}
    before, after = (planted(catalog, one.changes) for one in (red, mended(red)))
    told = {path: _lines(path, red.changes, before, after) for path in {*before, *after, *changes}}
    places = {place.partition(":")[0] for place in (str(red.at), *red.also)}
    named = {path for path in places if told.get(path)} or {path for path in told if told[path]}
    parts = ["\n".join([path, *told[path]]) for path in sorted(named)]
    return "\n".join([f"{red.title}:", *parts])


def _lines(
    path: str,
    changes: Mapping[str, Change],
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
) -> list[str]:
    """Return the lines of a file that differ, or what else tells the red one from the mended."""
    change = changes.get(path)
    if isinstance(change, LinkTo):
        return [f"-(a symbolic link to {change.target})", "+(a file)"]
    if isinstance(change, Executable):
        return ["-(executable)", "+(not executable)"]
    if path not in before or path not in after:
        there = {True: "(a file)", False: "(no file)"}
        if len(before.get(path, after.get(path, b"")).splitlines()) > _LINES:
            return [f"-{there[path in before]}", f"+{there[path in after]}"]
    return list(_cut(_differing(before.get(path, b""), after.get(path, b""))))


def _differing(before: bytes, after: bytes) -> list[str]:
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    lines = list(difflib.unified_diff(old, new, lineterm="", n=1))[3:]
    return [" ..." if line.startswith("@@") else line for line in lines]


def _cut(lines: list[str]) -> Iterator[str]:
    for line in lines[:_LINES]:
        yield line.rstrip() if len(line) <= _WIDTH else f"{line[:_WIDTH]}..."
    if len(lines) > _LINES:
        yield f" ({len(lines) - _LINES} lines more)"
