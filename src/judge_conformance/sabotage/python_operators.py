"""How a Python source can be broken: one small generator for each operator, in a table.

An operator gets a node and the text that the tree was parsed from, and yields the edits of each
mutant that it would make there. What is prose (docstrings, annotations, help texts) is no site.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.sabotage import character_classes
from judge_conformance.sabotage.mutants import Edit

Edits = tuple[Edit, ...]
Operator = Callable[[ast.AST, "Text"], Iterable[Edits]]
Located = ast.stmt | ast.expr | ast.arg | ast.keyword | ast.excepthandler

_NEIGHBOURS: Mapping[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
}
_ARITHMETIC: Mapping[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "+"),
    ast.Pow: (r"\*\*", "+"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"),
}
_SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_DELETED = (ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Assert)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A source and where its nodes stand in it, counted in characters."""

    source: str
    lines: tuple[int, ...]

    @classmethod
    def of(cls, source: str) -> Text:
        """Measure the lines of a source."""
        starts = [0]
        starts += [found.end() for found in re.finditer(r"\r\n|\r|\n", source)]
        return cls(source=source, lines=(*starts, len(source)))

    def span(self, node: Located) -> tuple[int, int]:
        """Return where the node starts and ends."""
        return (
            self._offset(node.lineno, node.col_offset),
            self._offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
        )

    def part(self, node: Located) -> str:
        """Return the node's own text."""
        start, end = self.span(node)
        return self.source[start:end]

    def replaced(self, node: Located, text: str) -> Edits:
        """Return the edit that puts `text` in the node's place."""
        start, end = self.span(node)
        return (Edit(start=start, end=end, text=text),)

    def between(self, left: Located, right: Located, pattern: str, text: str) -> Edits:
        """Replace the one match of `pattern` between two nodes; raises when it is not one."""
        (_, start), (end, _) = self.span(left), self.span(right)
        gap = re.sub(r"#[^\n]*", lambda comment: " " * len(comment[0]), self.source[start:end])
        edged = rf"\b{pattern}\b" if pattern[0].isalpha() else rf"(?<![<>=!*/]){pattern}(?![<>=*/])"
        found = list(re.finditer(edged, gap))
        if len(found) != 1:
            raise BrokenInstrumentError(f"{pattern!r} stands {len(found)} times in {gap!r}")
        return (Edit(start=start + found[0].start(), end=start + found[0].end(), text=text),)

    def without(self, elements: Sequence[Located], dropped: int) -> Edits:
        """Drop one of several elements, with the comma that it no longer needs."""
        start, end = self.wrapped(elements[dropped])
        if dropped + 1 < len(elements):
            end = self.wrapped(elements[dropped + 1])[0]
        elif dropped:
            start = self.wrapped(elements[dropped - 1])[1]
        return (Edit(start=start, end=end, text=""),)

    def wrapped(self, node: Located) -> tuple[int, int]:
        """Return the node's span with the parentheses around it that no tree mentions."""
        start, end = self.span(node)
        while (before := self.source[:start].rstrip()).endswith("(") and (
            after := self.source[end:].lstrip()
        ).startswith(")"):
            start, end = len(before) - 1, len(self.source) - len(after) + 1
        return start, end

    def _offset(self, line: int, column: int) -> int:
        start = self.lines[line - 1]
        row = self.source[start : self.lines[line]]
        return start + (column if row.isascii() else len(row.encode()[:column].decode()))


def body_blanked(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Put `pass` in the place of each block of statements."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue
        block = block[1:] if name == "body" and is_prose(block[:1]) else block
        if not block or all(isinstance(statement, ast.Pass) for statement in block):
            continue
        start, end = text.span(block[0])[0], text.span(block[-1])[1]
        if not text.source.startswith("elif", start):
            yield (Edit(start=start, end=end, text="pass"),)


def condition_forced(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Make each condition always true, then always false."""
    tests = node.ifs if isinstance(node, ast.comprehension) else [getattr(node, "test", None)]
    for test in tests:
        if isinstance(test, ast.expr) and not isinstance(test, ast.Constant):
            yield text.replaced(test, "True")
            yield text.replaced(test, "False")


def operand_dropped(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Leave out each operand of `and` and `or`."""
    if isinstance(node, ast.BoolOp):
        for index in range(len(node.values)):
            kept = [text.part(v) for i, v in enumerate(node.values) if i != index]
            joint = " and " if isinstance(node.op, ast.And) else " or "
            yield text.replaced(node, "(" + joint.join(f"({part})" for part in kept) + ")")


def and_or_swapped(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Turn `and` into `or` and back."""
    if isinstance(node, ast.BoolOp):
        joint = " or " if isinstance(node.op, ast.And) else " and "
        yield text.replaced(node, "(" + joint.join(f"({text.part(v)})" for v in node.values) + ")")


def negation_dropped(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Drop `not`, and the sign of a negative number."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield text.replaced(node, f"({text.part(node.operand)})")


def comparison_moved(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Move each comparison to its neighbours."""
    if isinstance(node, ast.Compare):
        for (left, right), operator in zip(
            pairwise([node.left, *node.comparators]), node.ops, strict=True
        ):
            pattern, neighbours = _NEIGHBOURS[type(operator)]
            for neighbour in neighbours:
                yield text.between(left, right, pattern, neighbour)


def arithmetic_swapped(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Put another operator in the place of an arithmetic one."""
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        pattern, other = _ARITHMETIC[type(node.op)]
        yield text.between(node.left, node.right, pattern, other)


def statement_deleted(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Delete a statement that does something by itself."""
    lone = isinstance(node, ast.Expr) and not is_prose([node])
    given = isinstance(node, ast.AnnAssign) and node.value is not None
    if isinstance(node, ast.stmt) and (lone or given or isinstance(node, _DELETED)):
        yield text.replaced(node, "pass")


def return_swapped(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Return nothing instead of something."""
    value = node.value if isinstance(node, ast.Return) else None
    value = node.body if isinstance(node, ast.Lambda) else value
    if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
        yield text.replaced(value, "None")


def string_changed(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Blank a string, then put letters in front of it."""
    literal = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    if isinstance(node, ast.expr) and (literal or isinstance(node, ast.JoinedStr)):
        start, end = text.span(node)
        mark = "b" if isinstance(node, ast.Constant) and isinstance(node.value, bytes) else ""
        if not isinstance(node, ast.Constant) or node.value:
            yield (Edit(start=start, end=end, text=f'{mark}""'),)
        yield (Edit(start=start, end=start, text=f'{mark}"XX" '),)


def number_moved(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Take a number one up, one down, and to zero."""
    if isinstance(node, ast.Constant) and isinstance(value := node.value, int | float):
        if isinstance(value, bool):
            return
        moved = [value + 1, value - 1, type(value)(0)]
        for other in dict.fromkeys(moved):
            if other != value:
                yield text.replaced(node, f"({other!r})")


def boolean_flipped(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Turn True into False and back."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield text.replaced(node, repr(not node.value))


def element_dropped(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Drop each element of a list, tuple, set or dict."""
    if isinstance(node, ast.Dict):
        for index, value in enumerate(node.values):
            yield from _entry_dropped(node, index, value, text)
    elif isinstance(node, ast.List | ast.Set | ast.Tuple) and isinstance(
        getattr(node, "ctx", ast.Load()), ast.Load
    ):
        keep_one = isinstance(node, ast.Set)
        if isinstance(node, ast.Tuple) and len(node.elts) == 1:
            yield text.replaced(node, "()")
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2:  # noqa: PLR2004 - one left needs its comma
            for index in (0, 1):
                yield text.replaced(node, f"({text.part(node.elts[1 - index])},)")
        elif len(node.elts) > keep_one:
            for index in range(len(node.elts)):
                yield text.without(node.elts, index)


def class_narrowed(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Narrow each character class of a regular expression."""
    for pattern, offset in _patterns(node, text):
        for edit in character_classes.narrowed(pattern, offset):
            yield (edit,)


def class_widened(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Widen each character class of a regular expression."""
    for pattern, offset in _patterns(node, text):
        for edit in character_classes.widened(pattern, offset):
            yield (edit,)


def loop_once(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Leave a loop after its first round."""
    if isinstance(node, ast.For | ast.While):
        last, first = text.span(node.body[-1])[1], node.body[0]
        own_line = first.lineno > node.lineno
        leave = "\n" + " " * first.col_offset + "break" if own_line else "; break"
        ends = [text.replaced(other, "break")[0] for other in _continues(node.body)]
        yield (*ends, Edit(start=last, end=last, text=leave))
    elif isinstance(node, ast.comprehension):
        yield text.replaced(node.iter, f"[*({text.part(node.iter)})][:1]")


def sort_changed(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Leave out a sort, reverse it, and take the default order."""
    if not isinstance(node, ast.Call):
        return
    function = node.func
    given = {keyword.arg: keyword for keyword in node.keywords}
    if isinstance(function, ast.Name) and function.id == "sorted":
        first, end = text.part(node.args[0]), text.span(node)[1]
        bare = text.span(node.args[0])[1] == end  # a generator without parentheses of its own
        yield text.replaced(node, f"list{first}" if bare else f"list({first})")
        if "reverse" not in given:
            yield (Edit(start=end, end=end, text="[::-1]"),)
    elif isinstance(function, ast.Attribute) and function.attr == "sort":
        if "reverse" not in given:
            start = text.source.index("(", text.span(function)[1]) + 1
            yield (
                Edit(start=start, end=start, text="reverse=True, " if given else "reverse=True"),
            )
    else:
        return
    if "key" in given:
        yield text.replaced(given["key"], "key=None")


def extreme_swapped(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Swap `min` with `max`, `any` with `all`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SWAPPED:
        yield text.replaced(node.func, _SWAPPED[node.func.id])


def default_changed(node: ast.AST, text: Text) -> Iterator[Edits]:
    """Give a parameter another default than None; other defaults change as the values they are."""
    if isinstance(node, ast.arguments):
        for default in [*node.defaults, *node.kw_defaults]:
            if isinstance(default, ast.Constant) and default.value is None:
                yield text.replaced(default, "0")


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
    loop_once,
    sort_changed,
    extreme_swapped,
    default_changed,
)


def is_prose(statements: Sequence[ast.AST]) -> bool:
    """Whether the first statement is a string that stands alone, such as a docstring."""
    first = statements[0] if statements else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)


def _entry_dropped(node: ast.Dict, index: int, value: ast.expr, text: Text) -> Iterator[Edits]:
    def start(i: int) -> int:
        key = node.keys[i]
        return text.span(node.values[i])[0] - 2 if key is None else text.span(key)[0]

    if index + 1 < len(node.values):
        yield (Edit(start=start(index), end=start(index + 1), text=""),)
    else:
        begin = text.span(node.values[index - 1])[1] if index else start(index)
        yield (Edit(start=begin, end=text.span(value)[1], text=""),)


def _patterns(node: ast.AST, text: Text) -> Iterator[tuple[str, int]]:
    """Yield the written text of each string that a call of `re` takes, and where it starts."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.args
    ):
        return
    pattern = node.args[0]
    if isinstance(pattern, ast.Constant | ast.JoinedStr):
        yield text.part(pattern), text.span(pattern)[0]


def _continues(body: Sequence[ast.stmt]) -> Iterator[ast.Continue]:
    """Yield the `continue` statements of this loop, not those of loops inside it."""
    for statement in body:
        if isinstance(statement, ast.Continue):
            yield statement
        elif not isinstance(statement, ast.For | ast.While | ast.FunctionDef | ast.ClassDef):
            for name in ("body", "orelse", "finalbody", "handlers", "cases"):
                yield from _continues(getattr(statement, name, ()))
        if isinstance(statement, ast.For | ast.While):
            yield from _continues(statement.orelse)
