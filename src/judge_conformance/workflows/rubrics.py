"""The rubrics that a Workflow script gives to the contract."""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.workflows.expressions import called_method
from judge_conformance.workflows.flow import Flow
from judge_conformance.workflows.outcomes import initial
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.shadowing import Host


def rubrics(script: Script) -> Iterator[Node]:
    """Yield what each decision is given as its rubric, once: the literal, where names lead to it.

    Names are followed through their declarations, and through `Object.freeze`.
    """
    flow = Flow(Host(script))
    given = [call.arguments[1] for call in flow.decisions() if len(call.arguments) > 1]
    yield from {id(node): node for node in (_literal(flow, one) for one in given)}.values()


def _literal(flow: Flow, node: Node) -> Node:
    seen = list[Node]()
    while node not in seen:
        seen.append(node)
        node = initial(flow, node) or _frozen(node) or node
    return node


def _frozen(node: Node) -> Node | None:
    """Return what `Object.freeze` is given."""
    is_frozen = node.type == "CallExpression" and called_method(node) == "freeze"
    return node.arguments[0] if is_frozen and node.arguments else None
