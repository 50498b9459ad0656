"""A copy is as executable as the canonical file, which is not at all.

The canonical files are run as `python3 FILE`; an executable bit on one copy is a change of it that
no diff of its bytes shows.

Clear the bit with `chmod -x PATH` (and `git update-index --chmod=-x PATH`).

Not seen: other bits than the executable one. On a file system without such bits, git's index tells.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Example, Executable, Rule
from judge_conformance.shell import shell_path

_COPY = "plugins/acme/scripts/judge_contract.py"


def check(context: Context) -> Iterator[Finding]:
    """Report files whose executable bit differs from the catalog's."""
    for copy in context.survey.copies.values():
        artifact = context.catalog.artifacts[copy.artifact]
        if artifact.kind == "block" or copy.entry is None:
            continue
        if copy.entry.executable != artifact.executable:
            yield RULE.finding(
                copy.path,
                f"{copy.artifact} is executable, and the canonical file is not",
                fix=f"chmod -x {shell_path(copy.path)}",
            )


RULE = Rule(
    code="JC-MODE",
    title="the executable bit of a copy differs",
    severity=Severity.WARNING,
    check=check,
    examples=(
        Example(title="as canonical", changes={}),
        Example(title="an executable copy", changes={_COPY: Executable()}, at=_COPY),
        Example(
            title="a script with a block, which somebody runs",
            changes={"plugins/acme/workflows/review.js": Executable()},
        ),
    ),
)
