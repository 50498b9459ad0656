"""A change keeps what its base had to carry, and does not loosen its own gate.

A required check that the pull request itself can switch off is none: a line deleted from the config
or the lock makes every other rule silent. This rule compares with a base (`check --base`). It
reports a path that no longer carries the contract, a rule turned down, a pattern or an allowance
added, a release taken back, and an edited workflow file.

Give the reason with `judge-contract retire PATH --why`; it is then a warning. Any other edit is
an error until a maintainer accepts it: `check --accept-gate-edit`.

Not seen: what a workflow calls (a script, an action at a moving tag), and rulesets and labels,
which stand in no file. A pull request can rewrite the workflow that runs this check: only code
owners or a required workflow stop that.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.gate_edits import gate_edits
from judge_conformance.lock import line_of
from judge_conformance.paths import CONFIG, LOCK
from judge_conformance.rule import Change, Context, Delete, Edit, Example, Rule, Write
from judge_conformance.shell import shell_path

_WORKFLOW = "plugins/acme/workflows/review.js"
_ROW = f'"{_WORKFLOW}" = "verdict.inline.js"\n'
_HOST = "export const meta = { name: 'review' };\nreturn args.items;\n"
_LEFT: dict[str, Change] = {_WORKFLOW: Write(text=_HOST)}
_MANIFEST = "plugins/acme/.claude-plugin/plugin.json"
_RAISED = Edit(old="1.0.0", new="1.0.1")
_GATE = ".github/workflows/judges.yml"
_RUNS = "jobs:\n  judge-contract:\n    steps:\n      - run: judge-contract check\n"


def check(context: Context) -> Iterator[Finding]:
    """Report paths that left, and what else loosens the gate."""
    if context.base is None:
        return
    yield from _left(context, context.base)
    for edit in gate_edits(context, context.base):
        yield RULE.finding(
            edit.path,
            edit.message,
            line=edit.line,
            hint=None if context.accepted else "a maintainer accepts it, or it goes",
            severity=Severity.NOTICE if context.accepted else None,
        )


def _left(context: Context, base: Context) -> Iterator[Finding]:
    asked = _asked(context)
    reasons = {row.path: row.why for row in context.adopted.retired}
    for path, artifact in _asked(base).items():
        if path in asked:
            continue
        if reasons.get(path, "").strip():
            line = line_of(context.lock_data, path)
            message = f"{path} was retired: {reasons[path]}"
            yield RULE.finding(LOCK, message, line=line, severity=Severity.WARNING)
            continue
        if path in context.survey.copies:
            fix = f"{context.program} lock"
            message = f"still holds {artifact}, and nothing asks for it any more"
        else:
            fix = f"{context.program} retire {shell_path(path)} --why '...'"
            message = f"no longer carries {artifact}, which the base did"
        level = Severity.NOTICE if context.accepted else None
        yield RULE.finding(path, message, fix=fix, severity=level)


def _asked(context: Context) -> dict[str, str]:
    """Return what the lock and the config of a tree ask for: path -> artifact, in words."""
    lock = context.adopted
    asked = {row.path: "the contract" for row in context.config.required}
    return asked | dict(lock.copies) | {pin.path: pin.artifact for pin in lock.pins}


RULE = Rule(
    code="JC-LEFT",
    title="a change gives up what its base had to carry, or loosens its own gate",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="nothing changed", changes={}, base={}),
        Example(title="left long ago", changes={CONFIG: Write(text="")}),
        Example(
            title="a rule turned down",
            base={CONFIG: Write(text="")},
            changes={CONFIG: Write(text='[severity]\nJC-MODE = "off"\n')},
            at=f"{CONFIG}:severity",
        ),
        Example(
            title="a block deleted together with its row",
            base={},
            changes={**_LEFT, _MANIFEST: _RAISED, LOCK: Edit(old=_ROW, new="")},
            at=_WORKFLOW,
        ),
        Example(
            title="a path no longer required",
            base={CONFIG: Write(text=f'required = ["{_WORKFLOW}"]\n')},
            changes={CONFIG: Write(text="required = []\n")},
            at=f"{CONFIG}:required",
        ),
        Example(
            title="the workflow that runs the check edited",
            base={_GATE: Write(text=_RUNS)},
            changes={_GATE: Write(text=_RUNS + "        if: false\n")},
            at=f"{_GATE}:jobs",
        ),
        Example(
            title="the workflow that runs the check deleted",
            base={_GATE: Write(text=_RUNS)},
            changes={_GATE: Delete()},
            at=_GATE,
        ),
    ),
)
