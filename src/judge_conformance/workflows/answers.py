"""What a call gives, as traces: of the runtime, of a library, of a method of a value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from judge_conformance.following.traces import under
from judge_conformance.workflows.expressions import bare, called_method, is_global
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.traces import NONE, Trace, Traces, elements, inside, mortal

if TYPE_CHECKING:
    from judge_conformance.workflows.flow import Flow

_SAME = frozenset(
    {"concat", "filter", "reverse", "slice", "sort", "toReversed", "toSorted", "values", "with"}
)

_ELEMENT = frozenset({"at", "find", "findLast", "get", "pop", "shift"})


def given_by(flow: Flow, call: Node) -> Traces:
    """Return what a call gives."""
    if flow.decides(call):
        return frozenset({Trace("verdict", (), call)})
    callee = bare(call.callee)
    if is_global(flow.scopes, callee):
        return _runtime(flow, call, callee.name)
    if callee.type == "MemberExpression":
        if is_global(flow.scopes, bare(callee.object), "Promise", "Object", "Array", "Map"):
            return _library(flow, call, bare(callee.object).name, called_method(call))
        return _method(flow, call, callee.object, called_method(call)) or inside(
            flow.traces(callee), "()"
        )
    return inside(flow.traces(callee), "()")


def _runtime(flow: Flow, call: Node, name: str) -> Traces:
    first = flow.traces(call.arguments[0]) if call.arguments else NONE
    match name:
        case "agent":
            return frozenset({Trace("reply", (), call)})
        case "parallel":
            return mortal(under("[]", inside(elements(first), "()")))
        case "pipeline":
            last = call.arguments[-1] if len(call.arguments) > 1 else None
            return mortal(under("[]", inside(flow.traces(last), "()")))
        case "Map":
            return under("[]", inside(elements(first), "1"))
        case "Set" | "structuredClone":
            return first
    return NONE


def _library(flow: Flow, call: Node, owner: str, method: str | None) -> Traces:
    first = flow.traces(call.arguments[0]) if call.arguments else NONE
    second = flow.traces(call.arguments[1]) if len(call.arguments) > 1 else NONE
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


def _method(flow: Flow, call: Node, owner: Node, method: str | None) -> Traces:
    own = flow.traces(owner)
    argument = call.arguments[0] if call.arguments else None
    given = inside(flow.traces(argument), "()")
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
            return given | flow.traces(call.arguments[1] if len(call.arguments) > 1 else None)
        case "flat":
            return under("[]", elements(elements(own)))
        case "entries":
            return under("[]", under("1", elements(own)))
        case "filter" if argument is not None and flow.drops(call, own):
            return frozenset(one if one.drop else replace(one, drop=call) for one in own)
    if method == "concat":
        for other in call.arguments:
            own |= flow.traces(other)
    if method in _SAME:
        return own
    if method in {"find", "findLast", "get"}:  # what was left out is asked for, and undefined
        own = frozenset(replace(one, drop=None) for one in own)
    return elements(own) if method in _ELEMENT else NONE
