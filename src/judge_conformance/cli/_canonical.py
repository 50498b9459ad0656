"""Commands that hand their arguments to a canonical file as they are."""

from __future__ import annotations

import click

from judge_conformance import gates
from judge_conformance.catalog import Catalog


def passing(name: str, file: str, summary: str, *prefix: str) -> click.Command:
    """Make a command that runs a canonical file's own bytes; `--help` is that file's."""

    @click.command(
        name,
        help=summary,
        context_settings={"ignore_unknown_options": True, "help_option_names": []},
    )
    @click.argument("argv", nargs=-1, type=click.UNPROCESSED)
    def command(argv: tuple[str, ...]) -> int:
        return gates.run(Catalog.load(), file, [*prefix, *argv])

    return command
