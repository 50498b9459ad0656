"""No name of the block is evaluated above the block.

A `const` that is read before its declaration throws when the script runs, and the judges that stand
below never run. Inside a function that is called later it is legal; one that is handed to a call
above the block counts as run there, since what got it may call it at once.

Move the use below the block, or the block up with `judge-contract retire` and `vendor`.

Not seen: a use that only runs early because of a name made while the script runs (`table[key]()`).
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.paths import LOCK
from judge_conformance.rule import Context, Edit, Example, Rule, Write
from judge_conformance.workflows.early import early_uses

_WORKFLOW = "plugins/acme/workflows/review.js"
_SECOND = "plugins/acme/workflows/second.js"
_ROW = f'"{_WORKFLOW}" = "verdict.inline.js"\n'


def check(context: Context) -> Iterator[Finding]:
    """Report evaluations of the block's names above it."""
    for script in context.survey.carriers:
        for start, end, message in early_uses(script):
            line, column = script.position(start)
            yield RULE.finding(
                script.path, message, line=line, column=column, end=script.position(end)
            )


RULE = Rule(
    code="JC-ORDER",
    title="a name of the block is evaluated above it",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="all uses stand below", changes={}),
        Example(
            title="the schema read above",
            changes={
                _WORKFLOW: Edit(
                    old="// judge-contract:start",
                    new="const early = { schema: JUDGE_VERDICT_SCHEMA };\n// judge-contract:start",
                )
            },
            at=f"{_WORKFLOW}:const early",
            mended={
                _WORKFLOW: Edit(
                    old="const RUBRIC",
                    new="const early = { schema: JUDGE_VERDICT_SCHEMA };\nconst RUBRIC",
                )
            },
        ),
        Example(
            title="two names, and another script",
            changes={
                _WORKFLOW: Edit(
                    old="// judge-contract:start",
                    new="const early = JUDGE_VERDICT_SCHEMA;\n"
                    "const first = decideVerdict;\n// judge-contract:start",
                ),
                _SECOND: Write(
                    text="const third = spotCheck;\n{{verdict.inline.js}}\n"
                    "const RUBRIC = { id: 'acme-review@1', threshold: 0.8,"
                    " criteria: [{ id: 'real', question: 'Is it?' }] };\n"
                    "return third([decideVerdict(args.report, RUBRIC)]);\n"
                ),
                LOCK: Edit(old=_ROW, new=f'{_ROW}"{_SECOND}" = "verdict.inline.js"\n'),
            },
            at=f"{_WORKFLOW}:const early",
            also=(f"{_WORKFLOW}:const first", f"{_SECOND}:const third"),
        ),
    ),
)
