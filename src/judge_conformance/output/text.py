"""For people: findings by file, with the line, what to do, and the counts."""

from __future__ import annotations

from itertools import groupby

from judge_conformance.findings import Finding, Report, Severity
from judge_conformance.output import position, printable, why_allowed


def render(report: Report) -> str:
    """Return the report as lines of plain text."""
    lines: list[str] = []
    for path, findings in groupby(report.findings, key=lambda finding: finding.location.path):
        lines.append(printable(path))
        for finding in findings:
            lines += _finding(finding)
        lines.append("")
    for allowed in report.allowed:
        finding = allowed.finding
        where = f"{finding.code} {printable(finding.location.path)}"
        lines.append(f"{where}: {why_allowed(allowed)}")
    lines += [f"note: {printable(note)}" for note in report.notes]
    lines.append(summary(report))
    return "\n".join(lines) + "\n"


def counted(count: int, things: str) -> str:
    """Return `1 script` or `2 scripts` of a plural; `copies` has one copy."""
    one = things.removesuffix("ies") + "y" if things.endswith("ies") else things.removesuffix("s")
    return f"{count} {one if count == 1 else things}"


def summary(report: Report) -> str:
    """Say in one line what was looked at and what was found."""
    looked = ", ".join(counted(count, name) for name, count in report.checked.items())
    counts = [
        counted(count, f"{severity.value}s")
        for severity in Severity
        if (count := report.count(severity))
    ]
    if report.allowed:
        counts.append(f"{len(report.allowed)} allowed")
    return f"{report.tool}: {looked or 'nothing'}: {', '.join(counts) or 'no finding'}"


def _finding(finding: Finding) -> list[str]:
    origin = {"yours": " (yours)", "base": " (already on the base)", None: ""}[finding.origin]
    where = position(finding.location) or "-"
    head = f"  {where}  {finding.severity.value} {finding.code}{origin}  "
    lines = [head + printable(finding.message)]
    for text in (finding.hint, finding.diff):
        lines += [f"      {printable(line)}" for line in (text or "").splitlines()]
    if finding.fix:
        lines.append(f"      mend: {printable(finding.fix)}")
    return lines
