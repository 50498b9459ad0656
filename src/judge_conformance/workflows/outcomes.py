"""Where a script does something, and whether it looks like accepting: no log, count or note."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judge_conformance.following.worlds import World
from judge_conformance.workflows.expressions import bare, root
from judge_conformance.workflows.flow import Flow
from judge_conformance.workflows.nodes import nodes_below, own_nodes
from judge_conformance.workflows.reaching import conditions, lets
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.values import Mark
from judge_conformance.workflows.worlds import Worlds

# Names and short texts that say that nothing is accepted here: it is told, counted or left open.
_NEUTRAL = re.compile(
    r"undecid|abst|unsure|unclear|unresolv|unknown|inconclus|pending|manual|human|review(?!er)"
    r"|report|show|display|print|log|note|warn|sample|seen|counts?$|total|^stats?$|missing"
    r"|dropped|lost|skipp|retry|again|unverif|question|attention|^all(?![a-z])|not_?fail|non_?fail|no_?fail|remain|open"
    r"|lines|rows|left|died|dead|failed|reject|incomplete",
    re.IGNORECASE,
)
_SPEAKING = frozenset({"console", "log", "phase"})
_LITERALS = frozenset({"ArrayExpression", "ObjectExpression"})
_COUNTING = frozenset({"++", "--", "+=", "-="})
_ASKING = {"IfStatement": "test", "ReturnStatement": "argument"}
_HOLDING = {"VariableDeclarator": "id", "Property": "key", "AssignmentExpression": "left"}
_CONDITIONS = frozenset({"BinaryExpression", "LogicalExpression", "UnaryExpression"})
_SHORT = 40  # characters of a text that is a label, no prompt


def leaves(flow: Flow) -> Iterator[Node]:
    """Yield the places outside the block where something is done or given."""
    for node in flow.host.outside():
        for leaf in _leaves(node):
            if not is_nothing(leaf) and not is_told(flow, leaf):
                yield leaf


def _leaves(node: Node) -> Iterator[Node]:
    match node.type:
        case "ExpressionStatement":
            leaf = node.expression
            while leaf.type == "LogicalExpression":
                leaf = leaf.right
            yield leaf
        case "ReturnStatement" if node.argument is not None:
            yield node.argument
        case "ConditionalExpression":
            yield from (node.consequent, node.alternate)
        case "LogicalExpression" if node.right.type in _LITERALS:
            yield node.right


def is_nothing(node: Node) -> bool:
    """Whether a value stands for nothing: null, undefined, false, an empty list or text."""
    if node.type == "Literal":
        return not node.value
    is_undefined = node.operator == "void" or node.name == "undefined"
    return is_undefined or [] in (node.elements, node.properties)


def accepts(leaf: Node) -> bool:
    """Whether a place may accept something, as far as its names tell; a count does not."""
    if leaf.operator in _COUNTING or (leaf.operator == "=" and is_nothing(leaf.right)):
        return False
    return not any(is_neutral(word) for word in _words(leaf))


def is_neutral(word: str) -> bool:
    """Whether a name or label says that nothing is accepted under it."""
    return _NEUTRAL.search(word) is not None


def holder(flow: Flow, node: Node) -> str:
    """Return the name that an expression's value is given; empty where it is given none."""
    for above in flow.scopes.above(node):
        if above.type == "BlockStatement":  # of a function: what it gives has no name yet
            break
        if above.type in _HOLDING:
            return flow.host.text(getattr(above, _HOLDING[above.type]))
    return ""


def is_told(flow: Flow, node: Node) -> bool:
    """Whether a value is only printed."""
    return any(
        above.type == "CallExpression" and root(above.callee)[0].name in _SPEAKING
        for above in (node, *flow.scopes.above(node))
    )


def blame(worlds: Worlds, test: Node) -> Node:
    """Return what a condition says at its place: past names and functions to what they are."""
    node = bare(test)
    while node.operator == "!":
        node = bare(node.argument)
    function = worlds.flow.function(node.callee if node.type == "CallExpression" else node)
    if function is not None:
        return _asked(function)
    init = initial(worlds.flow, node)
    return init if init is not None and init.type in _CONDITIONS else test


def initial(flow: Flow, name: Node) -> Node | None:
    """Return what the declaration of a name gives it at first."""
    variable = flow.scopes.variable(name)
    declared = flow.scopes.holder(variable.bindings[0]) if variable is not None else None
    return declared.init if declared is not None else None


def _asked(function: Node) -> Node:
    """Return what a function asks, or gives."""
    if function.body.type != "BlockStatement":
        return function.body
    asking = (node for node in own_nodes(function.body) if node.type in _ASKING)
    asked = (getattr(node, _ASKING[node.type]) for node in asking)
    return next((node for node in asked if node is not None), function)


def cause(worlds: Worlds, leaf: Node, out: World) -> Node:
    """Return the condition that keeps a world from a place that it does not reach."""
    return next(
        blame(worlds, test)
        for test, wanted in conditions(worlds.flow, leaf)
        if lets(worlds, test, wanted, out) in {False, Mark.THROWS}
    )


def _words(leaf: Node) -> Iterator[str]:
    for node in nodes_below(leaf):
        if node.name:
            yield str(node.name)
        elif isinstance(node.value, str) and len(node.value) < _SHORT:
            yield node.value
