"""JUnit XML, for dashboards of tests: a case a finding, and one a rule that found nothing."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from judge_conformance.findings import Finding, Report, Severity
from judge_conformance.output import printable


def render(report: Report) -> str:
    """Return one suite; what fails a check is a failure, what is allowed is skipped."""
    cases = list(_cases(report))
    failures = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    counts = {"tests": len(cases), "failures": failures, "errors": 0, "skipped": skipped}
    numbers = {name: str(count) for name, count in counts.items()}
    title = f"judge-contract {report.tool}"
    suite = ET.Element("testsuite", {"name": title, "time": "0", **numbers})
    suite.extend(cases)
    if report.notes:
        ET.SubElement(suite, "system-out").text = "\n".join(printable(n) for n in report.notes)
    del numbers["skipped"]
    top = ET.Element("testsuites", {"name": "judge-contract", "time": "0", **numbers})
    top.append(suite)
    ET.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(top, "unicode") + "\n"


def _cases(report: Report) -> Iterator[ET.Element]:
    for finding, allowed in report.rows:
        place = finding.location
        line = f":{place.line}" if place.line else ""
        path = printable(place.path)
        case = ET.Element("testcase", classname=path, name=f"{finding.code} {path}{line}", time="0")
        if allowed is not None:
            ET.SubElement(case, "skipped", message=printable(allowed.why))
        elif finding.severity is Severity.ERROR and finding.origin != "base":
            failure = ET.SubElement(case, "failure", type=finding.code)
            failure.set("message", printable(finding.message))
            failure.text = _details(finding)
        else:
            ET.SubElement(case, "system-out").text = _details(finding)
        yield case
    found = {finding.code for finding in report.findings}
    for rule in report.rules:
        if rule.code not in found:
            yield ET.Element("testcase", classname=report.tool, name=rule.code, time="0")


def _details(finding: Finding) -> str:
    head = f"{finding.severity.value}: {finding.message}"
    mend = f"mend: {finding.fix}" if finding.fix else ""
    lines = [head, *(finding.hint or "").splitlines(), *(finding.diff or "").splitlines(), mend]
    return "\n".join(printable(line) for line in lines if line)
