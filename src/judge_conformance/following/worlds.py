"""A world: what is taken to be true of the values that a source gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is true of these values, by kind of trace: a value of the language, or a mark of it."""

    name: str
    facts: Mapping[str, Any]
