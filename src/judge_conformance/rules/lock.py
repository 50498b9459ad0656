"""The lock agrees with the catalog, and is there where the contract is.

The lock says what was adopted, so that a copy that goes missing is noticed. A row for an unknown
artifact, or for one that the locked release does not have, holds nothing to anything.

Run `judge-contract lock`, which writes it again from the tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.lock import LOCK, line_of
from judge_conformance.rule import Context, Delete, Edit, Example, Rule


def check(context: Context) -> Iterator[Finding]:
    """Report a missing lock, and rows that cannot hold."""
    fix = f"{context.program} lock"
    if context.lock is None:
        if context.survey.copies:
            count = len(context.survey.copies)
            paths = "1 path carries" if count == 1 else f"{count} paths carry"
            message = f"missing, though {paths} or must carry the contract"
            yield RULE.finding(LOCK, message, fix=fix)
        return
    for path, name in context.lock.copies.items():
        if story := _fault(context, path, name):
            yield RULE.finding(LOCK, story, line=line_of(context.lock_data, path), fix=fix)


def _fault(context: Context, path: str, name: str) -> str | None:
    lock, catalog = context.lock, context.catalog
    if name not in catalog.artifacts:
        return f"{path}: no artifact is called {name!r}"
    if lock and not catalog.has(name, lock.release):
        return f"{path}: release {lock.release} has no {name}"
    if lock and path in lock.pinned:
        return f"{path} is both adopted and pinned"
    if lock and path in {row.path for row in lock.retired}:
        return f"{path} is both adopted and retired"
    return None


RULE = Rule(
    code="JC-LOCK",
    title="the lock is missing or contradicts the catalog",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="a lock that holds", changes={}),
        Example(title="the lock deleted", changes={LOCK: Delete()}, at=LOCK),
        Example(
            title="a row edited by hand",
            changes={LOCK: Edit(old='= "judge-contract.md"', new='= "judge-contrakt.md"')},
            at=f"{LOCK}:judge-contrakt.md",
        ),
    ),
)
