"""`judge-contract status`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from judge_conformance.cli._formats import format_option
from judge_conformance.cli._repository import context_at, emit
from judge_conformance.errors import GO, NothingToCheckError
from judge_conformance.output import encodable, printable
from judge_conformance.rule import Context

VERSION = 1


@click.command()
@click.argument("root", type=click.Path(path_type=Path), required=False)
@format_option(["text", "json"])
def command(root: Path | None, format_name: str) -> int:
    """Show the copies, a row each, with state and release."""
    context = context_at(root)
    if not context.survey.copies:
        raise NothingToCheckError("no plugin carries the contract", hint="see: judge-contract init")
    emit(_json(context) if format_name == "json" else _text(context))
    return GO


def _text(context: Context) -> str:
    rows = []
    for copy in context.survey.copies.values():
        plugin = context.plugins.of(copy.path)
        release = f" ({copy.found})" if copy.found else ""
        declared = "" if copy.declared else ", not in the lock"
        name = printable(plugin.name) if plugin else "-"
        rows.append((name, copy.artifact, copy.state.value + release + declared, copy.path))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [f"release {context.release}" + ("" if context.lock else " (no lock)")]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, printable(row[3])]))
    lines += [f"note: {printable(note)}" for note in _notes(context)]
    return "\n".join(lines) + "\n"


def _notes(context: Context) -> list[str]:
    """Return what was passed over: a submodule, a source that leads nowhere."""
    return [f"{off.path}:{off.line}: {off.message}" for off in context.plugins.problems]


def _json(context: Context) -> str:
    copies = []
    for copy in context.survey.copies.values():
        plugin = context.plugins.of(copy.path)
        copies.append(
            {
                "plugin": encodable(plugin.name) if plugin else None,
                "artifact": copy.artifact,
                "path": encodable(copy.path),
                "state": copy.state.value,
                "release": copy.found,
                "declared": copy.declared,
            }
        )
    document = {
        "version": VERSION,
        "tool": "status",
        "release": context.release,
        "locked": context.lock is not None,
        "copies": copies,
        "notes": [encodable(note) for note in _notes(context)],
    }
    return json.dumps(document, indent=2) + "\n"
