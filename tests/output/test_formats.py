"""Every format over one report of every rule with hostile names: golden, valid, within limits."""

from __future__ import annotations

import gzip
import json
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from judge_conformance.cli.app import main
from judge_conformance.findings import Allowed, Finding, Location, Report, RuleInfo, Severity
from judge_conformance.output import FORMATS, render
from judge_conformance.rules import all_rules

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
HOSTILE = [
    "plugins/a b/c.js",
    "plugins/new\nline.js",
    "plugins/%0A::error::x.js",
    "plugins/]]><b>&amp;.js",
    "plugins/|pipe`tick*_[l](http:x)@me.js",
    "plugins/\x1b[31mred\x07.js",
    "plugins/\udcff.js",
    "plugins/\u202egnp.js",
    "plugins/\U0001f600é.js",
    "-rf.js",
]
RULES = tuple(
    RuleInfo(code=rule.code, title=rule.title, severity=rule.severity, help=rule.doc)
    for rule in all_rules()
)


FEW = tuple(
    RuleInfo(code=f"JC-{name}", title=f"{name} | <b>", severity=severity, help="One.\n\nTwo `x`.")
    for name in ("ONE", "TWO", "THREE", "FOUR")
    for severity in Severity
)


def hostile(rules: tuple[RuleInfo, ...] = RULES) -> Report:
    """Make a report in which every rule fires, at every kind of name and place."""
    findings = []
    for number, rule in enumerate(rules):
        line = None if number % 4 == 0 else number
        findings.append(
            Finding(
                code=rule.code,
                severity=list(Severity)[number % 3],
                location=Location(
                    path=HOSTILE[number % len(HOSTILE)],
                    line=line,
                    column=3 if line else None,
                    end_line=line + 1 if line else None,
                    end_column=9 if line else None,
                ),
                message=f"says {HOSTILE[(number + 3) % len(HOSTILE)]!s} and \x00 nul",
                hint="first line\nsecond | line" if number % 2 else None,
                fix="judge-contract vendor 'x' --force" if number % 3 else None,
                diff="--- a\n+++ b\n-]]>\n+<x>" if number % 5 == 0 else None,
                origin=(None, "yours", "base")[number % 3],
            )
        )
    silenced = replace(findings[0], origin=None)
    return Report(
        tool="check",
        findings=tuple(findings),
        rules=rules,
        allowed=(Allowed(finding=silenced, why="known | since\nMay", until="2099-01-01"),),
        checked={"plugins": 3, "copies": 1, "scripts": 2},
        notes=("plugins/\udcff.js: not tracked yet",),
        uri_prefix="market/place/",
    )


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_as_it_was(name: str, request: pytest.FixtureRequest) -> None:
    text = render(hostile(FEW), name).encode("utf-8", "backslashreplace").decode()
    file = GOLDEN / f"hostile.{name}"
    if request.config.getoption("--rewrite"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8", newline="")
    assert text == file.read_bytes().decode()
    assert text.endswith("\n")


def sarif(report: Report) -> dict[str, object]:
    document = json.loads(render(report, "sarif"))
    schema = json.loads((HERE / "sarif-2.1.0.json").read_text("utf-8"))
    errors = list(Draft202012Validator(schema).iter_errors(document))
    assert not errors, errors[0].message
    run: dict[str, object] = document["runs"][0]
    return run


def results(report: Report) -> list[dict[str, object]]:
    found = sarif(report)["results"]
    assert isinstance(found, list)
    return found


def test_sarif_is_valid_and_relative_to_the_top_of_git() -> None:
    run = json.loads(json.dumps(sarif(hostile())))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [r.code for r in RULES]
    uris = {
        row["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for row in run["results"]
    }
    assert "market/place/plugins/a%20b/c.js" in uris
    assert "market/place/plugins/%FF.js" in uris
    assert all(re.fullmatch(r"[\w.~%/-]+", uri, re.ASCII) for uri in uris)
    suppressed = [row for row in run["results"] if "suppressions" in row]
    assert len(suppressed) == 1
    assert [row["level"] for row in run["results"]] == sorted(
        (row["level"] for row in run["results"]), key=["error", "warning", "note"].index
    )


def prints(report: Report) -> list[object]:
    return [row["partialFingerprints"] for row in results(report)]


def moved(report: Report, by: int) -> Report:
    def lower(finding: Finding) -> Finding:
        place = finding.location
        line = place.line + by if place.line else None
        return replace(finding, location=replace(place, line=line))

    return replace(report, findings=tuple(lower(finding) for finding in report.findings))


def test_fingerprints_survive_moved_lines_and_tell_twins_apart() -> None:
    report = hostile()
    twin = replace(report, findings=(*report.findings, report.findings[1]))
    assert prints(report) == prints(moved(report, 40))
    assert len({str(one) for one in prints(twin)}) == len(twin.findings) + len(twin.allowed)


def many(count: int, text: str = "x") -> Report:
    return Report(
        tool="check",
        findings=tuple(
            Finding(
                code="JC-DRIFT",
                severity=Severity.WARNING if number else Severity.ERROR,
                location=Location(path=f"plugins/{number}.js", line=1),
                message=f"{number} {text}",
            )
            for number in reversed(range(count))
        ),
        rules=RULES,
        checked={"scripts": count},
    )


def test_sarif_stays_within_githubs_count_and_says_so() -> None:
    run = json.loads(render(many(25_003), "sarif"))["runs"][0]
    assert len(run["results"]) == 25_000
    assert run["results"][0]["level"] == "error"
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert notes[-1]["message"]["text"] == "3 more findings are left out of this file"


def test_sarif_stays_within_githubs_size() -> None:
    noise = random.Random(1)  # noqa: S311 - text that does not compress
    base = many(30)
    findings = (replace(f, message=noise.randbytes(400_000).hex()) for f in base.findings)
    text = render(replace(base, findings=tuple(findings)), "sarif")
    assert len(gzip.compress(text.encode(), mtime=0)) <= 10_000_000
    assert 10 < len(json.loads(text)["runs"][0]["results"]) < 30


def test_junit_has_the_form_that_dashboards_read() -> None:
    report = hostile()
    top = ET.fromstring(render(report, "junit"))  # noqa: S314 - of our own making
    (suite,) = top
    assert (top.tag, suite.tag) == ("testsuites", "testsuite")
    cases = suite.findall("testcase")
    expected = [f for f in report.findings if f.severity is Severity.ERROR and f.origin != "base"]
    assert int(suite.attrib["tests"]) == len(cases) == len(report.findings) + 1
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) == len(expected)
    assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped")) == 1
    assert all({"classname", "name", "time"} == set(case.attrib) for case in cases)
    assert {child.tag for case in cases for child in case} == {"failure", "skipped", "system-out"}
    clean = ET.fromstring(render(Report(tool="check", rules=RULES), "junit"))  # noqa: S314 - likewise
    assert len(clean.findall("testsuite/testcase")) == len(RULES)


def test_markdown_stays_within_a_summary_and_says_so() -> None:
    text = render(many(30_000, "y" * 100), "markdown")
    assert len(text.encode()) < 1024 * 1024
    assert re.search(r"\n\d+ more findings left out; the log has them all\.\n$", text)
    assert "plugins/0.js" in text.splitlines()[4]


def test_markdown_shows_names_and_does_nothing_with_them() -> None:
    rows = [line for line in render(hostile(), "markdown").splitlines() if line[:1] == "|"]
    assert len(rows) == len(RULES) + 3
    assert all(len(row.split("|")) == 6 for row in rows)
    shown = "".join(re.sub(r"</?(code|br)>", "", row) for row in rows[2:])
    assert not set("<>`[]@*_~") & set(shown)


def test_github_keeps_to_ten_a_level_and_to_one_line_each() -> None:
    text = render(replace(many(40), findings=many(40).findings + hostile().findings), "github")
    lines = text.splitlines()
    for level in ("error", "warning", "notice"):
        assert sum(line.startswith(f"::{level}") for line in lines) <= 10
    assert sum(" more findings are in the log" in line for line in lines) == 1
    assert all(line.startswith("::") for line in lines[:-1])


def test_json_has_the_form_of_its_schema() -> None:
    schema = json.loads(files("judge_conformance").joinpath("schemas/report.json").read_text())
    document = json.loads(render(hostile(), "json"))
    assert not list(Draft202012Validator(schema).iter_errors(document))
    assert document["summary"]["checked"] == {"plugins": 3, "copies": 1, "scripts": 2}
    del document["findings"][0]["message"]
    assert list(Draft202012Validator(schema).iter_errors(document))


ROOT = HERE.parent / "marketplaces/adopted"


def reports(folder: Path, names: Sequence[str]) -> list[str]:
    return [word for name in names for word in ("--report", f"{name}={folder / name}")]


def test_reports_are_written_beside_the_text(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(ROOT), *reports(tmp_path, FORMATS)]) == 0
    text = capfd.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FORMATS)
    assert (tmp_path / "text").read_text() == text
    for name in FORMATS:
        assert main(["check", str(ROOT), "--format", name]) == 0
        assert (tmp_path / name).read_text() == capfd.readouterr().out


def test_a_report_that_cannot_be_written_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    for file in (tmp_path / "none/r.json", tmp_path / "folder"):
        assert main(["check", str(ROOT), "--report", f"json={file}"]) == 2
        told = capfd.readouterr()
        assert (told.out, told.err.count("\n")) == ("", 1)
        assert told.err.startswith(f"judge-contract: --report: {file}: ")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]
    assert main(["check", str(ROOT), "--report", "pdf=x"]) == 2
    assert "not FORMAT=FILE" in capfd.readouterr().err
