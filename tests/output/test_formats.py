"""Every format over hostile reports: golden, valid for its readers, within GitHub's limits."""

from __future__ import annotations

import gzip
import json
import random
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from tests.output.reading import Page, check, commands, run_of

from judge_conformance.findings import Allowed, Finding, Location, Report, RuleInfo, Severity
from judge_conformance.output import FORMATS, github, markdown, render, sarif

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = [
    "plugins/a b/c.js",
    "plugins/new\nline.js",
    "plugins/%0A::error::x,y:z.js",
    "plugins/]]><b>&amp;.js",
    "plugins/|pipe`tick*_[l](http:x)@me#1 www.x.io a@b.io.js",
    "plugins/\x1b[31mred\x07.js",
    "plugins/\udcff.js",
    "plugins/\u202egnp.js",
    "plugins/\U0001f600é.js",
    "-rf ##[error].js",
]
FEW = tuple(
    RuleInfo(code=f"JC-{name}", title=f"{name} | <b>", severity=severity, help="One.\n\nTwo `x`.")
    for name, severity in zip(
        ["ONE", "TWO", "THREE", "FOUR", *(f"R{chr(n)}" for n in range(65, 73))],
        [*Severity] * 4,
        strict=True,
    )
)
MIXED = (Severity.NOTICE, Severity.ERROR, Severity.WARNING)


def hostile() -> Report:
    """Make a report with every kind of name, level, origin and place."""
    findings = []
    for number, rule in enumerate(FEW):
        line = None if number % 4 == 0 else number
        place = Location(
            path=HOSTILE[number % len(HOSTILE)],
            line=line,
            column=3 if line else None,
            end_line=line + number % 2 if line else None,
            end_column=9 if line else None,
        )
        findings.append(
            Finding(
                code=rule.code,
                severity=list(Severity)[number % 3],
                location=place,
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
        rules=FEW,
        allowed=(
            Allowed(finding=silenced, why="known | since\nMay ##[error]", until="2099-01-01"),
        ),
        checked={"plugins": 3, "copies": 1, "scripts": 2},
        notes=("plugins/\udcff.js: not tracked yet",),
        uri_prefix="market/place/",
    )


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_as_it_was(name: str, request: pytest.FixtureRequest) -> None:
    text = render(hostile(), name)
    check(name, text)
    text = re.sub(r'("semanticVersion": )"[^"]+"', r'\1"0.0.0"', text)
    file = GOLDEN / f"hostile.{name}"
    if request.config.getoption("--rewrite"):
        file.write_text(text, "utf-8", newline="")
    assert text == file.read_bytes().decode()


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_of_nothing_holds(name: str) -> None:
    check(name, render(Report(tool="check", checked={"plugins": 1}), name))


def many(count: int, levels: tuple[Severity, ...] = (Severity.WARNING,), text: str = "x") -> Report:
    return Report(
        tool="check",
        findings=tuple(
            Finding(
                code="JC-DRIFT",
                severity=levels[number % len(levels)],
                location=Location(path=f"plugins/{number:06}.js", line=1),
                message=text,
            )
            for number in range(count)
        ),
        checked={"scripts": count},
    )


def test_what_is_already_on_the_base_comes_last() -> None:
    found = many(30, (Severity.ERROR,)).findings
    of = [replace(f, origin="base" if n < 20 else "yours") for n, f in enumerate(found)]
    report = replace(many(0), findings=tuple(of))
    for name in ("github", "sarif", "markdown"):
        text = render(report, name)
        assert text.index("000029") < text.index("000000")
    assert {named["file"][-9:-3] for _, named, _ in commands(render(report, "github"))[:10]} == {
        f"{number:06}" for number in range(20, 30)
    }


def test_annotations_read_back_as_what_was_said() -> None:
    report = hostile()
    read = {named["title"].split()[0]: named for _, named, _ in commands(render(report, "github"))}
    assert len(read) == len(report.findings)
    for finding in report.findings:
        named, place = read[finding.code], finding.location
        path = "market/place/" + place.path
        assert named["file"] == path.encode("utf-8", "backslashreplace").decode()
        assert ("col" in named) == (place.line is not None and place.line == place.end_line)
        assert ("already on the base" in named["title"]) == (finding.origin == "base")


@pytest.mark.parametrize(
    ("count", "levels", "left"),
    [
        (10, (Severity.NOTICE,), 0),
        (11, (Severity.NOTICE,), 2),
        (10, (Severity.ERROR,), 0),
        (11, (Severity.ERROR,), 1),
        (60, MIXED, 31),
    ],
)
def test_github_annotates_ten_a_level_and_prints_the_rest(
    count: int, levels: tuple[Severity, ...], left: int
) -> None:
    text = render(many(count, levels), "github")
    check("github", text)
    heads = [level for level, _, _ in commands(text)]
    assert max(heads.count(level) for level in heads) <= 10
    assert len(heads) == count - left + bool(left)
    assert len(re.findall(r"(?m)^\w+: JC-DRIFT plugins/\d+\.js:1: x$", text)) == left
    assert (f"::notice::{left} more finding" in text) == bool(left)


@pytest.mark.parametrize("letter", ["x", "\U0001f600"])
def test_github_is_sent_no_longer_message_than_it_passes_on(letter: str) -> None:
    units = len(letter.encode("utf-16-le")) // 2
    for length, cut in ((4096 // units, False), (4096 // units + 1, True)):
        text = render(many(1, text=letter * length), "github")
        check("github", text)
        assert ("(cut here" in text) is cut


def test_sarif_keeps_the_worst_that_github_takes_and_says_so() -> None:
    run = run_of(render(many(sarif.RESULTS + 9, MIXED), "sarif"))
    assert len(run["results"]) == 25_000
    assert [row["level"] for row in run["results"]].count("error") == 8336
    notes = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert notes == [
        "9 of 25009 findings are left out of this file, which has a limit",
        "GitHub shows 5000 of these 25000 findings, the worst first",
    ]
    shown = run_of(render(many(5_000), "sarif"))["invocations"][0]
    assert shown["toolExecutionNotifications"] == []


def test_sarif_stays_within_githubs_size() -> None:
    noise = random.Random(1)  # noqa: S311 - text that does not compress
    found = (replace(f, message=noise.randbytes(400_000).hex()) for f in many(30).findings)
    text = render(replace(many(30), findings=tuple(found)), "sarif")
    assert len(gzip.compress(text.encode(), mtime=0)) <= 10_000_000
    run = run_of(text)
    left = 30 - len(run["results"])
    assert 0 < left < 20
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert notes[0]["message"]["text"].startswith(f"{left} of 30 findings are left out")


def test_sarif_has_no_alert_for_what_is_allowed_and_a_rule_for_every_code() -> None:
    run = run_of(render(replace(hostile(), rules=FEW[:3]), "sarif"))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == sorted(r.code for r in FEW)
    assert len(run["results"]) == len(FEW)
    notes = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert notes[0].startswith("allowed until 2099-01-01: known | since\\nMay ##[error]: JC-ONE")
    uris = [
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]
    ]
    assert {"market/place/plugins/a%20b/c.js", "market/place/plugins/%FF.js"} <= set(uris)


def prints(report: Report) -> list[str]:
    run = run_of(render(report, "sarif"))
    return sorted(row["partialFingerprints"]["judgeContract/v1"] for row in run["results"])


def test_fingerprints_survive_moved_lines_numbers_and_levels() -> None:
    def moved(finding: Finding, by: int) -> Finding:
        place = finding.location
        line, end = place.line and place.line + by, place.end_line and place.end_line + by
        message = f"{finding.message}, as line {7 + by} does"
        place = replace(place, line=line, end_line=end)
        return replace(finding, severity=Severity.WARNING, message=message, location=place)

    report = hostile()
    twice = (*report.findings, report.findings[1])
    before, after = (replace(report, findings=tuple(moved(f, by) for f in twice)) for by in (0, 40))
    assert prints(before) == prints(after)
    assert len(set(prints(before))) == len(twice)
    assert set(prints(replace(before, findings=before.findings[1:]))) < set(prints(before))


def test_a_file_as_a_whole_brings_githubs_own_fingerprint() -> None:
    for row in run_of(render(hostile(), "sarif"))["results"]:
        named = row["partialFingerprints"]
        region = row["locations"][0]["physicalLocation"]["region"]
        assert ("primaryLocationLineHash" in named) == ("startColumn" not in region)


def test_junit_counts_failures_and_shows_what_is_skipped() -> None:
    report = hostile()
    top = ET.fromstring(render(report, "junit"))  # noqa: S314 - of our own making
    suite = top.find("testsuite")
    assert suite is not None
    failing = [f for f in report.findings if f.severity is Severity.ERROR and f.origin != "base"]
    cases = len(report.findings) + len(report.allowed)
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase")) == cases
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) == len(failing)
    skipped = suite.findall("testcase/skipped")
    assert int(suite.attrib["skipped"]) == len(skipped) == cases - len(failing)
    (allowed,) = (s for s in skipped if s.attrib["type"] == "allowed")
    assert allowed.attrib["message"] == r"allowed until 2099-01-01: known | since\nMay ##[error]"
    assert {s.attrib["type"] for s in skipped} >= {"warning", "notice already on the base"}
    names = [case.attrib["name"] for case in suite.findall("testcase")]
    clean = ET.fromstring(render(replace(report, findings=(), allowed=()), "junit"))  # noqa: S314
    assert len(clean.findall("testsuite/testcase")) == len(FEW) <= len(names)


@pytest.mark.parametrize("message", ["wrong " * 60, "`|<" * 8_000])
def test_markdown_stays_below_its_limit_and_says_what_it_left_out(message: str) -> None:
    text = render(many(8_000, MIXED, message), "markdown")
    check("markdown", text)
    assert len(text.encode()) > markdown.BYTES - 200_000
    rows = len(Page(text).cells) // 4
    assert f"\n{8_000 - rows} more findings left out; the log has them all.\n" in text
    assert "❌" in text
    assert "💬" not in text


def test_markdown_counts_notes_beyond_fifty() -> None:
    notes = tuple(f"note {number}" for number in range(53))
    assert render(replace(many(0), notes=notes), "markdown").endswith("- 3 more notes in the log\n")


def test_markdown_shows_hostile_names_as_they_are() -> None:
    text = render(hostile(), "markdown")
    cells = Page(text).cells
    rows = [cells[n : n + 4] for n in range(0, len(cells), 4)]
    assert len(rows) == len(FEW) + 1
    for name in HOSTILE:
        shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
        assert any(row[1].startswith(shown) for row in rows)
        assert any(shown in row[3] for row in rows)
    assert not re.search(r"@(?!<!-- -->)|&#64;(?!<!-- -->)", text)


def test_json_says_paths_in_unicode_alone() -> None:
    document = json.loads(render(hostile(), "json"))
    json.dumps(document, ensure_ascii=False).encode()
    assert "plugins/\\udcff.js" in {row["path"] for row in document["findings"]}
    assert document["summary"]["checked"] == {"plugins": 3, "copies": 1, "scripts": 2}
    assert document["summary"]["allowed"] == len(document["allowed"]) == 1


def test_text_shows_what_is_allowed_and_counts_it() -> None:
    text = render(hostile(), "text")
    assert (
        r"JC-ONE plugins/a b/c.js: allowed until 2099-01-01: known | since\nMay ##[error]" in text
    )
    assert text.endswith(" 1 allowed\n")
    assert github.render(hostile()).count("\nallowed until 2099-01-01: ") == 1
