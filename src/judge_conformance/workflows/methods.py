"""What a call comes to in a world: a method of a list or text, or a function of the script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.workflows.expressions import bare, called_method, is_global
from judge_conformance.workflows.running import ran
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.traces import elements
from judge_conformance.workflows.values import ROUNDED, UNKNOWN, Mark, Value, same, tested, truthy

if TYPE_CHECKING:
    from judge_conformance.workflows.worlds import Worlds

_KINDS = frozenset({"verdict", "outcome", "abstain", "reason", "criterion", "met", "score"})


def call(worlds: Worlds, node: Node, world: World) -> Value:
    """Return what a call of a known method or of a function of the script comes to."""
    callee = bare(node.callee)
    method = called_method(node)
    first = node.arguments[0] if node.arguments else None
    if is_global(worlds.flow.scopes, callee, "Boolean") and first is not None:
        return truthy(worlds.value(first, world))
    rounds = method in {"floor", "ceil", "round"} and first is not None
    if rounds and is_global(worlds.flow.scopes, bare(callee.object), "Math"):
        number = worlds.value(first, world)
        return ROUNDED[method](number) if isinstance(number, int | float) else worlds.unread(node)
    if callee.type == "MemberExpression" and method is not None:
        return _method(worlds, node, world)
    function = worlds.flow.function(callee)
    return _called(worlds, node, function, world) if function is not None else worlds.unread(node)


def _called(worlds: Worlds, call: Node, function: Node, world: World) -> Value:
    """Return what a function gives for these arguments, as far as they are literals."""
    given: dict[int, Value] = {}
    for parameter, argument in zip(function.params, call.arguments, strict=False):
        variable = worlds.flow.scopes.variable(parameter)
        if variable is not None and argument.type == "Literal" and not worlds.given:
            given[id(variable)] = argument.value
    if not given:
        return ran(worlds, function, world)
    known, worlds.known, worlds.given = worlds.known, {}, given
    try:
        return ran(worlds, function, world)
    finally:
        worlds.known, worlds.given = known, {}


def _method(worlds: Worlds, node: Node, world: World) -> Value:
    callee, method = bare(node.callee), called_method(node)
    first = node.arguments[0] if node.arguments else None
    match method:
        case "includes" | "has" if first is not None:
            return _includes(worlds, node, world)
        case "test" if first is not None and getattr(callee.object, "regex", None):
            text = worlds.value(first, world)
            if isinstance(text, str):
                return tested(callee.object.regex.pattern, text)
        case "every" | "some" | "filter" | "find" | "findIndex" | "map" | "slice":
            return _over(worlds, node, world)
        case "startsWith" | "toLowerCase" | "trim" | "toUpperCase" | "toString":
            text = worlds.value(callee.object, world)
            if text is Mark.THROWS:
                return text
            if isinstance(text, str):
                return _text(worlds, node, text, world)
    return worlds.unread(node)


def _text(worlds: Worlds, node: Node, text: str, world: World) -> Value:
    match called_method(node):
        case "startsWith":
            start = worlds.value(node.arguments[0], world) if node.arguments else ""
            return text.startswith(start) if isinstance(start, str) else worlds.unread(node)
        case "toUpperCase":
            return text.upper()
        case "toLowerCase":
            return text.lower()
    return text


def _includes(worlds: Worlds, node: Node, world: World) -> Value:
    among = worlds.value(bare(node.callee).object, world)
    wanted = worlds.value(node.arguments[0], world)
    if wanted is Mark.THROWS:
        return wanted
    if isinstance(among, str) and isinstance(wanted, str):
        return wanted in among
    known = isinstance(among, tuple) and not any(one in UNKNOWN for one in among)
    if not known or wanted in UNKNOWN:
        return worlds.unread(node)
    return any(same(one, wanted, loosely=False) is True for one in among)


def _over(worlds: Worlds, node: Node, world: World) -> Value:
    """Return what a method over a list of ours comes to, all of whose elements are alike."""
    listed, method = bare(node.callee).object, called_method(node)
    first = node.arguments[0] if node.arguments else None
    traces = worlds.flow.traces(listed)
    ours = [o for o in traces if id(o.site) in worlds.sites and o.path and o.kind in _KINDS]
    owner = worlds.value(listed, world)
    if owner is Mark.THROWS or (not ours and owner not in {Mark.EMPTY, Mark.FULL}):
        return Mark.THROWS if owner is Mark.THROWS else worlds.unread(node)
    if owner is Mark.EMPTY:
        return {"every": True, "some": False}.get(str(method), Mark.EMPTY)
    if method in {"map", "slice"}:
        return Mark.FULL if owner is Mark.FULL else worlds.unread(node)
    if world.name == "missing" and first is not None and _is_boolean(worlds, first):
        return Mark.OPAQUE  # how many are missing cannot be told
    holds = kept(worlds, node, world) if first is not None else Mark.OPAQUE
    if not isinstance(holds, bool):
        return holds
    match method:
        case "filter":
            return Mark.FULL if holds else Mark.EMPTY
        case "findIndex":
            return 0 if holds else -1
        case "find":
            return Mark.OBJECT if holds else Mark.UNDEFINED
    return holds


def _is_boolean(worlds: Worlds, node: Node) -> bool:
    """Whether a predicate is `Boolean` itself."""
    return is_global(worlds.flow.scopes, node, "Boolean")


def kept(worlds: Worlds, call: Node, world: World) -> bool | Mark:
    """Return whether the function that is handed to a method holds for an element of ours."""
    predicate = call.arguments[0]
    if _is_boolean(worlds, predicate):
        fact = worlds.fact(elements(worlds.flow.traces(call.callee.object)), world)
        return truthy(fact[0] if fact is not None else Mark.OBJECT)
    function = worlds.flow.function(predicate)
    return truthy(ran(worlds, function, world)) if function is not None else Mark.OPAQUE
