"""The page: whole, still, readable, and whatever it shows is text."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from tests.calibration.conftest import Cli

VOID = {"meta", "br", "hr", "img", "input", "link"}
TEXT_ON = [
    ("ink", "page", 7.0),
    ("ink", "card", 7.0),
    ("ink", "good-tint", 7.0),
    ("ink", "bad-tint", 7.0),
    ("quiet", "page", 4.5),
    ("quiet", "card", 4.5),
    ("good", "card", 4.5),
    ("bad", "card", 4.5),
    ("floor", "card", 4.5),
]
"""Which text stands on which ground, and the contrast it needs (WCAG 2: AA is 4.5)."""


class Reader(HTMLParser):
    """Reads a page as a browser would: what it holds, and whether it nests."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.broken: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.broken.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def read(path: Path) -> Reader:
    reader = Reader()
    reader.feed(path.read_text("utf-8"))
    reader.close()
    return reader


@pytest.fixture
def pages(tmp_path: Path, measured: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(measured, tmp_path, dirs_exist_ok=True))


def draw(cli: Cli, *words: str) -> Reader:
    assert cli("report", "--out", "page.html", *words) == 0
    return read(Path("page.html"))


ALL = ["--record", "record.json", "--paired", "paired.json", "--receipts",
       "calibration-receipts.jsonl"]  # fmt: skip


def test_the_page_shows_all_that_was_measured(pages: Path, cli: Cli) -> None:
    page = draw(cli, *ALL)
    text = " ".join(" ".join(page.text).split())
    record = json.loads((pages / "record.json").read_text())
    for figure in record["figures"]:
        assert figure["name"] in text
    for words in (
        "acme-links@1",
        "Calibrated",
        "sealed, attempt 2",
        'calibrates nothing: <script>alert(1)</script> & "quotes" \\u202e',
        "Dashed : the floor, 0.8.",
        "anchors & links",
        "no case expects abstain",
        "Discordant pairs",
        "times the baseline's",
        "What was found wrong after the run",
        record["hashes"]["sealed"],
    ):
        assert words in text


def test_the_page_is_whole_and_still(pages: Path, cli: Cli) -> None:
    page = draw(cli, *ALL)
    assert (page.broken, page.open) == ([], [])
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "a"}
    source = (pages / "page.html").read_text("utf-8")
    assert not re.search(r"https?:|url\(|@import|src=|href=|\son\w+=", source)
    policies = [attrs.get("content") for tag, attrs in page.tags if attrs.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


@pytest.mark.usefixtures("pages")
def test_the_page_can_be_read_without_seeing_it(cli: Cli) -> None:
    page = draw(cli, *ALL)
    assert dict(page.tags[0][1])["lang"] == "en"
    assert (page.count("h1"), page.count("title"), page.count("main")) == (1, 1, 1)
    assert page.count("caption") == page.count("table")
    pictures = [attrs for _, attrs in page.tags if attrs.get("role") == "img"]
    assert all(attrs.get("aria-label") for attrs in pictures)
    assert len(pictures) == 4
    for tag, attrs in page.tags:
        if tag == "svg":
            assert attrs.get("aria-hidden") == "true" or attrs.get("class") == "ticks"
        if tag == "th":
            assert attrs.get("scope") in {"row", "col"}
    assert "width=device-width" in str([attrs for tag, attrs in page.tags if tag == "meta"])


def test_every_number_stands_in_a_table_and_in_the_picture(pages: Path, cli: Cli) -> None:
    page = draw(cli, "--record", "record.json")
    marks = [attrs for tag, attrs in page.tags if tag == "circle"]
    record = json.loads((pages / "record.json").read_text())
    shown = [figure for figure in record["figures"] if figure["value"] is not None]
    assert len(marks) == len(shown) + len(record["families"])
    assert [attrs["cx"] for attrs in marks][: len(shown)] == [
        f"{2 + 96 * figure['value']:.3f}%" for figure in shown
    ]


def test_below_the_floor_is_not_only_a_colour(pages: Path, cli: Cli) -> None:
    record = json.loads((pages / "record.json").read_text())
    record["figures"][0]["value"] = 0.7999
    (pages / "low.json").write_text(json.dumps(record))
    page = draw(cli, "--record", "low.json")
    assert "0.799 below" in page.text
    assert [attrs.get("class") for tag, attrs in page.tags if tag == "svg"].count("below") == 1


def test_a_score_is_drawn_as_what_it_is(
    pages: Path, cli: Cli, capfd: pytest.CaptureFixture[str]
) -> None:
    capfd.readouterr()
    words = ["--cases", "cases.jsonl", "--verdicts", "both/baseline/verdicts.jsonl", "--json"]
    assert cli("score", *words) == 1
    (pages / "score.json").write_text(capfd.readouterr().out)
    text = " ".join(draw(cli, "--record", "score.json").text)
    assert "Below the floor" in text
    assert "Not sealed: these figures calibrate nothing." in text


@pytest.mark.usefixtures("pages")
def test_a_paired_run_alone_has_its_heading(cli: Cli) -> None:
    assert draw(cli, "--paired", "paired.json").count("h1") == 1


ODD = ["[]", "7", "{}", '{"figures": []}', "x", ""]


@pytest.mark.parametrize("text", ODD)
def test_what_was_not_measured_is_not_drawn(
    tree: Path, cli: Cli, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tree / "odd.json").write_text(text)
    for flag in ("--record", "--paired"):
        assert cli("report", "--out", "page.html", flag, "odd.json") == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert not (tree / "page.html").exists()
    assert cli("report", "--out", "page.html") == 2


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb, as WCAG 2 defines it."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True)))


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def themes() -> list[dict[str, str]]:
    style = files("judge_conformance.calibration.report").joinpath("page.css").read_text("utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground", "least"), TEXT_ON)
def test_text_stands_out(theme: dict[str, str], ink: str, ground: str, least: float) -> None:
    assert contrast(theme[ink], theme[ground]) >= least


def test_both_themes_name_the_same_colours() -> None:
    light, dark = themes()
    assert list(light) == list(dark)
