"""`judge-contract diff`."""

from __future__ import annotations

import click

from judge_conformance.cli._repository import ROOT, context_at, emit, inside_root
from judge_conformance.copies import State
from judge_conformance.difference import differ
from judge_conformance.errors import GO, STOP, UsageError


@click.command()
@click.argument("path")
@ROOT
def command(path: str, root: object) -> int:
    """Show how the copy at PATH differs from its release.

    Exit 1 when it does.
    """
    context = context_at(root)  # type: ignore[arg-type] # click made it a Path
    copy = context.survey.copies.get(inside_root(context, path))
    if copy is None:
        raise UsageError(f"{path} carries no copy of the contract")
    if copy.state is State.CURRENT:
        click.echo(f"{copy.artifact}: as release {context.release} has it")
        return GO
    if copy.state not in {State.EDITED, State.OTHER}:
        raise UsageError(f"{path} is {copy.state.value}, so that there is nothing to compare")
    canonical = context.catalog.content(copy.artifact, context.release)
    language = context.catalog.artifacts[copy.artifact].language
    found = differ(copy, canonical, language, context.release)
    emit(f"{found.diff}\n{copy.artifact} {found.story}\n")
    return STOP
