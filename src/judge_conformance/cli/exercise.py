"""`judge-contract exercise`: run Workflow scripts without a model, one judge dead at a time."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from judge_conformance.errors import (
    GO,
    STOP,
    NothingToCheckError,
    UnusableInputError,
    UsageError,
)
from judge_conformance.exercise.discovery import all_scripts, changed, read
from judge_conformance.exercise.report import fixtures, plain, report, table
from judge_conformance.exercise.suite import ScriptResult, exercise_script
from judge_conformance.findings import Report
from judge_conformance.node import find_node

FORMATS = ("text", "json", "github", "sarif", "junit", "markdown")


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every Workflow script of this tree.")
@click.option("--args", "args", metavar="JSON|FILE", help="The script's args; else its fixture.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.05, max=600),
    default=5.0,
    show_default=True,
    metavar="S",
    help="Seconds that one run may take.",
)
@click.option("--base", metavar="REF", help="Do not run what changed since it left REF.")
@click.option("--run-untrusted", is_flag=True, help="With --base: run what changed, too.")
@click.option("--node", metavar="PATH", help="The Node to use; else PATH, else the node extra.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
def command(  # noqa: PLR0917 - click hands options over by name
    files: tuple[str, ...],
    everything: bool,
    args: str | None,
    timeout: float,
    base: str | None,
    run_untrusted: bool,
    node: str | None,
    format_: str,
) -> int:
    """Sabotage the judges of Workflow scripts: what happens when one dies?

    Each script is run without a model: agent() is stubbed, replies are made from the schemas. One
    judge at a time passes, fails, abstains, returns null, throws and answers garbage, and what
    comes out is compared. Exit 0: nothing found; 1: a dead judge passes, takes its item along or
    ends the script; 2: no judge could be exercised, or a script could not be run.

    A script's args come from --args, else from FILE.args.json beside it, else they are made.
    """
    started = time.monotonic()
    paths = _paths(files, everything=everything)
    if args is not None and len(paths) > 1:
        raise UsageError("--args goes with one script; write fixtures for several")
    touched = changed(paths, base) if base is not None else set()
    program = find_node(node)
    results: list[ScriptResult] = []
    for path in paths:
        if path in touched and not run_untrusted:
            why = f"it changed since {base}, so it is code of the change; --run-untrusted runs it"
            results.append(ScriptResult(path=path, problem=why))
            continue
        given = _given(args) if args is not None else _fixture(path)
        results.append(exercise_script(path, read(path), program, args=given, timeout=timeout))
    found = report(results)
    if base is not None:
        found = _with_origin(found, touched)
    _show(found, results, format_)
    click.echo(f"took {time.monotonic() - started:.1f} s", err=True)
    if found.fails():
        return STOP
    _demand_decided(results)
    return GO


def _paths(files: Sequence[str], *, everything: bool) -> list[str]:
    if everything == bool(files):
        raise UsageError("name scripts, or say --all")
    paths = all_scripts(Path()) if everything else list(dict.fromkeys(files))
    if not paths:
        raise NothingToCheckError("there is no Workflow script here")
    return paths


def _given(args: str) -> str:
    """Return --args as JSON: it is JSON itself, or names a file that holds it."""
    try:
        return json.dumps(json.loads(args))
    except ValueError:
        if not Path(args).is_file():
            raise UsageError(f"--args is neither JSON nor a file: {args}") from None
        return _read_json(args)


def _fixture(path: str) -> str | None:
    found = (name for name in fixtures(path) if Path(name).is_file())
    name = next(found, None)
    return None if name is None else _read_json(name)


def _read_json(path: str) -> str:
    try:
        return json.dumps(json.loads(read(path)))
    except json.JSONDecodeError as error:
        raise UnusableInputError(f"not JSON: {error.msg}", path=path, line=error.lineno) from error
    except RecursionError as error:
        raise UnusableInputError("nested too deeply", path=path) from error


def _with_origin(found: Report, touched: set[str]) -> Report:
    """Tell findings of the change from those of scripts that are as they were."""
    findings = tuple(
        replace(f, origin="yours" if f.location.path in touched else "base") for f in found.findings
    )
    return replace(found, findings=findings)


def _show(found: Report, results: Sequence[ScriptResult], format_: str) -> None:
    if format_ == "text" and (rows := table(results)):
        click.echo(rows)
    click.echo(_rendered(found, format_), nl=False)


def _rendered(found: Report, format_: str) -> str:
    name = f"judge_conformance.output.{format_}"
    try:
        output = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in {name, "judge_conformance.output"}:
            raise
        if format_ != "text":
            raise UsageError(f"this build has no format {format_}") from error
        return plain(found)
    rendered: str = output.render(found)
    return rendered


def _demand_decided(results: Sequence[ScriptResult]) -> None:
    broken = [result for result in results if result.problem is not None]
    if broken:
        raise UnusableInputError(f"{len(broken)} of {len(results)} scripts could not be exercised")
    if not any(result.exercised for result in results):
        raise NothingToCheckError(f"no judge was exercised in {len(results)} scripts")
