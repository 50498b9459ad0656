"""The report that viewers of mutation testing open: mutation-testing-elements, schema 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judge_conformance.sabotage.mutants import line_and_column, replacement
from judge_conformance.sabotage.session import Result, SabotageReport

_STATUS = {
    "killed": "Killed",
    "hang": "Timeout",
    "survived": "Survived",
    "accepted": "Ignored",
}


def document(reports: Sequence[SabotageReport], command: str = "parity") -> Mapping[str, Any]:
    """Return the document; `hang` is their Timeout, although here it is counted, not timed.

    Source: https://github.com/stryker-mutator/mutation-testing-elements.
    """
    return {
        "$schema": "https://raw.githubusercontent.com/stryker-mutator/mutation-testing-elements/master/packages/report-schema/src/mutation-testing-report-schema.json",
        "schemaVersion": "2",
        "thresholds": {"high": 100, "low": 97},
        "framework": {"name": f"judge-contract {command}"},
        "files": {
            report.subject.path: {
                "language": report.subject.language,
                "source": report.subject.source,
                "mutants": [_mutant(report.subject.source, result) for result in report.results],
            }
            for report in reports
        },
        "testFiles": {
            "checks": {
                "tests": [
                    {"id": name, "name": name}
                    for name in sorted(
                        {r.check for report in reports for r in report.results if r.check}
                    )
                ]
            }
        },
    }


def _mutant(source: str, result: Result) -> Mapping[str, Any]:
    start, end = result.mutant.span
    mutant: dict[str, Any] = {
        "id": result.mutant.id,
        "mutatorName": result.mutant.operator,
        "replacement": replacement(source, result.mutant),
        "location": {"start": _place(source, start), "end": _place(source, end)},
        "status": _STATUS[result.status],
    }
    if result.check:
        mutant["killedBy"] = [result.check]
    if result.reason:
        mutant["statusReason"] = result.reason
    return mutant


def _place(source: str, offset: int) -> Mapping[str, int]:
    line, column = line_and_column(source, offset)
    return {"line": line, "column": column}
