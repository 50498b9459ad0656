"""What sabotage found, as findings and as lines for people; the same for pair, gates and rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from judge_conformance.findings import Finding, Location, Report, RuleInfo, Severity
from judge_conformance.parity.cases import ready
from judge_conformance.sabotage.mutants import line_and_column, replacement
from judge_conformance.sabotage.session import Result, SabotageReport

SURVIVED = RuleInfo(
    code="JP-SURVIVED",
    title="A sabotaged copy passes every check",
    severity=Severity.ERROR,
    help=(
        "The source was broken on purpose at this place and nothing noticed. Either a check is"
        " missing (where an input that shows the difference was found, it stands in the hint as a"
        " ready case), or the code there does nothing and can go."
    ),
)


def findings(report: SabotageReport) -> Iterator[Finding]:
    """Yield a finding for each survivor, where it stands in the source."""
    source = report.subject.source
    for result in report.survivors:
        start, end = result.mutant.span
        line, column = line_and_column(source, start)
        end_line, end_column = line_and_column(source, end)
        yield Finding(
            code=SURVIVED.code,
            severity=SURVIVED.severity,
            location=Location(
                path=report.subject.path,
                line=line,
                column=column,
                end_line=end_line,
                end_column=end_column,
            ),
            message=f"survived: {_change(source, result)}",
            hint=_hint(result),
            key=result.mutant.id,
        )


def report(reports: Sequence[SabotageReport], *, tool: str, subjects: str) -> Report:
    """Return the survivors of many subjects as findings of a command, with the tables."""
    found = [finding for one in reports for finding in findings(one)]
    return Report(
        tool=tool,
        findings=tuple(sorted(found, key=lambda finding: finding.order)),
        rules=(SURVIVED,),
        checked={
            subjects: len(reports),
            "mutants": sum(len(one.results) for one in reports),
            "killed": sum(one.count("killed", "hang") for one in reports),
            "survived": sum(one.count("survived") for one in reports),
            "accepted": sum(one.count("accepted") for one in reports),
        },
        notes=tuple(table(reports)),
    )


def table(reports: Sequence[SabotageReport]) -> list[str]:
    """Return the lines of a table: mutants by operator, killed, survived, accepted."""
    header = ("operator", "mutants", "killed", "of these hung", "survived", "accepted")
    lines = []
    for report in reports:
        lines.append(f"{report.subject.path}: {_total(report)}")
        rows = [
            (
                operator,
                str(fates.total()),
                str(fates["killed"] + fates["hang"]),
                str(fates["hang"]),
                str(fates["survived"]),
                str(fates["accepted"]),
            )
            for operator, fates in report.operators.items()
        ]
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        for row in (header, *rows):
            first, *others = zip(row, widths, strict=True)
            cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
            lines.append("  " + "  ".join(cells))
    return lines


def _total(report: SabotageReport) -> str:
    return (
        f"{len(report.results)} mutants against {report.checks} checks,"
        f" {report.count('killed', 'hang')} killed, {report.count('survived')} survived,"
        f" {report.count('accepted')} accepted, {report.merged} more the same as another"
    )


def _change(source: str, result: Result) -> str:
    start, end = result.mutant.span
    before, after = source[start:end], replacement(source, result.mutant)
    return f"{result.mutant.id}: {_shown(before)} -> {_shown(after)}"


def _shown(text: str) -> str:
    longest = 60
    one_line = json.dumps(" ".join(text.split()))
    return one_line if len(one_line) <= longest else one_line[:longest] + '..."'


def _hint(result: Result) -> str:
    if result.witness is None:
        return (
            f"not distinguished in {result.tried} inputs"
            if result.tried
            else "no check shows it: plant one that does, or take the code away"
        )
    case = ready(
        result.witness, name=result.mutant.id, tags=["survivor"], answer=result.answer or ""
    )
    return f"this input shows it, as a case:\n{case}"
