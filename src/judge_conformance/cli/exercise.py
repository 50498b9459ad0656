"""`judge-contract exercise`: run Workflow scripts without a model, one judge dead at a time."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from judge_conformance.cli._repository import Reports, emit, output_options, publish
from judge_conformance.errors import (
    GO,
    STOP,
    NothingToCheckError,
    UnusableInputError,
    UsageError,
)
from judge_conformance.exercise.discovery import all_scripts, changed, read, uri_prefix
from judge_conformance.exercise.report import fixtures, report, table
from judge_conformance.exercise.suite import ScriptResult, exercise_script
from judge_conformance.findings import Report
from judge_conformance.node import find_node
from judge_conformance.output.text import counted
from judge_conformance.tree import find_root, open_tree


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
@output_options
def command(
    files: tuple[str, ...],
    everything: bool,
    args: str | None,
    timeout: float,
    base: str | None,
    run_untrusted: bool,
    node: str | None,
    format_name: str,
    reports: Reports,
) -> int:
    """Kill one judge at a time: what then counts as a pass?

    Each script is run without a model: agent() is stubbed, replies are made from the schemas. One
    judge at a time passes, fails, abstains, returns null, throws and answers garbage, and what
    comes out is compared. Exit 0: nothing found; 1: a dead judge passes, takes its item along or
    ends the script; 2: no judge could be exercised, or a script could not be run.

    A script's args come from --args, else from FILE.args.json beside it, else they are made.
    """
    started = time.monotonic()
    root = find_root(Path.cwd())
    paths = _paths(root, files, everything=everything)
    if args is not None and len(paths) > 1:
        raise UsageError("--args goes with one script; write fixtures for several")
    touched = changed(root, paths, base) if base is not None else set()
    program = find_node(node)
    results: list[ScriptResult] = []
    for path in paths:
        source = read(root / path, path)
        if path in touched and not run_untrusted:
            why = f"it changed since {base}, so it is code of the change; --run-untrusted runs it"
            results.append(ScriptResult(path=path, problem=why))
            continue
        given = _given(args) if args is not None else _fixture(root, path)
        results.append(exercise_script(path, source, program, args=given, timeout=timeout))
    found = report(results, uri_prefix=uri_prefix(root))
    if base is not None:
        found = _with_origin(found, touched)
    if format_name == "text" and (rows := table(results)):
        emit(f"{rows}\n")
    publish(found, format_name, reports)
    click.echo(f"took {time.monotonic() - started:.1f} s", err=True)
    if found.fails():
        return STOP
    _demand_decided(results)
    return GO


def _paths(root: Path, files: Sequence[str], *, everything: bool) -> list[str]:
    """Return the scripts relative to the root, or as they were named where they lie outside."""
    if everything == bool(files):
        raise UsageError("name scripts, or say --all")
    if everything:
        paths = all_scripts(open_tree(root))
    else:
        whole = (os.path.relpath(Path(file).absolute(), root) for file in files)
        paths = list(dict.fromkeys(path.replace(os.sep, "/") for path in whole))
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
        return _read_json(Path(args), args)


def _fixture(root: Path, path: str) -> str | None:
    name = next((name for name in fixtures(path) if (root / name).is_file()), None)
    return None if name is None else _read_json(root / name, name)


def _read_json(path: Path, shown: str) -> str:
    try:
        return json.dumps(json.loads(read(path, shown)))
    except json.JSONDecodeError as error:
        story = f"not JSON: {error.msg}"
        raise UnusableInputError(story, path=shown, line=error.lineno) from error
    except RecursionError as error:
        raise UnusableInputError("nested too deeply", path=shown) from error


def _with_origin(found: Report, touched: set[str]) -> Report:
    """Tell findings of the change from those of scripts that are as they were."""
    findings = tuple(
        replace(f, origin="yours" if f.location.path in touched else "base") for f in found.findings
    )
    return replace(found, findings=findings)


def _demand_decided(results: Sequence[ScriptResult]) -> None:
    broken = [result for result in results if result.problem is not None]
    if broken:
        raise UnusableInputError(f"{len(broken)} of {len(results)} scripts could not be exercised")
    if not any(result.exercised for result in results):
        raise NothingToCheckError(f"no judge was exercised in {counted(len(results), 'scripts')}")
