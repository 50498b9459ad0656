"""Where a script does something, and whether it looks like accepting: no log, count or note."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judge_conformance.workflows.expressions import bare, is_global, key, root
from judge_conformance.workflows.flow import Flow, nodes_below
from judge_conformance.workflows.scopes import FUNCTIONS, Node
from judge_conformance.workflows.worlds import Mark, World, Worlds, conditions, lets

# Names and short texts that say that nothing is accepted here: it is told, counted or left open.
_NEUTRAL = re.compile(
    r"undecid|abst|unsure|unclear|unresolv|unknown|inconclus|pending|manual|human|review(?!er)"
    r"|report|show|display|print|log|note|warn|sample|seen|counts?$|total|^stats?$|missing"
    r"|dropped|lost|skipp|retry|again|unverif|question|attention|^all(?![a-z])|not_?fail|non_?fail|no_?fail|remain|open"
    r"|lines|rows|left|died|dead|failed|reject|incomplete",
    re.IGNORECASE,
)
_SPEAKING = frozenset({"log", "phase"})
_LITERALS = frozenset({"ArrayExpression", "ObjectExpression"})
_SHORT = 40  # characters of a text that is a label, no prompt


def leaves(flow: Flow) -> Iterator[Node]:
    """Yield the places outside the block where something is done or given."""
    for node in flow.host.outside():
        match node.type:
            case "ExpressionStatement":
                leaf = node.expression
                while leaf.type == "LogicalExpression":
                    leaf = leaf.right
                if leaf.type != "ConditionalExpression" and not _is_told(flow, leaf):
                    yield leaf
            case "ReturnStatement" if node.argument is not None and not is_nothing(node.argument):
                if node.argument.type not in {"ConditionalExpression", "LogicalExpression"}:
                    yield node.argument
            case "ConditionalExpression":
                if not any(_is_told(flow, above) for above in flow.scopes.above(node)):
                    arms = (node.consequent, node.alternate)
                    yield from (arm for arm in arms if not is_nothing(arm))
            case "LogicalExpression" if node.right.type in _LITERALS and node.operator == "&&":
                yield node.right


def is_nothing(node: Node) -> bool:
    """Whether a value stands for nothing: null, false, an empty list or text."""
    if node.type == "Literal":
        return not node.value and not getattr(node, "regex", None)
    if node.type == "UnaryExpression" and node.operator == "void":
        return True
    if node.type == "Identifier":
        return bool(node.name == "undefined")
    return node.type in {"ArrayExpression", "ObjectExpression"} and not (
        node.elements if node.type == "ArrayExpression" else node.properties
    )


def accepts(leaf: Node) -> bool:
    """Whether a place may accept something, as far as its names tell."""
    if leaf.type == "UpdateExpression":
        return False
    is_write = leaf.type == "AssignmentExpression"
    if is_write and (leaf.operator in {"+=", "-="} or is_nothing(leaf.right)):
        return False
    return not any(is_neutral(word) for word in _words(leaf))


def is_neutral(word: str) -> bool:
    """Whether a name or label says that nothing is accepted under it."""
    return _NEUTRAL.search(word) is not None


def holder(flow: Flow, node: Node) -> str:
    """Return the name that an expression's value is given; empty where it is given none."""
    for above in flow.scopes.above(node):
        match above.type:
            case "VariableDeclarator":
                return str(getattr(above.id, "name", ""))
            case "Property":
                return key(above) or ""
            case "AssignmentExpression":
                start, path = root(above.left)
                return ".".join([str(getattr(start, "name", "")), *map(str, path)])
            case kind if kind in FUNCTIONS or kind.endswith("Statement"):
                return ""
    return ""


def is_told(flow: Flow, node: Node) -> bool:
    """Whether a value is only printed."""
    return any(_is_told(flow, above) for above in flow.scopes.above(node))


def blame(worlds: Worlds, test: Node) -> Node:
    """Return what a condition says at its place: past names and functions to what they are."""
    node = bare(test)
    while node.type == "UnaryExpression" and node.operator == "!":
        node = bare(node.argument)
    if node.type == "Identifier":
        variable = worlds.flow.scopes.variable(node)
        parent = worlds.flow.scopes.parent(variable.bindings[0])[0] if variable else None
        if parent is not None and parent.type == "VariableDeclarator" and parent.init is not None:
            return test if parent.init.type == "Literal" else parent.init
    if node.type == "CallExpression":
        function = worlds.function(node.callee)
        if function is not None:
            return function.body
    return test


def cause(worlds: Worlds, leaf: Node, out: World, through: tuple[World, ...]) -> Node:
    """Return the condition that keeps one world from a place and lets the others through."""
    for test, wanted in conditions(worlds.flow, leaf):
        kept = lets(worlds, test, wanted, out) in {False, Mark.THROWS}
        if kept and all(lets(worlds, test, wanted, one) is not False for one in through):
            return blame(worlds, test)
    return leaf


def _is_told(flow: Flow, node: Node) -> bool:
    """Whether an expression is a call that only prints."""
    if node.type != "CallExpression":
        return False
    start, _ = root(node.callee)
    return is_global(flow.scopes, start, "console", *_SPEAKING) or (
        start.type == "Identifier" and start.name in _SPEAKING
    )


def _words(leaf: Node) -> Iterator[str]:
    for node in nodes_below(leaf):
        if node.type == "Identifier":
            yield node.name
        elif node.type == "Literal" and isinstance(node.value, str) and len(node.value) < _SHORT:
            yield node.value
