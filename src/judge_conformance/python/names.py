"""Where the names of a Python file are bound and used, and what stands above a node."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_HEAD = frozenset({"decorator_list", "bases", "returns"})  # evaluated outside what they head
_SCOPES = (ast.Module, ast.ClassDef, *FUNCTIONS, *COMPREHENSIONS)


@dataclass(slots=True, eq=False)
class Variable:
    """One name of one scope: the nodes that bind it, and the names that read it, in order."""

    name: str
    bindings: list[ast.AST] = field(default_factory=list)
    reads: list[ast.AST] = field(default_factory=list)


class Names:
    """The scopes of one module. An attribute of `self` is a name of its class."""

    def __init__(self, tree: ast.Module) -> None:
        """Read a module once."""
        self.tree = tree
        self.nodes: list[ast.AST] = []
        self._above: dict[ast.AST, tuple[ast.AST, str]] = {}
        self._held: dict[ast.AST, dict[str, Variable]] = {}
        self._attributes: dict[tuple[ast.AST | None, str], Variable] = {}
        self._of: dict[ast.AST, Variable] = {}
        self._link(tree)
        elsewhere = self._declared()
        for node in self.nodes:
            for name in _bound(node):
                self._bind(node, name, elsewhere)
        for node in self.nodes:
            variable = self._read(node)
            if variable is not None:
                variable.reads.append(node)
                self._of[node] = variable

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node right above; None above the module."""
        found = self._above.get(node)
        return found[0] if found else None

    def role(self, node: ast.AST) -> str:
        """Return which field of its parent a node stands in."""
        found = self._above.get(node)
        return found[1] if found else ""

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what stands above a node, the nearest first."""
        parent = self.parent(node)
        while parent is not None:
            yield parent
            parent = self.parent(parent)

    def function(self, node: ast.AST) -> ast.AST | None:
        """Return the function around a node."""
        return next((one for one in self.above(node) if isinstance(one, FUNCTIONS)), None)

    def variable(self, node: ast.AST) -> Variable | None:
        """Return the variable that a name, definition or attribute of self stands for."""
        return self._of.get(node)

    def _link(self, tree: ast.AST) -> None:
        pending = [tree]
        while pending:
            node = pending.pop()
            self.nodes.append(node)
            below = []
            for name, value in ast.iter_fields(node):
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, ast.AST) and not isinstance(child, ast.expr_context):
                        self._above[child] = (node, name)
                        below.append(child)
            pending.extend(reversed(below))

    def _declared(self) -> dict[tuple[ast.AST, str], ast.AST]:
        """Return which names a function takes from outside: the scope that holds them."""
        found: dict[tuple[ast.AST, str], ast.AST] = {}
        for node in self.nodes:
            if isinstance(node, ast.Global | ast.Nonlocal):
                own = self._scope(node)
                outer: ast.AST = self.tree
                if isinstance(node, ast.Nonlocal):
                    outer = self._scope(own)
                found |= {(own, name): outer for name in node.names}
        return found

    def _scope(self, node: ast.AST) -> ast.AST:
        """Return the scope in which a node stands; the head of a function stands outside it."""
        below = node
        for above in self.above(node):
            if isinstance(above, _SCOPES) and self.role(below) not in _HEAD:
                return above
            below = above
        return self.tree

    def _bind(
        self, node: ast.AST, name: str, elsewhere: dict[tuple[ast.AST, str], ast.AST]
    ) -> None:
        if is_own_attribute(node):
            held = self._attributes.setdefault((self._class(node), name), Variable(name))
        else:
            scope = self._scope(node)
            while isinstance(scope, COMPREHENSIONS) and isinstance(
                self.parent(node), ast.NamedExpr
            ):
                scope = self._scope(scope)
            scope = elsewhere.get((scope, name), scope)
            held = self._held.setdefault(scope, {}).setdefault(name, Variable(name))
        held.bindings.append(node)
        self._of[node] = held

    def _read(self, node: ast.AST) -> Variable | None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._find(node, node.id)
        if isinstance(node, ast.Attribute) and is_own_attribute(node):
            is_load = isinstance(node.ctx, ast.Load)
            return self._attributes.get((self._class(node), node.attr)) if is_load else None
        return None

    def _find(self, node: ast.AST, name: str) -> Variable | None:
        scope = self._scope(node)
        direct = True
        while True:
            held = self._held.get(scope, {}).get(name)
            if held is not None and (direct or not isinstance(scope, ast.ClassDef)):
                return held
            if scope is self.tree:
                return None
            scope, direct = self._scope(scope), False

    def _class(self, node: ast.AST) -> ast.AST | None:
        return next((one for one in self.above(node) if isinstance(one, ast.ClassDef)), None)


def is_own_attribute(node: ast.AST) -> bool:
    """Whether a node is `self.name`."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds."""
    match node:
        case ast.Name(ctx=ast.Store()):
            yield node.id
        case ast.Attribute(ctx=ast.Store()) if is_own_attribute(node):
            yield node.attr
        case ast.arg():
            yield node.arg
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.alias():
            yield (node.asname or node.name).split(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name


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
    if isinstance(node, ast.Constant) and type(node.value) in {str, int}:
        return str(node.value)
    return None
