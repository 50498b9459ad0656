"""The repository stands on the newest release that the tool brings.

Installing a newer tool turns nobody red: copies are held to the locked release. The config's
`minimum-release` makes an older lock an error.

Run `judge-contract upgrade`.

Not seen: releases that are newer than the tool, which asks no network. Update the tool first.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.paths import CONFIG, LOCK
from judge_conformance.rule import Change, Context, Edit, Example, Rule, Write

_OLDER: dict[str, Change] = {
    LOCK: Edit(old='release = "0.2.0"', new='release = "0.1.0"'),
    "plugins/acme/scripts/judge_contract.py": Write(text="{{judge_contract.py@0.1.0}}"),
    "plugins/acme/references/judge-contract.md": Write(text="{{judge-contract.md@0.1.0}}"),
    "plugins/acme/workflows/review.js": Write(
        text="{{verdict.inline.js@0.1.0}}\n"
        "const RUBRIC = { id: 'acme-review@1', threshold: 0.8,"
        " criteria: [{ id: 'real', question: 'Is it?' }] };\n"
        "return spotCheck([decideVerdict(args.report, RUBRIC)]);\n"
    ),
}


def check(context: Context) -> Iterator[Finding]:
    """Report a lock on an older release."""
    lock, releases = context.lock, context.catalog.releases
    if lock is None or lock.release == context.catalog.newest:
        return
    minimum = context.config.minimum_release
    asked = minimum in releases and releases.index(lock.release) < releases.index(str(minimum))
    wish = f", and the config asks for {minimum}" if asked else ""
    yield RULE.finding(
        LOCK,
        f"stands on release {lock.release}; {context.catalog.newest} is there{wish}",
        severity=Severity.ERROR if asked else None,
        fix=f"{context.program} upgrade",
    )


RULE = Rule(
    code="JC-OLD",
    title="a newer release exists",
    severity=Severity.NOTICE,
    check=check,
    examples=(
        Example(title="the newest release", changes={}),
        Example(
            title="an older lock",
            changes=_OLDER,
            at=LOCK,
        ),
        Example(
            title="a lock older than what the config asks for",
            changes={**_OLDER, CONFIG: Write(text='minimum-release = "0.2.0"\n')},
            at=LOCK,
        ),
        Example(
            title="a lock just as old as the config allows",
            changes={**_OLDER, CONFIG: Write(text='minimum-release = "0.1.0"\n')},
            at=LOCK,
        ),
    ),
)
