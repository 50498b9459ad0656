"""`judge-contract pin`."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import click

from judge_conformance.cli._repository import ROOT, context_at, emit, inside_root
from judge_conformance.errors import GO, RefusedError, UsageError
from judge_conformance.lock import Lock, Pin
from judge_conformance.paths import LOCK
from judge_conformance.vendoring import write_whole


@click.command()
@click.argument("path")
@click.option("--why", required=True, help="The reason, kept in the lock.")
@ROOT
def command(path: str, why: str, root: Path | None) -> int:
    """Keep the copy at PATH as it is, for the record of what ran.

    Only an unmodified copy can be pinned.
    """
    if not why.strip():
        raise UsageError("--why is blank")
    context = context_at(root)
    inside = inside_root(context, path)
    copy = context.survey.copies.get(inside)
    if copy is None:
        raise UsageError(f"{path} carries no copy of the contract")
    if copy.found is None:
        raise RefusedError(
            "is no unmodified copy of any release, which alone can be pinned", path=inside
        )
    lock = context.lock or Lock(release=context.release)
    pin = Pin(
        path=inside,
        artifact=copy.artifact,
        release=copy.found,
        sha256=hashlib.sha256(copy.data).hexdigest(),
        why=why.strip(),
    )
    after = replace(
        lock,
        copies={p: name for p, name in lock.copies.items() if p != inside},
        pins=(*(row for row in lock.pins if row.path != inside), pin),
    )
    before = context.lock_data if LOCK in context.tree.entries else None
    write_whole(context.tree.root, {LOCK: (before, after.render())})
    emit(f"pinned   {inside} at release {copy.found}\n")
    return GO
