"""A pinned copy is still what was pinned, and says why.

A pin keeps an unmodified copy of an older release on purpose, as the record of what ran. A record
that was edited afterwards tells nothing of that run.

Put the pinned bytes back, or pin again with `judge-contract pin PATH --why`.

Not seen: whether these bytes are the ones that ran. The reason has to say that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.lock import Pin, line_of
from judge_conformance.paths import LOCK
from judge_conformance.rule import Context, Edit, Example, Rule
from judge_conformance.shell import shell_path

_WORKFLOW = "plugins/acme/workflows/review.js"
_ROW = f'"{_WORKFLOW}" = "verdict.inline.js"\n\n[pins]\n'
_PIN = (
    f'\n[pins]\n"{_WORKFLOW}" = {{ artifact = "verdict.inline.js", release = "0.2.0",'
    ' sha256 = "0000", why = "the record of the spring run" }\n'
)

_CANONICAL = "{{sha256 of verdict.inline.js}}"


def check(context: Context) -> Iterator[Finding]:
    """Hold each pin to its hash and its reason."""
    for pin in context.adopted.pins:
        if story := _fault(context, pin):
            line = line_of(context.lock_data, pin.path)
            fix = f"{context.program} pin {shell_path(pin.path)} --why '...'"
            yield RULE.finding(LOCK, f"{pin.path}: {story}", line=line, fix=fix)


def _fault(context: Context, pin: Pin) -> str | None:
    if not pin.why.strip():
        return "pinned without a reason"
    if pin.artifact not in context.catalog.artifacts:
        return f"no artifact is called {pin.artifact!r}"
    data = context.survey.data(pin.path)  # of what is missing or broken, another rule tells
    if data and hashlib.sha256(data).hexdigest() != pin.sha256:
        return "is not what was pinned"
    return None


RULE = Rule(
    code="JC-PIN",
    title="a pinned copy changed, or has no reason",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="nothing pinned", changes={}),
        Example(
            title="a pin that does not hold",
            changes={LOCK: Edit(old=_ROW, new=_PIN)},
            at=f"{LOCK}:the spring run",
            mended={LOCK: Edit(old=_ROW, new=_PIN.replace("0000", _CANONICAL))},
        ),
        Example(
            title="two pins, without a reason and of an unknown artifact",
            changes={
                LOCK: Edit(
                    old=_ROW,
                    new=_PIN.replace("the record of the spring run", " ")
                    + _PIN.partition("[pins]\n")[2]
                    .replace("review.js", "a.js")
                    .replace("verdict.inline.js", "verdict.js"),
                )
            },
            at=f'{LOCK}:why = " "',
            also=(f"{LOCK}:a.js",),
        ),
        Example(
            title="a pin that holds",
            changes={LOCK: Edit(old=_ROW, new=_PIN.replace("0000", _CANONICAL))},
        ),
    ),
)
