"""Formats of a report: one module each, `render(report) -> str`, imported when it is asked for."""

from __future__ import annotations

import importlib

from judge_conformance.findings import Allowed, Finding, Location, Report

FORMATS = ("text", "json", "github", "sarif", "junit", "markdown")


def render(report: Report, format_name: str) -> str:
    """Return the report in a format, ending in a newline; all of it can be encoded as UTF-8."""
    module = importlib.import_module(f"{__name__}.{format_name}")
    text: str = module.render(report)
    return text


def printable(text: str) -> str:
    """Return a text on one line: control characters and undecodable bytes are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def encodable(text: str) -> str:
    """Return a text as it is, but that bytes of a file name that are no UTF-8 are spelt out."""
    return text.encode("utf-8", "backslashreplace").decode()


def told(finding: Finding) -> list[str]:
    """Return what a finding says, a printable line each: the message, the hint, the mend."""
    lines = [finding.message, *(finding.hint or "").splitlines()]
    if finding.fix:
        lines.append(f"mend: {finding.fix}")
    return [printable(line) for line in lines]


def why_allowed(row: Allowed) -> str:
    """Return why a finding is let stand, and until when, as a printable line."""
    until = f" until {row.until}" if row.until else ""
    return printable(f"allowed{until}: {row.why}")


def position(place: Location) -> str:
    """Return `line:column`, or what of it is known; nothing for a file as a whole."""
    return ":".join(str(n) for n in (place.line, place.column) if n is not None)


def worst_first(report: Report) -> list[Finding]:
    """Return the findings in the order in which a format with a limit keeps them.

    What is already on the base comes last, errors come before warnings, and then by path.
    """
    return sorted(report.findings, key=lambda f: (f.origin == "base", f.severity.rank, f.order))
