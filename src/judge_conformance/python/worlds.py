"""What conditions come to in each world: a verdict that passed, failed, abstained or is missing.

An expression has a Python value (a literal dict or tuple too), an `Alike`, or one of the marks
below. Where the value depends on the verdict in a way that cannot be read it is OPAQUE, and no
claim is made of what hangs on it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from judge_conformance.following.worlds import World
from judge_conformance.python.expressions import STEPS
from judge_conformance.python.flow import Flow
from judge_conformance.python.names import Variable
from judge_conformance.python.reaching import conditions
from judge_conformance.python.traces import Trace
from judge_conformance.python.values import Mark, Value, is_unknown, truthy
from judge_conformance.python.writes import held, made_of

Source = tuple[ast.AST, tuple[str, ...]]
_DEEPEST = 60


@dataclass(slots=True)
class Worlds:
    """Evaluates expressions where the sources gave what a world says."""

    flow: Flow
    sources: frozenset[Source]
    _known: dict[tuple[object, str], Value] = field(default_factory=dict)
    starts: dict[Variable, Value] = field(default_factory=dict)
    _hanging: dict[object, bool] = field(default_factory=dict)
    _depth: int = 0

    def truth(self, node: ast.AST, world: World) -> bool | Mark:
        """Return whether a condition holds: True, False, FREE, OPAQUE or THROWS."""
        return truthy(self.value(node, world))

    def value(self, node: ast.AST, world: World) -> Value:
        """Return what an expression comes to."""
        place = (node, world.name)
        if place not in self._known:
            if self._depth > _DEEPEST:
                return Mark.OPAQUE
            self._known[place] = Mark.OPAQUE  # what hangs on itself
            self._depth += 1
            found = self._look(node, world)
            self._depth -= 1
            if self.starts:
                del self._known[place]
                return found
            self._known[place] = found
        return self._known[place]

    def ours(self, node: ast.AST) -> list[Trace]:
        """Return the traces of an expression that come from the sources."""
        return [one for one in self.flow.traces(node) if one.source in self.sources]

    def _fact(self, node: ast.AST, world: World) -> tuple[Value] | None:
        """Return what a traced expression is here; None: nothing that a world knows."""
        direct = [
            one for one in self.ours(node) if not one.path and self.flow.kind(one) in world.facts
        ]
        return (world.facts[self.flow.kind(direct[0])],) if direct else None

    def _look(self, node: ast.AST, world: World) -> Value:
        if isinstance(node, ast.Constant):
            return node.value
        made = isinstance(node, ast.BoolOp | ast.IfExp)
        fact = None if made else self._fact(node, world)
        if fact is not None:
            plain = isinstance(node, ast.Name) and fact[0] is None
            return self._else(node, world) if plain else fact[0]
        step = STEPS.get(type(node))
        return step(self, node, world) if step is not None else self.unread(node)

    def _else(self, node: ast.AST, world: World) -> Value:
        """Return what stands in for a missing verdict under its name, if something does."""
        found = held(self, node, world)
        return None if is_unknown(found) else found

    def unread(self, node: ast.AST) -> Mark:
        """Return the mark of what cannot be read."""
        return Mark.OPAQUE if self.depends(node) else Mark.FREE

    def depends(self, node: ast.AST) -> bool:
        """Whether a value may depend on what the sources gave, in any way."""
        return any(self._hangs(one) for one in ast.walk(node))

    def _hangs(self, node: ast.AST) -> bool:
        if any(node is site for site, _ in self.sources):
            return True
        variable = self.flow.names.variable(node)
        if variable is None:
            return False
        if variable not in self._hanging:
            self._hanging[variable] = False
            self._hanging[variable] = bool(self.ours(node)) or any(
                self.depends(made) for made in made_of(self, variable)
            )
        return self._hanging[variable]

    def reached(self, node: ast.AST, world: World, *, within: ast.AST | None = None) -> bool | Mark:
        """Return whether a place is reached: True, False, FREE, OPAQUE; THROWS before it."""
        found: bool | Mark = True
        for _, lets in conditions(self.flow, node, within):
            reaches = lets(self, world)
            if reaches is False or reaches is Mark.THROWS:
                return reaches
            if reaches is Mark.OPAQUE or (reaches is Mark.FREE and found is True):
                found = reaches
        return found
