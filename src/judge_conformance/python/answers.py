"""What a call gives, as traces: of the contract, of a method, of a function of the file."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from judge_conformance.following.traces import under
from judge_conformance.python.contract import called
from judge_conformance.python.names import text_of
from judge_conformance.python.traces import NONE, Trace, Traces, elements, inside

if TYPE_CHECKING:
    from judge_conformance.python.flow import Flow

_SAME = frozenset(
    {"copy", "list", "tuple", "set", "frozenset", "sorted", "reversed", "deepcopy", "iter"}
)

_WRAPPERS = frozenset({"gather", "as_completed", "run", "wait", "wait_for", "cast", "tqdm"})


def given_by(flow: Flow, call: ast.Call) -> Traces:
    """Return what a call gives."""
    kind = flow.contract.kind(call)
    if kind is not None:
        return _asked(flow, call, kind)
    name, owner = called(call)
    first = flow.traces(call.args[0]) if call.args else NONE
    if owner is not None:
        found = _method(flow, call, owner, name)
        if found is not None:
            return found
    if name in _SAME or name in _WRAPPERS:
        return first
    match name:
        case "filter" if len(call.args) > 1:
            kept = flow.traces(call.args[1])
            if flow.drops(call.args[0], call.args[0], kept):
                kept = frozenset(o if o.drop else replace(o, drop=call) for o in kept)
            return kept
        case "map" | "imap" | "starmap" if len(call.args) > 1:
            return under("[]", given_on(flow, call.args[0]))
        case "zip" | "zip_longest":
            found = NONE
            for index, part in enumerate(call.args):
                found |= under("[]", under(str(index), elements(flow.traces(part))))
            return found
        case "enumerate":
            return under("[]", under("1", elements(first)))
        case "chain" | "from_iterable":
            return frozenset().union(*(flow.traces(one) for one in call.args))
        case "next" | "max" | "min":
            return elements(first)
        case "loads" | "load" if any(one.kind == "text" and not one.path for one in first):
            texts = frozenset(one for one in first if one.kind == "text" and not one.path)
            return frozenset(replace(one, kind="verdict") for one in texts)
        case "dict" if call.args or call.keywords:
            named = (under(k.arg, flow.traces(k.value)) for k in call.keywords if k.arg)
            return first.union(*named)
    function = flow.function(call.func)
    if function is not None:
        return flow.returns(function)
    return inside(flow.lists(call.func), "()") or frozenset({Trace("reply", (), call)})


def _asked(flow: Flow, call: ast.Call, kind: str) -> Traces:
    """Return what the contract gives for a call."""
    if kind == "spot_check":
        return flow.traces(call.args[0]) if call.args else NONE
    return frozenset({Trace(kind, (), call)}) if kind != "validate" else NONE


def given_on(flow: Flow, node: ast.AST) -> Traces:
    """Return what a function that is handed on gives."""
    function = flow.function(node)
    if function is not None:
        return flow.returns(function)
    return frozenset({Trace("reply", (), node)})


def _method(flow: Flow, call: ast.Call, owner: ast.AST, name: str) -> Traces | None:
    """Return what a method gives; None where it is none that is known."""
    own = flow.traces(owner)
    match name:
        case "get" | "pop" | "setdefault" if call.args:
            key = text_of(call.args[0])
            found = elements(own) if key is None else flow.member(own, key)
            found = frozenset(replace(o, drop=None) for o in found)  # what is absent is None
            return found | flow.traces(call.args[1] if len(call.args) > 1 else None)
        case "values":
            return frozenset(replace(o, path=("[]", *o.path[1:])) for o in own if o.path) or (
                inside(own, "values")
            )
        case "items":
            return under("[]", under("1", elements(own)))
        case "copy" | "strip" | "decode" | "rstrip":
            return own
        case "result" if own:
            return own
        case "submit" if call.args:
            return given_on(flow, call.args[0])
        case "communicate":
            texts = frozenset(o for o in own if o.kind == "process" and not o.path)
            return under("0", frozenset(replace(o, kind="text") for o in texts)) or None
        case "wait" | "poll" if any(o.kind == "process" and not o.path for o in own):
            return frozenset(replace(o, kind="code") for o in own if o.kind == "process")
    return None
