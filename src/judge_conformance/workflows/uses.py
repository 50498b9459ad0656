"""Where a value of the block goes: step by step through expressions, and through its aliases.

A use is held to a list of what cannot change the value; what is on no list is a fault, since what
it does cannot be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from judge_conformance.workflows.callees import callees, taken_as
from judge_conformance.workflows.expressions import bare, called_method, key, member, reflected
from judge_conformance.workflows.parse import NAMES
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes, bound_in

BORROWED_CALLS = frozenset({"call", "apply", "bind"})
REFLECTED_READS = frozenset({"keys", "values", "entries"})
ELEMENT_METHODS = frozenset(  # of arrays: they change nothing and hand elements on
    {"at", "concat", "entries", "filter", "find", "findLast", "flat", "slice"}
    | {"toReversed", "toSorted", "toSpliced", "values", "with"}
)
READING_METHODS = ELEMENT_METHODS | frozenset(
    {"every", "findIndex", "findLastIndex", "flatMap", "forEach", "hasOwnProperty", "includes"}
    | {"indexOf", "join", "keys", "lastIndexOf", "map", "reduce", "reduceRight", "some", "toString"}
)

_READ_BY = frozenset(
    {"BinaryExpression", "ExpressionStatement", "ForStatement", "ImportExpression", "SwitchCase"}
    | {"SwitchStatement", "TemplateLiteral", "UnaryExpression"}
)
_READ_AS = frozenset({"property", "test"})  # the name of a computed member, a condition
_HANDED_ON_BY = frozenset(
    {"ArrayExpression", "AwaitExpression", "ChainExpression", "ConditionalExpression"}
    | {"LogicalExpression", "ObjectExpression"}
)
_PLAIN = frozenset({"additionalProperties", "description", "length", "name", "type"})  # no objects
_CALLS = frozenset({"CallExpression", "NewExpression"})
_WRITTEN = "has a member written"
_LEAVES = "leaves a function, where it cannot be followed"
_LOST = "goes where it cannot be followed"
_STORED = "is stored where it cannot be followed"
_FAULTS = {
    "ArrayPattern": _WRITTEN,
    "ObjectPattern": _WRITTEN,
    "RestElement": _WRITTEN,
    "UpdateExpression": _WRITTEN,
    "ArrowFunctionExpression": _LEAVES,
    "ReturnStatement": _LEAVES,
    "YieldExpression": _LEAVES,
}


@dataclass(slots=True)
class Uses:
    """Follows values of the block; `written` are the ids of identifiers that are written."""

    scopes: Scopes
    written: set[int]
    _seen: set[int] = field(default_factory=set)

    def fault(self, name: Node) -> str | None:
        """Return how a use may change the contract, after its name; None when it cannot."""
        self._seen = set()
        pending = [name]
        while pending:
            fault = self._step(pending.pop(), pending)
            if fault is not None:
                return fault
        return None

    def _step(self, node: Node, pending: list[Node]) -> str | None:
        """Look at what holds a value: say what is wrong, or add where the value goes next."""
        parent, role = self.scopes.parent(node)
        if parent is None:
            return _LOST
        if parent.type in _FAULTS:
            plain = node.type == "MemberExpression" and member(node) in _PLAIN
            return None if plain and _FAULTS[parent.type] == _LEAVES else _FAULTS[parent.type]
        if parent.type == "UnaryExpression" and parent.operator == "delete":
            return "loses a member"
        if parent.type in _READ_BY or role in _READ_AS:
            return None
        if parent.type in _HANDED_ON_BY:
            pending.append(parent)
            return None
        step = _STEPS.get(parent.type)
        return step(self, node, parent, role, pending) if step else _LOST

    def member(self, _node: Node, parent: Node, _role: str, pending: list[Node]) -> str | None:
        """Go on with a member of the value."""
        pending.append(parent)
        return None

    def sequence(self, node: Node, parent: Node, _role: str, pending: list[Node]) -> str | None:
        """Go on with the last of a comma's operands."""
        if parent.expressions[-1] is node:
            pending.append(parent)
        return None

    def declared(self, _node: Node, parent: Node, _role: str, pending: list[Node]) -> str | None:
        """Follow what a declaration names it."""
        return self._aliases(parent.id, pending)

    def default(self, _node: Node, parent: Node, role: str, pending: list[Node]) -> str | None:
        """Follow what a default value is for."""
        return self._aliases(parent.left, pending) if role == "right" else _WRITTEN

    def iterated(self, _node: Node, parent: Node, role: str, pending: list[Node]) -> str | None:
        """Follow the elements that a loop names."""
        if role == "left":
            return _WRITTEN
        left = parent.left
        target = left.declarations[0].id if left.type == "VariableDeclaration" else left
        return self._aliases(target, pending)

    def spread(self, _node: Node, parent: Node, _role: str, pending: list[Node]) -> str | None:
        """Hold what a spread is spread into."""
        holder, _ = self.scopes.parent(parent)
        is_argument = holder is not None and holder.type in _CALLS
        if is_argument:
            return self._argument(parent, holder, pending)
        return self._copied(holder) if holder is not None else None

    def property(self, _node: Node, parent: Node, role: str, pending: list[Node]) -> str | None:
        """Go on with the literal that holds it, unless as a schema."""
        holder, _ = self.scopes.parent(parent)
        if role == "key" or holder is None:
            return None
        if holder.type == "ObjectPattern":
            return _WRITTEN
        if key(parent) != "schema":
            pending.append(holder)
        return None

    def call(self, node: Node, call: Node, role: str, pending: list[Node]) -> str | None:
        """Hold a call of it, on it or with it."""
        if role == "arguments":
            return self._argument(node, call, pending)
        if bare(node).type != "MemberExpression":
            return None if call.type == "CallExpression" else "is constructed"
        method = called_method(call)
        if method in BORROWED_CALLS or method in NAMES:
            return None
        if method not in READING_METHODS:
            return f"has .{method or '[...]'}() called on it, which may change it"
        if method in ELEMENT_METHODS:
            pending.append(call)
        return self._callback(call, pending)

    def assigned(self, _node: Node, parent: Node, role: str, pending: list[Node]) -> str | None:
        """Follow where an assignment puts it."""
        if role == "left":
            return _WRITTEN
        if parent.operator not in {"=", "||=", "&&=", "??="}:
            return None
        if parent.left.type == "MemberExpression":
            return None if member(parent.left) == "schema" else _STORED
        return self._aliases(parent.left, pending)

    def _argument(self, node: Node, call: Node, pending: list[Node]) -> str | None:
        method = called_method(call)
        if method in BORROWED_CALLS:
            return f"is an argument of .{method}()"
        reflector = reflected(self.scopes, call.callee)
        if reflector not in {None, *REFLECTED_READS}:
            return "is handed to Object or Reflect, which may change it"
        if reflector in {"values", "entries"}:
            pending.append(call)
        spread = any(argument.type == "SpreadElement" for argument in call.arguments)
        place = -1 if spread else call.arguments.index(node)
        for function in callees(self.scopes, call):
            if function.type != "ArrowFunctionExpression" and self._asks_arguments(function):
                return "is an argument that a function of the script takes by `arguments`"
            for parameter in taken_as(function, place):
                if fault := self._aliases(parameter, pending):
                    return fault
        return None

    def _asks_arguments(self, function: Node) -> bool:
        """Whether a function reads `arguments`, its own or that of a function in it."""
        start, end = function.range
        return any(
            reference.node.name == "arguments" and start < reference.node.range[0] < end
            for reference in self.scopes.references
        )

    def _copied(self, literal: Node) -> str | None:
        """Hold a shallow copy: its own members may be written, what they hold may not."""
        parent, _ = self.scopes.parent(literal)
        if parent is None or parent.type != "VariableDeclarator" or parent.id.type != "Identifier":
            return None
        variable = self.scopes.variable(parent.id)
        for reference in variable.references if variable else ():
            outer, _ = self.scopes.parent(reference)
            depth, top = 0, reference
            while outer is not None and outer.type in {"MemberExpression", "ChainExpression"}:
                depth += outer.type == "MemberExpression"
                top = outer
                outer, _ = self.scopes.parent(top)
            if depth > 1 and any(top is member for member in self.scopes.written_members):
                return "has a shallow copy whose inner member is written"
        return None

    def _callback(self, call: Node, pending: list[Node]) -> str | None:
        """Follow the elements that a reading method hands to a function written in place."""
        for argument in call.arguments[:1]:
            for parameter in argument.params if argument.type in FUNCTIONS else ():
                if fault := self._aliases(parameter, pending):
                    return fault
        return None

    def _aliases(self, pattern: Node, pending: list[Node]) -> str | None:
        for target in bound_in(pattern):
            fault = self._follow(target, pending) if target.type == "Identifier" else _STORED
            if fault is not None:
                return fault
        return None

    def _follow(self, target: Node, pending: list[Node]) -> str | None:
        """Add every use of an alias, which may be written where it is taken and nowhere else."""
        variable = self.scopes.variable(target)
        if variable is None:
            return "is stored in a global"
        if id(variable) in self._seen:
            return None
        self._seen.add(id(variable))
        for node in variable.references:
            if id(node) not in self.written:
                pending.append(node)
            elif node is not target:
                return f"has an alias, {variable.name}, that is written"
        return None


_STEPS: Mapping[str, Callable[[Uses, Node, Node, str, list[Node]], str | None]] = {
    "MemberExpression": Uses.member,
    "CallExpression": Uses.call,
    "NewExpression": Uses.call,
    "AssignmentExpression": Uses.assigned,
    "AssignmentPattern": Uses.default,
    "VariableDeclarator": Uses.declared,
    "ForInStatement": Uses.iterated,
    "ForOfStatement": Uses.iterated,
    "SequenceExpression": Uses.sequence,
    "SpreadElement": Uses.spread,
    "Property": Uses.property,
}
