"""Markdown, for the summary of a job: counts first, then a table, then how to mend."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judge_conformance.findings import Finding, Report, Severity
from judge_conformance.output import position, printable, told, why_allowed, worst_first
from judge_conformance.output.text import counted, summary

BYTES = 1024 * 1024 - 1024  # GitHub drops a summary of more than 1 MiB

_LONGEST = 10_000  # characters of one line of a finding
_NOTES = 50
_SPECIAL = re.compile(r"""[!"#$%&'()*+:<=>?@\[\\\]^_`{|}~]|(?<=www)\.""", re.IGNORECASE)
_ICON = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTICE: "💬"}
_ORIGIN = {"yours": "<br>(yours)", "base": "<br>(already on the base)", None: ""}


def render(report: Report) -> str:
    """Return the report, the worst first; what does not fit is counted."""
    head = f"### judge-contract {summary(report)}\n\n"
    tail = "".join(f"- note: {_escape(note)}\n" for note in report.notes[:_NOTES])
    if len(report.notes) > _NOTES:
        tail += f"- {counted(len(report.notes) - _NOTES, 'more notes')} in the log\n"
    room = BYTES - len((head + tail).encode())
    rows = []
    for row in _rows(report):
        room -= len(row.encode())
        if room < 0:
            break
        rows.append(row)
    if left := len(report.findings) + len(report.allowed) - len(rows):
        rows.append(f"\n{counted(left, 'more findings')} left out; the log has them all.\n")
    opening = "| | where | rule | what |\n| --- | --- | --- | --- |\n" if rows else ""
    return head + opening + "".join(rows) + ("\n" + tail if tail else "")


def _rows(report: Report) -> Iterator[str]:
    for finding in worst_first(report):
        origin = _ORIGIN[finding.origin]
        yield _row(finding, _ICON[finding.severity], f"{finding.code}{origin}", told(finding))
    for row in report.allowed:
        yield _row(row.finding, "", row.finding.code, [why_allowed(row), *told(row.finding)])


def _row(finding: Finding, icon: str, rule: str, lines: list[str]) -> str:
    where = ":".join(filter(None, (finding.location.path, position(finding.location))))
    said, *more = (_escape(line) for line in lines)
    what = said + "".join(f"<br><code>{line}</code>" for line in more)
    return f"| {icon} | <code>{_escape(where)}</code> | {rule} | {what} |\n"


def _escape(text: str) -> str:
    """Return a text as Markdown that shows it and does nothing else: no link, mention or tag.

    GitHub looks for mentions and addresses once more in what it rendered; a comment parts them.
    """
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + " (cut here)"
    escaped = _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", printable(text))
    return escaped.replace("&#64;", "&#64;<!-- -->").replace("&#35;", "&#35;<!-- -->")
