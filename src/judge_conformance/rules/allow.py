"""An allowance says why, has not run out, and allows something.

An allowance without a reason, or past its date, is a rule turned off and forgotten; one that allows
nothing is ready to hide the next fault.

Mend or delete the `[[allow]]` table of the config.

Not seen: whether a reason is a good one. Who reviews the config decides that.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.paths import CONFIG
from judge_conformance.rule import Context, Edit, Example, Rule, Write

_COPY = "plugins/acme/scripts/judge_contract.py"
_ALLOW = '[[allow]]\nrule = "JC-PY-DRIFT"\npath = "plugins/acme/**"\n'


def check(context: Context) -> Iterator[Finding]:
    """Report allowances without a reason or past their date (idle ones are the engine's)."""
    for allow in context.config.allow:
        if not allow.why:
            message = f"the allowance of {allow.rule} for {allow.path} gives no reason"
        elif allow.until and allow.until < context.today:
            message = f"the allowance of {allow.rule} for {allow.path} ended on {allow.until}"
        else:
            continue
        yield RULE.finding(CONFIG, message, line=allow.line)


RULE = Rule(
    code="JC-ALLOW",
    title="an allowance that does not hold",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(
            title="an allowance that allows",
            changes={
                "judge-contract.toml": Write(text=_ALLOW + 'why = "migrating"\n'),
                _COPY: Edit(old="verdict-missing", new="verdict-absent"),
            },
        ),
        Example(
            title="an allowance for nothing",
            changes={"judge-contract.toml": Write(text=_ALLOW + 'why = "migrating"\n')},
            at="judge-contract.toml:[[allow]]",
        ),
        Example(
            title="no reason",
            changes={
                "judge-contract.toml": Write(text=_ALLOW),
                _COPY: Edit(old="verdict-missing", new="verdict-absent"),
            },
            at="judge-contract.toml:[[allow]]",
        ),
        Example(
            title="one on its last day, and one without a reason",
            changes={
                "judge-contract.toml": Write(
                    text=f'{_ALLOW}why = "migrating"\nuntil = 2026-01-01\n\n'
                    '[[allow]] # of all\nrule = "JC-MODE"\npath = "**"\n'
                ),
                _COPY: Edit(old="verdict-missing", new="verdict-absent"),
            },
            at="judge-contract.toml:# of all",
        ),
        Example(
            title="past its date",
            changes={
                "judge-contract.toml": Write(
                    text=_ALLOW + 'why = "migrating"\nuntil = 2025-12-31\n'
                )
            },
            at="judge-contract.toml:[[allow]]",
        ),
    ),
)
