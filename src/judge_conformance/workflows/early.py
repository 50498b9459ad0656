"""Which uses of the block's names are evaluated above it, where a `const` read throws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judge_conformance.workflows.expressions import called_method, member
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes
from judge_conformance.workflows.shadowing import Host
from judge_conformance.workflows.uses import BORROWED_CALLS, READING_METHODS

_CALLS = frozenset({"CallExpression", "NewExpression"})


def early_uses(script: Script) -> list[tuple[int, int, str]]:
    """Return where a name is evaluated before its block is: (start, end, message), in order."""
    if not script.blocks:
        return []
    host = Host(script)
    early = _Early(host.scopes, script.blocks[0].start)
    return [
        (*node.range, f"{node.name} is evaluated above the block that declares it")
        for node in host.uses()
        if early.runs(node)
    ]


@dataclass(frozen=True, slots=True)
class _Early:
    """Whether code runs before the block does; a function runs where it is called."""

    scopes: Scopes
    block: int

    def runs(self, node: Node) -> bool:
        """Whether a node is evaluated above the block."""
        asked: set[int] = set()
        pending = [node]
        while pending:
            current = pending.pop()
            deferring = self._deferring(current)
            if deferring is None and current.range[0] < self.block:
                return True
            if deferring is not None and id(deferring) not in asked:
                asked.add(id(deferring))
                pending.extend(self._calls(deferring))
        return False

    def _deferring(self, node: Node) -> Node | None:
        """Return the nearest function or field around a node, which says when it runs."""
        below = node
        for parent in self.scopes.above(node):
            if parent.type in FUNCTIONS:
                return parent
            if parent.type == "PropertyDefinition" and not parent.static and below is parent.value:
                return parent
            below = parent
        return None

    def _calls(self, function: Node) -> Iterator[Node]:
        """Yield what runs a function, as far as it is in plain sight."""
        parent, _ = self.scopes.parent(function)
        if function.type == "FunctionDeclaration":
            yield from self._named_calls(function.id)
        elif parent is not None and parent.type == "VariableDeclarator":
            yield from self._named_calls(parent.id)
        elif self._is_run(function):
            yield parent

    def _named_calls(self, identifier: Node) -> Iterator[Node]:
        variable = self.scopes.variable(identifier)
        for reference in variable.references if variable else ():
            if self._is_run(reference):
                yield reference

    def _is_run(self, node: Node) -> bool:
        """Whether a function is called right here, or handed to a method that calls it at once."""
        parent, role = self.scopes.parent(node)
        if parent is None:
            return False
        if parent.type == "MemberExpression":
            return role == "object" and member(parent) in BORROWED_CALLS
        is_call = parent.type in _CALLS
        return is_call and (role == "callee" or called_method(parent) in READING_METHODS)
