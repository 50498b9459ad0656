"""A folder without git, read by the rules of its own `.gitignore` files."""

from __future__ import annotations

import os
from pathlib import Path

from pathspec import GitIgnoreSpec

from judge_conformance.tree.base import Tree
from judge_conformance.tree.entries import Entry

_IGNORES = 1024 * 1024  # bytes of one .gitignore that are read


def open_folder(root: Path) -> Tree:
    """Walk the folder; nested repositories and what `.gitignore` names are left out."""
    entries: dict[str, Entry] = {}
    pending: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    while pending:
        folder, specs = pending.pop()
        specs = (*specs, *_own_rules(root, folder))
        try:
            children = sorted(os.scandir(root / folder), key=lambda child: child.name)
        except OSError:
            continue
        for child in children:
            path = f"{folder}/{child.name}" if folder else child.name
            is_folder = child.is_dir(follow_symlinks=False)
            if child.name == ".git" or _ignored(path + "/" * is_folder, specs):
                continue
            if not is_folder:
                mode = child.stat(follow_symlinks=False).st_mode
                entries[path] = Entry.on_disk(path, mode, tracked=True)
            elif os.path.lexists(root / path / ".git"):
                entries[path] = Entry(path=path, kind="submodule")
            else:
                pending.append((path, specs))
    return Tree(root=root, entries=dict(sorted(entries.items())), source="folder")


def _own_rules(root: Path, folder: str) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    file = root / folder / ".gitignore"
    if file.is_symlink() or not file.is_file():
        return ()
    with file.open("rb") as stream:
        lines = stream.read(_IGNORES).decode("utf-8", "surrogateescape").splitlines()
    good = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue  # git skips a pattern that it cannot read
        good.append(line)
    return ((folder, GitIgnoreSpec.from_lines(good)),)


def _ignored(path: str, specs: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    """Apply the innermost ignore file that has a word on the path."""
    for folder, spec in reversed(specs):
        relative = path[len(folder) + 1 :] if folder else path
        verdict = spec.check_file(relative).include
        if verdict is not None:
            return verdict
    return False
