"""No copy is both untracked and ignored by git.

Such a copy is there for whoever made it, so that everything is green, and it is absent from every
clone and every installed plugin.

Take the pattern out of `.gitignore`, or add the file with `git add --force PATH`.

Not seen: what somebody else's own git settings ignore, and what a packager leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.copies import State
from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Example, Ignored, Rule
from judge_conformance.shell import shell_path

_COPY = "plugins/acme/scripts/judge_contract.py"


def check(context: Context) -> Iterator[Finding]:
    """Report copies that git ignores."""
    for copy in context.survey.copies.values():
        if copy.state is State.IGNORED:
            yield RULE.finding(
                copy.path,
                f"{copy.artifact} is ignored by git, so that no clone has it",
                fix=f"git add --force {shell_path(copy.path)}",
            )


RULE = Rule(
    code="JC-IGNORED",
    title="a copy that git ignores",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="tracked copies", changes={}),
        Example(title="an ignored copy", changes={_COPY: Ignored()}, at=_COPY),
    ),
)
