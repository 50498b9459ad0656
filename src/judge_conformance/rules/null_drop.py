"""Verdicts are made by going through the items, so that a judge that died becomes an abstain.

A judge that died is null, and so is what threw in `parallel`. Filtered out before it is decided
(`replies.filter(Boolean)`, `if (!reply) continue`), or after it in the results of thunks, its item
is gone: nobody sees that it was not judged. In Python a judge that died is `None`, empty text, or
an exception that a handler in a loop swallows; what is noted, counted or raised instead is right.

Paste the line of the hint: decide over the items, with each reply as it came.

Not seen: replies that go through another file, or through a function that is chosen while the
script runs; and judges whose answers never reach `decideVerdict` (JC-UNCALLED). `judge-contract
exercise` kills each judge and looks for its item instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.python import files
from judge_conformance.python.dropping import dropped as python_dropped
from judge_conformance.rule import Context, Edit, Example, Rule, Write
from judge_conformance.workflows.dropping import dropped
from judge_conformance.workflows.idiom import DECIDE
from judge_conformance.workflows.places import findings

_HINT = "decide over the items, with each reply as it came"
_DECIDE = "verdicts = [decide(replies.get(item), RUBRIC, item=item) for item in items]"
_WORKFLOW = "plugins/acme/workflows/review.js"
_SCRIPT = "plugins/acme/scripts/gate.py"


def check(context: Context) -> Iterator[Finding]:
    """Report what leaves dead judges out before or after they are decided."""
    yield from findings(context, RULE, dropped, f"{_HINT}:\n{DECIDE}")
    yield from files.findings(context, RULE, python_dropped, f"{_HINT}, or None:\n{_DECIDE}")


RULE = Rule(
    code="JC-NULL-DROP",
    title="a judge that died is left out unseen",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="decided over the items", changes={}),
        Example(
            title="replies filtered before they are decided",
            changes={
                _WORKFLOW: Edit(
                    old="const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC,"
                    " { item }));",
                    new="const verdicts = replies.filter(Boolean)\n"
                    "  .map((reply) => decideVerdict(reply, RUBRIC));",
                )
            },
            at=f"{_WORKFLOW}:replies.filter(Boolean)",
        ),
        Example(
            title="a loop that skips the dead",
            changes={
                _WORKFLOW: Edit(
                    old="const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC,"
                    " { item }));",
                    new="const verdicts = [];\nfor (const reply of replies) {\n"
                    "  if (!reply) continue;\n  verdicts.push(decideVerdict(reply, RUBRIC));\n}",
                )
            },
            at=f"{_WORKFLOW}:if (!reply) continue",
        ),
        Example(
            title="in Python, a filter",
            changes={
                _SCRIPT: Write(
                    text="import sys\n"
                    "\n"
                    "from judge_contract import decide\n"
                    "\n"
                    "replies = [ask(item) for item in sys.argv[1:]]\n"
                    "verdicts = [decide(reply, RUBRIC) for reply in replies if reply]\n"
                )
            },
            at=f"{_SCRIPT}:for reply in replies if reply",
        ),
    ),
)
