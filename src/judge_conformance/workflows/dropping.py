"""What leaves a dead judge out: filters and conditions on the way into or out of decideVerdict."""

from __future__ import annotations

from judge_conformance.workflows.expressions import called_method, member
from judge_conformance.workflows.flow import NONE, Flow, Trace, Traces, elements, nodes_below
from judge_conformance.workflows.outcomes import cause, leaves
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.shadowing import Host
from judge_conformance.workflows.worlds import GONE, REPLIES, VERDICTS, Mark, Worlds

_ALIVE, _DEAD = REPLIES
_BEFORE = "judges that died are left out before they are decided, and nobody sees it"
_AFTER = "verdicts of judges that threw are null here, and are left out unseen"
_SKIPPED = "a judge that died is skipped here, and nobody sees it"


def dropped(host: Host) -> dict[tuple[int, int], str]:
    """Return what leaves dead judges out: the range in the script, and how."""
    flow = Flow(host)
    flow.drops = lambda call, traces: _drops(flow, call, traces)
    found: dict[tuple[int, int], str] = {}
    for decision in flow.decisions():
        for one in _arriving(flow, decision):
            if one.drop is not None:
                found[_place(one.drop)] = _BEFORE
        skipping = _skipping(flow, decision)
        if skipping is not None:
            found.setdefault((skipping.range[0], skipping.range[1]), _SKIPPED)
    for node in host.outside():
        if node.type == "CallExpression" and called_method(node) == "filter":
            own = flow.traces(node.callee.object) if hasattr(node.callee, "object") else NONE
            dead = frozenset(
                o for o in own if o.mortal and o.kind == "verdict" and _may_throw(flow, o)
            )
            if dead and not _is_counted(flow, node) and _leaves_gone_out(flow, node, dead):
                found.setdefault(_place(node), _AFTER)
    return found


def _may_throw(flow: Flow, verdict: Trace) -> bool:
    """Whether the judge's own death reaches the thunk in which it is decided."""
    replies = _arriving(flow, verdict.site)
    return not replies or any(not one.mortal and not one.caught for one in replies)


def _is_counted(flow: Flow, node: Node) -> bool:
    """Whether only the length of a list is asked for."""
    parent, role = flow.scopes.parent(node)
    is_member = parent is not None and parent.type == "MemberExpression" and role == "object"
    return is_member and member(parent) == "length"


def _place(call: Node) -> tuple[int, int]:
    return call.callee.property.range[0], call.range[1]


def _arriving(flow: Flow, decision: Node) -> Traces:
    """Return what arrives at a decision as a reply, also through a helper or a literal."""
    if not decision.arguments:
        return NONE
    reply = decision.arguments[0]
    found = _replies(flow.traces(reply))
    if not found and reply.type in {"CallExpression", "ObjectExpression"}:
        for node in nodes_below(reply):
            if node.type == "Identifier":
                found |= _replies(flow.traces(node))
    return found


def _replies(traces: Traces) -> Traces:
    return frozenset(one for one in traces if one.kind == "reply" and not one.path)


def _drops(flow: Flow, call: Node, traces: Traces) -> bool:
    """Whether a filter leaves out elements for being null, or for holding a null reply."""
    replies = frozenset(one for one in elements(traces) if one.kind == "reply")
    if not replies or not call.arguments:
        return False
    worlds = Worlds(flow, frozenset(id(one.site) for one in replies))
    predicate = call.arguments[0]
    if worlds.accepts(predicate, _ALIVE) in {False, Mark.THROWS}:
        return False
    direct = any(not one.path for one in replies)
    held = not worlds.is_boolean(predicate) or direct
    if held and worlds.accepts(predicate, _DEAD) is False:
        return True
    return any(one.mortal for one in replies) and worlds.accepts(predicate, GONE) is False


def _leaves_gone_out(flow: Flow, call: Node, traces: Traces) -> bool:
    """Whether a filter keeps every verdict and leaves out what is none."""
    if not call.arguments:
        return False
    worlds = Worlds(flow, frozenset(id(one.site) for one in traces))
    predicate = call.arguments[0]
    kept = all(worlds.accepts(predicate, world) is True for world in VERDICTS[:3])
    return kept and worlds.accepts(predicate, GONE) is False


def _skipping(flow: Flow, decision: Node) -> Node | None:
    """Return the condition that keeps a dead reply from its decision, if nothing stands for it."""
    sites = frozenset(id(one.site) for one in _arriving(flow, decision))
    if not sites:
        return None
    worlds = Worlds(flow, sites)
    if worlds.reached(decision, _ALIVE) is False or worlds.reached(decision, _DEAD) is not False:
        return None
    throws = (node for node in flow.host.outside() if node.type == "ThrowStatement")
    others = (other for other in flow.decisions() if other is not decision)
    for leaf in (*leaves(flow), *throws, *others):
        if worlds.reached(leaf, _DEAD) is not False and worlds.reached(leaf, _ALIVE) is False:
            return None
    return cause(worlds, decision, _DEAD, (_ALIVE,))
