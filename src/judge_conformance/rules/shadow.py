"""Nothing outside the block binds, writes or hides what the block declares or reads.

Looked at are the three names of the block, in any spelling, and the globals that it reads: a second
declaration, a parameter, an assignment, an alias that is written to, `eval`. What is handed to a
function of the same script is followed into it; what is handed to any other is trusted to it. The
canonical block is there to the byte then, and something else decides.

Rename what the finding points at, or call the block's functions as they are.

Not seen: what code that is made from text does (`eval` and `Function` are findings for that
reason), and what a function of another file does with the names that it is handed.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Edit, Example, Rule
from judge_conformance.workflows.shadowing import shadows

_WORKFLOW = "plugins/acme/workflows/review.js"


def check(context: Context) -> Iterator[Finding]:
    """Report every place of a script with a block that can undo it."""
    for script in context.survey.carriers:
        for start, end, message, hint in shadows(script):
            line, column = script.position(start)
            yield RULE.finding(
                script.path,
                message,
                line=line,
                column=column,
                end=script.position(end),
                hint=hint,
            )


RULE = Rule(
    code="JC-SHADOW",
    title="something outside the block can undo it",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="the names are only called and read", changes={}),
        Example(
            title="a parameter of the same name",
            changes={
                _WORKFLOW: Edit(
                    old="return { passed",
                    new="const mine = (spotCheck) => spotCheck;\nreturn { mine, passed",
                )
            },
            at=f"{_WORKFLOW}:const mine = ",
            mended={
                _WORKFLOW: Edit(
                    old="return { passed",
                    new="const mine = (sample) => sample;\nreturn { mine, passed",
                )
            },
        ),
        Example(
            title="a name of the block assigned, in another spelling",
            changes={
                _WORKFLOW: Edit(
                    old="return { passed", new="decideV\\u0065rdict = () => 1;\nreturn { passed"
                )
            },
            at=f"{_WORKFLOW}:decideV\\u0065rdict",
        ),
    ),
)
