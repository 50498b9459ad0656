"""Where a rule of use finds something in the scripts of a tree, and what."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from judge_conformance.rule import Context, Place, Range
from judge_conformance.workflows.parse import Script


def places(
    context: Context, look: Callable[[Script], Iterator[tuple[Range, str]]]
) -> Iterator[tuple[Place, str]]:
    """Yield where a look at each script with a block finds something, once a place, and what."""
    for script in context.survey.carriers:
        found: dict[Range, str] = {}
        for place, message in look(script):
            found.setdefault(place, message)
        for (start, end), message in found.items():
            yield (script.path, *script.position(start), *script.position(end)), message
