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
from judge_conformance.vendoring import Change, Plan, Want, apply, plan


@click.command()
@click.option(
    "--bump",
    type=click.Choice(["patch", "minor", "major"]),
    help="Raise the version of every plugin whose copies move.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@ROOT
def command(bump: str | None, dry_run: bool, root: Path | None) -> int:
    """Move every unmodified copy to the newest release.

    The lock moves with them. A copy that was edited is left as it is and named; so are pinned
    ones. Exit 1 when any was left.
    """
    context = context_at(root)
    if context.lock is None:
        raise UsageError("no lock here", hint="adopt with: judge-contract init PLUGIN")
    newest = context.catalog.newest
    todo, left = _plan(context, newest)
    bumps, told = _bumps(context, todo, bump) if bump else ([], [])
    todo = replace(todo, changes=(*todo.changes, *bumps))
    lines = [f"{change.action:8} {printable(change.path)}" for change in todo.changes]
    lines += [f"left     {printable(path)}: {story}" for path, story in left] + told
    if not dry_run:
        apply(context.tree.root, todo)
    emit("\n".join([*lines, *_told(context.lock.release, newest)]) + "\n")
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


def _told(before: str, newest: str) -> list[str]:
    """Say which release it is now, and the lines that others keep up to date."""
    if before == newest:
        return [f"release {newest} is the newest"]
    return [
        f"release {before} -> {newest}",
        "then change, where you have them:",
        f"  .pre-commit-config.yaml  rev: v{newest}",
        f"  .github/workflows        judge-contract=={newest}, or the pin of the action: v{newest}",
    ]


def _bumps(context: Context, todo: Plan, part: str) -> tuple[list[Change], list[str]]:
    """Raise the stated versions, each manifest's other bytes unchanged; tell which cannot be."""
    touched = {context.plugins.of(change.path) for change in todo.changes}
    spans: dict[str, list[tuple[tuple[int, int], bytes]]] = {}
    told = []
    for plugin in context.plugins.found:
        if plugin not in touched or plugin.stated is None:
            continue
        raised = _raised(plugin.stated.text, part)
        if raised is None:
            story = f"{plugin.stated.text!r} is not MAJOR.MINOR.PATCH; raise it by hand"
            told.append(f"left     {printable(plugin.stated.path)}: version {story}")
        else:
            edit = (plugin.stated.span, f'"{raised}"'.encode())
            spans.setdefault(plugin.stated.path, []).append(edit)
    changes = []
    for path, edits in sorted(spans.items()):
        before = after = context.tree.read(path)
        for (start, end), text in sorted(edits, reverse=True):
            after = after[:start] + text + after[end:]
        changes.append(Change(path=path, artifact="", action="bump", before=before, after=after))
    return changes, told


def _raised(version: str, part: str) -> str | None:
    """Return the next version; None for what is not three numbers."""
    match = re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", version, re.ASCII)
    if match is None:
        return None
    major, minor, patch = (int(number) for number in match.groups())
    return {
        "major": f"{major + 1}.0.0",
        "minor": f"{major}.{minor + 1}.0",
        "patch": f"{major}.{minor}.{patch + 1}",
    }[part]
