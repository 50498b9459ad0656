"""`judge-contract check`."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from judge_conformance.cli._repository import Reports, context_at, emit, output_options, publish
from judge_conformance.engine import run
from judge_conformance.errors import GO, STOP, NothingToCheckError, UsageError
from judge_conformance.memory import remember
from judge_conformance.rule import Rule
from judge_conformance.rules import all_rules


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Look for no garbage: syntax trees are needed to the end, and walking them costs a fifth."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@click.command(
    epilog="Exits: 0 it holds, 1 it does not, 2 nothing to check or not evaluated, "
    "3 the config or the lock is at fault."
)
@click.argument("root", type=click.Path(path_type=Path), required=False)
@click.option("--staged", is_flag=True, help="Check what git would commit, not the work tree.")
@click.option(
    "--base", metavar="REF", help="Compare with where this parts from REF; only yours fail."
)
@click.option(
    "--accept-gate-edit",
    is_flag=True,
    help="With --base: this change may loosen its own gate; each edit is still printed.",
)
@click.option(
    "--fix", is_flag=True, help="Write back copies that nobody edited; report what is left."
)
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: edited copies too.")
@click.option("--diff", is_flag=True, help="Show what --fix would write, and write nothing.")
@click.option(
    "--fresh", is_flag=True, help="Look at everything, whatever an earlier check found clean."
)
@click.option("--select", multiple=True, metavar="CODE", help="Run these rules only.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Leave these rules out.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option("--statistics", is_flag=True, help="Count the findings of each rule instead.")
@click.option("--allow-empty", is_flag=True, help="Nothing to check is no failure.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever is found.")
@output_options
@_nothing_collected()
def command(
    root: Path | None,
    staged: bool,
    base: str | None,
    accept_gate_edit: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    fresh: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    statistics: bool,
    allow_empty: bool,
    exit_zero: bool,
    format_name: str,
    reports: Reports,
) -> int:
    """Hold the copies under ROOT, and their scripts, to the rules.

    It always looks at the whole tree: a deleted copy is in no list of changed files. Plugins that
    it found clean it remembers in git's own folder, and passes by while nobody writes to them; not
    with --fresh or --base, nor where the variable CI is set.

    \b
    judge-contract check                       the nearest repository upwards
    judge-contract check --base origin/main    a pull request: what it breaks, and what was broken
    judge-contract check --fix                 line endings, formatting, another release: mended
    judge-contract check --format github       as annotations, in GitHub Actions
    judge-contract check --report json=r.json  beside the text, for machines
    """
    rules = _chosen(select, ignore)
    _agree(
        {
            "--accept-gate-edit goes with --base": accept_gate_edit and base is None,
            "--unsafe-fixes goes with --fix or --diff": unsafe_fixes and not (fix or diff),
            "--fix and --diff exclude each other": fix and diff,
            "--fix and --diff look at the work tree, and --staged does not": staged
            and (fix or diff),
            "--diff and --statistics are text": (diff or statistics) and format_name != "text",
        }
    )
    context = context_at(
        root,
        staged=staged,
        base=base,
        accepted=accept_gate_edit,
        recalling=not (fresh or os.environ.get("CI")),
        rules=rules,
    )
    carried = context.base is not None and context.base.survey.copies
    if not context.survey.copies and context.lock is None and not carried:
        if allow_empty:
            click.echo("check: nothing to check (allowed)")
            return GO
        raise NothingToCheckError(
            f"nothing to check: no plugin of {context.tree.root} carries the contract",
            hint="adopt it with: judge-contract init PLUGIN",
        )
    report = run(rules, context)
    if context.memory is not None and not select and not ignore:
        remember(context.memory, context.survey, context.plugins, report)
    if fix or diff:
        from judge_conformance.cli._fixing import planned, shown, write  # noqa: PLC0415 - late

        todo = planned(context, report, "unsafe" if unsafe_fixes else "safe")
        if diff:
            emit(shown(todo))
        else:
            click.echo(write(context, todo), err=True, nl=False)
            context = context_at(context.tree.root, base=base, accepted=accept_gate_edit)
            report = run(rules, context)
    publish(report, "statistics" if statistics else format_name, reports)
    return STOP if report.fails(strict=strict) and not exit_zero else GO


def _agree(faults: Mapping[str, bool]) -> None:
    """Raise UsageError for the first story that holds."""
    for story, holds in faults.items():
        if holds:
            raise UsageError(story)


def _chosen(select: tuple[str, ...], ignore: tuple[str, ...]) -> tuple[Rule, ...]:
    rules = all_rules()
    known = {rule.code for rule in rules}
    if unknown := sorted({*select, *ignore} - known):
        raise UsageError(f"no rule {unknown[0]!r}", hint="see: judge-contract rules")
    chosen = tuple(
        rule for rule in rules if rule.code not in ignore and (not select or rule.code in select)
    )
    if not chosen:
        raise UsageError("--select and --ignore leave no rule to run")
    return chosen
