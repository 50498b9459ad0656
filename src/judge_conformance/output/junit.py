"""JUnit XML, for dashboards of tests: a case a finding, and one a rule that found nothing."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from judge_conformance.findings import Finding, Report, Severity
from judge_conformance.output import position, printable, told, why_allowed


def render(report: Report) -> str:
    """Return one suite: an error fails; what stops nobody is skipped, with its words.

    Warnings, notices, what is allowed and what is already on the base are skipped cases: a
    dashboard shows and counts them, as no failures.
    """
    cases = list(_cases(report))
    numbers = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "time": "0",
    }
    skipped = str(sum(case.find("skipped") is not None for case in cases))
    top = ET.Element("testsuites", {"name": "judge-contract", **numbers})
    title = f"judge-contract {report.tool}"
    suite = ET.SubElement(top, "testsuite", {"name": title, **numbers, "skipped": skipped})
    if report.checked:
        properties = ET.SubElement(suite, "properties")
        for what, count in report.checked.items():
            ET.SubElement(properties, "property", {"name": what, "value": str(count)})
    suite.extend(cases)
    if report.notes:
        ET.SubElement(suite, "system-out").text = "\n".join(printable(n) for n in report.notes)
    ET.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(top, "unicode") + "\n"


def _cases(report: Report) -> Iterator[ET.Element]:
    for finding in report.findings:
        old = finding.origin == "base"
        outcome = "failure" if finding.severity is Severity.ERROR and not old else "skipped"
        kind = finding.severity.value + (" already on the base" if old else "")
        yield _case(finding, outcome, kind, told(finding))
    for row in report.allowed:
        yield _case(row.finding, "skipped", "allowed", [why_allowed(row), *told(row.finding)])
    found = {finding.code for finding in report.findings}
    for rule in report.rules:
        if rule.code not in found:
            yield ET.Element("testcase", classname=report.tool, name=rule.code, time="0")


def _case(finding: Finding, outcome: str, kind: str, lines: list[str]) -> ET.Element:
    path = printable(finding.location.path)
    where = ":".join(filter(None, (path, position(finding.location))))
    case = ET.Element("testcase", classname=path, name=f"{finding.code} {where}", time="0")
    words = ET.SubElement(case, outcome, type=kind, message=lines[0])
    words.text = "\n".join([*lines, *map(printable, (finding.diff or "").splitlines())])
    return case
