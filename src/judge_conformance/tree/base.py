"""What every source of files gives: entries by path, and their bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

from judge_conformance.errors import UnusableInputError
from judge_conformance.tree.entries import Entry, GitEntries

Source = Literal["work", "index", "commit", "folder"]
T = TypeVar("T")

UNSETTLED = 2_000_000_000  # ns after a change in which times may not tell of another: FAT's step
LARGEST = 256 * 1024 * 1024  # bytes; what is larger is no text of anybody's

_MODE = len("100644")  # of a merge conflict git tells no more
_CHUNK = 64 * 1024
_CAREFULLY = os.O_RDONLY | sum(
    getattr(os, name, 0)
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC", "O_NOCTTY")
)


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Files below `root`, sorted by path; `source` says where their bytes come from.

    `uri_prefix` leads from git's top to the root (`""` or `sub/dir/`); `object_format` is git's
    hash (None without git). `fetch` returns the bytes of a blob id; entries with a `blob` are
    read by it, all others from the disk. `private` is git's own folder, which no commit reaches.
    """

    root: Path
    entries: Mapping[str, Entry]
    source: Source
    uri_prefix: str = ""
    object_format: Literal["sha1", "sha256"] | None = None
    fetch: Callable[[str], bytes] | None = None
    private: Path | None = None
    _held: dict[tuple[str, bytes], bool] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def paths(self) -> Sequence[str]:
        """All paths, sorted, for searching."""
        return list(self.entries)

    @property
    def on_disk(self) -> bool:
        """Whether files are those of the disk, rather than of git's index or of a commit."""
        return self.source in {"work", "folder"}

    def paths_under(self, folder: str) -> Sequence[str]:
        """Return the paths below a folder (`""`: all of them), sorted."""
        return below(self.paths, folder, str)

    def under(self, folder: str) -> Iterator[Entry]:
        """Yield the entries below a folder (`""`: all of them), in order."""
        return map(self.entries.__getitem__, self.paths_under(folder))

    def seal(self, folder: str) -> str | None:
        """Return a digest of all files below a folder: the same seal, the same bytes.

        None when there is none: of a file that git does not track, or that changed just now and
        could change again without a trace.
        """
        if not isinstance(self.entries, GitEntries):
            return None
        settled = time.time_ns() - UNSETTLED
        digest = hashlib.sha256()
        for path in self.paths_under(folder):
            told = self.entries.told(path)
            if self.on_disk and told is not None:
                told = _written(f"{self.root}/{path}", told, settled)
            if told is None or len(told) <= _MODE:
                return None
            digest.update(f"{path}\0{told}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def look(self, path: str) -> Entry | None:
        """Return the entry at a path, also one that git ignores; never follows a link.

        What lies in another repository inside this one, or in `.git`, is none of the tree's.
        """
        if entry := self.entries.get(path):
            return entry
        if not self.on_disk or not is_inside(path) or self._elsewhere(path):
            return None
        try:
            mode = os.lstat(f"{self.root}/{path}").st_mode
        except OSError:
            return None
        if stat.S_ISDIR(mode) or not _is_spelled(self.root, path):
            return None
        return Entry.on_disk(path, mode, tracked=False, ignored=True)

    def link_on_the_way(self, path: str) -> str | None:
        """Return the first parent folder of a path that is a symbolic link, if any."""
        if self.on_disk:
            return link_on_the_way(self.root, path)
        for parent in _parents(path):
            if (entry := self.entries.get(parent)) and entry.kind == "link":
                return parent
        return None

    def repository_on_the_way(self, path: str) -> str | None:
        """Return the other repository (a submodule or a nested one) that holds a path, if any."""
        for parent in _parents(path):
            if (entry := self.entries.get(parent)) and entry.kind == "submodule":
                return parent
        return None

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes. Raises UnusableInputError; never blocks on a FIFO."""
        entry = self.entries.get(path)
        if story := self._obstacle(path, entry):
            raise UnusableInputError(story, path=path)
        try:
            if entry and entry.blob and self.fetch:
                return self.fetch(entry.blob)
            return read_regular(f"{self.root}/{path}")
        except UnusableInputError as error:
            raise UnusableInputError(error.message, path=path) from error
        except OSError as error:
            story = f"cannot be read: {error.strerror or error}"
            raise UnusableInputError(story, path=path) from error

    def holds(self, path: str, text: bytes) -> bool:
        """Whether a file can be read and holds a text; it is read once for all who ask."""
        if (path, text) not in self._held:
            try:
                self._held[path, text] = text in self.read(path)
            except UnusableInputError:
                self._held[path, text] = False
        return self._held[path, text]

    def may_hold(self, path: str, contents: Mapping[str, int]) -> bool:
        """Whether a file may hold one of these contents (blob id -> size), told without reading.

        What git holds is told by its id, what lies on the disk by its size.
        """
        if (entry := self.entries.get(path)) and entry.blob:
            return entry.blob in contents
        try:
            return os.lstat(f"{self.root}/{path}").st_size in contents.values()
        except OSError:
            return False

    def setting(self, path: str) -> bytes | None:
        """Return the bytes of a file that may be missing (None).

        Raises UnusableInputError for what is no regular file, and for one that git ignores: it
        would count here, and be absent in every clone.
        """
        if path in self.entries:
            return self.read(path)
        if not self.on_disk:
            return None
        if (self.root / path).is_dir() and not (self.root / path).is_symlink():
            raise UnusableInputError("is a folder, and must be a file", path=path)
        entry = self.look(path)
        if entry is not None and entry.kind == "file":
            raise UnusableInputError(
                "is ignored by git, so that no clone has it", path=path, hint="git add -f it"
            )
        return None if entry is None else self.read(path)

    def blob_id(self, data: bytes) -> str:
        """Return the id that git gives these bytes in this repository's object format."""
        return hashlib.new(
            self.object_format or "sha1", b"blob %d\0" % len(data) + data, usedforsecurity=False
        ).hexdigest()

    def _obstacle(self, path: str, entry: Entry | None) -> str | None:
        """Say why there are no bytes at a path; what is listed lies behind no link."""
        if entry is None:
            return self._obstacle_on_the_way(path)
        if entry.kind == "submodule":
            return "is another repository"
        if entry.kind == "link":
            return "is a symbolic link"
        return None if self.on_disk or entry.blob else "has a merge conflict"

    def _obstacle_on_the_way(self, path: str) -> str | None:
        if not is_inside(path):
            return "is no path inside the root"
        if parent := self.link_on_the_way(path):
            return f"lies behind the link {parent}"
        if parent := self.repository_on_the_way(path):
            return f"lies in another repository, {parent}"
        return None if self.on_disk else "cannot be read: no such file"

    def _elsewhere(self, path: str) -> bool:
        inside_git = any(part.lower() == ".git" for part in path.split("/"))
        return inside_git or bool(self.link_on_the_way(path) or self.repository_on_the_way(path))


def below(rows: Sequence[T], folder: str, path: Callable[[T], str]) -> Sequence[T]:
    """Return the rows, sorted by the path of each, that lie below a folder (`""`: all)."""
    if not folder:
        return rows
    first = bisect_left(rows, folder + "/", key=path)
    return rows[first : bisect_left(rows, folder + "0", first, key=path)]  # "0" follows "/"


def is_inside(path: str) -> bool:
    """Whether a path is relative, normal, does not climb, and can be one on a disk."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return "\0" not in path and not {"", ".", ".."}.intersection(path.split("/"))


def link_on_the_way(root: Path, path: str) -> str | None:
    """Return the first parent folder of a path on the disk that is a symbolic link, if any."""
    for parent in _parents(path):
        try:
            mode = os.lstat(f"{root}/{parent}").st_mode
        except (OSError, ValueError):
            return None
        if stat.S_ISLNK(mode):
            return parent
    return None


def _written(file: str, told: str, settled: int) -> str | None:
    """Return where and when a file was written; None when it is gone, or not `settled` (ns)."""
    try:
        of = os.lstat(file)
    except OSError:
        return None
    if of.st_ctime_ns > settled:
        return None
    place = f"{of.st_dev} {of.st_ino} {of.st_mode}"
    return f"{told} {place} {of.st_size} {of.st_mtime_ns} {of.st_ctime_ns}"


def _parents(path: str) -> Iterator[str]:
    at = path.find("/")
    while at != -1:
        yield path[:at]
        at = path.find("/", at + 1)


def _is_spelled(root: Path, path: str) -> bool:
    """Whether each part has this very spelling on disk, where case may not tell files apart."""
    folder = str(root)
    for part in path.split("/"):
        try:
            if part not in os.listdir(folder):  # noqa: PTH208 - names are compared, not paths
                return False
        except PermissionError:
            return True  # a folder that may be passed but not listed
        folder += f"/{part}"
    return True


def read_regular(file: str) -> bytes:
    """Return a file's bytes; no link is followed, no writer waited for. Raises OSError."""
    try:
        descriptor = os.open(file, _CAREFULLY)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError("it is a symbolic link") from error
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is not a regular file")
        if status.st_size > LARGEST:
            raise OSError(f"it is larger than {LARGEST // 1024 // 1024} MiB")
        asked = status.st_size + 1
        parts = [os.read(descriptor, asked)]
        while len(parts[-1]) == asked:  # it grew; what is less than asked ends at the end
            asked = _CHUNK
            parts.append(os.read(descriptor, asked))
        return b"".join(parts)
    finally:
        os.close(descriptor)
