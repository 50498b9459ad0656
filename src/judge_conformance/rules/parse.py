"""A script that carries or must carry the contract can be read.

It must be UTF-8 and valid JavaScript as the Workflow runtime runs it (the body of an async
function, so that `await` and `return` stand at the top). What cannot be read cannot be checked, and
what cannot be checked is no pass.

Mend the line that the finding names. A script in TypeScript cannot carry the block.

Not seen: a script that parses and breaks when it runs. Scripts that carry nothing of the contract
and need not are not read at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.copies import State
from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Edit, Example, Rule, Write

_WORKFLOW = "plugins/acme/workflows/review.js"


def check(context: Context) -> Iterator[Finding]:
    """Report what could not be read."""
    for copy in context.survey.copies.values():
        if copy.state is State.UNREADABLE:
            ((line, message),) = copy.faults
            yield RULE.finding(copy.path, f"cannot be read: {message}", line=line)


RULE = Rule(
    code="JC-PARSE",
    title="a script that carries the contract cannot be read",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="valid JavaScript", changes={}),
        Example(
            title="a syntax error",
            changes={_WORKFLOW: Edit(old="return { passed", new="return {{{ broken passed")},
            at=f"{_WORKFLOW}:broken passed",
        ),
        Example(
            title="TypeScript with a marker",
            changes={
                "plugins/acme/workflows/b.ts": Write(
                    text="const a: number = 1;\n// judge-contract:start verdict@2\n"
                )
            },
            at="plugins/acme/workflows/b.ts:const a",
        ),
    ),
)
