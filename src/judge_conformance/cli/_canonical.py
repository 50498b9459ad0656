"""Commands that hand their arguments to a canonical file as they are."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import click

from judge_conformance import gates
from judge_conformance.catalog import Catalog


class Canonical(click.Command):
    """A command that is a canonical file's: `--help` is handed on, and answered by that file."""

    def __init__(
        self,
        name: str,
        *,
        file: str,
        help: str,  # noqa: A002 - click's name for it
        params: list[click.Parameter],
        callback: Callable[..., Any],
    ) -> None:
        self.file = file
        handed_on = {"ignore_unknown_options": True, "help_option_names": []}
        super().__init__(name, handed_on, callback, params, help)

    def get_help(self, ctx: click.Context) -> str:
        """Return what the file says of itself, for the page of all commands."""
        said = ast.get_docstring(ast.parse(Catalog.load().content(self.file)))
        usage = f"Usage: {ctx.command_path} ARGUMENTS..., which are those of {self.file}"
        return f"{usage}\n\n{inspect.cleandoc(self.help or '')}\n\n{said}"


def passing(name: str, file: str, summary: str, *prefix: str) -> click.Command:
    """Make a command that runs a canonical file's own bytes."""

    def run(argv: tuple[str, ...]) -> int:
        return gates.run(Catalog.load(), file, [*prefix, *argv])

    words = click.Argument(["argv"], nargs=-1, type=click.UNPROCESSED)
    return Canonical(name, file=file, help=summary, params=[words], callback=run)
