"""Leave-one-out: a minimal part of the case set that notices every mutant, and each case's need.

Runs every mutant against every case, picks a part of the cases that kills all of them, and counts,
for each case of that part, the mutants that live when it alone is left out: every removal must
leave one. Prints one JSON document.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from judge_conformance.node import find_node
from judge_conformance.parity.cases import Case, Language, load
from judge_conformance.sabotage import accepted
from judge_conformance.sabotage.session import Subject
from judge_conformance.sabotage.subjects import (
    Launcher,
    Source,
    Trial,
    in_worker,
    javascript_launcher,
    python_launcher,
)

VENDORED = Path(__file__).parents[2] / "vendored"
FILES: Mapping[Language, str] = {"python": "judge_contract.py", "javascript": "verdict.inline.js"}


def launchers() -> dict[Language, Launcher]:
    """Return the launchers of the canonical pair."""
    sources: dict[Language, Source] = {
        language: Source(
            name=name,
            path=name,
            language=language,
            text=(VENDORED / name).read_text(encoding="utf-8"),
        )
        for language, name in FILES.items()
    }
    adapter = VENDORED / "parity/adapter.mjs"
    return {
        "python": python_launcher(sources["python"]),
        "javascript": javascript_launcher(sources["javascript"], node=find_node(), adapter=adapter),
    }


def subject(language: Language, launcher: Launcher, cases: Sequence[Case]) -> Subject:
    """Return a language's subject with these cases alone."""
    rows = accepted.load(VENDORED / "parity/equivalent.toml")
    mine = [case for case in cases if case.concerns(language)]
    trial = Trial(cases=mine, accepted=rows.get(FILES[language], {}))
    return in_worker(launcher, trial)


def killers(one: Subject, names: set[str]) -> dict[str, set[str]]:
    """Return, for each mutant that anything notices, the cases that do."""
    with one.host() as host:
        noticed = {m.id: names - set(host.unmoved(m.edits)) for m in one.mutants}
    return {name: cases for name, cases in noticed.items() if cases}


def minimal(matrix: Mapping[str, set[str]], names: Sequence[str]) -> list[str]:
    """Pick cases greedily until every mutant has a killer, then drop those that are not needed."""
    kills = {name: {mutant for mutant, by in matrix.items() if name in by} for name in names}
    chosen: list[str] = []
    alive = set(matrix)
    while alive:
        best = max(names, key=lambda name: len(kills[name] & alive))
        chosen.append(best)
        alive -= kills[best]
    for name in list(chosen):
        others = set().union(*(kills[other] for other in chosen if other != name))
        if others >= set(matrix):
            chosen.remove(name)
    return chosen


def main() -> int:
    """Find the minimal part and leave each of its cases out once."""
    argparse.ArgumentParser(description=__doc__, prog="scripts/bench minimal").parse_args()
    cases = load(VENDORED / "parity/cases")
    sides = launchers()
    matrix: dict[str, set[str]] = {}
    for language, launcher in sides.items():
        names = {case.id for case in cases if case.concerns(language)}
        matrix |= killers(subject(language, launcher, cases), names)
    chosen = minimal(matrix, [case.id for case in cases])
    alone = {name: sum(by & set(chosen) == {name} for by in matrix.values()) for name in chosen}
    unneeded = [name for name, mutants in alone.items() if not mutants]
    figures = {
        "cases": len(cases),
        "mutants noticed": len(matrix),
        "minimal": len(chosen),
        "removals that turn red": len(chosen) - len(unneeded),
        "unneeded": unneeded,
    }
    print(json.dumps(figures, indent=2))
    return int(bool(unneeded))


if __name__ == "__main__":
    sys.exit(main())
