"""For machines: one versioned JSON document, in ASCII."""

from __future__ import annotations

import json
from typing import Any

from judge_conformance.findings import Finding, Report, Severity
from judge_conformance.output import encodable

VERSION = 1


def render(report: Report) -> str:
    """Return the report as JSON of the shipped schema's form."""
    document = {
        "version": VERSION,
        "tool": report.tool,
        "findings": [_finding(finding) for finding in report.findings],
        "allowed": [
            {"finding": _finding(row.finding), "why": encodable(row.why), "until": row.until}
            for row in report.allowed
        ],
        "notes": [encodable(note) for note in report.notes],
        "summary": {
            "checked": dict(report.checked),
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "notices": report.count(Severity.NOTICE),
            "allowed": len(report.allowed),
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.location

    def text(value: str | None) -> str | None:
        return None if value is None else encodable(value)

    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "path": encodable(place.path),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "message": encodable(finding.message),
        "hint": text(finding.hint),
        "fix": text(finding.fix),
        "diff": text(finding.diff),
        "origin": finding.origin,
    }
