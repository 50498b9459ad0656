"""Read each format as its readers do: by published schemas, GitHub's renderer, GitHub's runner."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import xmlschema
from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options
from jsonschema import Draft202012Validator
from sarif_kit.validate import validation_errors

JUNIT = xmlschema.XMLSchema(Path(__file__).parent / "schemas/junit-10.xsd")
_UNESCAPE = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]


class Page(HTMLParser):
    """The elements of a page and the words in each cell of its table."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.feed(
            github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE),
        )

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self.tags.add(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Read workflow commands as the runner does: level, properties, message."""
    found = []
    for line in text.split("\n"):
        if line.startswith("::"):
            head, _, data = line[2:].partition("::")
            level, _, pairs = head.partition(" ")
            named = dict(pair.split("=", 1) for pair in pairs.split(",") if pair)
            found.append((level, {k: _read(v) for k, v in named.items()}, _read(data)))
    return found


def _read(text: str) -> str:
    for escape, character in _UNESCAPE:
        text = text.replace(escape, character)
    return text


def run_of(text: str) -> dict[str, Any]:
    """Return the run of a SARIF log."""
    (run,) = json.loads(text)["runs"]
    assert isinstance(run, dict)
    return run


def check_json(text: str) -> None:
    schema = json.loads(files("judge_conformance").joinpath("schemas/report.json").read_text())
    Draft202012Validator(schema).validate(json.loads(text))


def check_sarif(text: str) -> None:
    assert not validation_errors(json.loads(text))
    run = run_of(text)
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert re.fullmatch(r"[\w./%~-]+", place["artifactLocation"]["uri"], re.ASCII)
        region = place["region"]
        end = (region.get("endLine", region["startLine"]), region.get("endColumn", 10**9))
        assert (region["startLine"], region.get("startColumn", 1)) <= end
    prints = {result["partialFingerprints"]["judgeContract/v1"] for result in run["results"]}
    assert len(prints) == len(run["results"])


def check_junit(text: str) -> None:
    JUNIT.validate(text)


def check_github(text: str) -> None:
    for line in text.split("\n")[:-1]:
        if not line.startswith("::"):
            assert re.match(r"(error|warning|notice|note|allowed[^:]*|check): ", line)
            assert "##[" not in line
            assert line.isprintable()
    for level, named, message in commands(text):
        assert level in {"error", "warning", "notice"}
        assert not named.keys() - {"file", "line", "endLine", "col", "endColumn", "title"}
        assert "col" not in named or named.get("endLine", named["line"]) == named["line"]
        assert len(message.encode("utf-16-le")) <= 2 * 4096


def check_markdown(text: str) -> None:
    assert len(text.encode()) <= 1024 * 1024
    page = Page(text)
    known = {"h3", "table", "thead", "tbody", "tr", "th", "td", "code", "br", "ul", "li", "p"}
    assert not page.tags - known
    assert not len(page.cells) % 4


def check_text(text: str) -> None:
    assert all(line.isprintable() for line in text.split("\n"))


CHECKS: dict[str, Callable[[str], None]] = {
    "json": check_json,
    "sarif": check_sarif,
    "junit": check_junit,
    "github": check_github,
    "markdown": check_markdown,
    "text": check_text,
}


def check(name: str, text: str) -> None:
    """Hold a text to what its format's readers take, in UTF-8."""
    text.encode()
    assert text.endswith("\n")
    CHECKS[name](text)
