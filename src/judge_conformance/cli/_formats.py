"""The option `--format`, for every command that has one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click


def format_option(
    formats: Sequence[str],
    told: str = "How to print it.",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator that adds `--format`; the command is given it as `format_name`."""
    return click.option(
        "--format",
        "format_name",
        type=click.Choice(formats),
        default="text",
        show_default=True,
        help=told,
    )
