"""`judge-contract calibrate`: measure a judge on answers that are known, once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge_conformance import gates
from judge_conformance.catalog import Catalog
from judge_conformance.errors import (
    GO,
    UNDECIDED,
    RefusedError,
    UnusableInputError,
    UsageError,
)
from judge_conformance.records import RECEIPTS, canonical_module

if TYPE_CHECKING:
    from judge_conformance.calibration.running import Done, Plan, Run

GATE = "judge_calibration.py"
PASSED_ON = {
    "split": "Show the tuning set and the sealed set, or say why they will not do.",
    "tune": "Tell what to mend in the prompt, from the tuning set alone.",
    "freeze": "Write down what is going to be measured, before it is.",
    "sealed": "Measure the sealed set, once; only the first attempt calibrates.",
    "score": "Tell the same figures of the tuning set, or of a set without splits.",
    "kappa": "Agreement with people's labels beyond chance, for each category.",
    "e-value": "Evidence that agreement is above the floor, at any time.",
    "declare": "Write down the rule of a paired measurement, before the run.",
}

Decorator = Callable[[Any], Any]


def _passed_on(name: str, text: str) -> click.Command:
    """Make a command that hands its words to the canonical script, flags and all."""

    def run(words: tuple[str, ...]) -> int:
        return gates.run(Catalog.load(), GATE, [name, *words])

    return click.Command(
        name,
        callback=run,
        params=[click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)],
        help=f"{text}\n\nThe flags are those of `{GATE} {name}`.",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    )


@click.group()
def command() -> None:
    """Measure a judge on answers that are known, once.

    The arithmetic is that of judge_calibration.py, byte for byte; `run` asks a judge that is a
    command, `record` writes what `sealed` measured into its rubric, `report` draws it.
    """


for _name, _text in PASSED_ON.items():
    command.add_command(_passed_on(_name, _text))


def _asking(function: Any) -> Any:  # noqa: ANN401 - click's decorators change what they are given
    """Add the flags that every way of asking a judge has."""
    for option in (
        click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True,
                     metavar="N", help="Calls at a time."),
        click.option("--repeats", type=click.IntRange(1, 99), default=1, show_default=True,
                     metavar="N", help="How often each case is asked."),
        click.option("--timeout", type=click.FloatRange(min=0, min_open=True, max=86400),
                     default=300.0, show_default=True, metavar="S", help="Seconds for one call."),
        click.option("--out", required=True, metavar="FOLDER", type=Path,
                     help="Where replies and verdicts are kept; the same again resumes."),
        click.option("--rubric", required=True, metavar="FILE", type=Path),
        click.option("--prompt", required=True, metavar="FILE", type=Path),
        click.option("--cases", required=True, metavar="CASES", type=Path),
    ):  # fmt: skip
        function = option(function)
    return function


@command.command("run")
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
    arithmetic = canonical_module(GATE)
    try:
        return arithmetic.read_cases(str(cases))[0]["split"] is not None
    except (arithmetic.Unusable, OSError) as error:
        raise UnusableInputError(str(error)) from error


def _demand_freeze(hashes: dict[str, str], log: str) -> None:
    """Refuse to show a judge the sealed cases before it is written down what is measured."""
    arithmetic = canonical_module(GATE)
    try:
        events = arithmetic.log_events(log, Path(log).read_bytes()) if Path(log).exists() else []
    except (arithmetic.Unusable, OSError) as error:
        raise UnusableInputError(str(error)) from error
    frozen = [event for event in events if event["event"] == "freeze"]
    if not any(hashes.items() <= event["hashes"].items() for event in frozen):
        raise RefusedError(
            "this prompt, rubric and sealed set are not frozen",
            hint="judge-contract calibrate freeze, before the judge meets the sealed cases",
        )


def _go(run: Run, plan: Plan) -> Done:
    from rich.console import Console  # noqa: PLC0415 - 60 ms
    from rich.progress import (  # noqa: PLC0415 - likewise
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    with _terminated_like_interrupted(), bar:
        task = bar.add_task(f"asking {Path(plan.judge.argv[0]).name}", total=None)
        return run.go(lambda done, total: bar.update(task, completed=done, total=total))


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


@command.command(
    "paired",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def paired_command(words: tuple[str, ...]) -> int:
    """Compare two judges on the same cases; `paired run` asks both first.

    The flags are those of `judge_calibration.py paired`, or see `paired run --help`.
    """
    if words[:1] == ("run",):
        outcome = paired_run.main(
            list(words[1:]), prog_name="judge-contract calibrate paired run", standalone_mode=False
        )
        return outcome if isinstance(outcome, int) else GO
    return gates.run(Catalog.load(), GATE, ["paired", *words])


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
        declared: int = canonical_module(GATE).main(["declare", "--rule", rule, *log])
    if declared != GO:
        return declared
    rows = []
    for name, plan in plans.items():
        done = _go(runs[name], plan)
        click.echo(f"{name}: {_told(done)}", err=True)
        rows += [f"--{name}", str(done.verdicts)]
    flag = ["--json"] if as_json else []
    words = ["paired", "--cases", str(flags["cases"]), *rows, "--rule", rule, *log, *flag]
    return gates.run(Catalog.load(), GATE, words)


@command.command("report")
@click.option("--out", required=True, metavar="FILE", type=Path, help="The page to write.")
@click.option("--record", metavar="FILE", type=Path, help="What sealed or score --json told.")
@click.option("--paired", metavar="FILE", type=Path, help="What paired --json told.")
@click.option("--receipts", metavar="FILE", type=Path, help="The log, for the attempts.")
def report_command(
    *, out: Path, record: Path | None, paired: Path | None, receipts: Path | None
) -> int:
    """Draw what was measured as one HTML page that loads nothing and runs nothing."""
    from judge_conformance.calibration.report import page  # noqa: PLC0415 - only what runs

    if record is None and paired is None:
        raise UsageError("nothing to draw: give --record or --paired")
    arithmetic = canonical_module(GATE)
    try:
        measured = None if record is None else arithmetic.read_json(str(record))
        compared = None if paired is None else arithmetic.read_json(str(paired))
        events = (
            [] if receipts is None else arithmetic.log_events(str(receipts), receipts.read_bytes())
        )
    except (arithmetic.Unusable, OSError) as error:
        raise UnusableInputError(str(error)) from error
    _write(out, page(measured, compared, events))
    click.echo(f"drawn: {out}")
    return GO


def _write(path: Path, text: str) -> None:
    try:
        aside = path.with_name(f"{path.name}.part")
        aside.write_text(text, "utf-8", newline="")
        aside.replace(path)
    except OSError as error:
        raise UnusableInputError(f"cannot be written: {error.strerror}", path=str(path)) from error
