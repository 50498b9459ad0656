"""Git's index, and the work tree beside it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import replace

from judge_conformance.tree.base import Tree, link_on_the_way
from judge_conformance.tree.blobs import git_tree
from judge_conformance.tree.entries import Entry
from judge_conformance.tree.git import Repository

_LISTED = ("ls-files", "-z", "-s", "-v")
_CHANGED = ("diff-files", "-z", "--raw", "--relative", "--ignore-submodules")
_INTENDED = (*_CHANGED, "--diff-filter=A")  # by `git add --intent-to-add`
_ROW = re.compile(r"(\S) (\d{6} [0-9a-f]+) (\d)\t([^\0]+)\0")  # tag, mode and blob id, stage, path
_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")


def open_work(repository: Repository) -> Tree:
    """Open what git tracks and is there, and what it neither tracks nor ignores."""
    listed, changed, untracked = repository.gather(_LISTED, _CHANGED, _UNTRACKED)
    rows: dict[str, str | Entry] = {}
    for tag, row, path in _listed(listed):
        rows[path] = row[:6]
        if tag != "H":
            # Sparse, or assumed to be unchanged: git does not look, so the disk is asked. What is
            # not there is still what git holds.
            behind = link_on_the_way(repository.root, path)
            rows[path] = (not behind and _on_disk(repository, path, tracked=True)) or row
    for mode, path in _changed(changed):
        rows.pop(path, None)
        if mode != "000000" and (entry := _on_disk(repository, path, tracked=True)):
            # Git knows whether the disk can be trusted with the executable bit.
            rows[path] = replace(entry, executable=mode == "100755")
    for path in os.fsdecode(untracked).split("\0")[:-1]:
        if path.endswith("/"):  # another repository, into which git does not look
            rows[path[:-1]] = Entry(path=path[:-1], kind="submodule", tracked=False)
        elif entry := _on_disk(repository, path, tracked=False):
            rows[path] = entry
    return git_tree(repository, rows, source="work")


def open_index(repository: Repository) -> Tree:
    """Open what the next commit will hold."""
    listed, intended = repository.gather(_LISTED, _INTENDED)
    rows: dict[str, str | Entry] = {path: row for _, row, path in _listed(listed)}
    for _, path in _changed(intended):
        rows.pop(path, None)
    return git_tree(repository, rows, source="index")


def _listed(output: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield tag, row (of a conflict the mode alone), and path."""
    for tag, row, stage, path in _ROW.findall(os.fsdecode(output)):
        yield (tag, row, path) if stage == "0" else ("H", row[:6], path)


def _changed(output: bytes) -> Iterator[tuple[str, str]]:
    """Yield the mode in the work tree (`000000`: gone) and the path of each change."""
    records = iter(os.fsdecode(output).split("\0")[:-1])
    return ((head.split(" ")[1], path) for head, path in zip(records, records, strict=True))


def _on_disk(repository: Repository, path: str, *, tracked: bool) -> Entry | None:
    try:
        mode = os.lstat(f"{repository.root}/{path}").st_mode
    except OSError:
        return None
    return None if stat.S_ISDIR(mode) else Entry.on_disk(path, mode, tracked=tracked)
