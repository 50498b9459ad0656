"""Put canonical bytes into plugin trees: first a plan, then its writes, the lock last."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from judge_conformance.config import is_inside
from judge_conformance.copies import SCRIPTS, Copy, State
from judge_conformance.difference import differ
from judge_conformance.errors import RefusedError, UnusableInputError, UsageError
from judge_conformance.lock import Lock
from judge_conformance.paths import LOCK
from judge_conformance.rule import Context
from judge_conformance.shell import shell_path
from judge_conformance.tree import Entry, Plugin
from judge_conformance.workflows.edit import insert_block, replace_block, uses_crlf
from judge_conformance.workflows.parse import ScriptError, parse

DEFAULT = ("judge_contract.py", "judge-contract.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Want:
    """An artifact that is to stand at a path."""

    path: str
    artifact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file to write; `before` are the bytes that must still be there (None: no file).

    `artifact` is empty for a manifest whose version is raised.
    """

    path: str
    artifact: str
    action: Literal["create", "replace", "insert", "remove", "bump"]
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run would write: changed files in order, then the lock. `kept` needs no write."""

    changes: tuple[Change, ...]
    lock: Lock
    lock_before: bytes | None
    kept: tuple[str, ...] = ()

    @property
    def writes_lock(self) -> bool:
        """Whether the lock's bytes change."""
        return self.lock.render() != self.lock_before


def wants(
    context: Context,
    plugin: Plugin,
    *,
    artifacts: Sequence[str],
    into: str | None = None,
) -> Iterator[Want]:
    """Say where each artifact of a plugin stands: where it lies already, else in its folder."""
    held = {
        copy.artifact: copy.path
        for copy in reversed(tuple(context.survey.copies.values()))
        if copy.state is not State.MISSING and context.plugins.of(copy.path) == plugin
    }
    adopted = context.lock.copies if context.lock else {}
    held |= {name: path for path, name in adopted.items() if context.plugins.of(path) == plugin}
    if into and not is_inside(posixpath.normpath(into)):
        raise UsageError(f"--into {into}: leaves the plugin")
    for name in artifacts:
        folder = into or context.catalog.artifacts[name].destination
        new = posixpath.normpath(posixpath.join(plugin.path, folder, name))
        yield Want(path=new if into else held.get(name, new), artifact=name)


def plan(context: Context, wanted: Sequence[Want], *, force: bool = False) -> Plan:
    """Compute every write. Raises RefusedError for edits that would be lost, UsageError."""
    release = context.release
    changes, kept = [], []
    asked = dict.fromkeys(wanted)  # two plugins may ask for one file
    if len({want.path for want in asked}) < len(asked):
        twice = next(want for want in reversed(asked) if want.path in {w.path for w in asked})
        raise UsageError("is asked to be two artifacts at once", path=twice.path)
    for want in asked:
        if not context.catalog.has(want.artifact, release):
            raise UsageError(
                f"release {release}, on which this lock stands, has no {want.artifact}",
                hint=f"run: {context.program} upgrade",
            )
        change = _change(context, want, release, force=force)
        if change is None:
            kept.append(want.path)
        else:
            changes.append(change)
    lock = context.lock or Lock(release=release)
    paths = {want.path for want in wanted}
    lock = replace(
        lock,
        copies={**lock.copies, **{want.path: want.artifact for want in wanted}},
        pins=tuple(pin for pin in lock.pins if pin.path not in paths),
        retired=tuple(row for row in lock.retired if row.path not in paths),
    )
    return Plan(
        changes=tuple(changes),
        lock=lock,
        lock_before=context.lock_data if LOCK in context.tree.entries else None,
        kept=tuple(kept),
    )


def _change(context: Context, want: Want, release: str, *, force: bool) -> Change | None:
    path = want.path
    if not is_inside(path):
        raise RefusedError("leaves the repository; nothing written", path=path)
    if parent := context.tree.link_on_the_way(path):
        raise RefusedError(f"lies behind the symbolic link {parent}; nothing written", path=path)
    entry = context.tree.look(path)
    if entry is not None and entry.kind != "file":
        raise RefusedError(f"is a {entry.kind}, not a file; nothing written", path=path)
    if entry is None and (context.tree.root / path).is_dir():
        raise RefusedError("is a folder, not a file; nothing written", path=path)
    if any(e.kind == "submodule" for e in _parents(context, path)):
        raise RefusedError("lies in another repository (a submodule); nothing written", path=path)
    canonical = context.catalog.content(want.artifact, release)
    if context.catalog.artifacts[want.artifact].kind == "block":
        return _block_change(context, want, canonical, force=force)
    if entry is None:
        return Change(
            path=path, artifact=want.artifact, action="create", before=None, after=canonical
        )
    before = context.tree.read(path)
    if before == canonical:
        return None
    found = Copy(
        path=path,
        artifact=want.artifact,
        declared=True,
        state=State.OTHER if context.catalog.identify(before) else State.EDITED,
        data=before,
    )
    _refuse_edited(context, found, canonical, release, force=force)
    return Change(
        path=path, artifact=want.artifact, action="replace", before=before, after=canonical
    )


def _block_change(context: Context, want: Want, canonical: bytes, *, force: bool) -> Change | None:
    path = want.path
    if not path.endswith(SCRIPTS):
        raise UsageError("is no Workflow script (.js, .mjs, .cjs)", path=path)
    before = context.tree.read(path)
    if uses_crlf(before) == "crlf":
        raise RefusedError(
            "has CRLF line endings throughout, and the block has LF; nothing written",
            path=path,
            hint=f"add to .gitattributes: {path} text eol=lf",
        )
    try:
        script = parse(path, before)
    except ScriptError as error:
        raise UnusableInputError(error.message, path=path, line=error.line) from error
    if any(marker.live for marker in script.markers) and len(script.blocks) != 1:
        raise RefusedError("its markers are broken; mend them first", path=path)
    if not script.blocks:
        after = insert_block(script, canonical)
        return Change(
            path=path, artifact=want.artifact, action="insert", before=before, after=after
        )
    block = script.blocks[0]
    data = script.block_bytes(block)
    if data == canonical:
        return None
    state = State.OTHER if context.catalog.identify(data) else State.EDITED
    found = Copy(
        path=path, artifact=want.artifact, declared=True, state=state, data=data, line=block.line
    )
    _refuse_edited(context, found, canonical, context.release, force=force)
    after = replace_block(script, block, canonical)
    return Change(path=path, artifact=want.artifact, action="replace", before=before, after=after)


def _refuse_edited(
    context: Context, copy: Copy, canonical: bytes, release: str, *, force: bool
) -> None:
    language = context.catalog.artifacts[copy.artifact].language
    found = differ(copy, canonical, language, release)
    if not found.harmless and not force:
        raise RefusedError(
            f"{copy.artifact} {found.story}; nothing written",
            path=copy.path,
            line=found.line,
            hint=f"see: {context.program} diff {shell_path(copy.path)};"
            " to overwrite it, add --force",
        )


def _parents(context: Context, path: str) -> Iterator[Entry]:
    parts = path.split("/")
    for end in range(1, len(parts)):
        if entry := context.tree.entries.get("/".join(parts[:end])):
            yield entry


def apply(root: Path, todo: Plan) -> None:
    """Write the plan: each file whole, old or new, whatever happens; the lock last.

    Raises RefusedError when a file changed since the plan was made, or another run is writing.
    """
    with _alone(root):
        for change in todo.changes:  # all or none, unless someone edits while this writes
            _unchanged(root, change.path, change.before)
        if todo.writes_lock:
            _unchanged(root, LOCK, todo.lock_before)
        for change in todo.changes:
            _replace(root, change.path, change.before, change.after)
        if todo.writes_lock:
            _replace(root, LOCK, todo.lock_before, todo.lock.render())


def write_whole(root: Path, files: Mapping[str, tuple[bytes | None, bytes]]) -> None:
    """Write other files the same way: path -> (bytes that must still be there, new bytes)."""
    with _alone(root):
        for path, (before, after) in files.items():
            _replace(root, path, before, after)


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Hold the root for writing; the system lets go of it when the process ends."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows, where the hash before each write must do
    except ImportError:
        yield
        return
    descriptor = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise RefusedError(
            "another run is writing here; nothing written", path=str(root), hint="try again"
        ) from error
    try:
        yield
    finally:
        os.close(descriptor)


def _replace(root: Path, path: str, before: bytes | None, after: bytes | None) -> None:
    target = root / path
    temporary = target.with_name(f".{target.name}.judge-contract-new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            temporary.unlink()  # what a killed run left
        if after is not None:
            mode = target.stat().st_mode & 0o777 if before is not None else 0o666
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(temporary, flags, mode), "wb") as file:
                file.write(after)
                file.flush()
                os.fsync(file.fileno())
            if before is not None:
                temporary.chmod(mode)
        _unchanged(root, path, before)
        if after is None:
            target.unlink()
        else:
            temporary.replace(target)
    except OSError as error:
        raise RefusedError(
            f"cannot be written: {error.strerror}; the file is as it was", path=path
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def _unchanged(root: Path, path: str, before: bytes | None) -> None:
    if _digest(root / path) != (hashlib.sha256(before).digest() if before is not None else None):
        raise RefusedError("changed while this ran; it was left as it is", path=path)


def _digest(path: Path) -> bytes | None:
    if path.is_symlink():
        raise RefusedError("became a symbolic link; it was left as it is", path=str(path))
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except FileNotFoundError:
        return None
