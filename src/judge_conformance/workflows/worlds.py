"""What conditions come to in each world: a verdict that passed, failed, abstained or is missing.

An expression has a JavaScript value, or one of the marks below. Where the value depends on the
verdict in a way that cannot be read it is OPAQUE, and no claim is made of what hangs on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from judge_conformance.following.worlds import World
from judge_conformance.workflows.facts import GONE
from judge_conformance.workflows.flow import Flow
from judge_conformance.workflows.nodes import nodes_below
from judge_conformance.workflows.reaching import conditions, lets
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.steps import STEPS
from judge_conformance.workflows.traces import Traces
from judge_conformance.workflows.values import Mark, Value, truthy
from judge_conformance.workflows.writes import sources

_DEEPEST = 60


@dataclass(slots=True)
class Worlds:
    """Evaluates expressions where the calls `sites` gave what a world says."""

    flow: Flow
    sites: frozenset[int]
    known: dict[tuple[int, str], Value] = field(default_factory=dict)
    _depends: dict[int, bool] = field(default_factory=dict)
    handing: set[int] = field(default_factory=set)  # parameters that are being looked at
    given: dict[int, Value] = field(default_factory=dict)  # literals that a call hands over
    _depth: int = 0

    def truth(self, node: Node, world: World) -> bool | Mark:
        """Return whether a condition holds: True, False, FREE, OPAQUE or THROWS."""
        return truthy(self.value(node, world))

    def value(self, node: Node, world: World) -> Value:
        """Return what an expression comes to."""
        place = (id(node), world.name)
        if place not in self.known:
            if self._depth > _DEEPEST:
                return Mark.OPAQUE
            self.known[place] = Mark.OPAQUE  # what hangs on itself
            self._depth += 1
            self.known[place] = self._look(node, world)
            self._depth -= 1
        return self.known[place]

    def fact(self, traces: Traces, world: World) -> tuple[Value] | None:
        """Return what something traced is here; FREE for another site; None: not traced."""
        if world is GONE and any(o.mortal and not (o.path and o.path[0] == "[]") for o in traces):
            return (None,)
        direct = [one for one in traces if not one.path and one.kind in world.facts]
        ours = [one for one in direct if id(one.site) in self.sites]
        if ours:
            return (world.facts[ours[0].kind],)
        return (Mark.FREE,) if direct else None

    def _look(self, node: Node, world: World) -> Value:
        fact = self.fact(self.flow.traces(node), world) if node.type in _TRACED else None
        if fact is not None and node.type != "MemberExpression":
            return fact[0]
        step = STEPS.get(node.type)
        if step is not None:
            return step(self, node, world)
        return self.unread(node)

    def unread(self, node: Node) -> Mark:
        """Return the mark of what cannot be read."""
        return Mark.OPAQUE if self.depends(node) else Mark.FREE

    def depends(self, node: Node) -> bool:
        """Whether a value may depend on what the sites gave, in any way."""
        return any(self._hangs(one) for one in nodes_below(node))

    def _hangs(self, node: Node) -> bool:
        if id(node) in self.sites:
            return True
        if node.type != "Identifier":
            return False
        if any(id(one.site) in self.sites for one in self.flow.traces(node)):
            return True
        variable = self.flow.scopes.variable(node)
        if variable is None or self.flow.host.holds(variable):
            return False
        if id(variable) not in self._depends:
            self._depends[id(variable)] = False
            self._depends[id(variable)] = any(
                self.depends(source) for source in sources(self, variable)
            )
        return self._depends[id(variable)]

    def reached(self, node: Node, world: World) -> bool | Mark:
        """Return whether a place is reached: True, False, FREE, OPAQUE; THROWS before it."""
        found: bool | Mark = True
        for test, wanted in conditions(self.flow, node):
            reaches = lets(self, test, wanted, world)
            if reaches is False or reaches is Mark.THROWS:
                return reaches
            if reaches is Mark.OPAQUE or (reaches is Mark.FREE and found is True):
                found = reaches
        return found


_TRACED = frozenset({"Identifier", "MemberExpression", "CallExpression", "AwaitExpression"})
