"""What a rule of use finds in the scripts of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.following.rings import NOT_LOOKED_AT, RUN_IT, TooManyPathsError
from judge_conformance.rule import Context, Range, Rule
from judge_conformance.workflows.parse import Script


def findings(
    context: Context, rule: Rule, look: Callable[[Script], Iterator[tuple[Range, str]]], hint: str
) -> Iterator[Finding]:
    """Yield what a look at each script with a block finds, once a place.

    A script that cannot be followed is a notice at its block, and nothing else is said of it.
    """
    for script in context.survey.carriers:
        found: dict[Range, str] = {}
        try:
            for place, message in look(script):
                found.setdefault(place, message)
        except TooManyPathsError:
            line = script.blocks[0].line
            yield rule.finding(
                script.path, NOT_LOOKED_AT, line=line, hint=RUN_IT, severity=Severity.NOTICE
            )
            continue
        for (start, end), message in found.items():
            at = (script.path, *script.position(start), *script.position(end))
            yield rule.at(at, message, hint)
