"""`judge-contract selftest`: every rule on planted trees, and every sabotage of a rule on them."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from judge_conformance.catalog import Catalog
from judge_conformance.cli._proving import JOBS, conclude, proving_options, report_files, write
from judge_conformance.errors import UsageError
from judge_conformance.findings import Finding, Location, Report
from judge_conformance.rules import all_rules
from judge_conformance.selftest import RED, selftest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judge_conformance.rule import Rule


@click.command()
@click.option("--verbose", "-v", is_flag=True, help="Name every planted tree.")
@click.option("--rule", "codes", metavar="CODE", multiple=True, help="Only this rule, or several.")
@click.option("--sabotage", is_flag=True, help="Break the rules: every mutant must turn it red.")
@click.option("--helpers", is_flag=True, help="Break what the rules lean on, too.")
@JOBS
@proving_options
def command(
    verbose: bool,
    codes: tuple[str, ...],
    sabotage: bool,
    helpers: bool,
    jobs: int,
    format_name: str,
    reports: tuple[str, ...],
) -> int:
    """Prove every rule on planted trees.

    Each fails where it must, only there, and in these words.

    With --sabotage each rule is broken on purpose, mutant by mutant, and every mutant must turn
    the self-test red. Exit 0: all holds; 1: something is red, or a mutant survives; 2: the
    instrument cannot be trusted.
    """
    from judge_conformance.sabotage.rule_subjects import named_rules  # noqa: PLC0415 - only what runs

    started = time.monotonic()
    chosen = named_rules(codes, all_rules())
    faults: Sequence[str] = ()
    if sabotage:
        report, faults = _sabotaged(chosen, helpers=helpers, jobs=jobs, reports=reports)
    elif helpers or reports:
        raise UsageError("--helpers and --report go with --sabotage")
    else:
        report = _plain(chosen, verbose=verbose)
    return conclude(report, faults, format_name, started)


def _plain(chosen: Sequence[Rule], *, verbose: bool) -> Report:
    from judge_conformance.sabotage.rule_modules import module_of  # noqa: PLC0415 - late, as above

    tried = list(selftest(Catalog.load(), all_rules(), chosen))
    red = [
        Finding(
            code=RED.code,
            severity=RED.severity,
            location=Location(path=f"{module_of(proof.rule).replace('.', '/')}.py"),
            message=f"{proof.title}: {wrong}",
            key=proof.title,
        )
        for proof, wrong in tried
        if wrong
    ]
    as_planted = [
        f"{proof.rule.code}: {proof.title}: as planted" for proof, wrong in tried if not wrong
    ]
    return Report(
        tool="selftest",
        findings=tuple(sorted(red, key=lambda finding: finding.order)),
        rules=(RED,),
        checked={"rules": len(chosen), "planted trees and scripts": len(tried)},
        notes=tuple(as_planted if verbose else ()),
    )


def _sabotaged(
    chosen: Sequence[Rule], *, helpers: bool, jobs: int, reports: Sequence[str]
) -> tuple[Report, Sequence[str]]:
    from importlib.resources import files  # noqa: PLC0415 - only what runs

    from judge_conformance.sabotage import accepted, rule_subjects, tables  # noqa: PLC0415 - likewise

    written = report_files(reports)
    known = accepted.load(files("judge_conformance.planted").joinpath("equivalent.toml"))
    modules = rule_subjects.modules_of(chosen, own=not helpers)
    found, faults = rule_subjects.run(
        modules, Catalog.load(), all_rules(), known, parallel=jobs, told=_told
    )
    write(written, found, "selftest")
    return tables.report(found, tool="selftest", subjects="modules"), faults


def _told(name: str, done: int, of: int) -> None:
    """Say where it is, on one line of a terminal."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{done + 1}/{of} {name}", err=True, nl=False)
