"""What comes out of the judges and of decideVerdict, followed through one script.

A trace says that a value holds, below a path of steps, something known: `[]` is any element, a
digit one element, `()` what a function gives, anything else a member. What is not followed has no
trace, and nothing is claimed of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TypeVar

from judge_conformance.workflows.expressions import (
    bare,
    called_method,
    is_global,
    key,
    member,
    origin,
)
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes, Variable
from judge_conformance.workflows.shadowing import Host

T = TypeVar("T")
_LONGEST = 6  # steps of a path; real scripts nest three
_DEEPEST = 250  # expressions that hang on one another
_MOST = 4000  # expressions looked at before rings are no longer looked at twice
_SAME = frozenset(
    {"concat", "filter", "reverse", "slice", "sort", "toReversed", "toSorted", "values", "with"}
)
_ELEMENT = frozenset({"at", "find", "findLast", "get", "pop", "shift"})
_OVER = frozenset(  # methods that call their function with an element first
    {"every", "filter", "find", "findIndex", "findLast", "flatMap", "forEach", "map", "some"}
)
_MEMBERS = {
    ("verdict", "outcome"): ("outcome", ()),
    ("verdict", "abstain"): ("abstain", ()),
    ("verdict", "abstainReason"): ("reason", ()),
    ("verdict", "criteria"): ("criterion", ("[]",)),
    ("criterion", "pass"): ("met", ()),
    ("criterion", "score"): ("score", ()),
}


@dataclass(frozen=True, slots=True)
class Trace:
    """Something known below a path; `site` is the call it came from.

    `mortal`: it went through `parallel` or `pipeline`, which give null for what threw. `drop` is
    the call that left the dead ones out. `caught`: a `.catch` gives something for what threw.
    """

    kind: str
    path: tuple[str, ...]
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


def under(step: str, traces: Traces) -> Traces:
    """Put a step above paths."""
    return frozenset(
        replace(one, path=(step, *one.path)) for one in traces if len(one.path) < _LONGEST
    )


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


@dataclass(slots=True)
class Flow:
    """Traces of the expressions of a script with a block; `drops` tells a filter that drops."""

    host: Host
    drops: Callable[[Node, Traces], bool] = lambda _call, _traces: False
    _known: dict[int, Traces] = field(default_factory=dict)
    _open: dict[int, int] = field(default_factory=dict)  # what is being looked at, how deep
    _lowest: int = 0  # the outermost of them that a ring came back to
    _steps: int = 0

    @property
    def scopes(self) -> Scopes:
        """The scopes of the script."""
        return self.host.scopes

    def decisions(self) -> Iterator[Node]:
        """Yield the calls of decideVerdict outside the block."""
        for node in self.host.outside():
            if node.type == "CallExpression" and self._decides(node):
                yield node

    def methods(self, *names: str) -> Iterator[Node]:
        """Yield the calls of methods of these names that are handed something."""
        for node in self.host.outside():
            if node.type == "CallExpression" and node.arguments and called_method(node) in names:
                yield node

    def traces(self, node: Node | None) -> Traces:
        """Return what an expression is known to hold."""
        return NONE if node is None else self._once(node, self._look)

    def _once(self, subject: T, look: Callable[[T], Traces]) -> Traces:
        """Look at a subject once; what a ring cut short is looked at again from outside it."""
        place = id(subject)
        if place in self._known:
            return self._known[place]
        depth = len(self._open)
        if place in self._open or depth > _DEEPEST:
            self._lowest = min(self._lowest, self._open.get(place, 0))
            return NONE
        self._open[place] = depth
        self._steps += 1
        outer, self._lowest = self._lowest, depth
        found = look(subject)
        del self._open[place]
        if self._lowest == depth or self._steps > _MOST:
            self._known[place] = found
        self._lowest = min(self._lowest, outer)
        return found

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
                return self._member(self.traces(node.object), member(node))
            case "CallExpression" | "NewExpression":
                return self._call(node)
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

    @staticmethod
    def _member(traces: Traces, name: str | None) -> Traces:
        if name is None or name.isdigit():
            return elements(traces)
        found = inside(traces, name)
        for one in traces:
            below = _MEMBERS.get((one.kind, name)) if not one.path else None
            if below is not None:
                found |= {replace(one, kind=below[0], path=below[1])}
        return found

    def _decides(self, call: Node) -> bool:
        start, path = origin(self.scopes, call.callee)
        variable = self.scopes.variable(start) if start.type == "Identifier" else None
        is_ours = variable is not None and self.host.holds(variable)
        return is_ours and not path and start.name == "decideVerdict"

    def _call(self, call: Node) -> Traces:
        if self._decides(call):
            return frozenset({Trace("verdict", (), call)})
        callee = bare(call.callee)
        if is_global(self.scopes, callee):
            return self._runtime(call, callee.name)
        if callee.type == "MemberExpression":
            if is_global(self.scopes, bare(callee.object), "Promise", "Object", "Array", "Map"):
                return self._library(call, bare(callee.object).name, called_method(call))
            return self._method(call, callee.object, called_method(call)) or inside(
                self.traces(callee), "()"
            )
        return inside(self.traces(callee), "()")

    def _runtime(self, call: Node, name: str) -> Traces:
        first = self.traces(call.arguments[0]) if call.arguments else NONE
        match name:
            case "agent":
                return frozenset({Trace("reply", (), call)})
            case "parallel":
                return _mortal(under("[]", inside(elements(first), "()")))
            case "pipeline":
                last = call.arguments[-1] if len(call.arguments) > 1 else None
                return _mortal(under("[]", inside(self.traces(last), "()")))
            case "Map":
                return under("[]", inside(elements(first), "1"))
            case "Set" | "structuredClone":
                return first
        return NONE

    def _library(self, call: Node, owner: str, method: str | None) -> Traces:
        first = self.traces(call.arguments[0]) if call.arguments else NONE
        second = self.traces(call.arguments[1]) if len(call.arguments) > 1 else NONE
        match owner, method:
            case "Promise", "all" | "race" | "any" | "resolve":
                return first
            case "Promise", "allSettled":
                return under("[]", under("value", elements(first)))
            case "Object", "values":
                return frozenset(replace(o, path=("[]", *o.path[1:])) for o in first if o.path)
            case "Object", "entries":
                return frozenset(replace(o, path=("[]", "1", *o.path[1:])) for o in first if o.path)
            case "Object", "fromEntries":
                return under("[]", inside(elements(first), "1"))
            case "Object", "assign":
                return first | second
            case "Object" | "Map", "groupBy":
                return under("[]", first)
            case "Array", "from":
                return under("[]", inside(second, "()")) if second else first
        return NONE

    def _method(self, call: Node, owner: Node, method: str | None) -> Traces:
        own = self.traces(owner)
        argument = call.arguments[0] if call.arguments else None
        given = inside(self.traces(argument), "()")
        match method:
            case "map":
                return under("[]", given)
            case "flatMap":
                return under("[]", elements(given)) | under(
                    "[]", frozenset(one for one in given if not one.path)
                )
            case "then":
                return given
            case "catch":
                return frozenset(replace(one, caught=True) for one in own) | given
            case "finally":
                return own
            case "reduce" | "reduceRight":
                return given | self.traces(call.arguments[1] if len(call.arguments) > 1 else None)
            case "flat":
                return under("[]", elements(elements(own)))
            case "entries":
                return under("[]", under("1", elements(own)))
            case "filter" if argument is not None and self.drops(call, own):
                return frozenset(one if one.drop else replace(one, drop=call) for one in own)
        if method == "concat":
            for other in call.arguments:
                own |= self.traces(other)
        if method in _SAME:
            return own
        if method in {"find", "findLast", "get"}:  # what was left out is asked for, and undefined
            own = frozenset(replace(one, drop=None) for one in own)
        return elements(own) if method in _ELEMENT else NONE

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
        return self._once(variable, self._held)

    def _held(self, variable: Variable) -> Traces:
        found = NONE
        for identifier in {id(one): one for one in variable.bindings}.values():
            found |= self._bound(identifier)
        for use in variable.references:
            found |= self._put(use)
        return found

    def _bound(self, node: Node) -> Traces:
        """Return what a pattern gives the identifier in it."""
        parent, role = self.scopes.parent(node)
        if parent is None:
            return NONE
        if parent.type in FUNCTIONS:
            if role == "params":
                index = next(i for i, one in enumerate(parent.params) if one is node)
                return self.parameter(parent, index)
            return under("()", self.returns(parent)) if role == "id" else NONE
        match parent.type:
            case "VariableDeclarator" if role == "id":
                holder, _ = self.scopes.parent(parent)
                if parent.init is None and holder is not None:
                    loop, place = self.scopes.parent(holder)
                    is_of = loop is not None and loop.type == "ForOfStatement" and place == "left"
                    return elements(self.traces(loop.right)) if loop is not None and is_of else NONE
                return self.traces(parent.init)
            case "AssignmentPattern" if role == "left":
                return self._bound(parent) | self.traces(parent.right)
            case "Property":
                pattern, _ = self.scopes.parent(parent)
                return self._member(self._bound(pattern), key(parent)) if pattern else NONE
            case "ArrayPattern":
                index = next(i for i, one in enumerate(parent.elements) if one is node)
                return inside(self._bound(parent), "[]", str(index))
            case "RestElement":
                return self._bound(parent)
            case "ObjectPattern":
                return self._bound(parent)
            case "AssignmentExpression" if role == "left":
                return self.traces(parent.right)
            case "ForOfStatement" if role == "left":
                return elements(self.traces(parent.right))
        return NONE

    def _put(self, use: Node) -> Traces:
        """Return what a use of a variable writes or puts into it."""
        node, steps = use, list[str]()
        parent, role = self.scopes.parent(node)
        while parent is not None:
            if parent.type == "MemberExpression" and role == "object":
                steps.append(member(parent) or "[]")
            elif parent.type == "CallExpression" and role == "callee" and steps:
                method = steps.pop()
                if method != "get":
                    return self._handed(parent, method, steps)
                steps.append("[]")
            elif parent.type not in {"ChainExpression", "AssignmentPattern", "LogicalExpression"}:
                break
            node = parent
            parent, role = self.scopes.parent(node)
        if parent is None or role != "left" or parent.type != "AssignmentExpression":
            return self._bound(use) if self._is_target(use) else NONE
        return _below(steps, self.traces(parent.right))

    def _is_target(self, use: Node) -> bool:
        """Whether a use is written by a pattern or a loop."""
        parent, role = self.scopes.parent(use)
        holder = self.scopes.parent(parent)[0] if parent is not None else None
        if parent is None or holder is None:
            return False
        if parent.type == "Property":
            return role == "value" and bool(holder.type == "ObjectPattern")
        return parent.type == "ArrayPattern" or (
            role == "left" and parent.type in {"AssignmentPattern", "ForOfStatement"}
        )

    def _handed(self, call: Node, method: str, steps: list[str]) -> Traces:
        found = NONE
        if method in {"push", "unshift", "add"}:
            for one in call.arguments:
                given = self.traces(one)
                found |= given if one.type == "SpreadElement" else under("[]", given)
        elif method == "set" and len(call.arguments) > 1:
            found = under("[]", self.traces(call.arguments[1]))
        return _below(steps, found)

    def parameter(self, function: Node, index: int) -> Traces:
        """Return what the calls of a function hand to one of its parameters."""
        found = NONE
        for call, place in self.calls(function):
            if place == "callee":
                found |= self.traces(call.arguments[index]) if index < len(call.arguments) else NONE
            else:
                found |= self._handed_by(call, function, int(place), index)
        return found

    def calls(self, function: Node) -> Iterator[tuple[Node, str]]:
        """Yield the calls of a function: with `callee`, or as which argument it is handed on."""
        yield from self._called(function)
        parent, _ = self.scopes.parent(function)
        name = function.id if function.type == "FunctionDeclaration" else None
        if parent is not None and parent.type == "VariableDeclarator":
            name = parent.id
        variable = self.scopes.variable(name) if name is not None else None
        for use in variable.references if variable else ():
            yield from self._called(use)

    def _called(self, node: Node) -> Iterator[tuple[Node, str]]:
        parent, role = self.scopes.parent(node)
        if parent is None or parent.type not in {"CallExpression", "NewExpression"}:
            return
        if role == "callee":
            yield parent, "callee"
        else:
            yield parent, str(next(i for i, one in enumerate(parent.arguments) if one is node))

    def _handed_by(self, call: Node, function: Node, place: int, index: int) -> Traces:
        """Return what a call hands to the function that is its argument at `place`."""
        callee = bare(call.callee)
        method = called_method(call)
        if is_global(self.scopes, callee, "pipeline") and place > 0:
            items = elements(self.traces(call.arguments[0]))
            before = call.arguments[place - 1]
            given = inside(self.traces(before), "()") if place > 1 else items
            return given if index == 0 else items if index == 1 else NONE
        if method is None or callee.type != "MemberExpression":
            return NONE
        if method in {"groupBy", "from"}:
            return elements(self.traces(call.arguments[0])) if index == 0 else NONE
        if place != 0 and method not in {"then", "catch"}:
            return NONE
        own = self.traces(callee.object)
        if method in {"reduce", "reduceRight"}:
            start = call.arguments[1] if len(call.arguments) > 1 else None
            so_far = self.traces(start) | self.returns(function)
            return so_far if index == 0 else elements(own) if index == 1 else NONE
        if method == "then" and index == 0:
            return own
        if method in {"sort", "toSorted"}:
            return elements(own)
        if method in _OVER and index == 0:
            return elements(own)
        return own if method in _OVER and index == 2 else NONE  # noqa: PLR2004 - the list itself


def own_nodes(body: Node) -> Iterator[Node]:
    """Yield the nodes of a function's body, less those of functions in it."""
    pending = [body]
    while pending:
        node = pending.pop()
        yield node
        if node.type in FUNCTIONS:
            continue
        pending.extend(reversed(children(node)))


def children(node: Node) -> list[Node]:
    """Return the nodes right below a node, found once and kept with it."""
    kept: list[Node] | None = vars(node).get("_children")
    if kept is None:
        kept = node._children = [  # noqa: SLF001 - ours; nobody reads fields of such a name
            one
            for name, value in vars(node).items()
            if name[0] != "_"
            for one in (value if isinstance(value, list) else (value,))
            if hasattr(one, "type") and "range" in getattr(one, "__dict__", ())
        ]
    return kept


def nodes_below(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, in no order that matters."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(children(current))


def _below(steps: Iterable[str], traces: Traces) -> Traces:
    for step in reversed(list(steps)):
        traces = under(step, traces)
    return traces


def _mortal(traces: Traces) -> Traces:
    return frozenset(replace(one, mortal=True) for one in traces)
