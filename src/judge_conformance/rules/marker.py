"""The markers around a block are whole: one start, one end, in order, of a known version.

A marker counts only as a line comment alone on its line at column 0. A start without an end, an
end without a start, a second block, a block inside braces, an unknown version, or markers that are
text only (indented, inside a string or a comment) leave a script that looks adopted and is not.

Mend the marker line, or remove the remains of the block and vendor it again.

Not seen: a script that lost both markers and that nothing asks for: it is somebody else's then. One
that was adopted is JC-REQUIRED.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.copies import State
from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Edit, Example, Rule
from judge_conformance.shell import shell_path

_WORKFLOW = "plugins/acme/workflows/review.js"


def check(context: Context) -> Iterator[Finding]:
    """Report the first fault of a script's markers."""
    for copy in context.survey.copies.values():
        if copy.state is State.BROKEN:
            ((line, message),) = copy.faults
            yield RULE.finding(
                copy.path,
                message,
                line=line,
                hint="remove the remains of the block, then vendor it again",
                fix=f"{context.program} vendor {context.plugin_flag(copy.path)} "
                f"--workflow {shell_path(copy.path)}",
            )


RULE = Rule(
    code="JC-MARKER",
    title="the markers of a block are broken",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="one start and one end", changes={}),
        Example(
            title="the end marker lost",
            changes={_WORKFLOW: Edit(old="// judge-contract:end\n", new="")},
            at=f"{_WORKFLOW}:judge-contract:start",
        ),
        Example(
            title="a version that no release has",
            changes={_WORKFLOW: Edit(old="start verdict@2", new="start verdict@20")},
            at=f"{_WORKFLOW}:verdict@20",
        ),
        Example(
            title="an indented start is text",
            changes={
                _WORKFLOW: Edit(old="// judge-contract:start", new=" // judge-contract:start")
            },
            at=f"{_WORKFLOW}: // judge-contract:start",
        ),
    ),
)
