"""Git's view of the files: the index, the work tree beside it, and other commits."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from judge_conformance.errors import GitError, UnusableInputError
from judge_conformance.tree.base import Entry, Kind, Tree, kind_of

_KINDS: dict[bytes, Kind] = {b"120000": "link", b"160000": "submodule"}


def git_top(folder: Path) -> Path | None:
    """Return the top of the work tree that holds the folder; None outside of git."""
    try:
        top = _git(folder, "rev-parse", "--show-toplevel").rstrip(b"\n")
    except GitError as error:
        if "not a git repository" in error.message or "must be run in a work tree" in error.message:
            return None
        raise
    return Path(os.fsdecode(top))


def open_git(root: Path, top: Path, *, source: Literal["work", "index"] = "work") -> Tree:
    """Open the work tree (what git tracks and what it does not ignore) or the index alone."""
    staged = _start(root, "ls-files", "-s", "-z")
    flags = _start(root, "ls-files", "-v", "-z")
    changed = _start(root, "diff-files", "--name-only", "-z", "--relative", "--ignore-submodules")
    others = _start(root, "ls-files", "-o", "--exclude-standard", "-z")
    eol = _start(root, "ls-files", "-z", "--eol")
    dirty = set(_records(_finish(changed)))
    doubtful = {record[2:] for record in _records(_finish(flags)) if record[:1] not in b"HMRCK?"}
    doubtful |= set(_filtered(root, _records(_finish(eol))))
    untracked = list(_records(_finish(others)))
    entries = {}
    for record in _records(_finish(staged)):
        head, _, name = record.partition(b"\t")
        mode, blob, _stage = head.split(b" ")
        path = os.fsdecode(name)
        kind = _KINDS.get(mode, "file")
        unsure = name in dirty or name in doubtful
        entry = Entry(
            path=path,
            kind=kind,
            executable=mode == b"100755",
            blob=None if unsure and source == "work" else blob.decode(),
        )
        if source == "work" and unsure:
            found = _on_disk(root, entry)
            if found is None:
                continue
            entry = found
        entries[path] = entry
    if source == "work":
        for name in untracked:
            path = os.fsdecode(name)
            entry = Entry(path=path.rstrip("/"), kind="submodule", tracked=False)
            if not path.endswith("/"):
                found = _on_disk(root, entry)
                if found is None:
                    continue
                entry = found
            entries[entry.path] = entry
    prefix = os.path.relpath(root.resolve(), top.resolve()).replace(os.sep, "/")
    object_format = _git(root, "rev-parse", "--show-object-format").strip().decode()
    return Tree(
        root=root,
        entries=dict(sorted(entries.items())),
        source=source,
        uri_prefix="" if prefix == "." else prefix + "/",
        object_format="sha256" if object_format == "sha256" else "sha1",
        fetch=_reader(root, ":./") if source == "index" else None,
    )


def open_commit(root: Path, ref: str) -> Tree:
    """Open the files of a commit. Raises GitError for an unknown ref or a shallow clone."""
    commit = resolve(root, ref)
    entries = {}
    for record in _records(_git(root, "ls-tree", "-r", "-z", commit)):
        head, _, name = record.partition(b"\t")
        mode, _type, blob = head.split(b" ")
        path = os.fsdecode(name)
        entries[path] = Entry(
            path=path,
            kind=_KINDS.get(mode, "file"),
            executable=mode == b"100755",
            blob=blob.decode(),
        )
    return Tree(
        root=root,
        entries=dict(sorted(entries.items())),
        source="commit",
        object_format="sha256" if len(commit) > 40 else "sha1",  # noqa: PLR2004 - hexadecimal digits of SHA-1
        fetch=_reader(root, f"{commit}:./"),
    )


def resolve(root: Path, ref: str) -> str:
    """Return the commit id of a ref. Raises GitError naming the mend."""
    try:
        return (
            _git(root, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
            .strip()
            .decode()
        )
    except GitError as error:
        raise GitError(
            f"the base {ref!r} is unknown here",
            hint="fetch it first; in GitHub Actions, check out with fetch-depth: 0",
        ) from error


def merge_base(root: Path, ref: str, head: str = "HEAD") -> str:
    """Return the commit where two histories part. Raises GitError when there is none."""
    base = resolve(root, ref)
    try:
        return _git(root, "merge-base", base, head).strip().decode()
    except GitError as error:
        shallow = _git(root, "rev-parse", "--is-shallow-repository").strip() == b"true"
        story = "the clone is shallow" if shallow else "the histories are unrelated"
        raise GitError(
            f"no common commit of {ref!r} and {head!r}: {story}",
            hint="check out with fetch-depth: 0" if shallow else None,
        ) from error


def _filtered(root: Path, records: list[bytes]) -> Iterator[bytes]:
    """Yield paths whose work bytes may differ from their blob: line endings or a filter."""
    with_attributes = []
    for record in records:
        facts, _, name = record.partition(b"\t")
        index, work, *attributes = facts.split()
        if index[2:] != work[2:]:
            yield name
        elif b"".join(attributes) != b"attr/":
            with_attributes.append(name)
    if not (root / ".gitattributes").exists() and not with_attributes:
        return
    ask = _start(root, "check-attr", "-z", "--stdin", "filter", "working-tree-encoding", stdin=True)
    names = [record.partition(b"\t")[2] for record in records]
    answer = _finish(ask, b"\0".join(names) + b"\0" if names else b"")
    fields = _records(answer)
    for name, _attribute, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
        if value not in {b"unspecified", b"unset"}:
            yield name


def _on_disk(root: Path, entry: Entry) -> Entry | None:
    """Return the entry as the work tree has it; None when nothing, or a folder, is there."""
    if entry.kind == "submodule":
        return entry
    try:
        status = os.lstat(root / entry.path)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return None
    return Entry(
        path=entry.path,
        kind=kind_of(status.st_mode),
        executable=bool(status.st_mode & 0o100),
        tracked=entry.tracked,
    )


def _reader(root: Path, prefix: str) -> Callable[[str], bytes]:
    def fetch(path: str) -> bytes:
        try:
            return _git(root, "cat-file", "blob", prefix + path)
        except GitError as error:
            raise UnusableInputError(f"cannot be read: {error.message}", path=path) from error

    return fetch


def _records(data: bytes) -> list[bytes]:
    return data.split(b"\0")[:-1]


def _start(root: Path, *argv: str, stdin: bool = False) -> subprocess.Popen[bytes]:
    command: Sequence[str] = ("git", "-c", "core.fsmonitor=false", *argv)
    try:
        return subprocess.Popen(
            command,
            cwd=root,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise GitError("git is not on the PATH", hint="install git") from error


def _finish(process: subprocess.Popen[bytes], data: bytes | None = None) -> bytes:
    out, err = process.communicate(data)
    if process.returncode:
        lines = err.decode("utf-8", "replace").strip().splitlines() or ["no word"]
        raise GitError(f"git says: {lines[0].removeprefix('fatal: ')}")
    return out


def _git(root: Path, *argv: str) -> bytes:
    return _finish(_start(root, *argv))
