"""Read many scripts that carry the same block: it is parsed once, and stands abridged in each.

A canonical block is some 8,000 characters, and what rules ask of it is little: which names it binds
and which globals it reads. In its place a script is parsed with a block that does the same and
nothing else, and every offset behind it is moved by what was left out. The statements keep their
kinds, so that what may stand before and behind the block may stand there still.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from judge_conformance.workflows.javascript import Gap
from judge_conformance.workflows.parse import Script, ScriptError, parse, parse_text
from judge_conformance.workflows.scopes import Scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abridged:
    """A block, and what stands for it; `kept` is where the latter's last line begins."""

    block: str
    short: str
    kept: int


class Reader:
    """Reads scripts. `blocks` are the bytes of the blocks that many of them carry."""

    def __init__(self, blocks: Sequence[bytes]) -> None:
        self._blocks = [block.decode() for block in blocks]

    def read(self, path: str, data: bytes) -> Script:
        """Read a script as `parse` does, and raise what it raises.

        Of a canonical block that the script carries whole and alive the nodes are an abridgement,
        all with ranges inside of the block; all other nodes are those that `parse` gives.
        """
        try:
            text = data.decode("utf-8")
            for block in self._blocks:
                if text.count(block) == 1 and (abridged := _abridge(block)):
                    return _read(path, data, text, abridged)
        except (UnicodeDecodeError, ScriptError, _NotAliveError):
            pass  # `parse` tells the fault by its place in the whole text
        return parse(path, data)


class _NotAliveError(Exception):
    """What looks like the block is text here: inside a string, a template, a comment."""


def _read(path: str, data: bytes, text: str, abridged: _Abridged) -> Script:
    start = text.index(abridged.block)
    end = start + len(abridged.block)
    gap = Gap(start=start + abridged.kept, width=len(abridged.block) - len(abridged.short))
    script = parse_text(path, data, text, text[:start] + abridged.short + text[end:], gap)
    if (start, end) not in {(block.start, block.end) for block in script.blocks}:
        raise _NotAliveError
    return script


@cache  # made for the first script that needs it, and the same for every tree
def _abridge(block: str) -> _Abridged | None:
    """Return what stands for a block; None where it is of other statements than those known."""
    lines = block.split("\n")
    body = parse("block", block.encode()).body
    reads = {ref.node.name for ref in Scopes(body).references if ref.variable is None}
    statements = list(_statements(body, "; ".join(sorted(reads))))
    if None in statements or len(lines) < 3:  # noqa: PLR2004 - two markers and something between
        return None
    head = "\n".join([lines[0], *map(str, statements), ""])
    short = head + lines[-1]
    return _Abridged(block=block, short=short, kept=len(head)) if len(short) < len(block) else None


def _statements(body: Sequence[Any], reads: str) -> Iterator[str | None]:
    """Yield a statement that binds what each binds; a function also reads what the block reads."""
    for node in body:
        if node.type == "FunctionDeclaration" and not (node.generator or getattr(node, "async")):
            yield f"function {node.id.name}() {{ {reads} }}"
        elif node.type == "VariableDeclaration" and all(
            item.id.type == "Identifier" for item in node.declarations
        ):
            names = (f"{item.id.name} = () => {{ {reads} }}" for item in node.declarations)
            yield f"{node.kind} {', '.join(names)};"
        else:
            yield None
