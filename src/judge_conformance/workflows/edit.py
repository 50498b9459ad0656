"""Put a block into a script, replace it, take it out: every byte outside of it stays."""

from __future__ import annotations

import re
from typing import Any, Literal

from judge_conformance.workflows.parse import Block, Script

_BOM = "\ufeff"
_NEWLINE = re.compile(r"\r\n|[\r\n]")
_BLANK_BEFORE = re.compile(r"(?:\A|(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|[\r\n]))\Z")
_BLANK_LAST = re.compile(r"(?P<newline>\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|[\r\n])\Z")
_LEADING_NEWLINE = re.compile(r"\A(?:\r\n|[\r\n])")
_BOM_LINES = frozenset({"\ufeff\n", "\ufeff\r\n", "\ufeff\r"})
_LINE_REST = re.compile(r"[ \t]*(?:(?://[^\r\n]*|/\*[^\r\n]*?\*/)[ \t]*)?(?P<newline>\r\n|[\r\n])")
_HASHBANG = re.compile(r"#![^\r\n]*(?:\r\n|[\r\n])?")


def uses_crlf(data: bytes) -> Literal["lf", "crlf", "mixed"]:
    """Say which line endings a script uses (none at all counts as LF)."""
    crlf = data.count(b"\r\n")
    if crlf == 0:
        return "lf"
    return "crlf" if crlf == data.count(b"\n") else "mixed"


def insert_block(script: Script, block: bytes) -> bytes:
    """Return the script with the block after `export const meta`, or at its top.

    It stands between blank lines, which end as the script's first line ends.
    """
    place = _place(script)
    before, after = script.text[:place], script.text[place:]
    found = _NEWLINE.search(script.text)
    newline = found[0] if found else "\n"
    if _BLANK_BEFORE.search(before):
        lead = ""
    else:
        # behind a byte order mark a marker is not at column 0
        lead = newline if before == _BOM or before.endswith(("\n", "\r")) else newline * 2
    trail = newline if not after or after[0] in "\r\n" else newline * 2
    return (before + lead + block.decode() + trail + after).encode()


def replace_block(script: Script, block: Block, new: bytes) -> bytes:
    """Return the script with other bytes where the block stands."""
    return (script.text[: block.start] + new.decode() + script.text[block.end :]).encode()


def remove_block(script: Script, block: Block) -> bytes:
    """Return the script without the block, its line's end and one of the blank lines around it.

    A block inserted once more then gives the same bytes. Whether the host had blank lines there
    before, they do not say.
    """
    before, after = script.text[: block.start], script.text[block.end :]
    after = _LEADING_NEWLINE.sub("", after)
    if before in _BOM_LINES:
        before, after = _BOM, _LEADING_NEWLINE.sub("", after)
    elif before and not after:
        before = _BLANK_LAST.sub(r"\g<newline>", before)
    elif _BLANK_BEFORE.search(before):
        after = _LEADING_NEWLINE.sub("", after)
    return (before + after).encode()


def _place(script: Script) -> int:
    """Return the offset where a new block goes: a line's start, unless code follows on the line."""
    text = script.text
    for statement in script.body:
        if _is_meta(statement):
            return _after_line(text, statement)
    directives = [statement for statement in script.body if getattr(statement, "directive", None)]
    if directives:
        return _after_line(text, directives[-1])
    hashbang = _HASHBANG.match(text)
    return hashbang.end() if hashbang else len(_BOM) if text.startswith(_BOM) else 0


def _after_line(text: str, statement: Any) -> int:  # noqa: ANN401 - esprima's node
    """Return where the statement's line ends, past a comment that trails on it."""
    end = len(text[: statement.range[1]].rstrip())
    rest = _LINE_REST.match(text, end)
    return rest.end() if rest else end


def _is_meta(node: Any) -> bool:  # noqa: ANN401 - esprima's node
    declarations = getattr(node, "declarations", None) or []
    return any(getattr(item.id, "name", "") == "meta" for item in declarations)
