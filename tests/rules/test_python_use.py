"""The Python shapes on which the rules of use stand, and those on which they must not."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from tests.rules.shapes import found

from judge_conformance.catalog import Catalog
from judge_conformance.rule import Rule
from judge_conformance.rules import fail_open, null_drop, null_pass

COPY = "plugins/acme/scripts/judge_contract.py"
SCRIPT = "plugins/acme/scripts/review.py"
HEAD = """\
#!/usr/bin/env python3
import json, subprocess, sys
from judge_contract import decide

"""
BEFORE = {
    "fail_open": "verdicts = [decide(reply, RUBRIC) for reply in replies]\nverdict = verdicts[0]\n",
    "null_drop": "",
    "null_pass": "verdict = decide(reply, RUBRIC)\n",
}


def tables(name: str) -> tuple[dict[str, str], dict[str, str]]:
    """Read the bodies on which a rule passes, and those on which it fails, by title."""
    text = (Path(__file__).parent / "scripts" / f"{name}_python.txt").read_text("utf-8")
    read: dict[str, dict[str, str]] = {"passes": {}, "fails": {}}
    for part in text.split("\n== ")[1:]:
        head, _, body = part.partition("\n")
        kind, _, title = head.partition(": ")
        assert title not in read[kind], title
        read[kind][title] = body
    assert all(len(table) >= 20 for table in read.values())
    return read["passes"], read["fails"]


RULES: dict[str, Rule] = {
    "fail_open": fail_open.RULE,
    "null_drop": null_drop.RULE,
    "null_pass": null_pass.RULE,
}
TABLES = {name: tables(name) for name in RULES}
PASSES = [(name, title) for name, (passes, _) in TABLES.items() for title in passes]
FAILS = [(name, title) for name, (_, fails) in TABLES.items() for title in fails]


def written(name: str, shape: str) -> str:
    return HEAD + "async def main():\n" + textwrap.indent(BEFORE[name] + shape, "    ")


def lines_of(name: str, root: Path, catalog: Catalog, shape: str) -> list[int]:
    text = written(name, shape.replace("«", ""))
    copy = catalog.content("judge_contract.py")
    places = found(RULES[name], root, catalog, {SCRIPT: text, COPY: copy.decode()})
    assert all(place.startswith(f"{SCRIPT}:") for place in places)
    return sorted(int(place.rpartition(":")[2]) for place in places)


@pytest.mark.parametrize(("name", "title"), PASSES, ids=map(": ".join, PASSES))
def test_what_is_right(tmp_path: Path, catalog: Catalog, name: str, title: str) -> None:
    assert lines_of(name, tmp_path, catalog, TABLES[name][0][title]) == []


@pytest.mark.parametrize(("name", "title"), FAILS, ids=map(": ".join, FAILS))
def test_what_is_wrong(tmp_path: Path, catalog: Catalog, name: str, title: str) -> None:
    shape = TABLES[name][1][title]
    marked = [n for n, line in enumerate(written(name, shape).splitlines(), 1) if "«" in line]
    assert marked
    assert lines_of(name, tmp_path, catalog, shape) == marked
