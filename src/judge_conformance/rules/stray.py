"""Every unmodified copy in the tree is known to the lock.

A copy that the lock does not know is moved by no upgrade, and nobody is told when it goes. Looked
at is all below a plugin, under any name: a copy that was renamed is found where it is now, and its
old place is JC-REQUIRED. Whether anything calls or names it is asked once it is adopted.

Run `judge-contract lock` to adopt it, or delete it.

Not seen: an edited copy under another name, and copies outside of all plugins.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.copies import State
from judge_conformance.findings import Finding, Severity
from judge_conformance.paths import LOCK
from judge_conformance.rule import Context, Edit, Example, Rule, Write

_STRAY = "plugins/acme/lib/judge_contract.py"
_TEXT = "plugins/acme/skills/review/how-to-judge.md"


def check(context: Context) -> Iterator[Finding]:
    """Report exact copies of any release that nothing declares."""
    if context.lock is None:
        return  # JC-LOCK says so once
    kept = {row.path for row in context.lock.retired}
    known = context.lock.copies.keys() | context.lock.pinned.keys() | kept
    for copy in context.survey.copies.values():
        if copy.path not in known and copy.state in {State.CURRENT, State.OTHER}:
            yield RULE.finding(
                copy.path,
                f"an undeclared copy of {copy.artifact} (release {copy.found})",
                line=copy.line,
                fix=f"{context.program} lock",
            )


RULE = Rule(
    code="JC-STRAY",
    title="a copy that the lock does not know",
    severity=Severity.WARNING,
    check=check,
    examples=(
        Example(title="every copy is adopted", changes={}),
        Example(
            title="a second copy",
            changes={_STRAY: Write(text="{{judge_contract.py}}")},
            at=f"{_STRAY}:# judge-contract:",
        ),
        Example(
            title="a second copy, of an older release",
            changes={_STRAY: Write(text="{{judge_contract.py@0.1.0}}")},
            at=f"{_STRAY}:# judge-contract:",
        ),
        Example(
            title="two copies that were retired and kept",
            changes={
                _STRAY: Write(text="{{judge_contract.py}}"),
                _TEXT: Write(text="{{judge-contract.md}}"),
                LOCK: Edit(
                    old="[retired]\n", new=f'[retired]\n"{_STRAY}" = "kept"\n"{_TEXT}" = "kept"\n'
                ),
            },
        ),
        Example(
            title="the text under another name",
            changes={_TEXT: Write(text="{{judge-contract.md}}")},
            at=f"{_TEXT}:# The judge contract",
        ),
    ),
)
