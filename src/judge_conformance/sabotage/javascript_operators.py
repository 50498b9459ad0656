"""How JavaScript can be broken: one small generator for each operator, in a table.

An operator gets a node of esprima's tree and the text that it was parsed from, and yields the
edits of each mutant that it would make there. The operators and their names are Python's, as far
as the languages have the same things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.sabotage import character_classes
from judge_conformance.sabotage.mutants import Edit

Node = Any  # esprima's nodes carry no types
Edits = tuple[Edit, ...]
Operator = Callable[[Node, "Text"], Iterable[Edits]]

_NEIGHBOURS: Mapping[str, tuple[str, ...]] = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "===": ("!==",),
    "!==": ("===",),
    "==": ("!=",),
    "!=": ("==",),
}
_ARITHMETIC: Mapping[str, str] = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "%": "*",
    "**": "*",
    "&": "|",
    "|": "&",
    "<<": ">>",
    ">>": "<<",
}
_LOGICAL: Mapping[str, str] = {"&&": "||", "||": "&&", "??": "&&"}
_SWAPPED = {"min": "max", "max": "min", "some": "every", "every": "some"}
_SORTS = frozenset({"sort", "toSorted"})
_LOOPS = frozenset(
    {"ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement"}
)
_FUNCTIONS = frozenset({"FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"})
_DELETED = frozenset(
    {
        "ExpressionStatement",
        "VariableDeclaration",
        "ReturnStatement",
        "ThrowStatement",
        "BreakStatement",
        "ContinueStatement",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A source, in which nodes stand at ranges counted in characters."""

    source: str

    def part(self, node: Node) -> str:
        """Return the node's own text."""
        start, end = node.range
        return self.source[start:end]

    def replaced(self, node: Node, text: str) -> Edits:
        """Return the edit that puts `text` in the node's place."""
        start, end = node.range
        return (Edit(start=start, end=end, text=text),)

    def between(self, left: Node, right: Node, sign: str, text: str) -> Edits:
        """Replace the one operator between two nodes; raises when it does not stand there once."""
        start, end = left.range[1], right.range[0]
        gap = re.sub(r"//[^\n]*|/\*.*?\*/", _spaces, self.source[start:end], flags=re.DOTALL)
        at = gap.find(sign)
        if at < 0 or gap.strip("() \t\r\n") != sign:
            raise BrokenInstrumentError(f"{sign!r} does not stand alone in {gap!r}")
        return (Edit(start=start + at, end=start + at + len(sign), text=text),)

    def without(self, elements: Sequence[Node], dropped: int) -> Edits:
        """Drop one of several elements, with the comma that it no longer needs."""
        start, end = elements[dropped].range
        if dropped + 1 < len(elements):
            end = elements[dropped + 1].range[0]
        elif dropped:
            start = elements[dropped - 1].range[1]
        return (Edit(start=start, end=end, text=""),)


def body_blanked(node: Node, text: Text) -> Iterator[Edits]:
    """Empty each block, and each branch that is no block."""
    if node.type == "BlockStatement" and node.body:
        yield text.replaced(node, "{}")
    branches = [getattr(node, name, None) for name in ("consequent", "alternate")]
    for branch in branches if node.type == "IfStatement" else ():
        if branch is not None and branch.type not in ("BlockStatement", "IfStatement"):
            yield text.replaced(branch, "{}")
    if node.type == "SwitchCase" and node.consequent:
        start, end = node.consequent[0].range[0], node.consequent[-1].range[1]
        yield (Edit(start=start, end=end, text=""),)


def condition_forced(node: Node, text: Text) -> Iterator[Edits]:
    """Make each condition always true, then always false."""
    test = getattr(node, "test", None)
    if test is not None and node.type != "SwitchCase" and test.type != "Literal":
        yield text.replaced(test, "true")
        yield text.replaced(test, "false")


def operand_dropped(node: Node, text: Text) -> Iterator[Edits]:
    """Leave out each operand of `&&`, `||` and `??`."""
    if node.type == "LogicalExpression":
        yield text.replaced(node, f"({text.part(node.left)})")
        yield text.replaced(node, f"({text.part(node.right)})")


def and_or_swapped(node: Node, text: Text) -> Iterator[Edits]:
    """Turn `&&` into `||` and back, `??` into `&&`."""
    if node.type == "LogicalExpression":
        left, right = text.part(node.left), text.part(node.right)
        yield text.replaced(node, f"(({left}) {_LOGICAL[node.operator]} ({right}))")


def negation_dropped(node: Node, text: Text) -> Iterator[Edits]:
    """Drop `!`, and the sign of a negative number."""
    if node.type == "UnaryExpression" and node.operator in ("!", "-"):
        yield text.replaced(node, f"({text.part(node.argument)})")


def comparison_moved(node: Node, text: Text) -> Iterator[Edits]:
    """Move each comparison to its neighbours, and turn `in` and `instanceof` round."""
    if node.type != "BinaryExpression":
        return
    for neighbour in _NEIGHBOURS.get(node.operator, ()):
        yield text.between(node.left, node.right, node.operator, neighbour)
    if node.operator in ("in", "instanceof"):
        yield text.replaced(node, f"(!({text.part(node)}))")


def arithmetic_swapped(node: Node, text: Text) -> Iterator[Edits]:
    """Put another operator in the place of an arithmetic one."""
    if node.type == "BinaryExpression" and node.operator in _ARITHMETIC:
        yield text.between(node.left, node.right, node.operator, _ARITHMETIC[node.operator])
    if node.type == "UpdateExpression":
        sign = "--" if node.operator == "++" else "++"
        part = text.part(node.argument)
        yield text.replaced(node, sign + part if node.prefix else part + sign)
    if node.type == "AssignmentExpression" and node.operator in ("+=", "-="):
        sign = "-=" if node.operator == "+=" else "+="
        yield text.between(node.left, node.right, node.operator, sign)


def statement_deleted(node: Node, text: Text) -> Iterator[Edits]:
    """Delete each statement that does something by itself."""
    for statement in _statements(node):
        if statement.type in _DELETED and getattr(statement, "directive", None) is None:
            yield text.replaced(statement, ";")


def return_swapped(node: Node, text: Text) -> Iterator[Edits]:
    """Return undefined instead of something."""
    if node.type == "ReturnStatement" and node.argument is not None:
        yield text.replaced(node.argument, "undefined")
    if node.type == "ArrowFunctionExpression" and node.body.type != "BlockStatement":
        start, end = _wrapped(text.source, *node.body.range)
        yield (Edit(start=start, end=end, text="undefined"),)


def string_changed(node: Node, _: Text) -> Iterator[Edits]:
    """Blank a string or a stretch of a template, then put letters in front of it."""
    if node.type == "Literal" and isinstance(node.value, str) and not node.regex:
        start, end = node.range
        if node.value:
            yield (Edit(start=start + 1, end=end - 1, text=""),)
        yield (Edit(start=start + 1, end=start + 1, text="XX"),)
    elif node.type == "TemplateLiteral":
        for quasi in node.quasis:
            start = quasi.range[0] + 1
            if length := len(quasi.value.raw):
                yield (Edit(start=start, end=start + length, text=""),)
                yield (Edit(start=start, end=start, text="XX"),)
            elif len(node.quasis) == 1:
                yield (Edit(start=start, end=start, text="XX"),)


def number_moved(node: Node, text: Text) -> Iterator[Edits]:
    """Take a number one up, one down, and to zero."""
    if node.type == "Literal" and type(node.value) in (int, float):
        for other in dict.fromkeys([node.value + 1, node.value - 1, 0]):
            if other != node.value:
                yield text.replaced(node, f"({other})")


def boolean_flipped(node: Node, text: Text) -> Iterator[Edits]:
    """Turn true into false and back."""
    if node.type == "Literal" and isinstance(node.value, bool):
        yield text.replaced(node, "false" if node.value else "true")


def element_dropped(node: Node, text: Text) -> Iterator[Edits]:
    """Drop each element of an array and each property of an object."""
    elements = node.elements if node.type == "ArrayExpression" else ()
    elements = node.properties if node.type == "ObjectExpression" else elements
    if all(element is not None for element in elements):
        for index in range(len(elements)):
            yield text.without(elements, index)


def class_narrowed(node: Node, text: Text) -> Iterator[Edits]:
    """Narrow each character class of a regular expression."""
    if node.regex:
        for edit in character_classes.narrowed(text.part(node), node.range[0]):
            yield (edit,)


def class_widened(node: Node, text: Text) -> Iterator[Edits]:
    """Widen each character class of a regular expression."""
    if node.regex:
        for edit in character_classes.widened(text.part(node), node.range[0]):
            yield (edit,)


def anchor_dropped(node: Node, _: Text) -> Iterator[Edits]:
    """Drop the anchors at both ends of a regular expression."""
    if regex := node.regex:
        start, end = node.range[0] + 1, node.range[0] + 1 + len(regex.pattern)
        if regex.pattern.startswith("^"):
            yield (Edit(start=start, end=start + 1, text=""),)
        if regex.pattern.endswith("$"):
            yield (Edit(start=end - 1, end=end, text=""),)


def loop_once(node: Node, text: Text) -> Iterator[Edits]:
    """Leave a loop after its first round."""
    if node.type in _LOOPS:
        start, end = node.body.range
        ends = [text.replaced(other, "break;")[0] for other in _continues(node.body)]
        yield (
            Edit(start=start, end=start, text="{"),
            *ends,
            Edit(start=end, end=end, text=" break; }"),
        )


def sort_changed(node: Node, text: Text) -> Iterator[Edits]:
    """Leave out a sort, reverse it, and take the default order."""
    if node.type == "CallExpression" and _member(node.callee) in _SORTS:
        yield text.replaced(node, text.part(node.callee.object))
        end = node.range[1]
        yield (Edit(start=end, end=end, text=".reverse()"),)
        if node.arguments:
            start, stop = node.arguments[0].range[0], node.arguments[-1].range[1]
            yield (Edit(start=start, end=stop, text=""),)


def extreme_swapped(node: Node, text: Text) -> Iterator[Edits]:
    """Swap `min` with `max`, `some` with `every`."""
    if node.type == "CallExpression" and (name := _member(node.callee)) in _SWAPPED:
        yield text.replaced(node.callee.property, _SWAPPED[name])


def default_changed(node: Node, text: Text) -> Iterator[Edits]:
    """Leave out a default; its value changes as the value that it is, too."""
    if node.type == "AssignmentPattern":
        yield (Edit(start=node.left.range[1], end=node.right.range[1], text=""),)
        if node.right.type == "Literal" and node.right.value is None:
            yield text.replaced(node.right, "0")


OPERATORS: tuple[Operator, ...] = (
    body_blanked,
    condition_forced,
    operand_dropped,
    and_or_swapped,
    negation_dropped,
    comparison_moved,
    arithmetic_swapped,
    statement_deleted,
    return_swapped,
    string_changed,
    number_moved,
    boolean_flipped,
    element_dropped,
    class_narrowed,
    class_widened,
    anchor_dropped,
    loop_once,
    sort_changed,
    extreme_swapped,
    default_changed,
)


def ticks(node: Node) -> Iterator[Edit]:
    """Yield where fuel is drawn: at the start of each function body and each loop round."""
    if node.type in _FUNCTIONS | _LOOPS and node.body.type == "BlockStatement":
        start = node.body.range[0] + 1
        yield Edit(start=start, end=start, text="__tick__();")
    elif node.type in _LOOPS:
        start, end = node.body.range
        yield Edit(start=start, end=start, text="{__tick__();")
        yield Edit(start=end, end=end, text="}")


def _statements(node: Node) -> Sequence[Node]:
    """Return the statements directly in a block, a case, or a branch without braces."""
    if node.type in ("BlockStatement", "Program"):
        return list(node.body)
    if node.type == "SwitchCase":
        return list(node.consequent)
    return ()


def _continues(node: Node) -> Iterator[Node]:
    """Yield the `continue` statements of this loop, not those of loops or functions inside it."""
    if node.type == "ContinueStatement" and node.label is None:
        yield node
    for child in children(node):
        if child.type not in _LOOPS and child.type not in _FUNCTIONS:
            yield from _continues(child)


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly under a node, in the order of its fields."""
    for value in vars(node).values():
        for child in value if isinstance(value, list) else (value,):
            if hasattr(child, "type") and hasattr(child, "range"):
                yield child


def _member(callee: Node) -> str:
    if callee.type == "MemberExpression" and not callee.computed:
        return str(callee.property.name)
    return ""


def _wrapped(source: str, start: int, end: int) -> tuple[int, int]:
    """Take the parentheses in that an arrow's object body needs."""
    while (before := source[:start].rstrip()).endswith("(") and (
        after := source[end:].lstrip()
    ).startswith(")"):
        start, end = len(before) - 1, len(source) - len(after) + 1
    return start, end


def _spaces(comment: re.Match[str]) -> str:
    return " " * len(comment[0])
