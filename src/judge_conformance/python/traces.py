"""What is known of a value, below a path of steps, and the expression that it came from.

`[]` is any element, a digit one of a tuple, `()` what a function gives, anything else a key or
attribute. What is not known to come from elsewhere is a reply of its own, told apart by the call
and what is taken of it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from judge_conformance.following.traces import LONGEST, Known


@dataclass(frozen=True, slots=True)
class Trace(Known):
    """Something known below a path; `site` is the expression it came from.

    `via`: what was taken of a reply. `drop` is what left the dead ones out.
    """

    site: ast.AST
    via: tuple[str, ...] = ()
    drop: ast.AST | None = None

    @property
    def source(self) -> tuple[ast.AST, tuple[str, ...]]:
        """What it is: one expression's value, or what was taken of it."""
        return self.site, self.via


Traces = frozenset[Trace]
NONE: Traces = frozenset()


def inside(traces: Traces, *steps: str) -> Traces:
    """Take the first of these steps off the paths that begin with it; of a reply, note it."""
    found = set()
    for one in traces:
        if one.path and (one.path[0] in steps or (one.path[0].isdigit() and steps[0] == "[]")):
            found.add(replace(one, path=one.path[1:]))
        elif not one.path and one.kind == "reply" and len(one.via) < LONGEST:
            found.add(replace(one, via=(*one.via, steps[0])))
    return frozenset(found)


def elements(traces: Traces) -> Traces:
    """Return what an element of a list, or a value of a mapping, holds."""
    return inside(traces, "[]")
