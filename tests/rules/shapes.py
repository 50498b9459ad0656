"""One rule over one small script: where it finds its fault, written into the script by « and »."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

from tests.trees import plant

from judge_conformance.catalog import Catalog
from judge_conformance.copies import artifact_for
from judge_conformance.engine import context_for
from judge_conformance.lock import Lock
from judge_conformance.paths import LOCK
from judge_conformance.planted.scripts import HEAD, PATH
from judge_conformance.rule import Context, Rule
from judge_conformance.tree import open_tree

MANIFESTS: Mapping[str, str] = {
    ".claude-plugin/marketplace.json": (
        '{"name": "m", "plugins": [{"name": "acme", "source": "./plugins/acme"}]}'
    ),
}


def context(root: Path, catalog: Catalog, files: Mapping[str, str]) -> Context:
    """Look at a plain folder whose lock names every copy in it."""
    adopted = {
        path: artifact
        for path, text in files.items()
        if "# judge-contract" in text or "// judge-contract" in text
        if (artifact := artifact_for(catalog, path))
    }
    lock = Lock(release=catalog.newest, copies=adopted).render()
    plant(root, {**MANIFESTS, LOCK: lock, **files})
    return context_for(open_tree(root), catalog, today=dt.date(2026, 1, 1))


def found(rule: Rule, root: Path, catalog: Catalog, files: Mapping[str, str]) -> list[str]:
    """Return where a rule finds its fault in such a folder: `path:line`."""
    places = [finding.location for finding in rule.check(context(root, catalog, files))]
    return [f"{place.path}:{place.line}" if place.line else place.path for place in places]


def in_script(rule: Rule, root: Path, catalog: Catalog, shape: str) -> tuple[list[int], list[int]]:
    """Return the lines on which a rule finds faults below the block, and those marked by «."""
    text = HEAD + shape.replace("«", "").replace("»", "")
    places = found(rule, root, catalog, {PATH: text})
    lines = [int(place.rpartition(":")[2]) for place in places]
    marked = [
        n for n, line in enumerate((HEAD + shape).splitlines(), 1) for _ in range(line.count("«"))
    ]
    return sorted(lines), marked
