"""`judge-contract lock`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from judge_conformance.catalog import Catalog
from judge_conformance.cli._repository import emit
from judge_conformance.config import Config
from judge_conformance.copies import Copy, State, survey
from judge_conformance.engine import load_config
from judge_conformance.errors import GO, AuthorMistakeError, NothingToCheckError
from judge_conformance.lock import Lock, parse_lock, salvage
from judge_conformance.paths import LOCK
from judge_conformance.tree import Tree, find_plugins, find_root, open_tree
from judge_conformance.vendoring import write_whole


@click.command()
@click.argument("root", type=click.Path(path_type=Path), required=False)
@click.option("--check", "only", is_flag=True, help="Write nothing; fail when it would change.")
def command(root: Path | None, only: bool) -> int:
    """Write the lock again, after merge conflicts, renames, forks.

    Every copy that the tree holds becomes a row; rows of what is gone go. Pins and reasons for
    what was retired are kept, out of a conflict too. The release stays; where the lock cannot tell
    it, it is the newest that a copy is of.
    """
    tree = open_tree(root.absolute() if root else find_root(Path.cwd()))
    before = tree.setting(LOCK)
    lock = _rebuilt(tree, Catalog.load(), before)
    after = lock.render()
    if after == before:
        emit(f"{LOCK}: as it is\n")
        return GO
    if only:
        emit(f"{LOCK}: would change\n")
        return 1
    write_whole(tree.root, {LOCK: (before, after)})
    emit(f"{LOCK}: release {lock.release}, {len(lock.copies)} copies\n")
    return GO


def _is_hurt(copy: Copy, adopted: Mapping[str, str]) -> bool:
    """Whether a copy that was adopted is there but cannot be read, or not by others."""
    return copy.path in adopted and copy.state is not State.MISSING


def _rebuilt(tree: Tree, catalog: Catalog, before: bytes | None) -> Lock:
    try:
        old = parse_lock(before) if before is not None else None
    except AuthorMistakeError:
        old = salvage(before or b"")
    if old is not None:
        catalog.known(old.release)
    config = load_config(tree) or Config()
    found = survey(tree, catalog, config, old, find_plugins(tree))
    aside = {pin.path for pin in old.pins} | {row.path for row in old.retired} if old else set()
    adopted = old.copies if old else {}
    copies = {
        copy.path: copy.artifact
        for copy in found.copies.values()
        if copy.path not in aside and (copy.present or _is_hurt(copy, adopted))
    }
    if not copies and old is None:
        raise NothingToCheckError("no copy in the tree, so that there is nothing to lock")
    releases = [copy.found for copy in found.copies.values() if copy.found]
    newest = max(releases, key=catalog.releases.index, default=catalog.newest)
    base = old or Lock(release=newest)
    return replace(base, copies=copies)
