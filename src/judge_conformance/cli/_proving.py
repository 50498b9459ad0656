"""What `parity` and `selftest` share: their last options, the file of mutants, the end."""

from __future__ import annotations

import importlib
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge_conformance.cli._formats import format_option
from judge_conformance.errors import (
    GO,
    STOP,
    BrokenInstrumentError,
    UnusableInputError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from judge_conformance.findings import Report
    from judge_conformance.sabotage.session import SabotageReport

FORMATS = ("text", "json", "github")
JOBS = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=min(os.cpu_count() or 1, 4),
    metavar="N",
    help="At a time.",
)


def proving_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--format` and `--report mutation=FILE`."""
    command = click.option(
        "--report", "reports", metavar="mutation=FILE", multiple=True, help="Write a report."
    )(command)
    return format_option(FORMATS)(command)


def conclude(report: Report, faults: Sequence[str], format_name: str, started: float) -> int:
    """Print a report, and how long it took since `started`; return the exit code.

    Raises BrokenInstrumentError when the instrument has faults of its own.
    """
    output = importlib.import_module(f"judge_conformance.output.{format_name}")
    click.echo(output.render(report), nl=False)
    click.echo(f"took {time.monotonic() - started:.1f} s", err=True)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise BrokenInstrumentError(f"the instrument is broken: {faults[0]}{more}")
    return STOP if report.fails() else GO


def report_files(asked: Sequence[str]) -> list[Path]:
    """Return the files of `--report mutation=FILE`. Raises UsageError."""
    files = []
    for text in asked:
        kind, _, path = text.partition("=")
        if kind != "mutation" or not path:
            raise UsageError(f"--report {text}: not of the form mutation=FILE")
        files.append(Path(path))
    return files


def write(files: Sequence[Path], sabotaged: Sequence[SabotageReport], command: str) -> None:
    """Write a command's mutants for viewers of mutation testing. Raises UnusableInputError."""
    if not files:
        return
    from judge_conformance.cli._repository import write_file  # noqa: PLC0415 - only what runs
    from judge_conformance.sabotage.mutation_report import document  # noqa: PLC0415 - likewise

    for file in files:
        text = json.dumps(document(sabotaged, command), indent=1) + "\n"
        try:
            write_file(file, text.encode())
        except OSError as error:
            raise UnusableInputError(
                f"cannot be written: {error.strerror}", path=str(file)
            ) from error
