"""Which Workflow scripts a tree holds, and which of them a change touched."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from judge_conformance.errors import GitError, UnusableInputError
from judge_conformance.tree import Tree, merge_base, open_commit
from judge_conformance.tree.git import git_top

_META = re.compile(rb"^(?:\s|//[^\r\n]*|/\*.*?\*/|\xef\xbb\xbf)*export\s+const\s+meta\b", re.DOTALL)
_AGENT = re.compile(rb"\bagent\s*\(")
_SUFFIXES = (".js", ".mjs")


def read(path: Path, shown: str) -> str:
    """Return a file's text. Raises UnusableInputError when it cannot be read as UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UnusableInputError(f"cannot be read: {error.strerror}", path=shown) from error
    except UnicodeDecodeError as error:
        raise UnusableInputError(f"is not UTF-8 at byte {error.start}", path=shown) from error


def all_scripts(tree: Tree) -> list[str]:
    """Find every Workflow script of a tree: JavaScript that begins with `export const meta`."""
    found = []
    for entry in tree.entries.values():
        path = entry.path
        if not path.endswith(_SUFFIXES) or entry.kind != "file" or "node_modules/" in path:
            continue
        data = tree.read(path)
        if _META.search(data) and _AGENT.search(data):
            found.append(path)
    return found


def changed(root: Path, paths: Sequence[str], base: str) -> set[str]:
    """Return the scripts that are not, byte for byte, what they were where we left `base`.

    Raises GitError where Git cannot say: an unknown ref, a shallow clone, unrelated histories.
    """
    before = open_commit(root, merge_base(root, base))
    return {
        path
        for path in paths
        if path not in before.entries or before.read(path) != (root / path).read_bytes()
    }


def uri_prefix(root: Path) -> str:
    """Return what leads from Git's top to the root (`""` or `sub/dir/`); nothing without Git."""
    try:
        top = git_top(root)
    except GitError:
        return ""
    inner = "." if top is None else os.path.relpath(root.resolve(), top.resolve())
    return "" if inner == "." else inner.replace(os.sep, "/") + "/"
