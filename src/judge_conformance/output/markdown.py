"""Markdown, for the summary of a job: counts first, then a table, then how to mend."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judge_conformance.findings import Allowed, Finding, Report, Severity
from judge_conformance.output import printable
from judge_conformance.output.text import counted, summary

BYTES = 1024 * 1024 - 1024  # GitHub drops a summary of more than 1 MiB

_SPECIAL = re.compile(r"""[!"#$%&*+:<>?@\[\\\]^_`{|}~]""")
_ICON = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTICE: "💬"}
_ORIGIN = {"yours": "yours", "base": "already on the base", None: ""}


def render(report: Report) -> str:
    """Return the report, the worst first; what does not fit is counted."""
    head = f"### judge-contract {summary(report)}\n\n"
    tail = "".join(f"- note: {_escape(note)}\n" for note in report.notes[:50])
    room = BYTES - len((head + tail).encode())
    rows = sorted(report.findings, key=lambda finding: finding.severity.rank)
    parts, used = [], 0
    for part in _parts(rows, report.allowed):
        used += len(part.encode())
        if used > room:
            break
        parts.append(part)
    left = len(rows) + len(report.allowed) - len(parts)
    if left:
        parts.append(f"\n{counted(left, 'more findings')} left out; the log has them all.\n")
    opening = "| | where | rule | what |\n| --- | --- | --- | --- |\n" if parts else ""
    return head + opening + "".join(parts) + ("\n" + tail if tail else "")


def _parts(rows: list[Finding], allowed: tuple[Allowed, ...]) -> Iterator[str]:
    for row in rows:
        mend = f"<br>mend: <code>{_escape(row.fix)}</code>" if row.fix else ""
        hint = "".join(
            f"<br><code>{_escape(line)}</code>" for line in (row.hint or "").splitlines()
        )
        origin = f"<br>({_ORIGIN[row.origin]})" if row.origin else ""
        what = _escape(row.message) + hint + mend
        yield f"| {_ICON[row.severity]} | {_where(row)} | {row.code}{origin} | {what} |\n"
    for item in allowed:
        until = f" until {item.until}" if item.until else ""
        what = f"allowed{until}: {_escape(item.why)}"
        yield f"| | {_where(item.finding)} | {item.finding.code} | {what} |\n"


def _where(finding: Finding) -> str:
    place = finding.location
    line = f":{place.line}" if place.line else ""
    return f"<code>{_escape(place.path)}{line}</code>"


def _escape(text: str) -> str:
    """Return a text as Markdown that shows it and does nothing else: no link, mention or tag."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", printable(text))
