"""A path that must carry the contract does: it is there, and it holds its block.

What must carry it stands in the lock (adopted) or in the config (`required`). A copy that was
deleted, moved or renamed raises no error of its own: the judge simply goes on without it.

Run the command of the finding, or say why it may go with `judge-contract retire PATH --why`.

Not seen: a judge that was never adopted. `judge-contract scan` looks for those.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.copies import State
from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Delete, Example, Rule, Write
from judge_conformance.shell import shell_path

_WORKFLOW = "plugins/acme/workflows/review.js"
_COPY = "plugins/acme/scripts/judge_contract.py"


def check(context: Context) -> Iterator[Finding]:
    """Report what is asked for and absent."""
    for copy in context.survey.copies.values():
        if copy.state is not State.MISSING:
            continue
        if copy.entry is None:
            message = f"must carry {copy.artifact} and is gone"
        elif copy.entry.kind != "file":
            message = f"must carry {copy.artifact} and is no regular file"
        else:
            message = f"must carry {copy.artifact} and holds no block"
        is_block = context.catalog.artifacts[copy.artifact].kind == "block"
        vendor = f"{context.program} vendor {context.plugin_flag(copy.path)}"
        if is_block and copy.entry is None:
            fix = f"{context.program} retire {shell_path(copy.path)} --why '...'"
        else:
            fix = f"{vendor} --workflow {shell_path(copy.path)}" if is_block else vendor
        yield RULE.finding(copy.path, message, fix=fix)


RULE = Rule(
    code="JC-REQUIRED",
    title="a path that must carry the contract does not",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="all that was adopted is there", changes={}),
        Example(title="a copy deleted", changes={_COPY: Delete()}, at=_COPY),
        Example(
            title="the block gone from its script",
            changes={_WORKFLOW: Write(text="export const meta = {};\nreturn 1;\n")},
            at=_WORKFLOW,
        ),
        Example(
            title="a script deleted",
            changes={_WORKFLOW: Delete()},
            at=_WORKFLOW,
        ),
        Example(
            title="asked for by the config",
            changes={
                "judge-contract.toml": Write(text='required = ["plugins/acme/workflows/b.js"]\n'),
                "plugins/acme/workflows/b.js": Write(text="return 1;\n"),
            },
            at="plugins/acme/workflows/b.js",
        ),
    ),
)
