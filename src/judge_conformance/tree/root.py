"""Which folder is the root, and how it is opened."""

from __future__ import annotations

import os
from pathlib import Path

from judge_conformance.errors import UnusableInputError, UsageError
from judge_conformance.paths import CONFIG, MARKETPLACE
from judge_conformance.tree.base import Tree
from judge_conformance.tree.commits import merge_base, open_commit
from judge_conformance.tree.folder import open_folder
from judge_conformance.tree.git import find_repository, git_top
from judge_conformance.tree.index import open_index, open_work

_SIGNS = (CONFIG, MARKETPLACE)


def find_root(start: Path) -> Path:
    """Return the nearest folder upwards with a config, else a marketplace, else git's top.

    Inside a repository the search ends at its top. A sign that cannot be read counts too, so that
    the one who reads it complains. Raises GitError.
    """
    start = start.absolute()
    top = git_top(start)
    upwards = [start, *start.parents]
    if top is not None:
        upwards = [folder for folder in upwards if folder.resolve().is_relative_to(top)]
    for sign in _SIGNS:
        for folder in upwards:
            if os.path.lexists(folder / sign):
                return folder
    return top or start


def find_base_root(start: Path, ref: str) -> Path | None:
    """Return the root as the commit has it where HEAD and a ref part; None when it has none.

    A change that moves or plants a config must not thereby choose what it is compared with.
    Raises GitError.
    """
    start = start.absolute()
    top = git_top(start)
    if top is None:
        return None
    upwards = [folder for folder in (start, *start.parents) if folder.resolve().is_relative_to(top)]
    held = open_commit(upwards[-1], merge_base(upwards[-1], ref)).entries
    for sign in _SIGNS:
        for folder in upwards:
            if folder.relative_to(upwards[-1]).joinpath(sign).as_posix() in held:
                return folder
    return None


def open_tree(root: Path, *, staged: bool = False) -> Tree:
    """Open a repository, or a plain folder. Raises UnusableInputError, GitError, UsageError."""
    if not root.is_dir():
        raise UnusableInputError("is no folder", path=str(root))
    repository = find_repository(root)
    if repository is not None:
        return open_index(repository) if staged else open_work(repository)
    if staged:
        raise UsageError("--staged reads git's index, and this is no git repository")
    return open_folder(root)
