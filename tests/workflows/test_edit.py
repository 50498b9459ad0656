from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_conformance.workflows.edit import insert_block, remove_block, replace_block, uses_crlf
from judge_conformance.workflows.parse import parse

BLOCK = b"// judge-contract:start verdict@2\nconst a1 = 'x';\n// judge-contract:end"
B = BLOCK.decode()
HOSTS = {
    "after meta": (
        "export const meta = {};\n\nreturn 1\n",
        f"export const meta = {{}};\n\n{B}\n\nreturn 1\n",
    ),
    "no blank line after meta": (
        "export const meta = {};\nreturn 1\n",
        f"export const meta = {{}};\n\n{B}\n\nreturn 1\n",
    ),
    "meta without a semicolon": (
        "export const meta = {}\nreturn 1\n",
        f"export const meta = {{}}\n\n{B}\n\nreturn 1\n",
    ),
    "a comment trails meta": (
        "export const meta = {}; // m\nreturn 1\n",
        f"export const meta = {{}}; // m\n\n{B}\n\nreturn 1\n",
    ),
    "a block comment over lines trails meta": (
        "export const meta = {}; /* m\n*/ return 1\n",
        f"export const meta = {{}};\n\n{B}\n\n /* m\n*/ return 1\n",
    ),
    "code on the line of meta, a template on the next": (
        "export const meta = {}; const a = `\n`; return a\n",
        f"export const meta = {{}};\n\n{B}\n\n const a = `\n`; return a\n",
    ),
    "meta alone, no final newline": (
        "export const meta = {}",
        f"export const meta = {{}}\n\n{B}\n",
    ),
    "no meta": ("return 1\n", f"{B}\n\nreturn 1\n"),
    "empty": ("", f"{B}\n"),
    "BOM": ("\ufeffreturn 1\n", f"\ufeff\n{B}\n\nreturn 1\n"),
    "hashbang": ("#!/usr/bin/env node\nreturn 1\n", f"#!/usr/bin/env node\n\n{B}\n\nreturn 1\n"),
    "directives": ("'use strict'\nreturn 1\n", f"'use strict'\n\n{B}\n\nreturn 1\n"),
    "a comment above meta": (
        "// c\nexport const meta = {}\n\nreturn 1",
        f"// c\nexport const meta = {{}}\n\n{B}\n\nreturn 1",
    ),
    "CRLF": (
        "export const meta = {};\r\nreturn 1\r\n",
        f"export const meta = {{}};\r\n\r\n{B}\r\n\r\nreturn 1\r\n",
    ),
    "CR": (
        "export const meta = {};\rreturn 1\r",
        f"export const meta = {{}};\r\r{B}\r\rreturn 1\r",
    ),
}


@pytest.mark.parametrize(("host", "expected"), HOSTS.values(), ids=HOSTS)
def test_a_block_is_inserted_between_blank_lines(host: str, expected: str) -> None:
    assert insert_block(parse("a.js", host.encode()), BLOCK).decode() == expected


@pytest.mark.parametrize(
    "host",
    [
        "export const meta = {};\n\nreturn 1\n",
        "\ufeffexport const meta = {};\n\nreturn 1",
        "export const meta = {}\r\n\r\nreturn 1\r\n",
        "return 1\n\n\n",
    ],
    ids=["LF", "BOM, no final newline", "CRLF", "at the top"],
)
def test_removing_undoes_inserting(host: str) -> None:
    script = parse("a.js", insert_block(parse("a.js", host.encode()), BLOCK))
    (block,) = script.blocks
    assert remove_block(script, block).decode() == host


def test_replacing_leaves_every_other_byte() -> None:
    head, tail = "// é🎉\r\n".encode(), b"\n\nreturn 1"
    script = parse("a.js", head + BLOCK + tail)
    assert replace_block(script, script.blocks[0], b"// new") == head + b"// new" + tail


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"", "lf"), (b"a\n", "lf"), (b"a\r\n", "crlf"), (b"a\r\nb\n", "mixed"), (b"a\r", "lf")],
)
def test_line_endings_are_told_apart(data: bytes, expected: str) -> None:
    assert uses_crlf(data) == expected


PIECES = [
    "export const meta = {}",
    ";",
    " ",
    "\n",
    "\r\n",
    "// c\n",
    "/* d */",
    "f(`\n`);",
    "'s'\n",
]


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.lists(st.sampled_from(PIECES[1:]), max_size=6), st.booleans())
def test_what_is_inserted_is_found_whole(pieces: list[str], meta: bool) -> None:  # noqa: FBT001 - drawn
    host = (PIECES[0] + ";" if meta else "") + "".join(pieces)
    script = parse("a.js", insert_block(parse("a.js", host.encode()), BLOCK))
    (block,) = script.blocks
    assert script.block_bytes(block) == BLOCK
    rest = script.text[: block.start] + script.text[block.end :]
    assert "".join(rest.split()) == "".join(host.split())


@settings(max_examples=80, derandomize=True, deadline=None)
@given(
    st.sampled_from(["export const meta = {}\n", "export const meta = {};", "", "\ufeff", "#!x\n"]),
    st.lists(
        st.sampled_from([";", " ", "\n", "// c\n", "/* d */", "f(`\n`);", "'s'\n"]), max_size=5
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_removing_undoes_inserting_but_for_blank_lines(
    head: str, pieces: list[str], newline: str
) -> None:
    host = (head + "".join(pieces)).replace("\n", newline)
    carried = insert_block(parse("a.js", host.encode()), BLOCK)
    script = parse("a.js", carried)
    (block,) = script.blocks
    removed = remove_block(script, block)
    assert "".join(removed.decode().split()) == "".join(host.split())
    assert insert_block(parse("a.js", removed), BLOCK) == carried
