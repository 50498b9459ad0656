"""`judge-contract schema`."""

from __future__ import annotations

from importlib.resources import files

import click

from judge_conformance.catalog import Catalog
from judge_conformance.cli._repository import emit
from judge_conformance.errors import GO, UsageError


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Print a JSON Schema of what is read or written.

    Without NAME: the names there are.

    \b
    judge-contract schema
    judge-contract schema config > judge-contract.schema.json
    """
    schemas = _schemas()
    if name is None:
        emit("".join(f"{known}\n" for known in sorted(schemas)))
        return GO
    if name not in schemas:
        raise UsageError(f"no schema {name!r}", hint="list them: judge-contract schema")
    emit(schemas[name])
    return GO


def _schemas() -> dict[str, str]:
    """Return every shipped schema's text: the tool's own, and those of the canonical files."""
    folder = Catalog.load().folder
    found = [*folder.joinpath("schemas").iterdir(), folder.joinpath("verdict.schema.json")]
    found += files("judge_conformance").joinpath("schemas").iterdir()
    return {
        file.name.removesuffix(".json").removesuffix(".schema"): file.read_text("utf-8")
        for file in found
        if file.name.endswith(".json")
    }
