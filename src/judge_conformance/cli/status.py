"""`judge-contract status`."""

from __future__ import annotations

from pathlib import Path

import click

from judge_conformance.cli._repository import context_at, emit
from judge_conformance.errors import GO, NothingToCheckError
from judge_conformance.output import printable


@click.command()
@click.argument("root", type=click.Path(path_type=Path), required=False)
def command(root: Path | None) -> int:
    """Show what each plugin carries: a row a copy, with its state and release."""
    context = context_at(root)
    copies = context.survey.copies.values()
    if not copies:
        raise NothingToCheckError("no plugin carries the contract", hint="see: judge-contract init")
    lines = [f"release {context.release}" + ("" if context.lock else " (no lock)")]
    rows = []
    for copy in copies:
        plugin = context.plugins.of(copy.path)
        release = f" ({copy.found})" if copy.found else ""
        declared = "" if copy.declared else ", not in the lock"
        name = plugin.name if plugin else "-"
        rows.append((name, copy.artifact, copy.state.value + release + declared, copy.path))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, printable(row[3])]))
    emit("\n".join(lines) + "\n")
    return GO
