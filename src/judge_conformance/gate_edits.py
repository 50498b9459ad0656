"""What a change loosens about its own gate, in plain words: the part that a reviewer must see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from judge_conformance.config import CONFIG, Bump, Config, Level
from judge_conformance.errors import UnusableInputError
from judge_conformance.lock import LOCK, line_of
from judge_conformance.rule import Context
from judge_conformance.tree import Tree

_WORKFLOWS = ".github/workflows"
_OWNERS = ("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS")
_NAME = b"judge-contract"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEdit:
    """One loosening: the file that does it, the line where it stands (None: it is gone), words."""

    path: str
    line: int | None
    message: str


def gate_edits(context: Context, base: Context) -> Iterator[GateEdit]:
    """Yield what loosens, from the base's config, lock and workflow files to the change's."""
    if base.own is not None:
        yield from _config_edits(context, base.own, context.own or Config())
    yield from _lock_edits(context, base)
    yield from _workflow_edits(context.tree, base.tree)


def _config_edits(context: Context, before: Config, after: Config) -> Iterator[GateEdit]:
    told = [
        *(("severity", message) for message in _turned_down(context, before, after)),
        *(("exclude", f"leaves out more: {p}") for p in _loosened(before.exclude, after.exclude)),
        *(("plugins", f"looks at less: {p}") for p in _loosened(after.plugins, before.plugins)),
        *(("required", f"no longer requires {path}") for path in _given_up(context, before, after)),
        *_scalars(context, before, after),
    ]
    for key, message in told:
        line = after.lines.get(key) if context.own else None
        yield GateEdit(path=CONFIG, line=line, message=message)
    known = {replace(allow, line=0) for allow in before.allow}
    for allow in after.allow:
        if replace(allow, line=0) not in known:
            until = f" until {allow.until}" if allow.until else ""
            message = f"allows {allow.rule} for {allow.path}{until}: {allow.why or 'no reason'}"
            yield GateEdit(path=CONFIG, line=allow.line, message=message)


def _turned_down(context: Context, before: Config, after: Config) -> Iterator[str]:
    order = get_args(Level)
    for code in sorted({*before.severity, *after.severity}):
        was, now = (_severity(context, config, code) for config in (before, after))
        if order.index(now) > order.index(was):
            yield f"turns {code} down from {was} to {now}"


def _given_up(context: Context, before: Config, after: Config) -> Iterator[str]:
    """Yield paths that the lock still asks for; one that nothing asks for is a path that left."""
    kept = {row.path for row in after.required}
    lock = context.lock
    asked = {*lock.copies, *lock.pinned} if lock else set()
    for row in before.required:
        if row.path not in kept and row.path in asked:
            yield row.path


def _scalars(context: Context, before: Config, after: Config) -> Iterator[tuple[str, str]]:
    order = get_args(Bump)
    if order.index(after.bump) > order.index(before.bump):
        yield "bump", f"turns bump from {before.bump} to {after.bump}"
    was, now = before.minimum_release, after.minimum_release
    releases = context.catalog.releases
    if was is not None and was != now:
        known = was in releases and now in releases
        if not known or releases.index(str(now)) < releases.index(was):
            yield "minimum-release", f"turns minimum-release from {was} to {now or 'none'}"


def _lock_edits(context: Context, base: Context) -> Iterator[GateEdit]:
    if context.lock is None or base.lock is None:
        return
    releases = context.catalog.releases
    was, now = base.lock.release, context.lock.release
    if releases.index(now) < releases.index(was):
        yield GateEdit(path=LOCK, line=None, message=f"goes back from release {was} to {now}")
    for pin in context.lock.pins:
        if pin not in base.lock.pins:
            line = line_of(context.lock_data, pin.path)
            message = f"pins {pin.path} to release {pin.release}: {pin.why or 'no reason'}"
            yield GateEdit(path=LOCK, line=line, message=message)


def _workflow_edits(after: Tree, before: Tree) -> Iterator[GateEdit]:
    workflows = [entry.path for entry in before.under(_WORKFLOWS) if entry.kind == "file"]
    for path in [path for path in workflows if path.endswith((".yml", ".yaml"))]:
        old = _read(before, path)
        if old is None or _NAME not in old:
            continue
        new = _read(after, path)
        if new is None:
            yield GateEdit(path=path, line=None, message="the workflow that runs the check is gone")
        elif new != old:
            yield GateEdit(path=path, line=1, message="the workflow that runs the check is edited")
    for path in _OWNERS:
        owned = [line.strip() for line in (_read(before, path) or b"").splitlines()]
        kept = {line.strip() for line in (_read(after, path) or b"").splitlines()}
        for line in owned:
            if _NAME in line and not line.startswith(b"#") and line not in kept:
                told = line.decode("utf-8", "backslashreplace")
                yield GateEdit(path=path, line=None, message=f"no longer says: {told}")


def _severity(context: Context, config: Config, code: str) -> Level:
    own = context.levels.get(code)
    level: Level = config.severity.get(code, own.value if own else "error")
    return level


def _loosened(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield patterns that make `after` match more: new ones, and exceptions that went."""
    yield from (pattern for pattern in after if pattern[0] != "!" and pattern not in before)
    yield from (pattern for pattern in before if pattern[0] == "!" and pattern not in after)
    same = sorted(before) == sorted(after) and tuple(before) != tuple(after)
    if same and any(pattern[0] == "!" for pattern in before):
        yield "the patterns stand in another order"


def _read(tree: Tree, path: str) -> bytes | None:
    try:
        return tree.read(path) if path in tree.entries else None
    except UnusableInputError:
        return None
