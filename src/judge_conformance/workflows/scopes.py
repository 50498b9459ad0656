"""Which variable each name of a script is: scopes, bindings, references, as JavaScript has them.

Annex B counts: a function declared in a nested block is a variable of the function around it too.
Nothing here recurses, so that a script nested deeply is read like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Node = Any  # of esprima, which has no types
Role = Literal["read", "write", "bind"]

FUNCTIONS = frozenset({"FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"})
_LOOPS = frozenset({"ForStatement", "ForInStatement", "ForOfStatement"})
_OWN_SCOPE = _LOOPS | {"BlockStatement", "SwitchStatement", "CatchClause", "StaticBlock"}
_PATTERNS = frozenset({"ArrayPattern", "ObjectPattern", "RestElement", "AssignmentPattern"})
_LABELS = frozenset({"LabeledStatement", "BreakStatement", "ContinueStatement"})


@dataclass(eq=False, slots=True)
class Variable:
    """A name in a scope: the identifiers that bind it, and those that refer to it."""

    name: str
    bindings: list[Node] = field(default_factory=list)
    references: list[Node] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Scope:
    """A region in which names are bound; `holds_var`: a function's, which takes its `var`s."""

    outer: Scope | None
    holds_var: bool
    variables: dict[str, Variable] = field(default_factory=dict)

    def find(self, name: str) -> Variable | None:
        """Return the variable that a name is here; None: a global."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            scope = scope.outer
        return None

    def bind(self, identifier: Node) -> Variable:
        """Bind a name in this scope."""
        variable = self.variables.setdefault(identifier.name, Variable(identifier.name))
        if variable.bindings[-1:] != [identifier]:  # Annex B binds twice in a row
            variable.bindings.append(identifier)
        return variable

    @property
    def function(self) -> Scope:
        """The scope that takes a `var` declared here."""
        scope = self
        while not scope.holds_var and scope.outer is not None:
            scope = scope.outer
        return scope


@dataclass(frozen=True, slots=True)
class Reference:
    """An identifier that is read or written, and the variable that it is (None: a global)."""

    node: Node
    is_write: bool
    variable: Variable | None


@dataclass(frozen=True, slots=True)
class _Visit:
    node: Node
    scope: Scope
    role: Role = "read"
    into: Scope | None = None  # the scope that a binding goes to


class Scopes:
    """The variables of a script's statements; `parent` gives a node's parent and its field."""

    def __init__(self, body: list[Node]) -> None:
        self.top = Scope(None, holds_var=True)
        self.nodes: list[Node] = []
        self.bindings: list[Node] = []
        self._parents: dict[int, tuple[Node, str]] = {}
        self._variables: dict[int, Variable] = {}
        self._written: list[Node] = []
        names: list[tuple[Node, Scope, bool]] = []
        pending = [_Visit(node, self.top) for node in reversed(body)]
        while pending:
            visit = pending.pop()
            self.nodes.append(visit.node)
            if visit.node.type == "Identifier":
                self._name(visit, names)
            elif visit.node.type == "MemberExpression" and visit.role == "write":
                self._written.append(visit.node)
            pending.extend(reversed(list(self._below(visit))))
        self.references = [self._resolve(*name) for name in names]

    def parent(self, node: Node) -> tuple[Node | None, str]:
        """Return the node above and the field that holds this one; None above a statement."""
        return self._parents.get(id(node), (None, ""))

    def holder(self, node: Node) -> Node:
        """Return the node right above one that is no statement."""
        return self.parent(node)[0]

    def function(self, node: Node) -> Node | None:
        """Return the function around a node; None: it is the script's own."""
        return next((above for above in self.above(node) if above.type in FUNCTIONS), None)

    def above(self, node: Node) -> Iterator[Node]:
        """Yield the nodes above, the nearest first."""
        parent, _ = self.parent(node)
        while parent is not None:
            yield parent
            parent, _ = self.parent(parent)

    def variable(self, identifier: Node) -> Variable | None:
        """Return the variable that an identifier binds or refers to; None: a global."""
        return self._variables.get(id(identifier))

    @property
    def written_members(self) -> list[Node]:
        """The member expressions that something is written to."""
        return self._written

    def _name(self, visit: _Visit, names: list[tuple[Node, Scope, bool]]) -> None:
        if visit.role == "bind":
            variable = (visit.into or visit.scope).bind(visit.node)
            self._variables[id(visit.node)] = variable
            self.bindings.append(visit.node)
        else:
            names.append((visit.node, visit.scope, visit.role == "write"))

    def _resolve(self, node: Node, scope: Scope, is_write: bool) -> Reference:  # noqa: FBT001 - a value
        variable = scope.find(node.name)
        if variable is not None:
            variable.references.append(node)
            self._variables[id(node)] = variable
        return Reference(node, is_write, variable)

    def _below(self, visit: _Visit) -> Iterator[_Visit]:
        node, scope = visit.node, visit.scope
        kind = node.type
        if kind in FUNCTIONS:
            yield from self._function(visit)
        elif kind in {"ClassDeclaration", "ClassExpression"}:
            yield from self._class(visit)
        elif kind == "VariableDeclaration":
            into = scope.function if node.kind == "var" else scope
            for declarator in self._children(node, "declarations"):
                self.nodes.append(declarator)
                yield from self._each(declarator, scope, "id", role="bind", into=into)
                yield from self._each(declarator, scope, "init")
        elif kind in _PATTERNS or (kind == "Property" and visit.role != "read"):
            yield from self._pattern(visit)
        elif kind == "AssignmentExpression":
            yield from self._each(node, scope, "left", role="write")
            yield from self._each(node, scope, "right")
        elif kind == "UpdateExpression" or (
            kind == "UnaryExpression" and node.operator == "delete"
        ):
            yield from self._each(node, scope, "argument", role="write")
        elif kind in _OWN_SCOPE:
            yield from self._block(visit)
        else:
            yield from self._each(node, scope, *_expression_fields(node))

    def _function(self, visit: _Visit) -> Iterator[_Visit]:
        node, scope = visit.node, visit.scope
        if node.type == "FunctionDeclaration" and node.id is not None:
            yield from self._each(node, scope, "id", role="bind", into=scope)
            scope.function.bind(node.id)  # Annex B
        elif node.type == "FunctionExpression" and node.id is not None:
            scope = Scope(scope, holds_var=False)
            yield from self._each(node, scope, "id", role="bind", into=scope)
        inner = Scope(scope, holds_var=True)
        yield from self._each(node, inner, "params", role="bind", into=inner)
        body = node.body
        self._parents[id(body)] = (node, "body")
        if body.type == "BlockStatement":
            self.nodes.append(body)
            yield from self._each(body, inner, "body")
        else:
            yield _Visit(body, inner)

    def _class(self, visit: _Visit) -> Iterator[_Visit]:
        node, scope = visit.node, visit.scope
        if node.type == "ClassExpression":
            scope = Scope(scope, holds_var=False)
        if node.id is not None:
            yield from self._each(node, scope, "id", role="bind", into=scope)
        yield from self._each(node, scope, "superClass", "body")

    def _block(self, visit: _Visit) -> Iterator[_Visit]:
        node = visit.node
        inner = Scope(visit.scope, holds_var=node.type == "StaticBlock")
        apart: tuple[str, ...] = ()
        if node.type == "CatchClause":
            apart = ("param",)
            yield from self._each(node, inner, "param", role="bind", into=inner)
        elif node.type in {"ForInStatement", "ForOfStatement"}:
            apart = ("left",)
            declares = node.left.type == "VariableDeclaration"
            yield from self._each(node, inner, "left", role="read" if declares else "write")
        yield from self._each(node, inner, *(f for f in _expression_fields(node) if f not in apart))

    def _pattern(self, visit: _Visit) -> Iterator[_Visit]:
        """Hand the role of a pattern on to its targets; keys and defaults are read."""
        node = visit.node
        target = {"AssignmentPattern": "left", "Property": "value", "RestElement": "argument"}.get(
            node.type, "elements" if node.type == "ArrayPattern" else "properties"
        )
        for name in _expression_fields(node):
            if name == target:
                yield from self._each(node, visit.scope, name, role=visit.role, into=visit.into)
            else:
                yield from self._each(node, visit.scope, name)

    def _each(
        self,
        node: Node,
        scope: Scope,
        *fields: str,
        role: Role = "read",
        into: Scope | None = None,
    ) -> Iterator[_Visit]:
        for name in fields:
            for child in self._children(node, name):
                yield _Visit(child, scope, role, into)

    def _children(self, node: Node, name: str) -> Iterator[Node]:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else [value]:
            if _is_node(child):
                self._parents[id(child)] = (node, name)
                yield child


def bound_in(pattern: Node) -> Iterator[Node]:
    """Yield the identifiers and members that a pattern gives values to."""
    pending = [pattern]
    while pending:
        node = pending.pop()
        match node.type:
            case "ArrayPattern":
                pending.extend(element for element in reversed(node.elements) if element)
            case "ObjectPattern":
                pending.extend(reversed(node.properties))
            case "Property":
                pending.append(node.value)
            case "AssignmentPattern":
                pending.append(node.left)
            case "RestElement":
                pending.append(node.argument)
            case _:
                yield node


def _expression_fields(node: Node) -> Iterator[str]:
    """Yield the fields that hold code: no labels, no names of members and keys."""
    for name, value in vars(node).items():
        named = name in {"key", "property"} and not getattr(node, "computed", False)
        label = name == "label" and node.type in _LABELS
        if named or label or name[0] == "_" or node.type == "MetaProperty":
            continue
        if _is_node(value) or (isinstance(value, list) and any(map(_is_node, value))):
            yield name


def _is_node(value: object) -> bool:
    return hasattr(value, "type") and "range" in getattr(value, "__dict__", ())
