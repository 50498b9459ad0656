"""Mutants that may live, each with the reason that a reader can check: `equivalent.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path

from judge_conformance.errors import BrokenInstrumentError

_SHORTEST = 20  # characters below which a reason says nothing


def load(file: Path | Traversable) -> Mapping[str, Mapping[str, str]]:
    """Return, for each source by file name, the reason of each accepted mutant by its id.

    The id carries a hash of the function that it stands in: an edit of the function ends the
    acceptance. Raises BrokenInstrumentError naming the row.
    """
    try:
        table = tomllib.loads(file.read_bytes().decode("utf-8"))
    except (OSError, ValueError) as error:
        raise BrokenInstrumentError(f"cannot be read: {error}", path=file.name) from error
    accepted: dict[str, dict[str, str]] = {}
    for row in table.get("mutant", ()):
        source, name, reason = (row.get(key) for key in ("source", "id", "reason"))
        if not (isinstance(source, str) and isinstance(name, str) and isinstance(reason, str)):
            raise BrokenInstrumentError(
                f"a row without source, id and reason: {row}", path=file.name
            )
        if len(reason) < _SHORTEST:
            raise BrokenInstrumentError(f"{name}: the reason says too little", path=file.name)
        if name in accepted.setdefault(source, {}):
            raise BrokenInstrumentError(f"{name}: accepted twice", path=file.name)
        accepted[source][name] = reason
    return accepted
