"""A read-only repository: its files, its plugins, and its state at another commit."""

from judge_conformance.tree.base import Tree
from judge_conformance.tree.commits import main_branch, merge_base, open_commit, resolve, was_named
from judge_conformance.tree.entries import Entry
from judge_conformance.tree.folder import open_folder
from judge_conformance.tree.git import git_top
from judge_conformance.tree.plugins import (
    Plugin,
    Plugins,
    Problem,
    Version,
    find_plugins,
)
from judge_conformance.tree.root import find_base_root, find_root, open_tree

__all__ = [
    "Entry",
    "Plugin",
    "Plugins",
    "Problem",
    "Tree",
    "Version",
    "find_base_root",
    "find_plugins",
    "find_root",
    "git_top",
    "main_branch",
    "merge_base",
    "open_commit",
    "open_folder",
    "open_tree",
    "resolve",
    "was_named",
]
