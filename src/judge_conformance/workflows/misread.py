"""Readings of a verdict that hold whatever was decided, and stand-ins that pass for a dead judge.

A field that no verdict has is undefined, and an outcome that there is none of never comes: what a
script makes of either is the same for a pass and a fail.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.workflows.expressions import bare, called_method, key, member
from judge_conformance.workflows.flow import Flow
from judge_conformance.workflows.nodes import nodes_below
from judge_conformance.workflows.scopes import FUNCTIONS, Node

FIELDS = frozenset(
    {"item", "rubric", "decidedBy", "criteria", "abstain", "abstainReason", "threshold", "score"}
    | {"outcome", "calibrated"}
)
OUTCOMES = frozenset({"pass", "fail", "abstain"})
_EQUALITY = frozenset({"===", "!==", "==", "!="})


def misread(flow: Flow) -> Iterator[tuple[Node, str]]:
    """Yield each such reading and stand-in, and what is wrong with it."""
    names = _Names(flow)
    for node in flow.host.outside():
        match node.type:
            case "MemberExpression" if names.is_unknown(node):
                yield (
                    node,
                    f"a verdict has no {member(node)!r}: this is undefined for every outcome",
                )
            case "BinaryExpression" if node.operator in _EQUALITY:
                sides = (bare(node.left), bare(node.right))
                for one, other in (sides, sides[::-1]):
                    if names.is_outcome(one) and names.is_no_outcome(other):
                        yield node, f"no outcome is called {other.value!r}: {_SAYS}"
            case "SwitchCase" if node.test is not None and names.is_no_outcome(bare(node.test)):
                switch, _ = flow.scopes.parent(node)
                if switch is not None and names.is_outcome(bare(switch.discriminant)):
                    yield node.test, f"no outcome is called {node.test.value!r}: {_SAYS}"
            case "ObjectExpression" if _passes(node) and _stands_in(flow, node):
                yield node, "a report that passes stands in for a judge that died"


_SAYS = "they are pass, fail and abstain"


class _Names:
    """What a script calls by name, besides the fields of a verdict."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._keys: set[str | None] = set()
        self._outcomes: set[str] = set()
        self._mixes = False
        for node in flow.host.outside():
            self._note(node)

    def _note(self, node: Node) -> None:
        if node.type == "Property":
            if not self._is_elsewhere(node):
                self._keys.add(key(node))
            if key(node) == "outcome":
                self._outcomes |= _texts(node.value)
        elif node.type == "AssignmentExpression" and node.left.type == "MemberExpression":
            self._keys.add(member(node.left))
            if member(node.left) == "outcome":
                self._outcomes |= _texts(node.right)
        elif node.type == "SpreadElement":
            parent, _ = self._flow.scopes.parent(node)
            is_object = parent is not None and parent.type == "ObjectExpression"
            self._mixes |= is_object and self._is_verdict(node.argument)
        elif node.type == "CallExpression" and called_method(node) == "assign":
            self._mixes |= any(self._is_verdict(one) for one in node.arguments)

    def _is_elsewhere(self, node: Node) -> bool:
        """Whether a property is of no object that could be taken for a verdict.

        It holds one, or says what a reply looks like, or is part of the script's result, or of a
        pattern.
        """
        above = [*self._flow.scopes.above(node)]
        if above and above[0].type == "ObjectPattern":
            return True
        schema = len(above) > 1 and above[1].type == "Property" and key(above[1]) == "properties"
        result = len(above) > 1 and above[1].type == "ReturnStatement"
        is_top = not any(one.type in FUNCTIONS for one in above)
        return schema or (result and is_top) or bool(self._flow.traces(node.value))

    def is_unknown(self, node: Node) -> bool:
        """Whether a member is read of a verdict, and is none of its fields."""
        name = member(node)
        if name is None or node.computed or name in FIELDS or name in self._keys or self._mixes:
            return False
        parent, role = self._flow.scopes.parent(node)
        is_called = role == "callee"
        is_written = parent is not None and parent.type == "AssignmentExpression" and role == "left"
        return not is_called and not is_written and self._is_verdict(node.object)

    def is_outcome(self, node: Node) -> bool:
        """Whether an expression is the outcome of a verdict."""
        if node.type != "MemberExpression" or member(node) != "outcome" or self._mixes:
            return False
        return self._is_verdict(node.object)

    def is_no_outcome(self, node: Node) -> bool:
        """Whether an expression is a text that no outcome is, and that nothing here is called."""
        text = node.value if node.type == "Literal" else None
        return isinstance(text, str) and text not in OUTCOMES | self._outcomes

    def _is_verdict(self, node: Node) -> bool:
        direct = {one.kind for one in self._flow.traces(node) if not one.path}
        return direct == {"verdict"}


def _texts(node: Node) -> set[str]:
    values = (one.value for one in nodes_below(node) if one.type == "Literal")
    return {value for value in values if isinstance(value, str)}


def _passes(node: Node) -> bool:
    """Whether an object is written as a report whose criteria are met."""
    parts = {key(part): part.value for part in node.properties if part.type == "Property"}
    criteria = parts.get("criteria")
    if criteria is None or "abstain" not in parts:
        return False
    return any(
        one.type == "Property" and key(one) == "pass" and getattr(one.value, "value", None) is True
        for one in nodes_below(criteria)
    )


def _stands_in(flow: Flow, node: Node) -> bool:
    """Whether an object is what there is when something else is not, or threw."""
    below = node
    for above in flow.scopes.above(node):
        match above.type:
            case "LogicalExpression":
                return above.operator in {"||", "??"} and above.right is below
            case "AssignmentPattern":
                return above.right is below
            case "CatchClause":
                return True
            case "CallExpression":
                return called_method(above) == "catch" and below in above.arguments
        if (
            above.type in FUNCTIONS
            and above.body is not below
            and below not in (above.params or ())
        ):
            return False
        below = above
    return False
