"""A copy of a canonical Python file stands byte for byte as the locked release has it.

Looked at are the copies in the lock, every `judge_contract.py` under a plugin, and every Python
file whose first line says `# judge-contract: NAME`. A copy that was improved in one plugin decides
otherwise than all the others, and nobody notices.

Run the command of the finding; an edited copy is overwritten only with `--force`.

Not seen: an edited copy under another name and without that first line, and code that puts another
function in the place of the copy's when it runs (`judge_contract.decide = ...`).
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Edit, Example, Rule, Write
from judge_conformance.rules.drift import drifted

_COPY = "plugins/acme/scripts/judge_contract.py"


def check(context: Context) -> Iterator[Finding]:
    """Hold every Python copy of the survey to its release."""
    files = (
        copy
        for copy in context.survey.copies.values()
        if context.catalog.artifacts[copy.artifact].language == "python"
    )
    yield from drifted(context, files, RULE)


RULE = Rule(
    code="JC-PY-DRIFT",
    title="a vendored Python file differs from its release",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="the canonical file", changes={}),
        Example(
            title="a word changed",
            changes={_COPY: Edit(old="verdict-missing", new="verdict-absent")},
            at=f"{_COPY}:verdict-absent",
        ),
        Example(
            title="an undeclared copy that was edited",
            changes={"plugins/acme/lib/judge_contract.py": Write(text="print('pass')\n")},
            at="plugins/acme/lib/judge_contract.py:print",
        ),
    ),
)
