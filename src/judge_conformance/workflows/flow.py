"""What comes out of the judges and of decideVerdict, followed through one script.

What is not followed has no trace, and nothing is claimed of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from judge_conformance.following.rings import Rings
from judge_conformance.following.traces import under
from judge_conformance.workflows.answers import given_by
from judge_conformance.workflows.expressions import bare, called_method, key, member, origin
from judge_conformance.workflows.holding import held_by
from judge_conformance.workflows.nodes import own_nodes
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes, Variable
from judge_conformance.workflows.shadowing import Host
from judge_conformance.workflows.traces import NONE, Traces, below, elements

_DEEPEST = 250  # expressions that hang on one another


@dataclass(slots=True)
class Flow:
    """Traces of the expressions of a script with a block; `drops` tells a filter that drops."""

    host: Host
    drops: Callable[[Node, Traces], bool] = lambda _call, _traces: False
    _rings: Rings[Traces] = field(default_factory=lambda: Rings(nothing=NONE, deepest=_DEEPEST))

    @property
    def scopes(self) -> Scopes:
        """The scopes of the script."""
        return self.host.scopes

    def decisions(self) -> Iterator[Node]:
        """Yield the calls of decideVerdict outside the block."""
        for node in self.host.outside():
            if node.type == "CallExpression" and self.decides(node):
                yield node

    def methods(self, *names: str) -> Iterator[Node]:
        """Yield the calls of methods of these names that are handed something."""
        for node in self.host.outside():
            if node.type == "CallExpression" and node.arguments and called_method(node) in names:
                yield node

    def traces(self, node: Node | None) -> Traces:
        """Return what an expression is known to hold."""
        return NONE if node is None else self._rings.once(id(node), self._look, node)

    def _look(self, node: Node) -> Traces:
        match node.type:
            case "Identifier":
                variable = self.scopes.variable(node)
                return self.variable(variable) if variable else NONE
            case "AwaitExpression" | "SpreadElement":
                return self.traces(node.argument)
            case "ChainExpression" | "ParenthesizedExpression":
                return self.traces(node.expression)
            case "ConditionalExpression":
                return self.traces(node.consequent) | self.traces(node.alternate)
            case "LogicalExpression":
                return self.traces(node.left) | self.traces(node.right)
            case "AssignmentExpression":
                return self.traces(node.right)
            case "SequenceExpression":
                return self.traces(node.expressions[-1])
            case "ArrayExpression":
                return self._array(node)
            case "ObjectExpression":
                return self._object(node)
            case "MemberExpression":
                return below(self.traces(node.object), member(node))
            case "CallExpression" | "NewExpression":
                return given_by(self, node)
        return under("()", self.returns(node)) if node.type in FUNCTIONS else NONE

    def _array(self, node: Node) -> Traces:
        found = NONE
        spread = any(part and part.type == "SpreadElement" for part in node.elements)
        for index, part in enumerate(node.elements):
            if part is not None and part.type == "SpreadElement":
                found |= under("[]", elements(self.traces(part)))
            elif part is not None:
                found |= under("[]" if spread else str(index), self.traces(part))
        return found

    def _object(self, node: Node) -> Traces:
        found = NONE
        for part in node.properties:
            if part.type == "SpreadElement":
                found |= self.traces(part)
            else:
                found |= under(key(part) or "[]", self.traces(part.value))
        return found

    def decides(self, call: Node) -> bool:
        """Whether a call is one of the block's decideVerdict."""
        start, path = origin(self.scopes, call.callee)
        variable = self.scopes.variable(start) if start.type == "Identifier" else None
        is_ours = variable is not None and self.host.holds(variable)
        return is_ours and not path and start.name == "decideVerdict"

    def function(self, node: Node) -> Node | None:
        """Return the function of the script that an expression is."""
        node = bare(node)
        if node.type in FUNCTIONS:
            return node
        variable = self.scopes.variable(node) if node.type == "Identifier" else None
        if variable is None or self.host.holds(variable):
            return None
        parent, role = self.scopes.parent(variable.bindings[0])
        if parent is None:
            return None
        if parent.type == "FunctionDeclaration" and role == "id":
            return parent
        init = parent.init if parent.type == "VariableDeclarator" else None
        return init if init is not None and init.type in FUNCTIONS else None

    def returns(self, function: Node) -> Traces:
        """Return what a function gives; of a generator, an element is what it yields."""
        if function.body.type != "BlockStatement":
            return self.traces(function.body)
        found = NONE
        for node in own_nodes(function.body):
            if node.type == "ReturnStatement":
                found |= self.traces(node.argument)
            elif node.type == "YieldExpression":
                given = self.traces(node.argument)
                found |= given if node.delegate else under("[]", given)
        return found

    def variable(self, variable: Variable) -> Traces:
        """Return what a variable may hold: all that is bound, written or put into it."""
        return self._rings.once(id(variable), self._held, variable)

    def _held(self, variable: Variable) -> Traces:
        return held_by(self, variable)
