"""`judge-contract selftest`: every rule on planted trees, and every sabotage of a rule on them."""

from __future__ import annotations

import importlib
import os
import sys
import time
from typing import TYPE_CHECKING

import click

from judge_conformance.catalog import Catalog
from judge_conformance.cli._mutation_files import report_files, write
from judge_conformance.errors import GO, STOP, BrokenInstrumentError, UsageError
from judge_conformance.rules import all_rules
from judge_conformance.selftest import selftest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judge_conformance.rule import Rule

FORMATS = ("text", "json", "github")
JOBS = min(os.cpu_count() or 1, 4)


@click.command()
@click.option("--verbose", "-v", is_flag=True, help="Name every planted tree.")
@click.option("--rule", "codes", metavar="CODE", multiple=True, help="Only this rule, or several.")
@click.option("--sabotage", is_flag=True, help="Break the rules: every mutant must turn it red.")
@click.option("--helpers", is_flag=True, help="Break what the rules lean on, too.")
@click.option("--jobs", type=click.IntRange(min=1), default=JOBS, metavar="N", help="At a time.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--report", "reports", metavar="mutation=FILE", multiple=True, help="Write a report.")
def command(
    verbose: bool,
    codes: tuple[str, ...],
    sabotage: bool,
    helpers: bool,
    jobs: int,
    format_: str,
    reports: tuple[str, ...],
) -> int:
    """Prove every rule on planted trees: it fails where it must, only there, and in these words.

    With --sabotage each rule is broken on purpose, mutant by mutant, and every mutant must turn
    the self-test red. Exit 0: all holds; 1: something is red, or a mutant survives; 2: the
    instrument cannot be trusted.
    """
    from judge_conformance.sabotage.rule_subjects import named_rules  # noqa: PLC0415 - only what runs

    chosen = named_rules(codes, all_rules())
    if sabotage:
        return _sabotage(chosen, helpers=helpers, jobs=jobs, format_=format_, reports=reports)
    if helpers or reports or format_ != "text":
        raise UsageError("--helpers, --format and --report go with --sabotage")
    return _plain(chosen, verbose=verbose)


def _plain(chosen: Sequence[Rule], *, verbose: bool) -> int:
    red = count = 0
    codes = {rule.code for rule in chosen}
    for proof, wrong in selftest(Catalog.load(), all_rules()):
        if proof.rule.code not in codes:
            continue
        count += 1
        red += wrong is not None
        if wrong or verbose:
            click.echo(f"{proof.rule.code}: {proof.title}: {wrong or 'as planted'}")
    click.echo(f"selftest: {len(chosen)} rules, {count} planted trees and scripts, {red} red")
    return STOP if red else GO


def _sabotage(
    chosen: Sequence[Rule], *, helpers: bool, jobs: int, format_: str, reports: Sequence[str]
) -> int:
    from importlib.resources import files  # noqa: PLC0415 - only what runs

    from judge_conformance.sabotage import accepted, rule_subjects, tables  # noqa: PLC0415 - likewise

    started = time.monotonic()
    written = report_files(reports)
    known = accepted.load(files("judge_conformance.planted").joinpath("equivalent.toml"))
    modules = rule_subjects.modules_of(chosen, own=not helpers)
    found, faults = rule_subjects.run(
        modules, Catalog.load(), all_rules(), known, parallel=jobs, told=_told
    )
    write(written, found, "selftest")
    report = tables.report(found, tool="selftest", subjects="modules")
    output = importlib.import_module(f"judge_conformance.output.{format_}")
    click.echo(output.render(report), nl=False)
    click.echo(f"took {time.monotonic() - started:.1f} s", err=True)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise BrokenInstrumentError(f"the instrument is broken: {faults[0]}{more}")
    return STOP if report.fails() else GO


def _told(name: str, done: int, of: int) -> None:
    """Say where it is, on one line of a terminal."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{done + 1}/{of} {name}", err=True, nl=False)
