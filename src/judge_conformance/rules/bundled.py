"""No block stands in a script that a build writes.

A line of over 5,000 characters outside the block is a bundler's. The next build writes the script
again, without the block.

Put the block into the source that is bundled, or keep the judge in a script of its own.

Not seen: a build that writes shorter lines. Nothing but the length of a line tells here.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.paths import LOCK
from judge_conformance.rule import Context, Edit, Example, Rule, Write

_WORKFLOW = "plugins/acme/workflows/review.js"
_LIMIT = 5000  # characters
_OTHER = "plugins/acme/workflows/other.js"
_BUNDLED = (
    f"'{'x' * 5100}'; return spotCheck([decideVerdict(args.reply, {{ id: 'acme-review@1',"
    " threshold: 0.8, criteria: [{ id: 'real', question: 'Is it?' }] })]);\n"
)
_LONGEST = "x" * 4998


def check(context: Context) -> Iterator[Finding]:
    """Report scripts with a block and a bundler's line."""
    for script in context.survey.carriers:
        for number, line in enumerate(script.text.split("\n"), 1):
            if len(line) > _LIMIT:
                yield RULE.finding(
                    script.path,
                    f"a line of {len(line)} characters: a bundled script loses its block "
                    "when it is built again",
                    line=number,
                    hint="put the block into the source that is bundled, or the judge into a "
                    "script of its own",
                )
                break


RULE = Rule(
    code="JC-BUNDLED",
    title="a block in a script that a build writes",
    severity=Severity.WARNING,
    check=check,
    examples=(
        Example(title="a script written by hand", changes={}),
        Example(
            title="the longest line by hand",
            changes={_WORKFLOW: Edit(old="return { passed", new=f"//{_LONGEST}\nreturn {{ passed")},
        ),
        Example(
            title="a bundled line",
            changes={
                _WORKFLOW: Edit(old="return { passed", new=f"'{'x' * 5100}'; return {{ passed")
            },
            at=f"{_WORKFLOW}:xxxx",
        ),
        Example(
            title="two bundled scripts",
            changes={
                path: Write(
                    text=f"export const meta = {{}};\n{{{{verdict.inline.js}}}}\n{_BUNDLED}"
                )
                for path in (_WORKFLOW, _OTHER)
            }
            | {LOCK: Edit(old="[copies]\n", new=f'[copies]\n"{_OTHER}" = "verdict.inline.js"\n')},
            at=f"{_WORKFLOW}:xxxx",
            also=(f"{_OTHER}:xxxx",),
        ),
        Example(
            title="one character more, twice",
            changes={
                _WORKFLOW: Edit(
                    old="return { passed", new=f"//{_LONGEST}1\n//{_LONGEST}2\nreturn {{ passed"
                )
            },
            at=f"{_WORKFLOW}:xx1",
        ),
    ),
)
