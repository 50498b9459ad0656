"""What leaves a dead judge out: filters and conditions on the way into or out of decideVerdict."""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.rule import Range
from judge_conformance.workflows.expressions import member
from judge_conformance.workflows.facts import GONE, REPLIES, VERDICTS
from judge_conformance.workflows.flow import Flow
from judge_conformance.workflows.methods import kept
from judge_conformance.workflows.nodes import nodes_below
from judge_conformance.workflows.outcomes import cause, leaves
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.shadowing import Host
from judge_conformance.workflows.traces import Trace, Traces, elements, sites
from judge_conformance.workflows.worlds import Worlds

_ALIVE, _DEAD = REPLIES
_BEFORE = "judges that died are left out before they are decided, and nobody sees it"
_AFTER = "verdicts of judges that threw are null here, and are left out unseen"
_SKIPPED = "a judge that died is skipped here, and nobody sees it"


def dropped(script: Script) -> Iterator[tuple[Range, str]]:
    """Yield what leaves dead judges out, and how."""
    flow = Flow(Host(script))
    flow.drops = lambda call, traces: _drops(flow, call, traces)
    for decision in flow.decisions():
        for one in _arriving(flow, decision):
            if one.drop is not None:
                yield _place(one.drop), _BEFORE
        skipping = _skipping(flow, decision)
        if skipping is not None:
            yield (skipping.range[0], skipping.range[1]), _SKIPPED
    for call in flow.methods("filter"):
        dead = frozenset(
            filter(lambda one: _may_be_gone(flow, one), flow.traces(call.callee.object))
        )
        if dead and not _is_counted(flow, call) and _leaves_gone_out(flow, call, dead):
            yield _place(call), _AFTER


def _may_be_gone(flow: Flow, one: Trace) -> bool:
    """Whether a verdict is null where its judge's own death reaches the thunk that decides it."""
    replies = _arriving(flow, one.site)
    throws = not replies or any(map(_may_throw, replies))
    return one.mortal and one.kind == "verdict" and throws


def _may_throw(reply: Trace) -> bool:
    return not reply.mortal and not reply.caught


def _is_counted(flow: Flow, call: Node) -> bool:
    """Whether only the length of a list is asked for."""
    parent = flow.scopes.holder(call)
    return parent.type == "MemberExpression" and member(parent) == "length"


def _place(call: Node) -> Range:
    return call.callee.property.range[0], call.range[1]


def _arriving(flow: Flow, decision: Node) -> Traces:
    """Return what arrives at a decision as a reply, also through a helper or a literal."""
    reply = decision.arguments[0] if decision.arguments else None
    found = _replies(flow.traces(reply))
    if found or reply is None or reply.type not in {"CallExpression", "ObjectExpression"}:
        return found
    return found.union(*(_replies(flow.traces(node)) for node in nodes_below(reply)))


def _replies(traces: Traces) -> Traces:
    return frozenset(filter(lambda one: not one.path, traces))


def _drops(flow: Flow, call: Node, traces: Traces) -> bool:
    """Whether a filter leaves out elements for being null, or for holding a null reply."""
    worlds = Worlds(flow, sites(elements(traces)))
    alive, dead, gone = (kept(worlds, call, world) for world in (_ALIVE, _DEAD, GONE))
    return alive is not False and False in (dead, gone)


def _leaves_gone_out(flow: Flow, call: Node, traces: Traces) -> bool:
    """Whether a filter keeps every verdict and leaves out what is none."""
    worlds = Worlds(flow, sites(traces))
    marks = [kept(worlds, call, world) for world in (*VERDICTS[:3], GONE)]
    return marks == [True, True, True, False]


def _skipping(flow: Flow, decision: Node) -> Node | None:
    """Return the condition that keeps a dead reply from its decision, if nothing stands for it."""
    worlds = Worlds(flow, sites(_arriving(flow, decision)))
    if worlds.reached(decision, _ALIVE) is False or worlds.reached(decision, _DEAD) is not False:
        return None
    throws = (node for node in flow.host.outside() if node.type == "ThrowStatement")
    for leaf in (*leaves(flow), *throws):
        if worlds.reached(leaf, _DEAD) is not False and worlds.reached(leaf, _ALIVE) is False:
            return None
    return cause(worlds, decision, _DEAD)
