"""Every rule on planted trees: where it must fail it fails there, and nothing else does."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from judge_conformance.catalog import Catalog
from judge_conformance.findings import Finding, RuleInfo, Severity
from judge_conformance.planted.proofs import Proof, proofs, said, told
from judge_conformance.rule import Rule

RED = RuleInfo(
    code="JP-RED",
    title="A planted tree or script is not found as it was planted",
    severity=Severity.ERROR,
    help=(
        "A rule finds too much, too little, or in other words than it must in a tree or script"
        " that was planted for it. Mend the rule, or the plant where the rule was meant to change."
    ),
)


def selftest(
    catalog: Catalog, rules: Sequence[Rule], proved: Sequence[Rule]
) -> Iterator[tuple[Proof, str | None]]:
    """Run every rule on each proof of the proved; yield it with what came out wrong, or None."""
    with tempfile.TemporaryDirectory(prefix="judge-contract-") as folder:
        for proof in proofs(Path(folder), catalog, proved):
            found = proof.found(rules)
            expected = said(proof.rule).get(proof.title, [])
            wrong = misplaced(proof, found)
            if wrong is None and [told(finding) for finding in found] != expected:
                wrong = f"not in the words that scripts/said writes: {_shown(found)}"
            yield proof, wrong


def misplaced(proof: Proof, found: Sequence[Finding]) -> str | None:
    """Say what is found elsewhere than it must be, or by another rule; None when all is right."""
    expected = [(proof.rule.code, path, line) for path, line in proof.places]
    if Counter((f.code, f.location.path, f.location.line) for f in found) == Counter(expected):
        return None
    places = "; ".join(f"{code} at {path}:{line}" for code, path, line in expected)
    return f"expected {places or 'nothing'}, found {_shown(found)}"


def _shown(findings: Sequence[Finding]) -> str:
    return (
        "; ".join(f"{f.code} {f.location.path}:{f.location.line} {f.message}" for f in findings)
        or "nothing"
    )
