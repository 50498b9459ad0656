"""A folder without git, read by the rules of its own `.gitignore` files."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from judge_conformance.tree.base import Tree, read_regular
from judge_conformance.tree.entries import Entry

if TYPE_CHECKING:
    from pathspec.pattern import RegexPattern

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """The patterns of one `.gitignore`, the last of which counts first."""

    folder: str
    patterns: tuple[RegexPattern, ...]

    def ignore(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the path is ignored; None when no pattern speaks of it."""
        inside = path[len(self.folder) + 1 :] if self.folder else path
        for pattern in self.patterns:
            if _matches(pattern, inside, is_folder=is_folder):
                return bool(pattern.include)
        return None


def open_folder(root: Path) -> Tree:
    """Walk the folder; nested repositories and what `.gitignore` names are left out."""
    entries: dict[str, Entry] = {}
    pending: list[tuple[str, tuple[_Rules, ...]]] = [("", ())]
    while pending:
        folder, outer = pending.pop()
        try:
            with os.scandir(f"{root}/{folder}") as listing:
                children = list(listing)
        except OSError:
            continue  # git, too, passes by a folder that it may not or cannot open
        rules = (*_own_rules(root, folder), *outer)
        for child in children:
            path = f"{folder}/{child.name}" if folder else child.name
            try:
                mode = child.stat(follow_symlinks=False).st_mode
            except OSError:
                continue
            is_folder = stat.S_ISDIR(mode)
            if child.name == ".git" or _ignored(path, rules, is_folder=is_folder):
                continue
            if not is_folder:
                entries[path] = Entry.on_disk(path, mode, tracked=True)
            elif os.path.lexists(f"{root}/{path}/.git"):
                entries[path] = Entry(path=path, kind="submodule")
            else:
                pending.append((path, rules))
    return Tree(root=root, entries=dict(sorted(entries.items())), source="folder")


def _own_rules(root: Path, folder: str) -> tuple[_Rules, ...]:
    try:
        data = read_regular(f"{root}/{folder}/.gitignore")
    except OSError:
        return ()
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - late: git reads its own ignore files

    patterns: list[RegexPattern] = []
    for line in data.removeprefix(_BOM).split(b"\n"):
        text = line.removesuffix(b"\r").decode("utf-8", "surrogateescape")
        try:
            patterns += GitIgnoreSpec.from_lines([text]).patterns
        except ValueError:
            continue  # git skips a pattern that it cannot read
    return (_Rules(folder=folder, patterns=tuple(reversed(patterns))),)


def _ignored(path: str, rules: tuple[_Rules, ...], *, is_folder: bool) -> bool:
    """Apply the innermost ignore file that has a word on the path."""
    words = (rule.ignore(path, is_folder=is_folder) for rule in rules)
    return next((word for word in words if word is not None), False)


def _matches(pattern: RegexPattern, path: str, *, is_folder: bool) -> bool:
    """Whether a pattern speaks of this very path.

    The library's expressions also match all that lies below a folder, which is not git's way: a
    folder that `!a/` brings back brings back nothing inside it. Their one group is the slash
    after the folder that they name; it must be the last one.
    """
    subject = path + "/" * is_folder
    for found in pattern.regex.finditer(subject) if pattern.regex else ():
        if found.lastindex is None:
            if found.end() <= len(path):
                return True
        elif is_folder and found.end(found.lastindex) == len(subject):
            return True
    return False
