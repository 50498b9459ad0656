"""`calibrate run` and `calibrate paired run`: ask judges that are commands."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge_conformance import gates
from judge_conformance.catalog import Catalog
from judge_conformance.errors import GO, UNDECIDED, RefusedError, UnusableInputError
from judge_conformance.records import CALIBRATION, RECEIPTS, canonical_module, read_file

if TYPE_CHECKING:
    from rich.progress import Progress

    from judge_conformance.calibration.running import Done, Plan, Run


def _a_number(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    if math.isnan(value):  # it is in every range, and in none
        raise click.BadParameter("nan is no number of seconds.")
    return value


def _asking(function: Any) -> Any:  # noqa: ANN401 - click's decorators change what they are given
    """Add the flags that every way of asking a judge has."""
    for option in (
        click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True,
                     metavar="N", help="Calls at a time."),
        click.option("--repeats", type=click.IntRange(1, 99), default=1, show_default=True,
                     metavar="N", help="How often each case is asked."),
        click.option("--timeout", type=click.FloatRange(min=0, min_open=True, max=86400),
                     callback=_a_number,
                     default=300.0, show_default=True, metavar="S", help="Seconds for one call."),
        click.option("--out", required=True, metavar="FOLDER", type=Path,
                     help="Where replies and verdicts are kept; the same again resumes."),
        click.option("--rubric", required=True, metavar="FILE", type=Path),
        click.option("--prompt", required=True, metavar="FILE", type=Path),
        click.option("--cases", required=True, metavar="CASES", type=Path),
    ):  # fmt: skip
        function = option(function)
    return function


@click.command("run")
@click.option("--judge", required=True, metavar="COMMAND", help="Prompt in, report out.")
@_asking
@click.option(
    "--split",
    type=click.Choice(["tuning", "sealed"]),
    default="tuning",
    show_default=True,
    help="Which set; a set without splits is asked whole.",
)
@click.option(
    "--receipts",
    default=RECEIPTS,
    show_default=True,
    metavar="FILE",
    help="With --split sealed: the log that must hold the freeze.",
)
def run_command(*, judge: str, split: str, receipts: str, **flags: Any) -> int:  # noqa: ANN401
    """Ask a judge that is a command about every case of a set, once each.

    The judge gets the prompt, a blank line, and one line of JSON: item, criteria, input, and the
    folder with a copy of the case's files. A reply that is no report is an abstain and is never
    asked for again. Exit 0: every case has its verdict; 2: no reply was a report.
    """
    from judge_conformance.calibration.running import Run  # noqa: PLC0415 - only what runs

    plan = _plan(judge, flags, split=split)
    run = Run(plan)
    if plan.split == "sealed":
        _demand_freeze(run.hashes, receipts)
    done = _go(run, plan)
    click.echo(_told(done))
    return GO if done.reports else UNDECIDED


def _plan(judge: str, flags: dict[str, Any], *, split: str, out: Path | None = None) -> Plan:
    from judge_conformance.calibration.asking import Judge  # noqa: PLC0415 - only what runs
    from judge_conformance.calibration.running import Plan  # noqa: PLC0415 - likewise

    return Plan(
        judge=Judge.parse(judge, flags["timeout"]),
        cases=flags["cases"],
        prompt=flags["prompt"],
        rubric=flags["rubric"],
        folder=out or flags["out"],
        split=split if _is_split(flags["cases"]) else None,
        repeats=flags["repeats"],
        parallel=flags["jobs"],
    )


def _is_split(cases: Path) -> bool:
    arithmetic = canonical_module(CALIBRATION)
    try:
        return arithmetic.read_cases(str(cases))[0]["split"] is not None
    except (arithmetic.Unusable, OSError, ValueError) as error:
        raise UnusableInputError(str(error)) from error


def _demand_freeze(hashes: dict[str, str], log: str) -> None:
    """Refuse to show a judge the sealed cases before it is written down what is measured."""
    arithmetic = canonical_module(CALIBRATION)
    try:
        there = os.path.lexists(log)
        events = arithmetic.log_events(log, read_file(Path(log))) if there else []
    except (arithmetic.Unusable, OSError, ValueError) as error:
        raise UnusableInputError(str(error)) from error
    frozen = [event for event in events if event["event"] == "freeze"]
    if not any(hashes.items() <= event["hashes"].items() for event in frozen):
        raise RefusedError(
            "this prompt, rubric and sealed set are not frozen",
            hint="judge-contract calibrate freeze, before the judge meets the sealed cases",
        )


def _go(run: Run, plan: Plan) -> Done:
    with _terminated_like_interrupted():
        if not sys.stderr.isatty():
            return run.go(lambda _done, _total: None)
        with _bar() as bar:
            task = bar.add_task(f"asking {Path(plan.judge.argv[0]).name}", total=None)
            return run.go(lambda done, total: bar.update(task, completed=done, total=total))


def _bar() -> Progress:
    from rich import progress  # noqa: PLC0415 - 60 ms
    from rich.console import Console  # noqa: PLC0415 - likewise

    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM end a run as Ctrl-C does: nothing more is asked, and replies are waited for."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _told(done: Done) -> str:
    kept = f" ({done.kept} kept from before)" if done.kept else ""
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in done.outcomes.items())
    lines = [f"{done.asked} asked{kept}: {outcomes}; verdicts in {done.verdicts}"]
    lines += [
        f"  {count} {ending}" for ending, count in done.endings.items() if ending != "exit status 0"
    ]
    silent = sum(done.outcomes.values()) - done.reports
    if silent:
        lines.append(f"  {silent} replies were no report, and count as abstains")
    return "\n".join(lines)


@click.command()
@click.option("--baseline", required=True, metavar="COMMAND", help="The judge that is in use.")
@click.option("--candidate", required=True, metavar="COMMAND", help="The one that may replace it.")
@click.option("--candidate-prompt", metavar="FILE", type=Path, help="Its prompt, if another.")
@click.option("--rule", required=True, metavar="FILE", help="alpha, margin, max_cost_ratio.")
@click.option("--receipts", default=RECEIPTS, show_default=True, metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@_asking
def paired_run(
    *,
    baseline: str,
    candidate: str,
    candidate_prompt: Path | None,
    rule: str,
    receipts: str,
    as_json: bool,
    **flags: Any,  # noqa: ANN401 - click hands options over by name
) -> int:
    """Ask two judges about the same cases and decide by a rule that is written down first.

    Of a set with splits the tuning cases are asked. Exit 0: adopt the candidate; 1: keep the
    baseline; 2: undecided.
    """
    from judge_conformance.calibration.running import Run  # noqa: PLC0415 - only what runs

    arms = {"baseline": baseline, "candidate": candidate}
    plans = {
        name: _plan(
            judge,
            {**flags, "prompt": candidate_prompt}
            if name == "candidate" and candidate_prompt
            else flags,
            split="tuning",
            out=flags["out"] / name,
        )
        for name, judge in arms.items()
    }
    runs = {name: Run(plan) for name, plan in plans.items()}
    log = ["--receipts", receipts]
    with redirect_stdout(sys.stderr):
        declared: int = canonical_module(CALIBRATION).main(["declare", "--rule", rule, *log])
    if declared != GO:
        return declared
    rows = []
    for name, plan in plans.items():
        done = _go(runs[name], plan)
        click.echo(f"{name}: {_told(done)}", err=True)
        rows += [f"--{name}", str(done.verdicts)]
    flag = ["--json"] if as_json else []
    words = ["paired", "--cases", str(flags["cases"]), *rows, "--rule", rule, *log, *flag]
    return gates.run(Catalog.load(), CALIBRATION, words)
