"""What is known of a value, below a path of steps, as far as both languages know it alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

MEMBERS: Mapping[tuple[str, str], tuple[str, tuple[str, ...]]] = {
    ("verdict", "outcome"): ("outcome", ()),
    ("verdict", "abstain"): ("abstain", ()),
    ("verdict", "abstainReason"): ("reason", ()),
    ("verdict", "criteria"): ("criterion", ("[]",)),
    ("criterion", "pass"): ("met", ()),
    ("criterion", "score"): ("score", ()),
}
"""Of what kind, and below which path, a member of what is known is: by its kind and name."""

LONGEST = 6
"""Steps of a path; real files nest three."""


@dataclass(frozen=True, slots=True)
class Known:
    """Something of a kind, known below a path; each language adds where it came from."""

    kind: str
    path: tuple[str, ...]


AnyKnown = TypeVar("AnyKnown", bound=Known)


def under(step: str, traces: frozenset[AnyKnown]) -> frozenset[AnyKnown]:
    """Put a step above paths."""
    return frozenset(
        replace(one, path=(step, *one.path)) for one in traces if len(one.path) < LONGEST
    )


def laid_below(steps: Sequence[str], traces: frozenset[AnyKnown]) -> frozenset[AnyKnown]:
    """Put steps above paths, the first of them outermost."""
    for step in reversed(steps):
        traces = under(step, traces)
    return traces
