"""What the planted scripts of shadows and early uses do not show: exact tokens, depth."""

from __future__ import annotations

import re

import pytest

from judge_conformance.catalog import Catalog
from judge_conformance.planted.proofs import said
from judge_conformance.planted.scripts import HEAD
from judge_conformance.rule import Rule
from judge_conformance.rules import order, shadow
from judge_conformance.workflows.early import early_uses
from judge_conformance.workflows.parse import parse
from judge_conformance.workflows.shadowing import Host, shadows


@pytest.mark.parametrize("rule", [shadow.RULE, order.RULE], ids=lambda rule: rule.code)
def test_what_is_found_is_found_at_its_token(rule: Rule) -> None:
    marked = {title: rows for title, rows in said(rule).items() if "»" in title}
    assert len(marked) >= 16
    for title, rows in marked.items():
        parts = title.partition(": ")[2].split("§")
        part = next(part for part in parts if "«" in part)
        marks = [
            (match.start() - 2 * before + 1, match.end() - 2 * before - 1)
            for before, match in enumerate(re.finditer("«[^»]*»", part))
        ]
        places = [re.search(r":(\d+)-\d+:(\d+)$", str(row["at"])) for row in rows]
        assert [(int(at[1]), int(at[2])) for at in places if at] == marks, title


def test_a_script_without_a_block_is_somebody_elses() -> None:
    script = parse("a.js", b"let decideVerdict = 1; decideVerdict = eval('2')\n")
    assert shadows(script) == []


def test_depth_is_no_obstacle() -> None:
    code = "(" * 300 + "decideVerdict = 1" + ")" * 300
    assert len(shadows(parse("a.js", f"{HEAD}{code}\n".encode()))) == 1


def test_the_canonical_block_is_clean_and_reads_these_globals() -> None:
    canonical = Catalog.load().content("verdict.inline.js")
    script = parse("a.js", canonical + b"\nreturn spotCheck([decideVerdict(args.a, args.b)])\n")
    assert (shadows(script), early_uses(script)) == ([], [])
    small = parse("a.js", HEAD.encode())
    assert Host(script).globals() == Host(small).globals() != set()
