"""JC-SHADOW and JC-ORDER against what Node does with the same script, for some thousand scripts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.workflows.hosts import PROBE, harmless, ordering, shadowing

from judge_conformance.catalog import Catalog
from judge_conformance.node import find_node
from judge_conformance.workflows.abridged import Reader
from judge_conformance.workflows.early import early_uses
from judge_conformance.workflows.parse import Script, ScriptError
from judge_conformance.workflows.shadowing import shadows

ORACLE = Path(__file__).parent / "oracle.mjs"
META = "export const meta = { name: 'review' };\n\n"


@dataclass(frozen=True, slots=True)
class Ran:
    """A script, what the checker reads in it (None: it does not parse), and what Node did."""

    text: str
    script: Script | None
    said: tuple[str, ...]
    early: bool
    error: str | None


@pytest.fixture(scope="module")
def block(catalog: Catalog) -> str:
    return catalog.content("verdict.inline.js").decode()


def ran(block: str, hosts: Iterable[tuple[str, str]]) -> list[Ran]:
    """Run the scripts in a few Nodes, each script in a world of its own."""
    texts = list(dict.fromkeys(f"{META}{above}\n\n{block}\n\n{below}\n" for above, below in hosts))
    answers = [line for group in batched(texts, 300) for line in _asked(group)]
    reader = Reader([block.encode()])
    return [
        Ran(text, _read(reader, text), tuple(told["said"]), bool(told["early"]), told["error"])
        for text, told in zip(texts, map(json.loads, answers), strict=True)
    ]


def batched(texts: list[str], size: int) -> Iterator[list[str]]:
    return (texts[at : at + size] for at in range(0, len(texts), size))


def _asked(texts: list[str]) -> list[str]:
    done = subprocess.run(
        [str(find_node().path), "--no-warnings", str(ORACLE)],
        input="".join(json.dumps({"text": text}) + "\n" for text in texts),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def _read(reader: Reader, text: str) -> Script | None:
    try:
        return reader.read("a.js", text.encode())
    except ScriptError:
        return None


@pytest.fixture(scope="module")
def canonical(block: str) -> str:
    ((answer,),) = [run.said for run in ran(block, [("", PROBE)])]
    assert '"outcome":"pass"' in answer
    assert '"abstainReason":"undecidable:real"' in answer
    return answer


def test_whatever_undoes_the_block_in_node_is_found(block: str, canonical: str) -> None:
    runs = ran(block, shadowing(1))
    undone = [run for run in runs if set(run.said) != {canonical} or run.error]
    assert len(undone) > len(runs) / 2
    missed = [
        run.text.replace(block, "[the block]")
        for run in undone
        if run.script is not None and not shadows(run.script) and not early_uses(run.script)
    ]
    assert missed == []


def test_what_leaves_the_block_alone_in_node_is_no_finding(block: str, canonical: str) -> None:
    for run in ran(block, harmless(2)):
        assert (run.said, run.error) == ((canonical,), None), run.text
        assert run.script is not None
        assert (shadows(run.script), early_uses(run.script)) == ([], []), run.text


def test_what_node_evaluates_above_the_block_is_found_and_nothing_else(block: str) -> None:
    runs = ran(block, ordering(3))
    early = [run for run in runs if run.early]
    assert len(runs) / 3 < len(early) < len(runs)
    for run in runs:
        assert run.script is not None, run.text
        assert bool(early_uses(run.script)) == run.early, run.text.replace(block, "[the block]")
        dead = "JUDGE_VERDICT_SCHEMA' before initialization"
        assert not (run.error and dead in run.error) or run.early
