"""A script whose block stands abridged is told of by every rule as the script itself is."""

from __future__ import annotations

from typing import Any

import pytest

from judge_conformance.catalog import Catalog
from judge_conformance.planted.scripts import BLOCK as PLANTED
from judge_conformance.planted.scripts import shapes
from judge_conformance.rules import order, shadow
from judge_conformance.workflows.abridged import Reader
from judge_conformance.workflows.early import early_uses
from judge_conformance.workflows.parse import NAMES, Script, ScriptError, parse, walk
from judge_conformance.workflows.shadowing import Host, shadows

CATALOG = Catalog.load()
BLOCKS = [CATALOG.content("verdict.inline.js", release) for release in ("0.1.0", "0.2.0")]
BLOCK = BLOCKS[-1].decode()
# Shorter than the canonical block, so that the tables are quick; longer than its abridgement.
SMALL = """// judge-contract:start verdict@2
const JUDGE_VERDICT_SCHEMA = { type: 'object', required: ['item', 'criteria', 'abstain'], a: [] };
function decideVerdict(report, rubric, options) {
  const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);
  if (!Array.isArray(report)) throw new Error(`no list: ${own(report, 'item')}`);
  return [Number(rubric), Math.min(...options), new Map()];
}
function spotCheck(verdicts, k = 3) { return Array.from({ length: k }, (_, i) => verdicts[i]); }
// judge-contract:end"""
HEAD = "export const meta = {};\n\n"

HOSTS = {
    **{
        f"{rule.code} {shape.title}": shape.text.replace(PLANTED, SMALL)
        for rule in (shadow.RULE, order.RULE)
        for shape in shapes(rule)
    },
    "older block": f"{HEAD}{BLOCKS[0].decode()}\nreturn spotCheck([])\n",
    "no code beside": BLOCK,
    "BOM before": f"\ufeff{BLOCK}\nreturn 1\n",
    "astral characters": f"const a = '\U0001f600'\n{BLOCK}\n'\U0001f600'; b()\n",
    "in a function": f"function f() {{\n{BLOCK}\nreturn 1 }}\nreturn f()\n",
    "in a block": f"{{\n{BLOCK}\n}}\nspotCheck([])\n",
    "in a strict function": f"function f() {{ 'use strict'\n{BLOCK}\n}}\n",
    "in a template": f"const a = `\n{BLOCK}\n`\n",
    "in a template that is closed within": f"const a = ``\nconst b = `\n{BLOCK}\n",
    "in a comment": f"/*\n{BLOCK}\n*/ f()\n",
    "in a class": f"class A {{\n{BLOCK}\n}}\n",
    "as an argument": f"f(\n{BLOCK}\n)\n",
    "behind a condition": f"if (a)\n{BLOCK}\n",
    "behind a label": f"a:\n{BLOCK}\n",
    "behind an open statement": f"const a =\n{BLOCK}\n",
    "before a bracket": f"{BLOCK}\n(1)\n",
    "before a template": f"{BLOCK}\n`a`\n",
    "behind a statement without its semicolon": f"const a = 1\n{BLOCK}\n",
    "twice": f"{BLOCK}\n{BLOCK}\n",
    "a fault below": f"{BLOCK}\nconst = 1\n",
    "a fault above": f"const = 1\n{BLOCK}\n",
    "closes its function": f"}}\n{BLOCK}\n{{\n",
    "a marker below": f"{BLOCK}\n// judge-contract:end\n",
    "another name twice": f"let a\n{BLOCK}\nlet a\n",
    "deeply nested": f"{BLOCK}\nf({'[' * 300}{']' * 300})\n",
    "no block": "const a = 1\n",
    "an edited block": f"{BLOCK.replace('0xad', '0xae', 1)}\nreturn 1\n",
}


def told(script: Script) -> tuple[Any, ...]:
    """Return all that rules learn of a script, less what is inside its blocks."""
    host = Host(script)
    nodes = [(node.type, *node.range) for node in walk(script.body) if not host.inside(node)]
    comments = [
        (start, end)
        for start, end in script.comments
        if not any(block.start < start and end < block.end for block in script.blocks)
    ]
    return (
        [node for node in nodes if node[0] != "EmptyStatement"],
        [c for c in comments if not script.text.startswith("// judge-contract:", c[0])],
        script.markers,
        shadows(script),
        early_uses(script) if script.blocks else [],
        [node.range for node in host.uses()],
        host.globals(),
    )


@pytest.mark.parametrize(
    "text", [text.replace("«", "").replace("»", "") for text in HOSTS.values()], ids=list(HOSTS)
)
def test_a_block_abridged_is_as_good_as_whole(text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    try:
        whole: Script | ScriptError = parse("a.js", data)
    except ScriptError as error:
        whole = error
    reader = Reader([*BLOCKS, SMALL.encode()])
    if isinstance(whole, ScriptError):
        with pytest.raises(ScriptError) as caught:
            reader.read("a.js", data)
        assert vars(caught.value) == vars(whole)
    else:
        assert told(reader.read("a.js", data)) == told(whole)


def test_a_block_is_read_once_for_many_scripts() -> None:
    reader = Reader(BLOCKS)
    script = reader.read("a.js", f"{BLOCK}\nreturn spotCheck([])\n".encode())
    inside = [node for node in walk(script.body) if Host(script).inside(node)]
    assert len(inside) < 100 < len(list(walk(parse("b.js", BLOCK.encode()).body))) / 10
    assert {name for node in inside if (name := getattr(node, "name", None)) in NAMES} == set(NAMES)
