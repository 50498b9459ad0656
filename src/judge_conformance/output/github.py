"""For GitHub Actions: workflow commands that annotate a pull request, the worst first."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from judge_conformance.findings import Finding, Report, Severity
from judge_conformance.output import encodable, position, printable, told, why_allowed, worst_first
from judge_conformance.output.text import counted, summary

_LIMIT = 10  # annotations of one level that GitHub shows for a step
_LONGEST = 4096  # UTF-16 units of a message that the runner sends on
_CUT = "\n(cut here: the other reports have all of it)"
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def render(report: Report) -> str:
    """Return at most ten annotations a level, the other findings as plain lines, and the counts."""
    ranked = worst_first(report)
    shown = _shown(ranked)
    lines = [_annotation(finding, report.uri_prefix) for finding in shown]
    plain = [finding for finding in ranked if not any(finding is other for other in shown)]
    if plain:
        rest = f"{counted(len(plain), 'more findings')} in the log of this step"
        lines.append(f"::notice::{rest}: GitHub shows ten annotations a level and step")
    lines += [_plain(line) for line in (*_rest(report, plain), summary(report))]
    return "\n".join(lines) + "\n"


def _shown(ranked: list[Finding]) -> list[Finding]:
    """Return the first ten of each level, errors first; one notice less where it must say so."""
    levels = [[f for f in ranked if f.severity is severity] for severity in Severity]
    if any(len(level) > _LIMIT for level in levels):
        levels[-1] = levels[-1][: _LIMIT - 1]
    return [finding for level in levels for finding in level[:_LIMIT]]


def _rest(report: Report, findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        place = finding.location
        where = ":".join(filter(None, (place.path, position(place))))
        yield f"{finding.severity.value}: {finding.code} {where}: {finding.message}"
    for row in report.allowed:
        yield f"{why_allowed(row)}: {row.finding.code} {row.finding.location.path}"
    for note in report.notes:
        yield f"note: {note}"


def _annotation(finding: Finding, prefix: str) -> str:
    place = finding.location
    one_line = place.end_line in {None, place.line}  # GitHub takes columns on one line alone
    properties = {
        "file": posixpath.normpath(prefix + place.path),
        "line": place.line,
        "endLine": place.end_line,
        "col": place.column if one_line else None,
        "endColumn": place.end_column if one_line else None,
        "title": finding.code + (" (already on the base)" if finding.origin == "base" else ""),
    }
    head = ",".join(
        f"{name}={_escape(str(value), _PROPERTY)}"
        for name, value in properties.items()
        if value is not None
    )
    return f"::{finding.severity.value} {head}::{_escape(_cut(told(finding)), _DATA)}"


def _cut(lines: list[str]) -> str:
    text = "\n".join(lines)
    units = text.encode("utf-16-le")
    if len(units) <= 2 * _LONGEST:
        return text
    return units[: 2 * (_LONGEST - len(_CUT))].decode("utf-16-le", "ignore") + _CUT


def _escape(text: str, table: dict[str, str]) -> str:
    """Escape as the runner unescapes: what it reads is the text, whatever characters it holds."""
    return "".join(table.get(character, character) for character in encodable(text))


def _plain(text: str) -> str:
    """Return a text that is no command to the runner, which reads `##[` anywhere in a line."""
    return printable(text).replace("##[", "#\\#[")
