"""One path of a tree, and many of them as git lists them."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["file", "link", "submodule", "special"]

_KINDS: Mapping[str, Kind] = {"120000": "link", "160000": "submodule"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One path of the tree (POSIX, relative to the root; undecodable bytes as surrogates).

    `submodule` is any other repository inside this one; `special` a FIFO, device or socket.
    `blob` is git's id of the bytes that `read` returns, where git itself holds these bytes: in
    the index and in commits. In the work tree it is None: there the file is what counts.
    """

    path: str
    kind: Kind
    executable: bool = False
    blob: str | None = None
    tracked: bool = True
    ignored: bool = False

    @classmethod
    def on_disk(cls, path: str, mode: int, *, tracked: bool, ignored: bool = False) -> Entry:
        """Make the entry of an `lstat` mode, which is not a folder's."""
        kind: Kind = "special"
        if stat.S_ISREG(mode):
            kind = "file"
        elif stat.S_ISLNK(mode):
            kind = "link"
        executable = kind == "file" and bool(mode & 0o100)
        return cls(path=path, kind=kind, executable=executable, tracked=tracked, ignored=ignored)


class GitEntries(Mapping[str, Entry]):
    """Entries by path, sorted; a row of git becomes an entry when it is asked for.

    A row is git's octal mode, with ` <blob id>` after it where git holds the bytes that count.
    """

    def __init__(self, rows: Mapping[str, str | Entry]) -> None:
        self._rows = dict(sorted(rows.items()))

    def __getitem__(self, path: str) -> Entry:
        """Return the entry of a path."""
        return self._entry(path, self._rows[path])

    def get(self, path: str, default: Any = None) -> Any:  # noqa: ANN401 - as Mapping has it
        """Return the entry of a path, if it is listed; faster than by an exception."""
        row = self._rows.get(path)
        return default if row is None else self._entry(path, row)

    @staticmethod
    def _entry(path: str, row: str | Entry) -> Entry:
        if isinstance(row, Entry):
            return row
        return Entry(
            path=path,
            kind=_KINDS.get(row[:6], "file"),
            executable=row[:6] == "100755",
            blob=row[7:] or None,
        )

    def told(self, path: str) -> str | None:
        """Return what git says of a path, without a blob id where the disk counts.

        None of a path that it does not track.
        """
        row = self._rows[path]
        if isinstance(row, str):
            return row
        return f"{row.kind} {row.executable}" if row.tracked else None

    def __iter__(self) -> Iterator[str]:
        """Yield the paths."""
        return iter(self._rows)

    def __len__(self) -> int:
        """Count the paths."""
        return len(self._rows)

    def __contains__(self, path: object) -> bool:
        """Whether a path is listed, without making its entry."""
        return path in self._rows
