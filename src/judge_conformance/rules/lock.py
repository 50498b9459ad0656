"""The lock agrees with the catalog, and is there where the contract is.

The lock says what was adopted, so that a copy that goes missing is noticed. A row for an unknown
artifact, or for one that the locked release does not have, holds nothing to anything.

Run `judge-contract lock`, which writes it again from the tree.

Not seen: a script that should have been adopted and never was; the config's `required` asks for it.
Rows that a change took out are seen against a base alone (JC-LEFT).
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.catalog import Catalog
from judge_conformance.findings import Finding, Severity
from judge_conformance.lock import Lock, line_of
from judge_conformance.paths import LOCK
from judge_conformance.rule import Context, Delete, Edit, Example, Rule

_COPY = "plugins/acme/scripts/judge_contract.py"
_CANONICAL = "{{sha256 of judge_contract.py}}"
_PIN = (
    f'"{_COPY}" = {{ artifact = "judge_contract.py", release = "0.2.0",'
    f' sha256 = "{_CANONICAL}", why = "the record of a run" }}\n'
)


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
        if story := _fault(context.lock, context.catalog, path, name):
            yield RULE.finding(LOCK, story, line=line_of(context.lock_data, path), fix=fix)


def _fault(lock: Lock, catalog: Catalog, path: str, name: str) -> str | None:
    if name not in catalog.artifacts:
        return f"{path}: no artifact is called {name!r}"
    if not catalog.has(name, lock.release):
        return f"{path}: release {lock.release} has no {name}"
    if path in lock.pinned:
        return f"{path} is both adopted and pinned"
    if path in {row.path for row in lock.retired}:
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
        Example(
            title="two rows edited by hand",
            changes={
                LOCK: Edit(
                    old='"plugins/acme/references/judge-contract.md" = "judge-contract.md"\n'
                    '"plugins/acme/scripts/judge_contract.py" = "judge_contract.py"',
                    new='"plugins/acme/references/judge-contract.md" = "a.md"\n'
                    '"plugins/acme/scripts/judge_contract.py" = "b.py"',
                )
            },
            at=f"{LOCK}:a.md",
            also=(f"{LOCK}:b.py",),
        ),
        Example(
            title="adopted and pinned",
            changes={LOCK: Edit(old="[pins]\n", new=f"[pins]\n{_PIN}")},
            at=f"{LOCK}:{_COPY}",
        ),
        Example(
            title="adopted and retired",
            changes={
                LOCK: Edit(
                    old="[retired]\n",
                    new=f'[retired]\n"plugins/acme/old.js" = "gone"\n"{_COPY}" = "gone"\n',
                )
            },
            at=f"{LOCK}:{_COPY}",
        ),
        Example(
            title="no lock, and one copy",
            changes={
                LOCK: Delete(),
                _COPY: Delete(),
                "plugins/acme/references/judge-contract.md": Delete(),
            },
            at=LOCK,
        ),
        Example(
            title="no lock, and nothing to lock",
            changes={
                LOCK: Delete(),
                _COPY: Delete(),
                "plugins/acme/references/judge-contract.md": Delete(),
                "plugins/acme/workflows/review.js": Delete(),
            },
        ),
    ),
)
