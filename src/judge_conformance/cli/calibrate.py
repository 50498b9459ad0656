"""`judge-contract calibrate`: measure a judge on answers that are known, once."""

from __future__ import annotations

import click

from judge_conformance import gates
from judge_conformance.catalog import Catalog
from judge_conformance.cli import _calibrate_asking, _calibrate_results
from judge_conformance.errors import GO
from judge_conformance.records import CALIBRATION

PASSED_ON = {
    "split": "Show the tuning and the sealed set, or why they will not do.",
    "tune": "Tell what to mend in the prompt, from the tuning set alone.",
    "freeze": "Write down what is going to be measured, before it is.",
    "sealed": "Measure the sealed set, once; only the first attempt calibrates.",
    "score": "Tell the figures of the tuning set, or of a set without splits.",
    "kappa": "Agreement with people's labels beyond chance, for each category.",
    "e-value": "Evidence that agreement is above the floor, at any time.",
    "declare": "Write down the rule of a paired measurement, before the run.",
}


def _passed_on(name: str, text: str) -> click.Command:
    """Make a command that hands its words to the canonical script, flags and all."""

    def run(words: tuple[str, ...]) -> int:
        return gates.run(Catalog.load(), CALIBRATION, [name, *words])

    return click.Command(
        name,
        callback=run,
        params=[click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)],
        help=f"{text}\n\nThe flags are those of `{CALIBRATION} {name}`.",
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
        outcome = _calibrate_asking.paired_run.main(
            list(words[1:]), prog_name="judge-contract calibrate paired run", standalone_mode=False
        )
        return outcome if isinstance(outcome, int) else GO
    return gates.run(Catalog.load(), CALIBRATION, ["paired", *words])


for _command in (
    _calibrate_asking.run_command,
    _calibrate_results.rubric_command,
    _calibrate_results.record_command,
    _calibrate_results.report_command,
):
    command.add_command(_command)
