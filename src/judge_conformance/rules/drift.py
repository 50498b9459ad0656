"""A block in a Workflow script stands byte for byte as the locked release has it.

A byte that differs makes another contract of it: a threshold moved, an abstain read as a pass.
The finding says how the block differs and shows the difference.

Run the command of the finding to put the canonical block back. An edited one is overwritten only
with `--force`; move what you wanted outside of the block first.

Not seen: what stands outside the markers, where JC-SHADOW, JC-UNCALLED and the rules of use look;
and a block that lost both markers in a script that nothing asks for.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.copies import Copy, State
from judge_conformance.difference import differ
from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Edit, Example, Rule, Write
from judge_conformance.shell import shell_path

_WORKFLOW = "plugins/acme/workflows/review.js"


def drifted(context: Context, copies: Iterator[Copy], rule: Rule) -> Iterator[Finding]:
    """Report each copy that is readable and not the canonical one."""
    for copy in copies:
        if copy.state not in {State.EDITED, State.OTHER}:
            continue
        if copy.path in context.adopted.pinned or (not copy.declared and copy.state is State.OTHER):
            continue  # a pin is held by JC-PIN, an undeclared copy told by JC-STRAY
        release = context.release
        if not context.catalog.has(copy.artifact, release):
            continue  # the lock asks for what its release does not have: JC-LOCK
        language = context.catalog.artifacts[copy.artifact].language
        canonical = context.catalog.content(copy.artifact, release)
        found = differ(copy, canonical, language, release)
        plugin = context.plugin_flag(copy.path)
        force = "" if found.harmless else " --force"
        flag = f" --workflow {shell_path(copy.path)}" if language == "javascript" else ""
        yield rule.finding(
            copy.path,
            f"{copy.artifact} {found.story}",
            line=found.line,
            fix=f"{context.program} vendor {plugin}{flag}{force}",
            diff=found.diff,
        )


def check(context: Context) -> Iterator[Finding]:
    """Hold every block of the survey to its release."""
    blocks = (
        copy
        for copy in context.survey.copies.values()
        if context.catalog.artifacts[copy.artifact].kind == "block"
    )
    yield from drifted(context, blocks, RULE)


RULE = Rule(
    code="JC-DRIFT",
    title="a vendored block differs from its release",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="the canonical block", changes={}),
        Example(
            title="a reason changed inside the block",
            changes={_WORKFLOW: Edit(old='"missing-item"', new='"missing-the-item"')},
            at=f'{_WORKFLOW}:"missing-the-item"',
        ),
        Example(
            title="another release, unmodified",
            changes={
                _WORKFLOW: Write(
                    text="export const meta = { name: 'review' };\n\n{{verdict.inline.js@0.1.0}}\n"
                    "\nconst RUBRIC = { id: 'acme-review@1', threshold: 0.8,"
                    " criteria: [{ id: 'real', question: 'Is it?' }] };\n"
                    "return [decideVerdict(args.report, RUBRIC), spotCheck([])];\n"
                )
            },
            at=f"{_WORKFLOW}:judge-contract:start",
        ),
    ),
)
