"""SARIF 2.1.0, for code scanning: every rule with its help, every finding with a fingerprint."""

from __future__ import annotations

import gzip
import hashlib
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import quote_from_bytes

from judge_conformance.findings import Finding, Report, RuleInfo, Severity
from judge_conformance.output import encodable, printable, told, why_allowed, worst_first

RESULTS = 25_000  # GitHub takes no more of one run,
SHOWN = 5_000  # shows no more,
BYTES = 10_000_000  # and takes no more of one file, gzipped

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}
_PROBLEM = {**_LEVEL, Severity.NOTICE: "recommendation"}
_STATE = {"yours": "new", "base": "unchanged"}


def render(report: Report) -> str:
    """Return the report as one run, the worst first, as much of it as GitHub takes.

    What is allowed is told in notifications: GitHub would show a suppressed result as an alert.
    """
    rules = _rules(report)
    results = list(_results(report, rules))
    kept = results[:RESULTS]
    text = _document(report, rules, kept, len(results))
    while kept and len(gzip.compress(text.encode(), mtime=0)) > BYTES:
        kept = kept[: len(kept) * 3 // 4]
        text = _document(report, rules, kept, len(results))
    return text


def _document(
    report: Report, rules: Sequence[RuleInfo], results: Sequence[dict[str, Any]], total: int
) -> str:
    run = {
        "tool": {
            "driver": {
                "name": "judge-contract",
                "semanticVersion": version("judge-contract"),
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "automationDetails": {
            "id": f"judge-contract/{_uri(report.tool)}/{_uri(report.uri_prefix)}"
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The top of the git repository."}}
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": printable(note)}}
                    for note in _notes(report, len(results), total)
                ],
            }
        ],
        "results": list(results),
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _notes(report: Report, kept: int, total: int) -> Iterator[str]:
    if kept < total:
        yield f"{total - kept} of {total} findings are left out of this file, which has a limit"
    if kept > SHOWN:
        yield f"GitHub shows {SHOWN} of these {kept} findings, the worst first"
    for row in report.allowed:
        yield f"{why_allowed(row)}: {row.finding.code} {row.finding.location.path}"
    yield from report.notes


def _rules(report: Report) -> tuple[RuleInfo, ...]:
    """Return the rules by code, and one more for each code that the report does not explain."""
    known = {rule.code: rule for rule in report.rules}
    for finding in report.findings:
        bare = RuleInfo(code=finding.code, title=finding.code, severity=finding.severity, help="")
        known.setdefault(finding.code, bare)
    return tuple(known[code] for code in sorted(known))


def _rule(rule: RuleInfo) -> dict[str, Any]:
    text = rule.help or rule.title
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": text.partition("\n\n")[0]},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
        "properties": {
            "precision": "very-high",
            "problem.severity": _PROBLEM[rule.severity],
            "tags": ["judge-contract"],
        },
    }


def _results(report: Report, rules: Sequence[RuleInfo]) -> Iterator[dict[str, Any]]:
    index = {rule.code: number for number, rule in enumerate(rules)}
    prints = _fingerprints(report)
    for finding in worst_first(report):
        print_ = prints[id(finding)]
        result: dict[str, Any] = {
            "ruleId": finding.code,
            "ruleIndex": index[finding.code],
            "level": _LEVEL[finding.severity],
            "message": {"text": "\n".join(told(finding))},
            "locations": [{"physicalLocation": _place(finding, report.uri_prefix)}],
            "partialFingerprints": {"judgeContract/v1": print_},
        }
        if finding.location.line is None:  # GitHub's own needs a line of a file that is there
            result["partialFingerprints"]["primaryLocationLineHash"] = print_
        if finding.origin is not None:
            result["baselineState"] = _STATE[finding.origin]
        yield result


def _fingerprints(report: Report) -> dict[int, str]:
    """Name each finding, by `id()`, by rule, file and words; the nth of a kind by its n.

    Lines, levels and numbers in the words do not count: they change while the fault stays.
    """
    seen: Counter[str] = Counter()
    prints = {}
    for finding in sorted(report.findings, key=lambda finding: finding.order):
        path = report.uri_prefix + finding.location.path
        words = re.sub(r"\d+", "0", finding.message)
        name = f"{finding.code}\x00{path}\x00{words}\x00{finding.key}"
        seen[name] += 1
        data = encodable(f"{name}\0{seen[name]}").encode()
        prints[id(finding)] = hashlib.sha256(data).hexdigest()[:32]
    return prints


def _place(finding: Finding, prefix: str) -> dict[str, Any]:
    place = finding.location
    region = {
        "startLine": place.line or 1,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    return {
        "artifactLocation": {
            "uri": _uri(posixpath.normpath(prefix + place.path)),
            "uriBaseId": "%SRCROOT%",
        },
        "region": {name: value for name, value in region.items() if value is not None},
    }


def _uri(path: str) -> str:
    """Return a relative URI of a path whose bytes need not be UTF-8."""
    try:
        return quote_from_bytes(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a lone surrogate out of some JSON: in no file's name
        return quote_from_bytes(encodable(path).encode())
