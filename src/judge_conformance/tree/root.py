"""Which folder is the root, and how it is opened."""

from __future__ import annotations

import os
from pathlib import Path

from judge_conformance.errors import UnusableInputError, UsageError
from judge_conformance.tree.base import Tree
from judge_conformance.tree.folder import open_folder
from judge_conformance.tree.git import find_repository, git_top
from judge_conformance.tree.index import open_index, open_work

_SIGNS = ("judge-contract.toml", ".claude-plugin/marketplace.json")


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
