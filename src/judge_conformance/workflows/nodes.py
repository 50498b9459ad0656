"""The nodes below a node."""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.workflows.scopes import FUNCTIONS, Node


def own_nodes(body: Node) -> Iterator[Node]:
    """Yield the nodes of a function's body, less those of functions in it."""
    pending = [body]
    while pending:
        node = pending.pop()
        yield node
        if node.type in FUNCTIONS:
            continue
        pending.extend(reversed(children(node)))


def children(node: Node) -> list[Node]:
    """Return the nodes right below a node, found once and kept with it."""
    kept: list[Node] | None = vars(node).get("_children")
    if kept is None:
        kept = node._children = [  # noqa: SLF001 - ours; nobody reads fields of such a name
            one
            for name, value in vars(node).items()
            if name[0] != "_"
            for one in (value if isinstance(value, list) else (value,))
            if hasattr(one, "type") and "range" in getattr(one, "__dict__", ())
        ]
    return kept


def nodes_below(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, in no order that matters."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(children(current))
