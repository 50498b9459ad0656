"""What comes out of the judges and of the contract, followed through one Python file.

A trace says that a value holds, below a path of steps, something known: `[]` is any element, a
digit one of a tuple, `()` what a function gives, anything else a key or attribute. What is not
known to come from elsewhere is a reply of its own, told apart by the call and what is taken of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from judge_conformance.python.contract import Contract, called
from judge_conformance.python.names import FUNCTIONS, Names, Variable

T = TypeVar("T")
_LONGEST = 6  # steps of a path
_DEEPEST = 200  # expressions that hang on one another
_MOST = 4000  # expressions looked at before rings are no longer looked at twice
_SAME = frozenset({"copy", "list", "tuple", "set", "frozenset", "sorted", "reversed", "deepcopy"})
_WRAPPERS = frozenset({"gather", "as_completed", "run", "wait", "wait_for", "cast", "tqdm"})
_MEMBERS = {
    ("verdict", "outcome"): ("outcome", ()),
    ("verdict", "abstain"): ("abstain", ()),
    ("verdict", "abstainReason"): ("reason", ()),
    ("verdict", "criteria"): ("criterion", ("[]",)),
    ("criterion", "pass"): ("met", ()),
    ("criterion", "score"): ("score", ()),
    ("process", "returncode"): ("code", ()),
    ("process", "stdout"): ("text", ()),
}


@dataclass(frozen=True, slots=True)
class Trace:
    """Something known below a path; `site` is the expression it came from.

    `via`: what was taken of a reply. `drop` is what left the dead ones out.
    """

    kind: str
    path: tuple[str, ...]
    site: ast.AST
    via: tuple[str, ...] = ()
    drop: ast.AST | None = None

    @property
    def source(self) -> tuple[ast.AST, tuple[str, ...]]:
        """What it is: one expression's value, or what was taken of it."""
        return self.site, self.via


Traces = frozenset[Trace]
NONE: Traces = frozenset()


def under(step: str, traces: Traces) -> Traces:
    """Put a step above paths."""
    return frozenset(
        replace(one, path=(step, *one.path)) for one in traces if len(one.path) < _LONGEST
    )


def inside(traces: Traces, *steps: str) -> Traces:
    """Take the first of these steps off the paths that begin with it; of a reply, note it."""
    found = set()
    for one in traces:
        if one.path and (one.path[0] in steps or (one.path[0].isdigit() and "[]" in steps)):
            found.add(replace(one, path=one.path[1:]))
        elif not one.path and one.kind == "reply" and len(one.via) < _LONGEST:
            found.add(replace(one, via=(*one.via, steps[0])))
    return frozenset(found)


def elements(traces: Traces) -> Traces:
    """Return what an element of a list, or a value of a mapping, holds."""
    return inside(traces, "[]")


@dataclass(slots=True)
class Flow:
    """Traces of the expressions of a file; `drops` tells a condition that leaves the dead out."""

    names: Names
    contract: Contract
    drops: Callable[[ast.AST, ast.AST, Traces], bool] = lambda _test, _element, _traces: False
    stored: frozenset[tuple[ast.AST, tuple[str, ...]]] = frozenset()
    _known: dict[object, Traces] = field(default_factory=dict)
    _open: dict[object, int] = field(default_factory=dict)
    _lowest: int = 0
    _steps: int = 0

    def read(self) -> None:
        """Learn which values are stored verdicts: those that validate() is asked about."""
        asked = [self.contract.report(call) for call in self.contract.calls("validate")]
        found = {one.source for node in asked if node for one in self.traces(node) if not one.path}
        self.stored = frozenset(found)
        self._known.clear()

    def traces(self, node: ast.AST | None) -> Traces:
        """Return what an expression is known to hold."""
        return NONE if node is None else self._once(node, self._look)

    def _once(self, subject: T, look: Callable[[T], Traces]) -> Traces:
        """Look at a subject once; what a ring cut short is looked at again from outside it."""
        if subject in self._known:
            return self._known[subject]
        depth = len(self._open)
        if subject in self._open or depth > _DEEPEST:
            self._lowest = min(self._lowest, self._open.get(subject, 0))
            return NONE
        self._open[subject] = depth
        self._steps += 1
        outer, self._lowest = self._lowest, depth
        found = look(subject)
        del self._open[subject]
        if self._lowest == depth or self._steps > _MOST:
            self._known[subject] = found
        self._lowest = min(self._lowest, outer)
        return found

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
                return self._lists(node.left) | self._lists(node.right)
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
                return self._call(node)
            case ast.Lambda():
                return under("()", self.returns(node))
        return NONE

    def _lists(self, node: ast.AST) -> Traces:
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

    def _call(self, call: ast.Call) -> Traces:
        kind = self.contract.kind(call)
        if kind is not None:
            return self._asked(call, kind)
        name, owner = called(call)
        first = self.traces(call.args[0]) if call.args else NONE
        if owner is not None:
            found = self._method(call, owner, name)
            if found is not None:
                return found
        if name in _SAME or name in _WRAPPERS:
            return first
        match name:
            case "filter" if len(call.args) > 1:
                kept = self.traces(call.args[1])
                if self.drops(call.args[0], call.args[0], kept):
                    kept = frozenset(o if o.drop else replace(o, drop=call) for o in kept)
                return kept
            case "map" | "imap" | "starmap" if len(call.args) > 1:
                return under("[]", self.given(call.args[0]))
            case "zip" | "zip_longest":
                found = NONE
                for index, part in enumerate(call.args):
                    found |= under("[]", under(str(index), elements(self.traces(part))))
                return found
            case "enumerate":
                return under("[]", under("1", elements(first)))
            case "chain" | "from_iterable":
                return frozenset().union(*(self.traces(one) for one in call.args))
            case "next" | "max" | "min":
                return elements(first)
            case "loads" | "load" if any(one.kind == "text" and not one.path for one in first):
                texts = frozenset(one for one in first if one.kind == "text" and not one.path)
                return frozenset(replace(one, kind="verdict") for one in texts)
            case "dict" if call.args or call.keywords:
                named = (under(k.arg, self.traces(k.value)) for k in call.keywords if k.arg)
                return first.union(*named)
        function = self.function(call.func)
        if function is not None:
            return self.returns(function)
        return inside(self._lists(call.func), "()") or frozenset({Trace("reply", (), call)})

    def _asked(self, call: ast.Call, kind: str) -> Traces:
        """Return what the contract gives for a call."""
        if kind == "spot_check":
            return self.traces(call.args[0]) if call.args else NONE
        return frozenset({Trace(kind, (), call)}) if kind != "validate" else NONE

    def given(self, node: ast.AST) -> Traces:
        """Return what a function that is handed on gives."""
        function = self.function(node)
        if function is not None:
            return self.returns(function)
        return frozenset({Trace("reply", (), node)})

    def _method(self, call: ast.Call, owner: ast.AST, name: str) -> Traces | None:
        """Return what a method gives; None where it is none that is known."""
        own = self.traces(owner)
        match name:
            case "get" | "pop" | "setdefault" if call.args:
                key = text_of(call.args[0])
                found = elements(own) if key is None else self.member(own, key)
                found = frozenset(replace(o, drop=None) for o in found)  # what is absent is None
                return found | self.traces(call.args[1] if len(call.args) > 1 else None)
            case "values":
                return frozenset(replace(o, path=("[]", *o.path[1:])) for o in own if o.path) or (
                    inside(own, "values")
                )
            case "items":
                return under("[]", under("1", elements(own)))
            case "copy" | "strip" | "decode" | "rstrip":
                return own
            case "result" if own:
                return own
            case "submit" if call.args:
                return self.given(call.args[0])
            case "communicate":
                texts = frozenset(o for o in own if o.kind == "process" and not o.path)
                return under("0", frozenset(replace(o, kind="text") for o in texts)) or None
            case "wait" | "poll" if any(o.kind == "process" and not o.path for o in own):
                return frozenset(replace(o, kind="code") for o in own if o.kind == "process")
        return None

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
        return self._once(variable, self._variable)

    def _variable(self, variable: Variable) -> Traces:
        found = NONE
        for binding in variable.bindings:
            found |= self._bound(binding)
        for use in variable.reads:
            found |= self._put(use)
        return found

    def _bound(self, node: ast.AST) -> Traces:
        """Return what binding gives to a target."""
        parent, role = self.names.parent(node), self.names.role(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return under("()", self.returns(node))
            case ast.arg():
                return self._parameter(node)
            case ast.MatchAs() | ast.alias() | ast.ExceptHandler() | ast.ClassDef():
                return NONE
        match parent:
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr() if role in {"targets", "target"}:
                return self.traces(parent.value)
            case ast.AugAssign():
                return self.traces(parent.value)
            case ast.For() | ast.AsyncFor() | ast.comprehension() if role == "target":
                return elements(self.traces(parent.iter))
            case ast.withitem():
                return self.traces(parent.context_expr)
            case ast.Tuple() | ast.List():
                index = next(i for i, one in enumerate(parent.elts) if one is node)
                return inside(self._bound(parent), str(index), "[]")
            case ast.Starred():
                return self._bound(parent)
        return NONE

    def _put(self, use: ast.AST) -> Traces:
        """Return what a use of a variable puts into it."""
        node, steps = use, list[str]()
        parent = self.names.parent(node)
        while isinstance(parent, ast.Subscript | ast.Attribute) and parent.value is node:
            if isinstance(parent, ast.Attribute):
                call = self.names.parent(parent)
                if isinstance(call, ast.Call) and call.func is parent:
                    return _below(steps, self._handed(call, parent.attr))
                return NONE
            steps.append(text_of(parent.slice) or "[]")
            node, parent = parent, self.names.parent(parent)
        is_written = isinstance(parent, ast.Assign) and node in parent.targets and bool(steps)
        return _below(steps, self.traces(parent.value)) if is_written else NONE  # type: ignore[union-attr] # an Assign

    def _handed(self, call: ast.Call, method: str) -> Traces:
        if not call.args:
            return NONE
        if method in {"append", "add", "appendleft", "put"}:
            return self._kept(call, under("[]", self.traces(call.args[0])))
        if method in {"extend", "update"}:
            return self._lists(call.args[0])
        return (
            under("[]", self.traces(call.args[-1])) if method in {"insert", "setdefault"} else NONE
        )

    def _kept(self, call: ast.Call, traces: Traces) -> Traces:
        """Mark what is put in only where it is there, with nothing done for the rest."""
        for above in self.names.above(call):
            if isinstance(above, ast.If) and not above.orelse:
                if self.drops(above.test, call, traces):
                    return frozenset(o if o.drop else replace(o, drop=above.test) for o in traces)
            elif not isinstance(above, ast.Expr):
                break
        return traces

    def _parameter(self, node: ast.arg) -> Traces:
        """Return what the calls of a function hand to a parameter; nothing known: a reply."""
        function = next((o for o in self.names.above(node) if isinstance(o, FUNCTIONS)), None)
        found, seen = NONE, False
        for given in self.handed(function, node) if function is not None else ():
            seen = True
            found |= given
        return found if seen else frozenset({Trace("reply", (), node)})

    def handed(self, function: ast.AST, node: ast.arg) -> Iterator[Traces]:
        """Yield what each call in this file hands to a parameter."""
        names = [*function.args.posonlyargs, *function.args.args]  # type: ignore[attr-defined] # a function
        index = next((i for i, one in enumerate(names) if one is node), None)
        for call, place in self.calls(function):
            if place == "func":
                for keyword in call.keywords:
                    if keyword.arg == node.arg:
                        yield self.traces(keyword.value)
                shift = 1 if names and names[0].arg in {"self", "cls"} else 0
                at = index - shift if index is not None else None
                if at is not None and 0 <= at < len(call.args):
                    yield self.traces(call.args[at])
            elif called(call)[0] in {"map", "filter", "imap", "starmap"} and index is not None:
                if index + 1 < len(call.args):
                    yield elements(self.traces(call.args[index + 1]))
            elif called(call)[0] in {"submit", "to_thread"} and index is not None:
                if index + 1 < len(call.args):
                    yield self.traces(call.args[index + 1])
            elif called(call)[0] in {"sorted", "sort", "max", "min"} and index == 0:
                owner = called(call)[1]
                yield elements(self.traces(call.args[0] if call.args else owner))

    def calls(self, function: ast.AST) -> Iterator[tuple[ast.Call, str]]:
        """Yield the calls of a function (`func`), and those that it is handed to (`args`)."""
        for use in self._uses(function):
            parent, role = self.names.parent(use), self.names.role(use)
            if isinstance(parent, ast.keyword):
                parent, role = self.names.parent(parent), "args"
            if isinstance(parent, ast.Call) and role in {"func", "args"}:
                yield parent, role

    def _uses(self, function: ast.AST) -> Iterator[ast.AST]:
        if isinstance(function, ast.Lambda):
            yield function
            parent = self.names.parent(function)
            if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
                variable = self.names.variable(parent.targets[0])
                yield from variable.reads if variable is not None else ()
            return
        if isinstance(self.names.parent(function), ast.ClassDef):
            for node in self.names.nodes:
                if isinstance(node, ast.Attribute) and self.function(node) is function:
                    yield node
            return
        variable = self.names.variable(function)
        yield from variable.reads if variable is not None else ()


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function or module, less those of functions in it, in no order."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            pending.extend(ast.iter_child_nodes(node))


def text_of(node: ast.AST | None) -> str | None:
    """Return the text or index that a constant key is."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    is_index = isinstance(node, ast.Constant) and type(node.value) is int
    return str(node.value) if is_index and isinstance(node, ast.Constant) else None


def _below(steps: list[str], traces: Traces) -> Traces:
    for step in reversed(steps):
        traces = under(step, traces)
    return traces
