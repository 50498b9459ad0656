"""What is known of a value, below a path of steps, and the call that it came from.

`[]` is any element, a digit one element, `()` what a function gives, anything else a member.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter

from judge_conformance.following.traces import MEMBERS, Known
from judge_conformance.workflows.scopes import Node


@dataclass(frozen=True, slots=True)
class Trace(Known):
    """Something known below a path; `site` is the call it came from.

    `mortal`: it went through `parallel` or `pipeline`, which give null for what threw. `drop` is
    the call that left the dead ones out. `caught`: a `.catch` gives something for what threw.
    """

    site: Node
    mortal: bool = False
    caught: bool = False
    drop: Node | None = None


Traces = frozenset[Trace]
NONE: Traces = frozenset()


def kinds(traces: Traces) -> frozenset[str]:
    """Return of what kinds traces are."""
    return frozenset(map(attrgetter("kind"), traces))


def sites(traces: Traces) -> frozenset[int]:
    """Return the calls that traces come from, as ids."""
    return frozenset(map(id, map(attrgetter("site"), traces)))


def inside(traces: Traces, *steps: str) -> Traces:
    """Take the first of these steps off the paths that begin with it."""
    return frozenset(
        replace(one, path=one.path[1:]) for one in traces if one.path and one.path[0] in steps
    )


def elements(traces: Traces) -> Traces:
    """Return what an element of a list, or a value of a map, holds."""
    return frozenset(
        replace(one, path=one.path[1:])
        for one in traces
        if one.path and (one.path[0] == "[]" or one.path[0].isdigit())
    )


def below(traces: Traces, name: str | None) -> Traces:
    """Return what a member holds."""
    if name is None or name.isdigit():
        return elements(traces)
    found = inside(traces, name)
    for one in traces:
        known = MEMBERS.get((one.kind, name)) if not one.path else None
        if known is not None:
            found |= {replace(one, kind=known[0], path=known[1])}
    return found


def mortal(traces: Traces) -> Traces:
    """Mark what went through what gives null for all that threw."""
    return frozenset(replace(one, mortal=True) for one in traces)
