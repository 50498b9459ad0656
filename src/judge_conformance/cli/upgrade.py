"""`judge-contract upgrade`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import click

from judge_conformance.cli._repository import ROOT, context_at, emit
from judge_conformance.copies import State
from judge_conformance.errors import GO, STOP, UsageError
from judge_conformance.output import printable
from judge_conformance.rule import Context
from judge_conformance.vendoring import Plan, Want, apply, plan, write_whole


@click.command()
@click.option(
    "--bump",
    type=click.Choice(["patch", "minor", "major"]),
    help="Raise the version of every plugin whose copies move.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@ROOT
def command(bump: str | None, dry_run: bool, root: Path | None) -> int:
    """Move every unmodified copy, and the lock, to the newest release.

    A copy that was edited is left as it is and named; so are pinned ones. Exit 1 when any was left.
    """
    context = context_at(root)
    if context.lock is None:
        raise UsageError("no lock here", hint="adopt with: judge-contract init PLUGIN")
    newest = context.catalog.newest
    todo, left = _plan(context, newest)
    lines = [f"{change.action:8} {printable(change.path)}" for change in todo.changes]
    lines += [f"left     {printable(path)}: {story}" for path, story in left]
    versions = _bumped(context, todo, bump) if bump else {}
    lines += [f"bump     {printable(path)}" for path in versions]
    if not dry_run:
        apply(context.tree.root, todo)
        write_whole(context.tree.root, versions)
    lines.append(f"release {context.lock.release} -> {newest}")
    lines.append(f"then set: rev: v{newest} in .pre-commit-config.yaml, and the action's pin")
    emit("\n".join(lines) + "\n")
    return STOP if left else GO


def _plan(context: Context, newest: str) -> tuple[Plan, list[tuple[str, str]]]:
    lock = context.lock
    moves, left = [], []
    for path, name in (lock.copies if lock else {}).items():
        copy = context.survey.copies.get(path)
        if copy and copy.state in {State.CURRENT, State.OTHER}:
            moves.append(Want(path=path, artifact=name))
        else:
            left.append((path, copy.state.value if copy else "not found"))
    ahead = replace(context, lock=replace(lock, release=newest) if lock else None)
    return plan(ahead, moves), left


def _bumped(context: Context, todo: Plan, part: str) -> dict[str, tuple[bytes, bytes]]:
    """Raise the stated versions, each manifest's other bytes unchanged."""
    plugins = {context.plugins.of(change.path) for change in todo.changes}
    raised = {}
    for plugin in sorted(plugins - {None}, key=lambda p: p.path if p else ""):
        if plugin is None or plugin.version is None or plugin.version_path is None:
            continue
        match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", plugin.version)
        if match is None:
            continue
        numbers = [int(number) for number in match.groups()]
        index = ["major", "minor", "patch"].index(part)
        numbers = [*numbers[:index], numbers[index] + 1, *[0] * (2 - index)]
        before = context.tree.read(plugin.version_path)
        old = rb'("version"\s*:\s*")' + re.escape(plugin.version).encode() + b'"'
        new = b"\\g<1>" + ".".join(map(str, numbers)).encode() + b'"'
        if len(re.findall(old, before)) == 1:
            raised[plugin.version_path] = (before, re.sub(old, new, before))
    return raised
