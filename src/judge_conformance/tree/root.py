"""Which folder is the root, and how it is opened."""

from __future__ import annotations

from pathlib import Path

from judge_conformance.errors import UnusableInputError, UsageError
from judge_conformance.tree.base import Tree
from judge_conformance.tree.folder import open_folder
from judge_conformance.tree.git import git_top, open_git

_SIGNS = ("judge-contract.toml", ".claude-plugin/marketplace.json")


def find_root(start: Path) -> Path:
    """Return the nearest folder upwards with a config, else a manifest, else git's top."""
    start = start.absolute()
    for sign in _SIGNS:
        for folder in (start, *start.parents):
            if (folder / sign).is_file():
                return folder
    return git_top(start) or start


def open_tree(root: Path, *, staged: bool = False) -> Tree:
    """Open a repository, or a plain folder. Raises UnusableInputError, GitError, UsageError."""
    if not root.is_dir():
        raise UnusableInputError("is no folder", path=str(root))
    top = git_top(root)
    if top is None:
        if staged:
            raise UsageError("--staged reads git's index, and this is no git repository")
        return open_folder(root)
    return open_git(root, top, source="index" if staged else "work")
