"""A copy of `judge-contract.md` stands byte for byte as the locked release has it.

The text is what models and people read before they judge. A copy that was reworded in one plugin
asks something else of them than the code beside it decides.

Run the command of the finding; keep what is particular to a plugin in a file of its own.

Not seen: whether a model reads it (JC-UNWIRED asks that something names it), and other texts of the
plugin that say the contrary.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Edit, Example, Rule, Write
from judge_conformance.rules.drift import drifted

_COPY = "plugins/acme/references/judge-contract.md"
_SECOND = "plugins/acme/docs/judge-contract.md"


def check(context: Context) -> Iterator[Finding]:
    """Hold every Markdown copy of the survey to its release."""
    files = (
        copy
        for copy in context.survey.copies.values()
        if context.catalog.artifacts[copy.artifact].language == "markdown"
    )
    yield from drifted(context, files, RULE)


RULE = Rule(
    code="JC-MD-DRIFT",
    title="a vendored judge-contract.md differs from its release",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="the canonical text", changes={}),
        Example(
            title="a heading changed",
            changes={_COPY: Edit(old="# The judge contract", new="# Our judge contract")},
            at=f"{_COPY}:# Our judge contract",
        ),
        Example(
            title="two, of which one is another's",
            changes={
                _COPY: Edit(old="# The judge contract", new="# Our judge contract"),
                _SECOND: Write(text="{{judge-contract.md}}more words\n"),
                "judge-contract.toml": Write(text=f'required = ["{_SECOND}"]\n'),
                "plugins/acme/skills/review/SKILL.md": Edit(
                    old="Judge by", new="Judge by `docs/judge-contract.md` and"
                ),
            },
            at=f"{_SECOND}:more words",
            also=(f"{_COPY}:# Our judge contract",),
        ),
    ),
)
