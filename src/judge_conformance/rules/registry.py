"""Every row of `judges.toml` holds, and every judge in the tree has a row, where the file exists.

A registry that names a script which is gone, or a measurement that is stale, is worse than none: it
is believed. A judge without a row is one that nobody has looked at.

Mend the row, or add one: `judge-contract judges scan` drafts what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.judges import REGISTRY, faults, parse_registry
from judge_conformance.rule import Context, Example, Rule, Write

_ROW = (
    '[[judge]]\nplugin = "acme"\njudge = "review"\nwhere = ["plugins/acme/workflows/review.js"]\n'
)
_NEW = "export const meta = { name: 'new' };\nawait agent('?', { label: 'verify' });\n"


def check(context: Context) -> Iterator[Finding]:
    """Report rows that do not hold and judges without a row."""
    if REGISTRY not in context.tree.entries:
        return
    for fault in faults(context, parse_registry(context.tree.read(REGISTRY))):
        yield RULE.finding(fault.path, fault.message, line=fault.line, hint=fault.hint)


def _example(title: str, more: str, at: str | None) -> Example:
    return Example(title=title, changes={REGISTRY: Write(text=_ROW + more)}, at=at)


RULE = Rule(
    code="JC-REGISTRY",
    title="a judge without a row, or a row that does not hold",
    severity=Severity.ERROR,
    check=check,
    examples=(
        _example("a judge that conforms", 'status = "conforms"\n', None),
        _example(
            "collapsed into one rubric", 'status = "collapsed"\nrubric = "acme-review@1"\n', None
        ),
        _example("an unknown status", 'status = "fine"\n', f"{REGISTRY}:[[judge]]"),
        _example("fixed without a proof", 'status = "fixed"\n', f"{REGISTRY}:[[judge]]"),
        Example(
            title="a judge without a row",
            changes={
                REGISTRY: Write(text=_ROW + 'status = "conforms"\n'),
                "plugins/acme/workflows/new.js": Write(text=_NEW),
            },
            at="plugins/acme/workflows/new.js:await agent",
        ),
    ),
)
