"""`calibrate rubric`, `record` and `report`: what was measured, written and drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge_conformance.cli._repository import context_at, write_file
from judge_conformance.errors import GO, STOP, RefusedError, UnusableInputError, UsageError
from judge_conformance.records import (
    CALIBRATION,
    RECEIPTS,
    canonical_module,
    read_file,
    read_record,
    stale,
)

if TYPE_CHECKING:
    from judge_conformance.calibration.recording import Literal
    from judge_conformance.judges import Fault, Row


@click.command("rubric")
@click.argument("script", type=Path)
@click.option("--id", "name", metavar="ID", help="Which, where the script has several.")
def rubric_command(script: Path, name: str | None) -> int:
    """Print the rubric of a Workflow script as JSON."""
    _, literal = _rubric_in(script, name)
    click.echo(json.dumps(literal.value, indent=2))
    return GO


@click.command("record")
@click.option("--into", required=True, metavar="FILE", type=Path, help="Rubric JSON, or a script.")
@click.option("--record", metavar="FILE", type=Path, help="What sealed wrote; else from the log.")
@click.option(
    "--receipts", default=RECEIPTS, show_default=True, metavar="FILE", type=Path, help="The log."
)
def record_command(*, into: Path, record: Path | None, receipts: Path) -> int:
    """Write what `sealed` measured into its rubric, in place.

    The rubric is a JSON file or the literal in a Workflow script. It must be the one that was
    measured. Exit 0: written, and `calibrated` follows; 1: written, and it calibrates nothing.
    """
    from judge_conformance.calibration.recording import with_calibration  # noqa: PLC0415 - late

    measured = _last_measured(receipts, into) if record is None else _read_record(record)
    text, literal = _rubric_in(into, str(measured.get("rubric")))
    if why := stale(measured, rubric=literal.value):
        raise RefusedError(
            f"this rubric is not the one that was measured: {why[0]}", path=str(into)
        )
    _write(into, with_calibration(text, literal, measured))
    calibrated = bool(measured["sealed"] and measured["agreement"] >= measured["floor"])
    status = "calibrated" if calibrated else "not calibrated"
    agreement = canonical_module(CALIBRATION).down(measured["agreement"])
    click.echo(f"{into}: {status}, agreement {agreement} at floor {measured['floor']:g}")
    return GO if calibrated else STOP


def _rubric_in(path: Path, name: str | None) -> tuple[str, Literal]:
    """Return a file's text and the one rubric in it that has this id, or the only one."""
    from judge_conformance.calibration import recording  # noqa: PLC0415 - with it, the parser

    data = read_file(path)
    if path.suffix == ".json":
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UnusableInputError("not UTF-8", path=str(path)) from error
        found = [recording.json_literal(text, path=str(path))]
    else:
        text, found = recording.script_literals(data, path=str(path))
    named = [literal for literal in found if name is None or literal.value.get("id") == name]
    if len(named) != 1:
        which = "" if name is None else f" {name}"
        story = f"several rubrics{which}" if named else f"no rubric{which} that is written out"
        raise UnusableInputError(
            story, path=str(path), hint="a literal with id, threshold, criteria"
        )
    return text, named[0]


def _read_record(path: Path) -> dict[str, Any]:
    return read_record(read_file(path), path=str(path))


def _last_measured(receipts: Path, into: Path) -> dict[str, Any]:
    """Return the last measurement in the log of a rubric that stands in the file."""
    arithmetic = canonical_module(CALIBRATION)
    try:
        events = arithmetic.log_events(str(receipts), read_file(receipts))
    except arithmetic.Unusable as error:
        raise UnusableInputError(str(error)) from error
    text = read_file(into).decode("utf-8", "replace")
    measured = [e for e in events if e["event"] == "sealed" and str(e.get("rubric")) in text]
    if not measured:
        raise UnusableInputError("no measurement of this rubric", path=str(receipts))
    return dict(measured[-1])


@click.command("report")
@click.option("--out", required=True, metavar="FILE", type=Path, help="The page to write.")
@click.option("--record", metavar="FILE", type=Path, help="What sealed or score --json told.")
@click.option("--paired", metavar="FILE", type=Path, help="What paired --json told.")
@click.option("--receipts", metavar="FILE", type=Path, help="The log, for the attempts.")
@click.option("--judges", metavar="ROOT", type=Path, help="The repository of a judges.toml.")
def report_command(
    *,
    out: Path,
    record: Path | None,
    paired: Path | None,
    receipts: Path | None,
    judges: Path | None,
) -> int:
    """Draw what was measured as one HTML page.

    The page loads nothing and runs nothing. With `--judges` it shows every judge of a repository
    too: how each stands, what that rests on, and whether it holds.
    """
    from judge_conformance.calibration.report import page  # noqa: PLC0415 - only what runs

    if record is None and paired is None and judges is None:
        raise UsageError("nothing to draw: give --record, --paired or --judges")
    arithmetic = canonical_module(CALIBRATION)
    try:
        measured = None if record is None else arithmetic.read_json(str(record))
        compared = None if paired is None else arithmetic.read_json(str(paired))
        events = (
            [] if receipts is None else arithmetic.log_events(str(receipts), read_file(receipts))
        )
    except (arithmetic.Unusable, OSError) as error:
        raise UnusableInputError(str(error)) from error
    _write(out, page(measured, compared, events, None if judges is None else _registry(judges)))
    click.echo(f"drawn: {out}")
    return GO


def _registry(root: Path) -> tuple[Sequence[Row], Sequence[Fault]]:
    """Return the rows of a repository's registry, and what does not hold of them."""
    from judge_conformance.cli.judges import registered  # noqa: PLC0415 - only what runs
    from judge_conformance.judges import faults  # noqa: PLC0415 - likewise

    context = context_at(root)
    rows = registered(context)
    return rows, [*faults(context, rows)]


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all, through a link, with the rights that it had."""
    try:
        write_file(path, text.encode())
    except OSError as error:
        raise UnusableInputError(f"cannot be written: {error.strerror}", path=str(path)) from error
