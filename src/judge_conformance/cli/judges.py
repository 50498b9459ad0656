"""`judge-contract judges`: hold every judge of a repository to its row in judges.toml."""

from __future__ import annotations

from pathlib import Path

import click

from judge_conformance.cli._repository import (
    ROOT,
    Reports,
    context_at,
    emit,
    output_options,
    publish,
    write_file,
)
from judge_conformance.errors import GO, STOP, NothingToCheckError, UnusableInputError
from judge_conformance.findings import Finding, Location, Report, Severity
from judge_conformance.judges import Row, faults, parse_registry, unregistered
from judge_conformance.judges.proofs import command_fault
from judge_conformance.judges.tables import between_markers, drafts, tables
from judge_conformance.paths import REGISTRY
from judge_conformance.records import read_file
from judge_conformance.rule import Context


@click.group(
    epilog="Exits: 0 it holds, 1 it does not, 2 nothing to check, 3 judges.toml is at fault."
)
def command() -> None:
    """Hold every judge of a repository to its row in judges.toml.

    `scan` drafts rows, `check` holds them, `render` shows them in a page.
    """


@command.command()
@ROOT
@click.option("--run-proofs", is_flag=True, help="Run the commands that rows name as proofs.")
@output_options
def check(root: Path | None, run_proofs: bool, format_name: str, reports: Reports) -> int:
    """Say which rows do not hold, and which judges have none.

    `--run-proofs` runs programs that the registry names: use it on a registry that you trust.
    """
    context = context_at(root)
    rows = registered(context)
    found = [
        _finding(fault.path, fault.line, fault.message, fault.hint)
        for fault in faults(context, rows)
    ]
    ran = [row for row in rows if row.proof and row.proof.command] if run_proofs else []
    for row in ran:
        story = command_fault(context.tree.root, row.proof) if row.proof else None
        if story is not None:
            found.append(_finding(REGISTRY, row.line, f"{row.name}: {story}", None))
    checked = {"rows": len(rows), "proofs run": len(ran)}
    report = Report(
        tool="judges check",
        findings=tuple(sorted(found, key=lambda finding: finding.order)),
        checked=checked,
        uri_prefix=context.tree.uri_prefix,
    )
    publish(report, format_name, reports)
    return STOP if report.fails() else GO


@command.command()
@ROOT
def scan(root: Path | None) -> int:
    """Print a draft of the rows that are missing.

    How each judge stands is for a maintainer to say.

    \b
    judge-contract judges scan >> judges.toml
    """
    context = context_at(root)
    rows = registered(context) if REGISTRY in context.tree.entries else ()
    missing = unregistered(context, rows)
    if not missing and not rows:
        raise NothingToCheckError(f"no judge was found under {context.tree.root}")
    if not missing:
        click.echo(f"every judge that was found has a row ({len(rows)} rows)", err=True)
    emit(drafts(missing, context.plugins))
    return GO


@command.command()
@ROOT
@click.option("--into", metavar="FILE", type=Path, help="A page with the two markers.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; 1 if it would change.")
def render(root: Path | None, into: Path | None, only_check: bool) -> int:
    """Print the registry as Markdown tables, or put them into a page.

    The markers are `<!-- judges:start -->` and `<!-- judges:end -->`; all else of the page stays.
    """
    rows = registered(context_at(root))
    if into is None:
        emit(tables(rows))
        return GO
    try:
        text = read_file(into).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnusableInputError(f"not UTF-8 at byte {error.start}", path=str(into)) from error
    new = between_markers(text, tables(rows), path=str(into))
    if new == text:
        click.echo(f"{into}: up to date")
        return GO
    if only_check:
        click.echo(f"{into}: not what judges render writes")
        return STOP
    try:
        write_file(into, new.encode())
    except OSError as error:
        story = f"cannot be written: {error.strerror}"
        raise UnusableInputError(story, path=str(into)) from error
    click.echo(f"{into}: written")
    return GO


def registered(context: Context) -> tuple[Row, ...]:
    """Return the rows of a repository's registry. Raises NothingToCheckError without any."""
    if REGISTRY not in context.tree.entries:
        raise NothingToCheckError(
            f"there is no {REGISTRY}", hint="draft it with: judge-contract judges scan"
        )
    rows = parse_registry(context.tree.read(REGISTRY))
    if not rows:
        raise NothingToCheckError(f"{REGISTRY} has no row")
    return rows


def _finding(path: str, line: int, message: str, hint: str | None) -> Finding:
    place = Location(path=path, line=line)
    return Finding(
        code="JC-REGISTRY", severity=Severity.ERROR, location=place, message=message, hint=hint
    )
