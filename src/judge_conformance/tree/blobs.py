"""The bytes of git's objects, by one `git cat-file --batch` that starts with the first question."""

from __future__ import annotations

import os
import subprocess
import weakref
from collections.abc import Mapping

from judge_conformance.errors import UnusableInputError
from judge_conformance.tree.base import LARGEST, Source, Tree
from judge_conformance.tree.entries import Entry, GitEntries
from judge_conformance.tree.git import Repository


class Blobs:
    """Call it with a blob id; the process ends with this object. Raises UnusableInputError."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._process: subprocess.Popen[bytes] | None = None
        self._asker = os.getpid()

    def __call__(self, blob: str) -> bytes:
        """Return the bytes of one object."""
        if os.getpid() != self._asker:  # a fork must not share the pipes of its parent
            self._process, self._asker = None, os.getpid()
        if self._process is None:
            self._process = self._repository.start("cat-file", "--batch")
            weakref.finalize(self, _stop, self._process)
        try:
            return _ask(self._process, blob)
        except (OSError, UnusableInputError) as error:
            _stop(self._process)  # what it would say next is no answer to the next question
            self._process = None
            if isinstance(error, UnusableInputError):
                raise
            raise UnusableInputError(f"git cannot be asked for it: {error.strerror}") from error


def git_tree(repository: Repository, rows: Mapping[str, str | Entry], *, source: Source) -> Tree:
    """Make a tree of git's rows, which reads from git what git alone holds."""
    return Tree(
        root=repository.root,
        entries=GitEntries(rows),
        source=source,
        uri_prefix=repository.uri_prefix,
        object_format=repository.object_format,
        fetch=Blobs(repository),
        private=repository.folder if repository.keeps_private else None,
    )


def _ask(process: subprocess.Popen[bytes], blob: str) -> bytes:
    if process.stdin is None or process.stdout is None:
        raise UnusableInputError("git cannot be asked for it")
    process.stdin.write(blob.encode() + b"\n")
    process.stdin.flush()
    head = process.stdout.readline().split()
    if len(head) != 3:  # noqa: PLR2004 - id, type and size; else `<id> missing`, or nothing
        raise UnusableInputError("git does not have its bytes")
    size = int(head[2])
    if size > LARGEST:
        raise UnusableInputError(f"is larger than {LARGEST // 1024 // 1024} MiB")
    data = process.stdout.read(size + 1)
    if len(data) != size + 1:
        raise UnusableInputError("git broke off within its bytes")
    return data[:-1]


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()
