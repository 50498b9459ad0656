"""What every source of files gives: entries by path, and their bytes."""

from __future__ import annotations

import hashlib
import os
import stat
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from judge_conformance.errors import UnusableInputError

Kind = Literal["file", "link", "submodule", "special"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One path of the tree (POSIX, relative to the root; undecodable bytes as surrogates).

    `blob` is git's id of the bytes, known only where the index vouches that the file is
    unchanged; a copy with the canonical id need not be read again.
    """

    path: str
    kind: Kind
    executable: bool = False
    blob: str | None = None
    tracked: bool = True
    ignored: bool = False


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Files below `root`, sorted by path; `source` says where their bytes come from.

    `uri_prefix` leads from git's top to the root (`""` or `sub/dir/`); `object_format` is git's
    hash (None without git). `fetch` reads the bytes of an entry that is not in the work tree.
    """

    root: Path
    entries: Mapping[str, Entry]
    source: Literal["work", "index", "commit", "folder"]
    uri_prefix: str = ""
    object_format: Literal["sha1", "sha256"] | None = None
    fetch: Callable[[str], bytes] | None = None

    @cached_property
    def paths(self) -> list[str]:
        """All paths, sorted, for searching."""
        return list(self.entries)

    def under(self, folder: str) -> Iterator[Entry]:
        """Yield the entries below a folder (`""`: all of them), in order."""
        prefix = f"{folder}/" if folder else ""
        for path in self.paths[bisect_left(self.paths, prefix) :]:
            if not path.startswith(prefix):
                return
            yield self.entries[path]

    def look(self, path: str) -> Entry | None:
        """Return the entry at a path, also one that git ignores; never follows a link."""
        if (entry := self.entries.get(path)) or self.source in {"index", "commit"}:
            return entry
        if self.link_on_the_way(path):
            return None
        try:
            mode = os.lstat(self.root / path).st_mode
        except (OSError, ValueError):
            return None
        if stat.S_ISDIR(mode):
            return None
        return Entry(
            path=path,
            kind=kind_of(mode),
            executable=bool(mode & 0o100),
            tracked=False,
            ignored=True,
        )

    def link_on_the_way(self, path: str) -> str | None:
        """Return the first parent folder of a path that is a symbolic link, if any."""
        parts = path.split("/")
        for end in range(1, len(parts)):
            parent = "/".join(parts[:end])
            if self.source in {"work", "folder"}:
                if (self.root / parent).is_symlink():
                    return parent
            elif (entry := self.entries.get(parent)) and entry.kind == "link":
                return parent
        return None

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes. Raises UnusableInputError; never blocks on a FIFO."""
        if self.fetch is not None:
            return self.fetch(path)
        if parent := self.link_on_the_way(path):
            raise UnusableInputError(f"lies behind the link {parent}", path=path)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(self.root / path, flags | getattr(os, "O_BINARY", 0))
        except (OSError, ValueError) as error:
            raise UnusableInputError(f"cannot be read: {_story(error)}", path=path) from error
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UnusableInputError("is not a regular file", path=path)
            try:
                return file.read()
            except OSError as error:
                raise UnusableInputError(f"cannot be read: {_story(error)}", path=path) from error

    def blob_id(self, data: bytes) -> str:
        """Return the id that git gives these bytes in this repository's object format."""
        return hashlib.new(
            self.object_format or "sha1", b"blob %d\0" % len(data) + data, usedforsecurity=False
        ).hexdigest()


def kind_of(mode: int) -> Kind:
    """Name the kind of a directory entry from its `lstat` mode (a folder is none of these)."""
    if stat.S_ISREG(mode):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "special"


def _story(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
