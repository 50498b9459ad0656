"""A script with a block uses `spotCheck`, so that users see a sample of the verdicts.

A judge that went wrong is seen first by someone who reads three of its verdicts. A function that
is never used also fails the lint of unused names.

Paste the line of the hint where the script reports.

Not seen: whether somebody looks at the sample.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Edit, Example, Rule
from judge_conformance.workflows.called import fates
from judge_conformance.workflows.shadowing import Host

_WORKFLOW = "plugins/acme/workflows/review.js"
_PASTE = "log(`for a person to look at: ${JSON.stringify(spotCheck(verdicts))}`);"


def check(context: Context) -> Iterator[Finding]:
    """Report scripts that decide and show no sample; one that never decides is JC-UNCALLED."""
    for script in context.survey.carriers:
        host = Host(script)
        if not any(fate == "kept" for _, fate in fates(host, "decideVerdict")):
            continue
        found = list(fates(host, "spotCheck"))
        if any(fate == "kept" for _, fate in found):
            continue
        hint = f"paste where the script reports:\n{_PASTE}"
        if not found:
            message = "spotCheck is never used, so that nobody sees a sample of the verdicts"
            yield RULE.finding(script.path, message, line=script.blocks[0].line, hint=hint)
            continue
        start, end = found[0][0].range
        line, column = script.position(start)
        yield RULE.finding(
            script.path,
            "the sample of spotCheck is shown to nobody",
            line=line,
            column=column,
            end=script.position(end),
            hint=hint,
        )


RULE = Rule(
    code="JC-UNUSED",
    title="no sample of the verdicts is shown",
    severity=Severity.WARNING,
    check=check,
    examples=(
        Example(title="a sample is returned", changes={}),
        Example(
            title="no sample",
            changes={_WORKFLOW: Edit(old=", sample: spotCheck(verdicts) }", new=" }")},
            at=f"{_WORKFLOW}:judge-contract:start",
        ),
        Example(
            title="a sample that is discarded",
            changes={
                _WORKFLOW: Edit(
                    old="return { passed: verdicts.filter((v) => v.outcome === 'pass'),"
                    " sample: spotCheck(verdicts) }",
                    new="spotCheck(verdicts);\n"
                    "return { passed: verdicts.filter((v) => v.outcome === 'pass') }",
                )
            },
            at=f"{_WORKFLOW}:spotCheck(verdicts);",
        ),
    ),
)
