"""`judge-contract retire`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from judge_conformance.cli._repository import ROOT, context_at, emit, inside_root
from judge_conformance.copies import Copy, State
from judge_conformance.errors import GO, RefusedError, UsageError
from judge_conformance.lock import Lock, Retired
from judge_conformance.output import printable
from judge_conformance.paths import CONFIG, LOCK
from judge_conformance.rule import Context
from judge_conformance.tree import was_named
from judge_conformance.vendoring import Change, Plan, apply
from judge_conformance.workflows.edit import remove_block


@click.command()
@click.argument("path")
@click.option("--why", required=True, help="The reason, kept in the lock.")
@click.option("--keep", is_flag=True, help="Leave the copy where it is; only record the reason.")
@click.option("--force", is_flag=True, help="Remove a copy that was edited, too.")
@ROOT
def command(path: str, why: str, keep: bool, force: bool, root: Path | None) -> int:
    """Take the contract out of a file or a folder, and record why.

    For a path that carries it no more, only the reason is recorded.
    """
    if not why.strip():
        raise UsageError("--why is blank")
    context = context_at(root)
    inside = inside_root(context, path)
    lock = context.lock or Lock(release=context.release)
    adopted = {p for p in lock.copies if p == inside or p.startswith(inside + "/")}
    found = [
        copy
        for copy in context.survey.copies.values()
        if copy.path == inside or copy.path.startswith(inside + "/")
    ]
    paths = sorted(adopted | {copy.path for copy in found})
    if not paths:
        if not was_named(context.tree.root, f'"{inside}"', LOCK, CONFIG):
            raise UsageError(f"{path} carries no copy of the contract, and never had to")
        paths = [inside]  # it is gone already, and only its reason is lacking
    changes = [] if keep else [c for copy in found if (c := _removal(context, copy, force=force))]
    rows = tuple(row for row in lock.retired if row.path not in paths)
    after = replace(
        lock,
        copies={p: name for p, name in lock.copies.items() if p not in paths},
        pins=tuple(pin for pin in lock.pins if pin.path not in paths),
        retired=rows + tuple(Retired(path=p, why=why.strip()) for p in paths),
    )
    before = context.lock_data if LOCK in context.tree.entries else None
    apply(context.tree.root, Plan(changes=tuple(changes), lock=after, lock_before=before))
    emit("".join(f"retired  {printable(p)}\n" for p in paths))
    return GO


def _removal(context: Context, copy: Copy, *, force: bool) -> Change | None:
    if copy.state in {State.MISSING, State.LINK, State.IGNORED}:
        return None
    if copy.state in {State.BROKEN, State.UNREADABLE}:
        raise RefusedError(f"is {copy.state.value}; mend it first", path=copy.path)
    if copy.state is State.EDITED and not force:
        raise RefusedError(
            "was edited; nothing removed", path=copy.path, hint="to remove it too, add --force"
        )
    before = context.tree.read(copy.path)
    after = None
    if context.catalog.artifacts[copy.artifact].kind == "block":
        script = context.survey.scripts[copy.path]
        after = remove_block(script, script.blocks[0])
    return Change(
        path=copy.path, artifact=copy.artifact, action="remove", before=before, after=after
    )
