"""What comes out of the judges and of the contract, followed through one Python file."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from judge_conformance.following.rings import Rings
from judge_conformance.following.traces import MEMBERS, under
from judge_conformance.python.answers import given_by
from judge_conformance.python.contract import Contract
from judge_conformance.python.holding import held_by
from judge_conformance.python.names import Names, Variable, own_nodes, text_of
from judge_conformance.python.traces import NONE, Trace, Traces, elements, inside

_DEEPEST = 200  # expressions that hang on one another
_MEMBERS = {
    **MEMBERS,
    ("process", "returncode"): ("code", ()),
    ("process", "stdout"): ("text", ()),
}


@dataclass(slots=True)
class Flow:
    """Traces of the expressions of a file; `drops` tells a condition that leaves the dead out."""

    names: Names
    contract: Contract
    drops: Callable[[ast.AST, ast.AST, Traces], bool] = lambda _test, _element, _traces: False
    stored: frozenset[tuple[ast.AST, tuple[str, ...]]] = frozenset()
    _rings: Rings[Traces] = field(default_factory=lambda: Rings(nothing=NONE, deepest=_DEEPEST))

    def read(self) -> None:
        """Learn which values are stored verdicts: those that validate() is asked about."""
        asked = [self.contract.report(call) for call in self.contract.calls("validate")]
        found = {one.source for node in asked if node for one in self.traces(node) if not one.path}
        self.stored = frozenset(found)
        self._rings.forget()

    def traces(self, node: ast.AST | None) -> Traces:
        """Return what an expression is known to hold."""
        return NONE if node is None else self._rings.once(node, self._look, node)

    def _look(self, node: ast.AST) -> Traces:
        match node:
            case ast.Name() | ast.Attribute() if (held := self.names.variable(node)) is not None:
                return self.variable(held)
            case ast.Await() | ast.Starred() | ast.NamedExpr():
                return self.traces(node.value)
            case ast.IfExp():
                return self.traces(node.body) | self.traces(node.orelse)
            case ast.BoolOp():
                return frozenset().union(*(self.traces(one) for one in node.values))
            case ast.BinOp(op=ast.Add()):
                return self.lists(node.left) | self.lists(node.right)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._display(node.elts)
            case ast.Dict():
                found = NONE
                for key, value in zip(node.keys, node.values, strict=True):
                    below = self.traces(value)
                    found |= under(text_of(key) or "[]", below) if key is not None else below
                return found
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._dropped(node, under("[]", self.traces(node.elt)))
            case ast.DictComp():
                return self._dropped(node, under("[]", self.traces(node.value)))
            case ast.Attribute():
                return self.member(self.traces(node.value), node.attr)
            case ast.Subscript():
                own = self.traces(node.value)
                if isinstance(node.slice, ast.Slice):
                    return own
                name = text_of(node.slice)
                return elements(own) if name is None else self.member(own, name)
            case ast.Call():
                return given_by(self, node)
            case ast.Lambda():
                return under("()", self.returns(node))
        return NONE

    def lists(self, node: ast.AST) -> Traces:
        """Return what an expression holds below a path, if it is a collection."""
        return frozenset(one for one in self.traces(node) if one.path)

    def _display(self, parts: list[ast.expr]) -> Traces:
        found = NONE
        spread = any(isinstance(part, ast.Starred) for part in parts)
        for index, part in enumerate(parts):
            if isinstance(part, ast.Starred):
                found |= under("[]", elements(self.traces(part)))
            else:
                found |= under("[]" if spread else str(index), self.traces(part))
        return found

    def member(self, traces: Traces, name: str) -> Traces:
        """Return what a key or an attribute holds."""
        if name.isdigit():
            return inside(traces, name, "[]")
        found = frozenset(
            one for one in inside(traces, name) if one.via == () or one.source not in self.stored
        )
        for one in traces:
            below = _MEMBERS.get((self.kind(one), name)) if not one.path else None
            if below is not None:
                found |= {replace(one, kind=below[0], path=below[1])}
        return found

    def kind(self, trace: Trace) -> str:
        """Return what a trace is of; a reply that validate() is asked about is a verdict."""
        return "verdict" if trace.kind == "reply" and trace.source in self.stored else trace.kind

    def _dropped(self, node: ast.AST, traces: Traces) -> Traces:
        """Mark what the conditions of a comprehension leave out."""
        for part in getattr(node, "generators", ()):
            for test in part.ifs:
                if self.drops(test, part.target, traces):
                    traces = frozenset(o if o.drop else replace(o, drop=test) for o in traces)
        return traces

    def function(self, node: ast.AST) -> ast.AST | None:
        """Return the function of this file that an expression is."""
        if isinstance(node, ast.Lambda):
            return node
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id not in {"self", "cls"}:
                return None
            inner = (o for o in self.names.above(node) if isinstance(o, ast.ClassDef))
            body = next((one.body for one in inner), [])
            return next((o for o in body if getattr(o, "name", None) == node.attr), None)
        variable = self.names.variable(node)
        if variable is None or len(variable.bindings) != 1:
            return None
        binding = variable.bindings[0]
        if isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef):
            return binding
        parent = self.names.parent(binding)
        value = parent.value if isinstance(parent, ast.Assign) else None
        return value if isinstance(value, ast.Lambda) else None

    def returns(self, function: ast.AST) -> Traces:
        """Return what a function gives; of a generator, an element is what it yields."""
        if isinstance(function, ast.Lambda):
            return self.traces(function.body)
        found = NONE
        for node in own_nodes(function):
            if isinstance(node, ast.Return):
                found |= self.traces(node.value)
            elif isinstance(node, ast.Yield):
                found |= under("[]", self.traces(node.value))
            elif isinstance(node, ast.YieldFrom):
                found |= self.traces(node.value)
        return found

    def variable(self, variable: Variable) -> Traces:
        """Return what a variable may hold: all that is bound or put into it."""
        return self._rings.once(variable, self._held, variable)

    def _held(self, variable: Variable) -> Traces:
        return held_by(self, variable)
