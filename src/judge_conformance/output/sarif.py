"""SARIF 2.1.0, for code scanning: every rule with its help, every finding with a fingerprint."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import quote_from_bytes

from judge_conformance.findings import Finding, Report, Severity

RESULTS = 25_000  # GitHub takes no more of one run,
BYTES = 10_000_000  # and no more of one file, gzipped

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}
_STATE = {"yours": "new", "base": "unchanged"}


def render(report: Report) -> str:
    """Return the report as one run, the worst first, as much of it as GitHub takes."""
    results = sorted(_results(report), key=lambda result: _order(result["level"]))
    kept = results[:RESULTS]
    text = _document(report, kept, len(results))
    while len(gzip.compress(text.encode("utf-8", "backslashreplace"), mtime=0)) > BYTES:
        kept = kept[: len(kept) * 3 // 4]
        text = _document(report, kept, len(results))
    return text


def _document(report: Report, results: Sequence[dict[str, Any]], total: int) -> str:
    notes = [*report.notes]
    if len(results) < total:
        notes.append(f"{total - len(results)} more findings are left out of this file")
    run = {
        "tool": {
            "driver": {
                "name": "judge-contract",
                "version": version("judge-contract"),
                "rules": [
                    {
                        "id": rule.code,
                        "shortDescription": {"text": rule.title},
                        "fullDescription": {"text": rule.help.partition("\n\n")[0]},
                        "help": {"text": rule.help, "markdown": rule.help},
                        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
                    }
                    for rule in report.rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The top of the git repository."}}
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": _text(note)}} for note in notes
                ],
            }
        ],
        "results": list(results),
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _results(report: Report) -> Iterator[dict[str, Any]]:
    index = {rule.code: number for number, rule in enumerate(report.rules)}
    seen: Counter[str] = Counter()
    for finding, allowed in report.rows:
        print_ = _fingerprint(finding, report.uri_prefix, seen)
        result: dict[str, Any] = {
            "ruleId": finding.code,
            "level": _LEVEL[finding.severity],
            "message": {"text": _message(finding)},
            "locations": [{"physicalLocation": _place(finding, report.uri_prefix)}],
            "partialFingerprints": {"judgeContract/v1": print_},
        }
        if finding.code in index:
            result["ruleIndex"] = index[finding.code]
        if finding.origin is not None:
            result["baselineState"] = _STATE[finding.origin]
        if allowed is not None:
            result["suppressions"] = [{"kind": "external", "justification": _text(allowed.why)}]
        yield result


def _fingerprint(finding: Finding, prefix: str, seen: Counter[str]) -> str:
    """Name a finding by what it says and where, not by its line; the nth of a kind by its n."""
    said = (finding.code, prefix + finding.location.path, finding.message, finding.key)
    name = "\0".join(said)
    seen[name] += 1
    data = f"{name}\0{seen[name]}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest()[:32]


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
            "uri": quote_from_bytes(os.fsencode(posixpath.normpath(prefix + place.path))),
            "uriBaseId": "%SRCROOT%",
        },
        "region": {name: value for name, value in region.items() if value is not None},
    }


def _message(finding: Finding) -> str:
    mend = f"mend: {finding.fix}" if finding.fix else None
    return "\n".join(_text(part) for part in (finding.message, finding.hint, mend) if part)


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _order(level: str) -> int:
    return list(_LEVEL.values()).index(level)
