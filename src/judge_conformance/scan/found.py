"""What a scan finds: judges, places that look fail-open, and agents with a judge's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["workflow", "python", "shell", "hook"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """One place where a model is asked and code goes by its answer.

    `decides` are the fields of the answer that code reads in a condition, a filter or a sort;
    empty: nothing but its name (`label`) says that it judges. `contract`: its answer goes through
    the contract. `name` is what its call is labelled, computed parts as dots. `steers`: code goes
    by fields that say no verdict, as a scout's do. Lines and columns from 1.
    """

    path: str
    line: int
    language: Language
    label: str = ""
    name: str = ""
    decides: tuple[str, ...] = ()
    contract: bool = False
    steers: bool = False
    column: int = 1

    @property
    def told(self) -> str:
        """What it decides, in a few words."""
        if self.decides:
            return f"{'steers' if self.steers else 'decides'} by {', '.join(self.decides)}"
        return f"named {self.label!r}; no field of its answer is read in a condition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A default that looks fail-open: where, the code, and what it does when no answer came."""

    path: str
    line: int
    code: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """An agent whose name says that it judges; a model reads it, no code is known to."""

    path: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """All that was found, sorted by path and line, and how many scripts were looked at."""

    judges: tuple[Judge, ...] = ()
    advice: tuple[Advice, ...] = ()
    named: tuple[Named, ...] = ()
    scripts: int = 0
    unread: tuple[tuple[str, str], ...] = ()
