"""Names and notes that try to be markup are shown and do nothing, in Markdown and in HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import cmarkgfm
import pytest
import tomli_w

from judge_conformance.calibration.report import page
from judge_conformance.errors import AuthorMistakeError
from judge_conformance.judges import parse_registry
from judge_conformance.judges.tables import END, START, between_markers, tables

HOSTILE = [
    "a | b \\| c \\",
    "<script>alert(1)</script>",
    "<!-- judges:end -->",
    "<!-- judges:start -->",
    "`code` ``two``",
    "**bold** _it_ __b__ ~~no~~ snake_case",
    "[a](javascript:alert(1)) ![i](x)",
    "&lt;b&gt; &amp; &#124;",
    "@someone #12 $x$ ## end #",
    "1. - > : --- | --- |",
    "line\nbreak\r\nand\ttab",
    "\u202e overridden \u0007",
    "]]> </table></td> '\"",
]
PATHS = ["a|b.js", "a`b.js", "a\\|b.js", "a b.js ", "a\nb.js", "<x>.js", "a<!-- judges:end -->.js"]


class Cells(HTMLParser):
    """The texts of table cells and headings, and every tag that there is."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in {"td", "th", "h3"}:
            self._inside = True
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th", "h3"}:
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.cells[-1] += data


def rendered(text: str) -> Cells:
    cells = Cells()
    cells.feed(cmarkgfm.github_flavored_markdown_to_html(text))
    return cells


def registry(text: str, where: str = "a.js") -> str:
    row = {"plugin": text, "judge": text, "where": [where], "shape": text, "note": text}
    return tomli_w.dumps({"judge": [{**row, "status": "collapsed", "rubric": text}]})


def shown(text: str) -> str:
    """Return a text as it should be read: on one line, what nobody can see spelled out."""
    plain = " ".join(text.split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in plain)


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_a_text_and_does_nothing_else(text: str) -> None:
    found = rendered(tables(parse_registry(registry(text).encode())))
    assert found.tags <= {"table", "thead", "tbody", "tr", "th", "td", "h3", "code", "p"}
    *_, heading, _, _, _, _, _, judge, shape, _, where, rests = found.cells
    assert (heading, judge, shape) == (shown(text),) * 3
    assert where == "a.js"
    assert rests.startswith("rubric ")
    assert rests.endswith(f"; {shown(text)}")


@pytest.mark.parametrize("path", PATHS)
def test_markdown_shows_a_path(path: str) -> None:
    rows = parse_registry(registry("a", path).encode())
    found = rendered(tables(rows))
    spelled = "".join(c if c.isprintable() else repr(c)[1:-1] for c in path)
    assert found.cells[-2] == spelled
    assert found.tags <= {"table", "thead", "tbody", "tr", "th", "td", "h3", "code", "p"}


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_written_can_be_written_again(text: str) -> None:
    table = tables(parse_registry(registry(text, f"{text.strip()}.js").encode()))
    first = between_markers(f"# Judges\n\n{START}\n{END}\n", table, path="p.md")
    assert between_markers(first, table, path="p.md") == first


@pytest.mark.parametrize("text", HOSTILE)
def test_the_page_shows_a_text_and_does_nothing_else(text: str) -> None:
    rows = parse_registry(registry(text).encode())
    found = Cells()
    found.feed(page(None, None, [], (rows, [])))
    assert not found.tags & {"script", "b", "img", "a"}
    seen = "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text.strip())
    assert found.cells.count(seen) == 1  # the plugin; the judge has its shape below it


DAMAGE = {
    "none": "# Judges\n",
    "no end": f"{START}\n",
    "no start": f"\n{END}\n",
    "two starts": f"{START}\n{START}\n{END}\n",
    "two ends": f"{START}\n{END}\n{END}\n",
    "the end first": f"{END}\n{START}\n",
    "in capitals": f"{START.upper()}\n{END}\n",
    "a space more": f"{START.replace('--', '-- ', 1)}\n{END}\n",
}


@pytest.mark.parametrize("text", DAMAGE.values(), ids=list(DAMAGE))
def test_damaged_markers_are_named_and_nothing_is_written(text: str) -> None:
    with pytest.raises(AuthorMistakeError, match="not one start and one end") as raised:
        between_markers(text, "table\n", path="p.md")
    assert raised.value.path == "p.md"
    assert START in str(raised.value.hint)


def test_markers_on_one_line_hold_the_tables() -> None:
    text = between_markers(f"{START}{END}", "table\n", path="p.md")
    assert text == f"{START}\n\ntable\n\n{END}"
    assert between_markers(text, "table\n", path="p.md") == text
