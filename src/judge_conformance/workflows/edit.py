"""Put a block into a script, replace it, take it out: every byte outside of it stays."""

from __future__ import annotations

import re
from typing import Literal

from judge_conformance.workflows.parse import Block, Script

_BOM = "\ufeff"


def uses_crlf(data: bytes) -> Literal["lf", "crlf", "mixed"]:
    """Say which line endings a script uses (none at all counts as LF)."""
    crlf = data.count(b"\r\n")
    if crlf == 0:
        return "lf"
    return "crlf" if crlf == data.count(b"\n") else "mixed"


def insert_block(script: Script, block: bytes) -> bytes:
    """Return the script with the block after `export const meta`, or at its top."""
    place = _place(script)
    before, after = script.text[:place], script.text[place:]
    lead = "" if place == 0 or before == _BOM else "\n" if before.endswith("\n") else "\n\n"
    if lead == "\n" and before.endswith(("\n\n", "\r\n\r\n")):
        lead = ""
    trail = "\n" if after.startswith(("\n", "\r\n")) or not after else "\n\n"
    return (before + lead + block.decode() + trail + after).encode()


def replace_block(script: Script, block: Block, new: bytes) -> bytes:
    """Return the script with other bytes where the block stands."""
    return (script.text[: block.start] + new.decode() + script.text[block.end :]).encode()


def remove_block(script: Script, block: Block) -> bytes:
    """Return the script without the block, its line's end and one blank line beside it."""
    before, after = script.text[: block.start], script.text[block.end :]
    after = re.sub(r"^\r?\n", "", after, count=1)
    if before.endswith("\n\n") or before in {"", _BOM}:
        after = re.sub(r"^\r?\n", "", after, count=1)
    return (before + after).encode()


def _place(script: Script) -> int:
    """Return the offset where a new block goes: at the start of a line."""
    first = script.body[0] if script.body else None
    if first is not None and _is_meta(first) and "\n" in script.text[first.range[1] :]:
        return script.text.index("\n", first.range[1]) + 1
    if first is not None and _is_meta(first):
        return int(first.range[1])
    return len(_BOM) if script.text.startswith(_BOM) else 0


def _is_meta(node: object) -> bool:
    declarations = getattr(node, "declarations", None) or []
    return any(getattr(item.id, "name", "") == "meta" for item in declarations)
