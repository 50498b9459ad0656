from __future__ import annotations

import pytest

from judge_conformance.workflows.parse import ScriptError, parse, scan_markers

GOOD = {
    "top-level return and await": "const a = await agent('x');\nreturn a;\n",
    "meta": "export const meta = { name: 'x' };\nreturn 1\n",
    "meta behind comments and a BOM": "\ufeff// c\n/* d */ export const meta = {}\nreturn 1\n",
    "return before a template over lines": "return `a\nb`\n",
    "return before a string over lines": "return 'a\\\nb'\n",
    "throw before a template over lines": "throw `a\nb`\n",
    "modern syntax": "const { a = 1, ...b } = args ?? {}; a ||= b?.c; class D { #e = 1n }\n",
    "CR alone": "const a = 1\rreturn a\r",
    "empty": "",
    "get on a line before its name": "class A { get\n x() {} static set\n #y(v) {} get\n *z() {} }",
    "hashbang": "#!/usr/bin/env node\nreturn 1\n",
    "many comments before meta": "//   \n" * 200
    + "/* a */ /**/\nexport const meta = {}\nreturn 1\n",
    "many comments and no meta": "//   \n" * 200 + "return 1\n",
}
BAD = {
    "escape": ("} async function q() {", 1, 1),
    "HTML-like comment": ("const a = 1\n<!-- b\n", 2, 1),
    "twice declared": ("let a = 1;\nlet a = 2;\n", 2, 5),
    "unbalanced": ("const a = [;\n", 1, 12),
    "too deep": ("[" * 10_000 + "]" * 10_000, 1, 1),
    "NUL": ("const a = 1;\n\0", 2, 1),
    "throw before a line break": ("throw\n1", 1, 6),
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_what_the_runtime_runs_is_read(text: str) -> None:
    script = parse("a.js", text.encode())
    for node in script.body:
        start, end = node.range
        assert 0 <= start < end <= len(text)


@pytest.mark.parametrize(("text", "line", "column"), BAD.values(), ids=BAD)
def test_what_it_refuses_is_named(text: str, line: int, column: int) -> None:
    with pytest.raises(ScriptError) as caught:
        parse("a.js", text.encode())
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    ("data", "line"), [(b"a\r\nb\n\xff", 3), (b"\xff", 1)], ids=["third line", "first byte"]
)
def test_utf8_is_required(data: bytes, line: int) -> None:
    with pytest.raises(ScriptError, match="not UTF-8") as caught:
        parse("a.js", data)
    assert caught.value.line == line


def test_a_large_file_is_refused_unparsed() -> None:
    with pytest.raises(ScriptError, match="larger than"):
        parse("a.js", b" " * (50 * 1024 * 1024))


@pytest.mark.parametrize(
    ("text", "live"),
    [
        ("// judge-contract:start verdict@2\n", True),
        (" // judge-contract:start verdict@2\n", False),
        ("/*\n// judge-contract:start verdict@2\n*/\n", False),
        ("const a = `\n// judge-contract:start verdict@2\n`\n", False),
        ("const a = 1; // judge-contract:start verdict@2\n", False),
        ("\ufeff// judge-contract:start verdict@2\n", False),
    ],
)
def test_a_marker_lives_only_as_a_comment_alone_at_column_0(text: str, live: bool) -> None:  # noqa: FBT001 - a column of the table
    (marker,) = parse("a.js", text.encode()).markers
    assert marker.live is live
    assert marker.version == "verdict@2"


def test_words_are_matched_whole() -> None:
    text = b"// judge-contract:started verdict@2\n// judge-contract:ending\n"
    assert scan_markers(text) == ()


def test_the_block_is_found_to_the_byte() -> None:
    words = ("// judge-contract:start verdict@2", "const a = 'é🎉'", "// judge-contract:end")
    block = "\n".join(words).encode()
    script = parse("a.js", "// é🎉\n".encode() + block + b"\nreturn a\n")
    (found,) = script.blocks
    assert script.block_bytes(found) == block
    assert (found.line, found.end_line) == (2, 4)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_markers_are_seen_whatever_ends_the_lines(newline: str) -> None:
    lines = ["", "// judge-contract:start verdict@2", "const a = 1", "// judge-contract:end", ""]
    data = newline.join(lines).encode()
    (block,) = parse("a.js", data).blocks
    assert (block.version, block.line, block.end_line) == ("verdict@2", 2, 4)
    found = [(marker.kind, marker.version, marker.live) for marker in scan_markers(data)]
    assert found == [("start", "verdict@2", True), ("end", "", True)]
