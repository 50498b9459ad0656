"""For people: how often each rule found something, the most frequent first."""

from __future__ import annotations

from collections import Counter

from judge_conformance.findings import Report
from judge_conformance.output.text import summary


def render(report: Report) -> str:
    """Return a line a rule with its count, code and title, and the summary."""
    titles = {rule.code: rule.title for rule in report.rules}
    counts = Counter(finding.code for finding in report.findings)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    lines = [f"{count:6}  {code:13}  {titles.get(code, '')}".rstrip() for code, count in rows]
    return "\n".join([*lines, summary(report)]) + "\n"
