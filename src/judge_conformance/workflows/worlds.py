"""What conditions come to in each world: a verdict that passed, failed, abstained or is missing.

An expression has a JavaScript value, or one of the marks below. Where the value depends on the
verdict in a way that cannot be read it is OPAQUE, and no claim is made of what hangs on it.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from judge_conformance.workflows.expressions import bare, called_method, is_global, member
from judge_conformance.workflows.flow import Flow, Traces, elements, nodes_below
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Variable


class Mark(Enum):
    """What is no plain value."""

    UNDEFINED = "undefined"
    OBJECT = "an object, which is true"
    EMPTY = "a list of none"
    FULL = "a list of all"
    MANY = "how many all are, one at least"
    FREE = "anything, whatever the verdict"
    OPAQUE = "anything, and it may depend on the verdict"
    THROWS = "nothing: it throws"


Value = Any  # None (null), bool, int, float, str or a Mark
_UNKNOWN = frozenset({Mark.FREE, Mark.OPAQUE, Mark.THROWS})
_KINDS = frozenset({"verdict", "outcome", "abstain", "reason", "criterion", "met", "score"})
_DEEPEST = 60
_LARGEST_QUORUM = 5
_GROWING = frozenset({"push", "unshift", "add", "set", "splice", "delete", "pop"})
_TARGETS = frozenset({"ArrayPattern", "ObjectPattern", "AssignmentPattern", "RestElement"})


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is true of the values that a site gives: by kind of trace. `item` of a list is one."""

    name: str
    facts: Mapping[str, Value]


def _verdict(outcome: str, **more: Value) -> World:
    facts = {"verdict": Mark.OBJECT, "outcome": outcome, "abstain": False, "reason": None}
    return World(name=outcome, facts=facts | more)


def _criterion(name: str, *, met: bool | None, **more: Value) -> World:
    return World(name=name, facts={"criterion": Mark.OBJECT, "met": met} | more)


VERDICTS = (
    _verdict("pass"),
    _verdict("fail"),
    _verdict("abstain", abstain=True, reason="why", score=0),
    World(name="missing", facts={"verdict": Mark.UNDEFINED}),
)
CRITERIA = (
    _criterion("met", met=True),
    _criterion("unmet", met=False),
    _criterion("undecidable", met=None, score=None),
)
REPLIES = (
    World(name="alive", facts={"reply": Mark.OBJECT}),
    World(name="dead", facts={"reply": None}),
)
GONE = World(name="gone", facts={"reply": None, "verdict": None})  # what threw, with all around it


@dataclass(slots=True)
class Worlds:
    """Evaluates expressions where the calls `sites` gave what a world says."""

    flow: Flow
    sites: frozenset[int]
    _known: dict[tuple[int, str], Value] = field(default_factory=dict)
    _depends: dict[int, bool] = field(default_factory=dict)
    _handing: set[int] = field(default_factory=set)  # parameters that are being looked at
    _given_now: dict[int, Value] = field(default_factory=dict)  # literals that a call hands over
    _depth: int = 0

    def truth(self, node: Node, world: World) -> bool | Mark:
        """Return whether a condition holds: True, False, FREE, OPAQUE or THROWS."""
        return truthy(self.value(node, world))

    def value(self, node: Node, world: World) -> Value:
        """Return what an expression comes to."""
        place = (id(node), world.name)
        if place not in self._known:
            if self._depth > _DEEPEST:
                return Mark.OPAQUE
            self._known[place] = Mark.OPAQUE  # what hangs on itself
            self._depth += 1
            self._known[place] = self._look(node, world)
            self._depth -= 1
        return self._known[place]

    def _fact(self, traces: Traces, world: World) -> tuple[Value] | None:
        """Return what something traced is here; FREE for another site; None: not traced."""
        if world is GONE and any(o.mortal and not (o.path and o.path[0] == "[]") for o in traces):
            return (None,)
        direct = [one for one in traces if not one.path and one.kind in world.facts]
        ours = [one for one in direct if id(one.site) in self.sites]
        if ours:
            return (world.facts[ours[0].kind],)
        return (Mark.FREE,) if direct else None

    def _look(self, node: Node, world: World) -> Value:
        fact = self._fact(self.flow.traces(node), world) if node.type in _TRACED else None
        if fact is not None and node.type != "MemberExpression":
            return fact[0]
        step = _STEPS.get(node.type)
        if step is not None:
            return step(self, node, world)
        return self._unread(node)

    def _unread(self, node: Node) -> Mark:
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
                self.depends(source) for source in self._sources(variable)
            )
        return self._depends[id(variable)]

    def _sources(self, variable: Variable) -> Iterator[Node]:
        """Yield what a variable is made of, and the conditions on which it is written."""
        for node in variable.bindings:
            yield from self._binding(node)
        for use in variable.references:
            put = self._put(use)
            if put is not None:
                yield from put
                yield from self._asked_above(use)

    def _binding(self, node: Node) -> Iterator[Node]:
        """Yield what a declaration, a parameter or a loop gives a name."""
        for above in self.flow.scopes.above(node):
            if above.type in FUNCTIONS:
                if above.type == "FunctionDeclaration" and above.id is node:
                    yield above.body
                else:
                    yield from (call for call, _ in self.flow.calls(above))
                return
            if above.type == "VariableDeclarator" and above.init is not None:
                yield above.init
                return
            if above.type in {"ForOfStatement", "ForInStatement"}:
                yield above.right
                return
            if above.type.endswith("Statement"):
                return

    def _put(self, use: Node) -> list[Node] | None:
        """Return what a use writes or puts into a variable; None for one that only reads it."""
        scopes = self.flow.scopes
        node = use
        parent, role = scopes.parent(node)
        while parent is not None and (
            parent.type in _TARGETS or (parent.type == "MemberExpression" and role == "object")
        ):
            if parent.type == "MemberExpression" and member(parent) in _GROWING:
                call = scopes.parent(parent)[0]
                is_call = call is not None and call.type == "CallExpression"
                return list(call.arguments) if call is not None and is_call else None
            node = parent
            parent, role = scopes.parent(node)
        if parent is None:
            return None
        if parent.type == "UpdateExpression":
            return []
        if parent.type == "AssignmentExpression" and role == "left":
            return [parent.right]
        if parent.type in {"ForOfStatement", "ForInStatement"} and role == "left":
            return [parent.right]
        handed = parent.type == "CallExpression" and role == "arguments" and node is use
        return self._given(parent, use) if handed else None

    def _given(self, call: Node, use: Node) -> list[Node] | None:
        """Return what a function of the script puts into a list that it is handed."""
        function = self.function(call.callee)
        index = next((i for i, one in enumerate(call.arguments) if one is use), 0)
        if function is None or index >= len(function.params):
            return None
        variable = self.flow.scopes.variable(function.params[index])
        if variable is None or id(variable) in self._handing:
            return None
        self._handing.add(id(variable))
        puts = [self._put(one) for one in variable.references]
        self._handing.discard(id(variable))
        found = [node for put in puts if put is not None for node in put]
        return found if any(put is not None for put in puts) else None

    def _asked_above(self, node: Node) -> Iterator[Node]:
        """Yield the conditions and lists around a place, within its function."""
        for above in self.flow.scopes.above(node):
            if above.type in FUNCTIONS:
                return
            if above.type == "IfStatement":
                yield above.test
            elif above.type in {"ForOfStatement", "ForInStatement"}:
                yield above.right

    def literal(self, node: Node, _world: World) -> Value:
        """Return a literal's value."""
        if hasattr(node, "regex") and node.regex:
            return Mark.OBJECT
        return node.value

    def template(self, node: Node, world: World) -> Value:
        """Return a template's text, where all of it is known."""
        text = node.quasis[0].value.cooked
        for part, quasi in zip(node.expressions, node.quasis[1:], strict=True):
            value = self.value(part, world)
            if not isinstance(value, str):
                return self._unread(node)
            text += value + quasi.value.cooked
        return text

    def name(self, node: Node, world: World) -> Value:
        """Return what a variable holds: of one that is never written, what it is made of."""
        if is_global(self.flow.scopes, node, "undefined"):
            return Mark.UNDEFINED
        variable = self.flow.scopes.variable(node)
        if variable is None:
            return Mark.FREE
        if id(variable) in self._given_now:
            return self._given_now[id(variable)]
        parent, role = self.flow.scopes.parent(variable.bindings[0])
        if parent is None or parent.type != "VariableDeclarator" or role != "id":
            return self._unread(node)
        writes = list(self._writes(variable))
        start = self.value(parent.init, world) if parent.init is not None else Mark.UNDEFINED
        if not writes:
            pushed = any(self._grows(use) for use in variable.references)
            return self._unread(node) if pushed else start
        return self._flag(node, start, writes, world)

    def _writes(self, variable: Variable) -> Iterator[Node]:
        for use in variable.references:
            parent, role = self.flow.scopes.parent(use)
            if parent is not None and role in {"left", "argument"}:
                is_update = parent.type == "UpdateExpression"
                if is_update or parent.type == "AssignmentExpression":
                    yield parent

    def _grows(self, use: Node) -> bool:
        parent, role = self.flow.scopes.parent(use)
        if parent is None or parent.type != "MemberExpression" or role != "object":
            return False
        return member(parent) in _GROWING

    def _flag(self, node: Node, start: Value, writes: list[Node], world: World) -> Value:
        """Return what a flag ends as, that begins with one constant and is set to another."""
        value = start
        for write in writes:
            if write.type != "AssignmentExpression" or write.operator != "=":
                return self._unread(node)
            reached = self.reached(write, world)
            if reached is Mark.THROWS:
                return reached
            if reached is True:
                value = self.value(write.right, world)
            elif reached is not False:
                return self._unread(node)
        return value

    def member(self, node: Node, world: World) -> Value:
        """Return a member; of null and undefined it throws, unless it is asked for with `?.`."""
        owner = self.value(node.object, world)
        if owner in (None, Mark.UNDEFINED) and not isinstance(owner, bool):
            return Mark.UNDEFINED if node.optional else Mark.THROWS
        if owner is Mark.THROWS:
            return owner
        if (fact := self._fact(self.flow.traces(node), world)) is not None:
            return fact[0]
        if member(node) in {"length", "size"}:
            sizes = {Mark.EMPTY: 0, Mark.FULL: Mark.MANY}
            if isinstance(owner, Mark) and owner in sizes:
                return sizes[owner]
        return self._unread(node)

    def chain(self, node: Node, world: World) -> Value:
        """Return a chain with `?.`; what stands behind a missing link is undefined."""
        link = node.expression
        while link.type in {"MemberExpression", "CallExpression"}:
            below = link.object if link.type == "MemberExpression" else link.callee
            if link.optional and self.value(below, world) in (None, Mark.UNDEFINED):
                return Mark.UNDEFINED
            link = below
        return self.value(node.expression, world)

    def unary(self, node: Node, world: World) -> Value:
        """Return what `!` makes of a value."""
        value = self.value(node.argument, world)
        if node.operator == "typeof" and value not in _UNKNOWN:
            kinds = {Mark.UNDEFINED: "undefined", True: "boolean", False: "boolean"}
            return kinds.get(value, "string" if isinstance(value, str) else "object")
        if node.operator != "!":
            return self._unread(node)
        truth = truthy(value)
        return not truth if isinstance(truth, bool) else truth

    def logical(self, node: Node, world: World) -> Value:
        """Return what `&&`, `||` and `??` make of two values."""
        left = self.value(node.left, world)
        if left is Mark.THROWS:
            return left
        if node.operator == "??":
            if left in (None, Mark.UNDEFINED) and not isinstance(left, bool):
                return self.value(node.right, world)
            return left
        stops = node.operator == "||"
        truth = truthy(left)
        if isinstance(truth, bool):
            return left if truth is stops else self.value(node.right, world)
        right = truthy(self.value(node.right, world))
        if right is stops:
            return right
        return Mark.OPAQUE if Mark.OPAQUE in (truth, right) else Mark.FREE

    def conditional(self, node: Node, world: World) -> Value:
        """Return the arm that is taken."""
        truth = self.truth(node.test, world)
        if isinstance(truth, bool):
            return self.value(node.consequent if truth else node.alternate, world)
        arms = {repr(self.value(arm, world)) for arm in (node.consequent, node.alternate)}
        return self.value(node.consequent, world) if len(arms) == 1 else truth

    def binary(self, node: Node, world: World) -> Value:
        """Return what a comparison comes to."""
        left, right = self.value(node.left, world), self.value(node.right, world)
        if Mark.THROWS in (left, right):
            return Mark.THROWS
        if node.operator in {"===", "!==", "==", "!="}:
            same = _same(left, right, loosely=len(node.operator) == 2)  # noqa: PLR2004 - == and !=
            return same if isinstance(same, Mark) else same is (node.operator[0] == "=")
        if node.operator in _SUMS:
            found = _reckoned(left, node.operator, right)
            return self._unread(node) if found is None else found
        return _ordered(left, node.operator, right)

    def call(self, node: Node, world: World) -> Value:
        """Return what a call of a known method or of a function of the script comes to."""
        callee = bare(node.callee)
        method = called_method(node)
        first = node.arguments[0] if node.arguments else None
        if is_global(self.flow.scopes, callee, "Boolean") and first is not None:
            return truthy(self.value(first, world))
        rounds = method in {"floor", "ceil", "round"} and first is not None
        if rounds and is_global(self.flow.scopes, bare(callee.object), "Math"):
            number = self.value(first, world)
            return (
                _ROUNDED[method](number) if isinstance(number, int | float) else self._unread(node)
            )
        if callee.type == "MemberExpression" and method is not None:
            return self._method(node, callee, method, first, world)
        function = self.function(callee)
        return self._called(node, function, world) if function is not None else self._unread(node)

    def _called(self, call: Node, function: Node, world: World) -> Value:
        """Return what a function gives for these arguments, as far as they are literals."""
        given: dict[int, Value] = {}
        for parameter, argument in zip(function.params, call.arguments, strict=False):
            variable = self.flow.scopes.variable(parameter)
            if variable is not None and argument.type == "Literal" and not self._given_now:
                given[id(variable)] = argument.value
        if not given:
            return self._ran(function, world)
        known, self._known, self._given_now = self._known, {}, given
        try:
            return self._ran(function, world)
        finally:
            self._known, self._given_now = known, {}

    def construct(self, node: Node, world: World) -> Value:
        """Return a set that is made of a list as that list."""
        if is_global(self.flow.scopes, node.callee, "Set") and node.arguments:
            return self.value(node.arguments[0], world)
        return Mark.OBJECT

    def array(self, node: Node, world: World) -> Value:
        """Return a list: empty, of known values, or anything."""
        if not node.elements:
            return Mark.EMPTY
        if any(part is None or part.type == "SpreadElement" for part in node.elements):
            only = node.elements[0] if len(node.elements) == 1 else None
            return self.value(only.argument, world) if only is not None else Mark.OBJECT
        return tuple(self.value(part, world) for part in node.elements)

    def _method(
        self, node: Node, callee: Node, method: str, first: Node | None, world: World
    ) -> Value:
        if (method == "includes" and first is not None) or method == "has":
            return self._includes(node, callee, first, world)
        if method == "test" and first is not None and getattr(callee.object, "regex", None):
            text = self.value(first, world)
            return (
                _tested(callee.object.regex.pattern, text)
                if isinstance(text, str)
                else self._unread(node)
            )
        if method in {"every", "some", "filter", "find", "findIndex", "map", "slice"}:
            return self._over(node, callee, method, first, world)
        if method in {"startsWith", "toLowerCase", "trim", "toUpperCase", "toString"}:
            text = self.value(callee.object, world)
            if text is Mark.THROWS:
                return text
            if isinstance(text, str):
                return self._text(node, method, text, first, world)
        return self._unread(node)

    def _text(self, node: Node, method: str, text: str, first: Node | None, world: World) -> Value:
        start = self.value(first, world) if first is not None else ""
        if method == "startsWith":
            return text.startswith(start) if isinstance(start, str) else self._unread(node)
        return (
            text.upper()
            if method == "toUpperCase"
            else text.lower()
            if method == "toLowerCase"
            else text
        )

    def _includes(self, node: Node, callee: Node, first: Node | None, world: World) -> Value:
        among, wanted = self.value(callee.object, world), self.value(first, world)
        if wanted is Mark.THROWS:
            return wanted
        if isinstance(among, str) and isinstance(wanted, str):
            return wanted in among
        known = isinstance(among, tuple) and not any(one in _UNKNOWN for one in among)
        if not known or wanted in _UNKNOWN:
            return self._unread(node)
        return any(_same(one, wanted, loosely=False) is True for one in among)

    def _over(
        self, node: Node, callee: Node, method: str, first: Node | None, world: World
    ) -> Value:
        """Return what a method over a list of ours comes to, all of whose elements are alike."""
        listed = self.flow.traces(callee.object)
        ours = [o for o in listed if id(o.site) in self.sites and o.path and o.kind in _KINDS]
        owner = self.value(callee.object, world)
        if owner is Mark.THROWS or (not ours and owner not in {Mark.EMPTY, Mark.FULL}):
            return Mark.THROWS if owner is Mark.THROWS else self._unread(node)
        if owner is Mark.EMPTY:
            return {"every": True, "some": False}.get(method, Mark.EMPTY)
        if method in {"map", "slice"}:
            return Mark.FULL if owner is Mark.FULL else self._unread(node)
        if world.name == "missing" and first is not None and self.is_boolean(first):
            return Mark.OPAQUE  # how many are missing cannot be told
        kept = self.kept(node, world) if first is not None else Mark.OPAQUE
        if not isinstance(kept, bool):
            return kept
        if method == "filter":
            return Mark.FULL if kept else Mark.EMPTY
        if method == "findIndex":
            return 0 if kept else -1
        if method == "find":
            return Mark.OBJECT if kept else Mark.UNDEFINED
        return kept

    def is_boolean(self, node: Node) -> bool:
        """Whether a predicate is `Boolean` itself."""
        return is_global(self.flow.scopes, node, "Boolean")

    def kept(self, call: Node, world: World) -> bool | Mark:
        """Return whether the function that is handed to a method holds for an element of ours."""
        predicate = call.arguments[0]
        if self.is_boolean(predicate):
            fact = self._fact(elements(self.flow.traces(call.callee.object)), world)
            return truthy(fact[0] if fact is not None else Mark.OBJECT)
        function = self.function(predicate)
        return truthy(self._ran(function, world)) if function is not None else Mark.OPAQUE

    def function(self, node: Node) -> Node | None:
        """Return the function of the script that an expression is."""
        node = bare(node)
        if node.type in FUNCTIONS:
            return node
        variable = self.flow.scopes.variable(node) if node.type == "Identifier" else None
        if variable is None or self.flow.host.holds(variable):
            return None
        parent, role = self.flow.scopes.parent(variable.bindings[0])
        if parent is None:
            return None
        if parent.type == "FunctionDeclaration" and role == "id":
            return parent
        init = parent.init if parent.type == "VariableDeclarator" else None
        return init if init is not None and init.type in FUNCTIONS else None

    def _ran(self, function: Node, world: World) -> Value:
        """Return what a function gives."""
        if function.body.type != "BlockStatement":
            return self.value(function.body, world)
        ended, value = self._run(function.body.body, world)
        return value if ended else Mark.UNDEFINED

    def _run(self, statements: list[Node], world: World) -> tuple[bool, Value]:
        for statement in statements:
            match statement.type:
                case "ReturnStatement":
                    given = statement.argument
                    return True, Mark.UNDEFINED if given is None else self.value(given, world)
                case "ThrowStatement":
                    return True, Mark.THROWS
                case "BlockStatement":
                    ended, value = self._run(statement.body, world)
                case "IfStatement":
                    truth = self.truth(statement.test, world)
                    if not isinstance(truth, bool):
                        return True, self._unread(statement) if truth is not Mark.THROWS else truth
                    arm = statement.consequent if truth else statement.alternate
                    ended, value = self._run([arm], world) if arm is not None else (False, None)
                case "SwitchStatement" | "ForOfStatement" | "TryStatement" | "ForStatement":
                    return True, self._unread(statement)
                case _:
                    continue
            if ended:
                return True, value
        return False, None

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


Wanted = bool | Callable[[Worlds, World], "bool | Mark"]


def lets(worlds: Worlds, test: Node, wanted: Wanted, world: World) -> bool | Mark:
    """Return whether one of the conditions of a place lets it be reached."""
    if callable(wanted):
        return wanted(worlds, world)
    truth = worlds.truth(test, world)
    return truth if isinstance(truth, Mark) else truth is wanted


def conditions(flow: Flow, node: Node) -> Iterator[tuple[Node, Wanted]]:
    """Yield the conditions under which a place is reached: a test, and what it must come to.

    Instead of a truth, a function says whether the test lets the place be reached.
    """
    below = node
    for above in flow.scopes.above(node):
        role = flow.scopes.parent(below)[1]
        if above.type in {"IfStatement", "ConditionalExpression"} and role != "test":
            yield above.test, role == "consequent"
        elif above.type == "LogicalExpression" and role == "right" and above.operator != "??":
            yield above.left, above.operator == "&&"
        elif above.type == "SwitchCase" and role == "consequent":
            switch = flow.scopes.parent(above)[0]
            if switch is not None:
                yield switch.discriminant, _case(switch, above)
            yield from _exits(above.consequent, below)
        elif above.type in {"BlockStatement", "StaticBlock"}:
            yield from _exits(above.body, below)
        if above.type in FUNCTIONS:
            holder, place = flow.scopes.parent(above)
            if holder is None or place == "init" or above.type == "FunctionDeclaration":
                return
        below = above
    yield from _exits(flow.host.script.body, below)


def _exits(statements: list[Node], below: Node) -> Iterator[tuple[Node, Wanted]]:
    """Yield the conditions of statements before this one that leave the block."""
    for statement in statements:
        if statement is below:
            return
        if statement.type == "IfStatement":
            yield statement.test, _stays(statement)


def _stays(statement: Node) -> Callable[[Worlds, World], bool | Mark]:
    def stays(worlds: Worlds, world: World) -> bool | Mark:
        leaves = _leaves(worlds, statement, world)
        return not leaves if isinstance(leaves, bool) else leaves

    return stays


def _leaves(worlds: Worlds, statement: Node | None, world: World) -> bool | Mark:
    """Return whether a statement leaves the block around it."""
    if statement is None:
        return False
    match statement.type:
        case "ReturnStatement" | "ContinueStatement" | "BreakStatement" | "ThrowStatement":
            return True
        case "BlockStatement":
            found: bool | Mark = False
            for one in statement.body:
                leaves = _leaves(worlds, one, world)
                if leaves is True:
                    return True
                found = leaves if leaves is not False else found
            return found
        case "IfStatement":
            yes = _leaves(worlds, statement.consequent, world)
            no = _leaves(worlds, statement.alternate, world)
            if yes is no:
                return yes
            truth = worlds.truth(statement.test, world)
            if isinstance(truth, bool):
                return yes if truth else no
            return truth
    return False


def _case(switch: Node, case: Node) -> Callable[[Worlds, World], bool | Mark]:
    """Return whether a switch comes to one of its cases, by itself or by falling through."""

    def comes(worlds: Worlds, world: World) -> bool | Mark:
        value = worlds.value(switch.discriminant, world)
        if value in _UNKNOWN:
            return value  # type: ignore[no-any-return] # one of the marks
        entered = None
        for index, one in enumerate(switch.cases):
            if one.test is None:
                continue
            same = _same(value, worlds.value(one.test, world), loosely=False)
            if isinstance(same, Mark):
                return same
            if same:
                entered = index
                break
        if entered is None:
            entered = next((i for i, one in enumerate(switch.cases) if one.test is None), None)
        if entered is None:
            return False
        for one in switch.cases[entered:]:
            if one is case:
                return True
            if any(_leaves(worlds, statement, world) is True for statement in one.consequent):
                return False
        return False

    return comes


def truthy(value: Value) -> bool | Mark:
    """Return whether a value counts as true."""
    if isinstance(value, Mark) and value in _UNKNOWN:
        return value
    return value not in (None, Mark.UNDEFINED, False, 0, "")


def differ(left: Value, right: Value) -> bool:
    """Whether two values are known and not the same."""
    return not _UNKNOWN.intersection((left, right)) and left != right


def _same(left: Value, right: Value, *, loosely: bool) -> bool | Mark:
    for one in (left, right):
        if isinstance(one, Mark) and one in _UNKNOWN:
            return Mark.OPAQUE if Mark.OPAQUE in (left, right) else one
    if loosely and {left, right} <= {None, Mark.UNDEFINED}:
        return True
    if Mark.MANY in (left, right):
        other = right if left is Mark.MANY else left
        if other is Mark.MANY:
            return True
        return False if other == 0 else Mark.FREE
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    if left in {Mark.OBJECT, Mark.FULL, Mark.EMPTY} and left is right:
        return Mark.FREE
    return bool(left == right)


def _ordered(left: Value, operator: str, right: Value) -> Value:
    signs = {">": (1,), ">=": (0, 1), "<": (-1,), "<=": (-1, 0)}
    if operator not in signs or Mark.OPAQUE in (left, right):
        return Mark.OPAQUE if Mark.OPAQUE in (left, right) else Mark.FREE
    if left is Mark.MANY and right is Mark.MANY:
        sign = 0
    elif left is Mark.MANY and right == 0:
        sign = 1
    elif right is Mark.MANY and left == 0:
        sign = -1
    elif left is Mark.MANY and _is_quorum(right) and (right > 1 or operator in {">=", "<"}):
        return operator in {">", ">="}  # all of them are enough
    elif isinstance(left, int | float) and isinstance(right, int | float):
        sign = (left > right) - (left < right)
    else:
        return Mark.OPAQUE if Mark.MANY in (left, right) else Mark.FREE
    return sign in signs[operator]


_ROUNDED: Mapping[str | None, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda number: math.floor(number + 0.5),
}
_SUMS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def _reckoned(left: Value, sign: str, right: Value) -> Value:
    """Return a sum of plain numbers, or of how many all are; None where it cannot be told."""
    plain = [one for one in (left, right) if isinstance(one, int | float)]
    if len(plain) == 2 and (sign != "/" or right):  # noqa: PLR2004 - both sides
        return _SUMS[sign](left, right)
    grows = sign in {"*", "+"} or (sign == "/" and left is Mark.MANY)
    positive = plain and plain[0] > 0
    return Mark.MANY if grows and positive and Mark.MANY in (left, right) else None


def _is_quorum(value: Value) -> bool:
    """Whether a number is one that a panel is asked to reach."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value <= _LARGEST_QUORUM


def _tested(pattern: str, text: str) -> bool | Mark:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return Mark.OPAQUE


_TRACED = frozenset({"Identifier", "MemberExpression", "CallExpression", "AwaitExpression"})
_STEPS: Mapping[str, Callable[[Worlds, Node, World], Value]] = {
    "Literal": Worlds.literal,
    "TemplateLiteral": Worlds.template,
    "Identifier": Worlds.name,
    "MemberExpression": Worlds.member,
    "ChainExpression": Worlds.chain,
    "UnaryExpression": Worlds.unary,
    "LogicalExpression": Worlds.logical,
    "ConditionalExpression": Worlds.conditional,
    "BinaryExpression": Worlds.binary,
    "CallExpression": Worlds.call,
    "NewExpression": Worlds.construct,
    "ArrayExpression": Worlds.array,
    "ObjectExpression": lambda _worlds, _node, _world: Mark.OBJECT,
    "AwaitExpression": lambda worlds, node, world: worlds.value(node.argument, world),
}
