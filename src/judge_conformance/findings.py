"""The vocabulary of results: what was found, where, how bad, and what was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal


class Severity(StrEnum):
    """How much a finding weighs; only errors fail a check (warnings too under `--strict`)."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"

    @property
    def rank(self) -> int:
        """0 for the worst, so that sorting puts errors first."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place in the tree: POSIX path relative to the root; lines and columns from 1.

    Columns count Unicode scalars; `end_column` is exclusive. No line: the file as a whole.
    """

    path: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault, said once.

    `message` says what is wrong; `hint` (any number of lines) explains or holds lines to paste;
    `fix` is the command that mends it; `diff` is a unified diff where one helps; `origin` says,
    against a base, whose fault it is; `key` tells two findings of one rule in one file apart
    where their lines may move (it feeds stable fingerprints).
    """

    code: str
    severity: Severity
    location: Location
    message: str
    hint: str | None = None
    fix: str | None = None
    diff: str | None = None
    origin: Literal["yours", "base"] | None = None
    key: str = ""

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """Sort key: by path, line, column, code, message."""
        place = self.location
        return (place.path, place.line or 0, place.column or 0, self.code, self.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleInfo:
    """What an output format needs to know of a rule (or of an exercise or parity check)."""

    code: str
    title: str
    severity: Severity
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """A finding that an allowance of the config silences, and why, and until when."""

    finding: Finding
    why: str
    until: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run found and what it looked at; formats render it, nothing here prints.

    `tool` is the command (`check`, `exercise`, `parity`, `selftest`); `checked` counts what was
    looked at, in the order in which it should be said (`{"plugins": 12, "copies": 31}`); `notes`
    are lines for people that are no findings; `uri_prefix` leads from git's top to the root.
    """

    tool: str
    findings: tuple[Finding, ...] = ()
    rules: tuple[RuleInfo, ...] = ()
    allowed: tuple[Allowed, ...] = ()
    checked: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    uri_prefix: str = ""

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """The findings, and those that an allowance silences."""
        return (*self.findings, *(row.finding for row in self.allowed))

    def count(self, severity: Severity) -> int:
        """How many findings have this severity, whoever's they are."""
        return sum(finding.severity is severity for finding in self.findings)

    def fails(self, *, strict: bool = False) -> bool:
        """Whether the findings stop: an error (or, strict, a warning) not already on the base."""
        stopping = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
        return any(f.severity in stopping and f.origin != "base" for f in self.findings)
