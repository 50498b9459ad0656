"""For GitHub Actions: workflow commands that annotate a pull request, the worst first."""

from __future__ import annotations

import posixpath

from judge_conformance.findings import Finding, Report, Severity
from judge_conformance.output import printable
from judge_conformance.output.text import summary

_LIMIT = 10  # annotations of one level that GitHub shows for a step
_PROPERTY = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}


def render(report: Report) -> str:
    """Return at most ten annotations a level, what was left out, and the summary."""
    lines: list[str] = []
    left_out = 0
    for severity in Severity:
        found = [finding for finding in report.findings if finding.severity is severity]
        shown = _LIMIT - 1 if severity is Severity.NOTICE else _LIMIT
        lines += [_annotation(finding, report.uri_prefix) for finding in found[:shown]]
        left_out += len(found[shown:])
    if left_out:
        lines.append(f"::notice::{left_out} more findings are in the log and the other reports")
    lines.append(_escape(summary(report), _DATA))
    return "\n".join(lines) + "\n"


def _annotation(finding: Finding, prefix: str) -> str:
    place = finding.location
    properties = {
        "file": posixpath.normpath(prefix + place.path),
        "line": place.line,
        "endLine": place.end_line,
        "col": place.column,
        "endColumn": place.end_column,
        "title": finding.code,
    }
    head = ",".join(
        f"{name}={_escape(str(value), _PROPERTY)}"
        for name, value in properties.items()
        if value is not None
    )
    mend = f"\nmend: {finding.fix}" if finding.fix else ""
    hint = f"\n{finding.hint}" if finding.hint else ""
    return f"::{finding.severity.value} {head}::{_escape(finding.message + hint + mend, _DATA)}"


def _escape(text: str, table: dict[str, str]) -> str:
    """Escape what GitHub reads as syntax, and show what nobody can see."""
    return "".join(table.get(c) or (c if c.isprintable() else printable(c)) for c in text)
