"""For people: findings by file, with the line, what to do, and the counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, takewhile

from judge_conformance.findings import Finding, Report, Severity
from judge_conformance.output import position, printable, why_allowed

_WORTH = 3  # lines that a hint repeats before they are told once


def render(report: Report) -> str:
    """Return the report as lines of plain text."""
    lines = by_file(report.findings)
    for allowed in report.allowed:
        finding = allowed.finding
        where = f"{finding.code} {printable(finding.location.path)}"
        lines.append(f"{where}: {why_allowed(allowed)}")
    lines += [f"note: {printable(note)}" for note in report.notes]
    lines.append(summary(report))
    return "\n".join(lines) + "\n"


def by_file(findings: Sequence[Finding]) -> list[str]:
    """Return the lines of findings under their files; what a hint repeats is told once."""
    lines: list[str] = []
    hints: dict[str, str] = {}
    for path, found in groupby(findings, key=lambda finding: finding.location.path):
        lines.append(printable(path))
        for finding in found:
            lines += _finding(finding, hints.get(finding.code, ""))
            hints[finding.code] = finding.hint or ""
        lines.append("")
    return lines


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


def _finding(finding: Finding, hint_before: str) -> list[str]:
    origin = {"yours": " (yours)", "base": " (already on the base)", None: ""}[finding.origin]
    where = position(finding.location) or "-"
    head = f"  {where}  {finding.severity.value} {finding.code}{origin}  "
    lines = [head + printable(finding.message)]
    told = _less((finding.hint or "").splitlines(), hint_before.splitlines())
    lines += [f"      {printable(line)}" for line in (*told, *(finding.diff or "").splitlines())]
    if finding.fix:
        lines.append(f"      mend: {printable(finding.fix)}")
    return lines


def _less(hint: list[str], before: list[str]) -> list[str]:
    """Return a hint less the lines at its end that the hint before it ended with too."""
    pairs = zip(reversed(hint), reversed(before), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return hint if same < _WORTH else [*hint[:-same], f"... and the last {same} lines from above"]
