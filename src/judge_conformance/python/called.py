"""Whether a Python file does something with what decide() answers."""

from __future__ import annotations

import ast

from judge_conformance.python.contract import called
from judge_conformance.python.names import COMPREHENSIONS, Names
from judge_conformance.python.source import Source

_RAISING = frozenset({"raises", "assertRaises", "assertRaisesRegex"})  # a test asks what it raises


def discarded(source: Source) -> ast.Call | None:
    """Return the first decision of a file whose answers are all thrown away."""
    decisions = list(source.contract.decisions)
    verdicts = set(source.contract.calls("verdict"))
    if all(one in verdicts and not _is_read(source.names, one) for one in decisions):
        return next(iter(decisions), None)
    return None


def _is_read(names: Names, node: ast.AST) -> bool:
    """Whether anything can read the value of an expression."""
    parent, role = names.parent(node), names.role(node)
    while _hands_on(parent, role, node):
        node = parent  # type: ignore[assignment] # what hands on is a node
        parent, role = names.parent(node), names.role(node)
    match parent:
        case ast.Expr():
            return any(_asks_what_it_raises(above) for above in names.above(parent))
        case ast.Assign(targets=[ast.Name() as name]) | ast.AnnAssign(target=ast.Name() as name):
            is_global = names.function(name) is None  # which another file may read
            return is_global or bool(getattr(names.variable(name), "reads", ()))
    return True


def _hands_on(parent: ast.AST | None, role: str, node: ast.AST) -> bool:
    """Whether an expression has the value of a part of it, and no other use for that value."""
    match parent:
        case ast.Await():
            return True
        case ast.IfExp():
            return role != "test"
        case ast.BoolOp():
            return parent.values[-1] is node
    return isinstance(parent, COMPREHENSIONS) and role in {"elt", "value"}


def _asks_what_it_raises(node: ast.AST) -> bool:
    calls = (one.context_expr for one in getattr(node, "items", ()))
    return any(isinstance(one, ast.Call) and called(one)[0] in _RAISING for one in calls)
