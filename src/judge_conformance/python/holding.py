"""What a variable holds, as traces: what is bound, put into it, or handed to it by calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from judge_conformance.following.traces import laid_below, under
from judge_conformance.python.contract import called
from judge_conformance.python.names import FUNCTIONS, Variable, text_of
from judge_conformance.python.traces import NONE, Trace, Traces, elements, inside

if TYPE_CHECKING:
    from judge_conformance.python.flow import Flow


def held_by(flow: Flow, variable: Variable) -> Traces:
    """Return what a variable may hold."""
    found = NONE
    for binding in variable.bindings:
        found |= _bound(flow, binding)
    for use in variable.reads:
        found |= _put(flow, use)
    return found


def _bound(flow: Flow, node: ast.AST) -> Traces:
    """Return what binding gives to a target."""
    parent, role = flow.names.parent(node), flow.names.role(node)
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return under("()", flow.returns(node))
        case ast.arg():
            return _parameter(flow, node)
        case ast.MatchAs() | ast.alias() | ast.ExceptHandler() | ast.ClassDef():
            return NONE
    match parent:
        case ast.Assign() | ast.AnnAssign() | ast.NamedExpr() if role in {"targets", "target"}:
            return flow.traces(parent.value)
        case ast.AugAssign():
            return flow.traces(parent.value)
        case ast.For() | ast.AsyncFor() | ast.comprehension() if role == "target":
            return elements(flow.traces(parent.iter))
        case ast.withitem():
            return flow.traces(parent.context_expr)
        case ast.Tuple() | ast.List():
            index = next(i for i, one in enumerate(parent.elts) if one is node)
            return inside(_bound(flow, parent), str(index), "[]")
        case ast.Starred():
            return under("[]", _bound(flow, parent))
    return NONE


def _put(flow: Flow, use: ast.AST) -> Traces:
    """Return what a use of a variable puts into it."""
    node, steps = use, list[str]()
    parent = flow.names.parent(node)
    while isinstance(parent, ast.Subscript | ast.Attribute) and parent.value is node:
        if isinstance(parent, ast.Attribute):
            call = flow.names.parent(parent)
            if isinstance(call, ast.Call) and call.func is parent:
                return laid_below(steps, _handed(flow, call, parent.attr))
            return NONE
        steps.append(text_of(parent.slice) or "[]")
        node, parent = parent, flow.names.parent(parent)
    is_written = isinstance(parent, ast.Assign) and node in parent.targets and bool(steps)
    return laid_below(steps, flow.traces(parent.value)) if is_written else NONE  # type: ignore[union-attr] # an Assign


def _handed(flow: Flow, call: ast.Call, method: str) -> Traces:
    if not call.args:
        return NONE
    if method in {"append", "add", "appendleft", "put"}:
        return _kept(flow, call, under("[]", flow.traces(call.args[0])))
    if method in {"extend", "update"}:
        return flow.lists(call.args[0])
    return under("[]", flow.traces(call.args[-1])) if method in {"insert", "setdefault"} else NONE


def _kept(flow: Flow, call: ast.Call, traces: Traces) -> Traces:
    """Mark what is put in only where it is there, with nothing done for the rest."""
    for above in flow.names.above(call):
        if isinstance(above, ast.If) and not above.orelse:
            if flow.drops(above.test, call, traces):
                return frozenset(o if o.drop else replace(o, drop=above.test) for o in traces)
        elif not isinstance(above, ast.Expr):
            break
    return traces


def _parameter(flow: Flow, node: ast.arg) -> Traces:
    """Return what the calls of a function hand to a parameter; nothing known: a reply."""
    function = next((o for o in flow.names.above(node) if isinstance(o, FUNCTIONS)), None)
    found, seen = NONE, False
    for given in handed(flow, function, node) if function is not None else ():
        seen = True
        found |= given
    return found if seen else frozenset({Trace("reply", (), node)})


def handed(flow: Flow, function: ast.AST, node: ast.arg) -> Iterator[Traces]:
    """Yield what each call in this file hands to a parameter."""
    names = [*function.args.posonlyargs, *function.args.args]  # type: ignore[attr-defined] # a function
    index = next((i for i, one in enumerate(names) if one is node), None)
    for call, place in calls_of(flow, function):
        if place == "func":
            for keyword in call.keywords:
                if keyword.arg == node.arg:
                    yield flow.traces(keyword.value)
            shift = 1 if names and names[0].arg in {"self", "cls"} else 0
            at = index - shift if index is not None else None
            if at is not None and 0 <= at < len(call.args):
                yield flow.traces(call.args[at])
        elif called(call)[0] in {"map", "filter", "imap", "starmap"} and index is not None:
            if index + 1 < len(call.args):
                yield elements(flow.traces(call.args[index + 1]))
        elif called(call)[0] in {"submit", "to_thread"} and index is not None:
            if index + 1 < len(call.args):
                yield flow.traces(call.args[index + 1])
        elif called(call)[0] in {"sorted", "sort", "max", "min"} and index == 0:
            owner = called(call)[1]
            yield elements(flow.traces(call.args[0] if call.args else owner))


def calls_of(flow: Flow, function: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls of a function (`func`), and those that it is handed to (`args`)."""
    for use in _uses(flow, function):
        parent, role = flow.names.parent(use), flow.names.role(use)
        if isinstance(parent, ast.keyword):
            parent, role = flow.names.parent(parent), "args"
        if isinstance(parent, ast.Call) and role in {"func", "args"}:
            yield parent, role


def _uses(flow: Flow, function: ast.AST) -> Iterator[ast.AST]:
    if isinstance(function, ast.Lambda):
        yield function
        parent = flow.names.parent(function)
        if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
            variable = flow.names.variable(parent.targets[0])
            yield from variable.reads if variable is not None else ()
        return
    if isinstance(flow.names.parent(function), ast.ClassDef):
        for node in flow.names.nodes:
            if isinstance(node, ast.Attribute) and flow.function(node) is function:
                yield node
        return
    variable = flow.names.variable(function)
    yield from variable.reads if variable is not None else ()
