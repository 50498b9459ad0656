"""What a change loosens about its own gate, in plain words: the part that a reviewer must see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import get_args

from judge_conformance.config import Bump, Config, Level
from judge_conformance.gate_files import GateEdit, file_edits
from judge_conformance.lock import line_of
from judge_conformance.paths import CONFIG, LOCK
from judge_conformance.rule import Context


def gate_edits(context: Context, base: Context) -> Iterator[GateEdit]:
    """Yield what loosens, from the base's config, lock and workflow files to the change's."""
    if base.own is not None:
        yield from _config_edits(context, base.own, context.own or Config())
    yield from _lock_edits(context, base)
    prefix = context.tree.uri_prefix
    up = "../" * prefix.count("/")  # as seen from the root
    for edit in file_edits(context.top or context.tree, base.top or base.tree, prefix):
        yield replace(edit, path=up + edit.path)


def _config_edits(context: Context, before: Config, after: Config) -> Iterator[GateEdit]:
    told = [
        *(("severity", message) for message in _turned_down(context, before, after)),
        *(("exclude", f"leaves out more: {p}") for p in _loosened(before.exclude, after.exclude)),
        *(("plugins", f"looks at less: {p}") for p in _narrowed(before.plugins, after.plugins)),
        *(("required", f"no longer requires {path}") for path in _given_up(context, before, after)),
        *_scalars(before, after),
    ]
    for key, message in told:
        yield GateEdit(path=CONFIG, line=after.lines.get(key), message=message)
    known = {replace(allow, line=0) for allow in before.allow}
    for allow in after.allow:
        if replace(allow, line=0) not in known:
            until = f" until {allow.until}" if allow.until else ""
            message = f"allows {allow.rule} for {allow.path}{until}: {allow.why or 'no reason'}"
            yield GateEdit(path=CONFIG, line=allow.line, message=message)


def _turned_down(context: Context, before: Config, after: Config) -> Iterator[str]:
    order = get_args(Level)
    for code in {**before.severity, **after.severity}:
        was, now = (_severity(context, config, code) for config in (before, after))
        if order.index(now) > order.index(was):
            yield f"turns {code} down from {was} to {now}"


def _given_up(context: Context, before: Config, after: Config) -> Iterator[str]:
    """Yield paths that the lock still asks for; one that nothing asks for is a path that left."""
    kept = {row.path for row in after.required}
    asked = {*context.adopted.copies, *context.adopted.pinned}
    for row in before.required:
        if row.path in asked - kept:
            yield row.path


def _scalars(before: Config, after: Config) -> Iterator[tuple[str, str]]:
    order = get_args(Bump)
    if order.index(after.bump) > order.index(before.bump):
        yield "bump", f"turns bump from {before.bump} to {after.bump}"
    was, now = before.minimum_release, after.minimum_release
    if _numbers(now) < _numbers(was):
        yield "minimum-release", f"turns minimum-release from {was} to {now or 'none'}"


def _numbers(release: str | None) -> list[int]:
    return [int(number) for number in (release or "0").split(".")]


def _lock_edits(context: Context, base: Context) -> Iterator[GateEdit]:
    if base.lock is None:
        return  # what a first adoption stands on is its own affair
    was, now = base.lock.release, context.release
    if _numbers(now) < _numbers(was):
        yield GateEdit(path=LOCK, line=None, message=f"goes back from release {was} to {now}")
    for pin in context.adopted.pins:
        if pin not in base.lock.pins:
            line = line_of(context.lock_data, pin.path)
            message = f"pins {pin.path} to release {pin.release}: {pin.why or 'no reason'}"
            yield GateEdit(path=LOCK, line=line, message=message)


def _severity(context: Context, config: Config, code: str) -> Level:
    own = context.levels.get(code)
    level: Level = config.severity.get(code, own.value if own else "error")
    return level


def _narrowed(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield what makes `after` select fewer plugins."""
    if tuple(after) != Config().plugins:  # all of them: nothing is lost
        yield from _loosened(after, before)


def _loosened(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield patterns that make `after` match more: new ones, exceptions that went or moved."""
    yield from (pattern for pattern in after if pattern[0] != "!" and pattern not in before)
    yield from (pattern for pattern in before if pattern[0] == "!" and pattern not in after)
    kept, moved = [p for p in before if p in after], [p for p in after if p in before]
    if kept != moved and any(pattern[0] == "!" for pattern in kept):
        yield "the patterns stand in another order"
