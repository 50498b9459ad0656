"""What a call comes to in a world: a method, a built-in function, or one of the file."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.python.contract import called
from judge_conformance.python.members import got
from judge_conformance.python.running import ran
from judge_conformance.python.values import (
    Alike,
    Died,
    Mark,
    Tally,
    Value,
    equal,
    is_unknown,
    truthy,
)

if TYPE_CHECKING:
    from judge_conformance.python.worlds import Worlds


def call(worlds: Worlds, node: ast.Call, world: World) -> Value:
    """Return what a call gives."""
    name, owner = called(node)
    if owner is not None:
        found = _method(worlds, node, owner, name, world)
        if found is not _UNSEEN:
            return found
    builtin = _BUILTINS.get(name)
    if builtin is not None and node.args:
        return builtin(worlds, node, [worlds.value(one, world) for one in node.args])
    if name in {"list", "dict", "set", "tuple"} and not node.args and owner is None:
        return Mark.EMPTY
    function = worlds.flow.function(node.func)
    return ran(worlds, function, world) if function is not None else worlds.unread(node)


def _method(worlds: Worlds, node: ast.Call, owner: ast.AST, name: str, world: World) -> Value:
    if name in {"loads", "run", "Counter", "gather"}:
        return _UNSEEN
    own = worlds.value(owner, world)
    args = [worlds.value(one, world) for one in node.args]
    match name:
        case "get" if args:
            return got(worlds, node, owner, own, args)
        case "lower" | "upper" | "strip" | "casefold" | "title" if isinstance(own, str):
            return getattr(own, name)()
        case "values" | "items" | "copy" if isinstance(own, Alike) or own is Mark.EMPTY:
            return own
        case "strip" | "decode" | "lower" if own is Mark.OBJECT:
            return own
        case "count" if isinstance(own, Alike | Mark) and args and not is_unknown(own):
            picked = own.value if isinstance(own, Alike) else None
            return Mark.MANY if isinstance(own, Alike) and equal(picked, args[0]) else 0
    if own is None or own is Mark.THROWS:
        is_known = isinstance(owner, ast.Name) and bool(worlds.ours(owner))
        return Mark.THROWS if own is Mark.THROWS or is_known else worlds.unread(node)
    return _UNSEEN


def _any(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    found = args[0]
    if isinstance(found, Alike):
        truth = truthy(found.value)
        return worlds.unread(node) if truth in {Mark.FREE, Mark.OPAQUE} else truth
    if found is Mark.EMPTY:
        return called(node)[0] == "all"
    return found if found is Mark.THROWS else worlds.unread(node)


def _len(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if isinstance(args[0], Alike):
        return Mark.MANY
    if isinstance(args[0], tuple | str | dict):
        return len(args[0])
    return 0 if args[0] is Mark.EMPTY else worlds.unread(node)


def _sum(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if isinstance(args[0], Alike):
        value = args[0].value
        return (
            0 if value in (False, 0) else Mark.MANY if value in (True, 1) else worlds.unread(node)
        )
    return 0 if args[0] is Mark.EMPTY else worlds.unread(node)


def _same(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    known = isinstance(args[0], Alike | tuple) or args[0] is Mark.EMPTY or args[0] is Mark.THROWS
    return args[0] if known else worlds.unread(node)


def _zip(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if any(one is Mark.EMPTY for one in args):
        return Mark.EMPTY
    alike = any(isinstance(one, Alike) for one in args)
    return Alike(Mark.OBJECT) if alike else worlds.unread(node)


def _bool(_worlds: Worlds, _node: ast.Call, args: list[Value]) -> Value:
    return truthy(args[0])


def _text(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    return args[0] if isinstance(args[0], str) else worlds.unread(node)


def _loads(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if args[0] is Mark.OBJECT:
        return Mark.OBJECT
    if not isinstance(args[0], str):
        return worlds.unread(node)
    try:
        return json.loads(args[0])
    except ValueError:
        return Mark.THROWS


def _tally(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if isinstance(args[0], Alike) and isinstance(args[0].value, str):
        return Tally(args[0].value)
    return worlds.unread(node)


def _isinstance(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    wanted = ast.unparse(node.args[1]) if len(node.args) > 1 else ""
    if args[0] is Died.RAISED:
        return "Exception" in wanted or "Error" in wanted
    if args[0] is None:
        return "None" in wanted
    if args[0] is Mark.OBJECT:
        return not ("Exception" in wanted or "Error" in wanted or "None" in wanted)
    return worlds.unread(node)


def _filter(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    over = args[1] if len(args) > 1 else Mark.FREE
    if not isinstance(over, Alike):
        return over if over is Mark.EMPTY else worlds.unread(node)
    predicate = node.args[0]
    if isinstance(predicate, ast.Constant) or ast.unparse(predicate) == "bool":
        kept = truthy(over.value)
        return over if kept is True else Mark.EMPTY if kept is False else worlds.unread(node)
    return worlds.unread(node)


_UNSEEN = object()

_BUILTINS: Mapping[str, Callable[[Worlds, ast.Call, list[Value]], Value]] = {
    "any": _any,
    "all": _any,
    "len": _len,
    "sum": _sum,
    "bool": _bool,
    "str": _text,
    "loads": _loads,
    "Counter": _tally,
    "isinstance": _isinstance,
    "filter": _filter,
    "zip": _zip,
    "enumerate": _zip,
    **dict.fromkeys(("list", "tuple", "set", "frozenset", "sorted", "reversed"), _same),
}
