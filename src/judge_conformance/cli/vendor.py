"""`judge-contract vendor`."""

from __future__ import annotations

from pathlib import Path

import click

from judge_conformance.cli._repository import ROOT, context_at, inside_root, plugin_named
from judge_conformance.cli._vendoring import (
    ARTIFACT_OPTIONS,
    Chosen,
    carry_out,
    say_what_is_left,
    wanted_for,
)
from judge_conformance.errors import GO, UsageError
from judge_conformance.vendoring import Want


@click.command()
@click.argument("plugins", nargs=-1, metavar="PLUGIN...")
@click.option("--all", "everything", is_flag=True, help="Every plugin that the lock knows.")
@ARTIFACT_OPTIONS
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.option("--diff", "show", is_flag=True, help="Show the changes, and write nothing.")
@click.option("--force", is_flag=True, help="Overwrite copies that were edited.")
@ROOT
def command(
    plugins: tuple[str, ...],
    everything: bool,
    dry_run: bool,
    show: bool,
    force: bool,
    root: Path | None,
    **flags: object,
) -> int:
    """Put the canonical files into plugins, byte for byte.

    PLUGIN is a name or a path. Without flags: judge_contract.py, judge-contract.md, and what the
    plugin holds already. Writing what is there writes nothing.

    \b
    judge-contract vendor plugins/foo
    judge-contract vendor foo --workflow plugins/foo/workflows/review.js
    judge-contract vendor --all --dry-run
    """
    context = context_at(root)
    chosen = Chosen.of(flags, lambda word: inside_root(context, word))
    if everything == bool(plugins):
        raise UsageError("name plugins, or say --all")
    if not everything:
        wanted = wanted_for(context, [plugin_named(context, word) for word in plugins], chosen)
    elif context.lock is None or not context.lock.copies:
        raise UsageError("no lock row yet, so --all is nothing", hint="vendor PLUGIN first")
    elif chosen.anything:
        owners = (context.plugins.of(path) for path in context.lock.copies)
        wanted = wanted_for(context, list(dict.fromkeys(p for p in owners if p)), chosen)
    else:
        rows = context.lock.copies.items()
        wanted = [Want(path=path, artifact=name) for path, name in rows]
    todo = carry_out(context, wanted, force=force, dry_run=dry_run, show=show)
    if not (dry_run or show):
        say_what_is_left(context.tree.root, todo)
    return GO
