"""What a rule of use finds in the files of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.following.rings import NOT_LOOKED_AT, RUN_IT, TooManyPathsError
from judge_conformance.rule import Context, Place, Range, Rule
from judge_conformance.workflows.parse import Script


def findings(
    context: Context, rule: Rule, look: Callable[[Script], Iterator[tuple[Range, str]]], hint: str
) -> Iterator[Finding]:
    """Yield what a look at each script with a block finds; its block is where it is told of."""
    for script in context.survey.carriers:
        places = (
            ((script.path, *script.position(start), *script.position(end)), message)
            for (start, end), message in look(script)
        )
        yield from told(rule, places, hint, head=(script.path, script.blocks[0].line))


def told(
    rule: Rule, places: Iterator[tuple[Place, str]], hint: str, *, head: tuple[str, int]
) -> Iterator[Finding]:
    """Yield what is found at the places of one file, once a place.

    A file that cannot be followed is a notice at its `head`, a path and a line, and nothing else is
    said of it.
    """
    found: dict[Place, str] = {}
    try:
        for place, message in places:
            found.setdefault(place, message)
    except TooManyPathsError:
        path, line = head
        yield rule.finding(path, NOT_LOOKED_AT, line=line, hint=RUN_IT, severity=Severity.NOTICE)
        return
    for place, message in found.items():
        yield rule.at(place, message, hint)
