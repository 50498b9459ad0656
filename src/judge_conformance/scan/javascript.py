"""Judges in Workflow scripts: `agent()` calls whose answer code goes by, and their defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from judge_conformance.scan.found import Advice, Judge
from judge_conformance.scan.schema import fields_of
from judge_conformance.scan.words import says_judge, says_verdict
from judge_conformance.workflows.expressions import bare, is_global, key, member, root
from judge_conformance.workflows.parse import Script, walk
from judge_conformance.workflows.scopes import FUNCTIONS, Node, Scopes

_TESTS = {
    "IfStatement": ("test",),
    "ConditionalExpression": ("test",),
    "WhileStatement": ("test",),
    "DoWhileStatement": ("test",),
    "ForStatement": ("test",),
    "SwitchStatement": ("discriminant",),
    "LogicalExpression": ("left",),
}
_COMPARISONS = frozenset({"===", "!==", "==", "!=", "<", ">", "<=", ">="})
_SELECTING = frozenset(
    {"filter", "find", "findIndex", "findLast", "some", "every", "sort", "toSorted", "partition"}
)
_OPTIONS = frozenset({"label", "phase", "agentType", "model", "prompt", "schema"})
_CONTRACT = "JUDGE_VERDICT_SCHEMA"
_SHORT = 60  # characters of code that are shown
_DEPTH = 30  # of nested literals
_COMPUTED = "..."


def look(script: Script) -> tuple[list[Judge], list[Advice]]:
    """Return the judges of a script and the defaults in it that look fail-open."""
    view = _View(script)
    judges = list(view.judges())
    return judges, list(view.advice({name for judge in view.deciding for name in judge}))


@dataclass
class _View:
    script: Script

    def __post_init__(self) -> None:
        self.deciding: list[tuple[str, ...]] = []

    @cached_property
    def scopes(self) -> Scopes:
        return Scopes(self.script.body)

    @cached_property
    def nodes(self) -> list[Node]:
        return list(walk(self.script.body))

    @cached_property
    def read(self) -> frozenset[str]:
        """The names of members that are read in a condition, a filter or a sort."""
        return frozenset(name for place in self._conditions() for name in self._names(place))

    def judges(self) -> Iterator[Judge]:
        for node in self.nodes:
            if node.type == "ObjectExpression" and (place := self._asked_with(node)) is not None:
                judge = self._judge(node, place)
                if judge is not None:
                    yield judge

    def _asked_with(self, options: Node) -> Node | None:
        """Return where a model is asked with these options: the call that they are handed to.

        A job that is written down first and asked later (`{prompt, schema}`) stands for itself.
        """
        keys = self._keys(options) & _OPTIONS
        parent, role = self.scopes.parent(options)
        call = parent if role == "arguments" else None
        if call is not None and self._is_dropped(call):
            return None  # nobody goes by an answer that nobody keeps
        if call is not None and is_global(self.scopes, bare(call.callee), "agent"):
            return call if keys else None
        if "schema" not in keys or len(keys) == 1:
            return None
        return call or options

    def _is_dropped(self, call: Node) -> bool:
        parent, _ = self.scopes.parent(call)
        if parent is not None and parent.type == "AwaitExpression":
            parent, _ = self.scopes.parent(parent)
        return parent is not None and parent.type == "ExpressionStatement"

    def _judge(self, options: Node, place: Node) -> Judge | None:
        line, column = self.script.position(place.range[0])
        parts = {key(p): p.value for p in options.properties if p.type == "Property"}
        names = [_text(parts[name]) for name in ("label", "phase") if name in parts]
        label = next((name for name in names if says_judge(name)), "")
        name = names[0] if names else ""
        schema = parts.get("schema")
        carries = schema is not None and _is_name(schema, _CONTRACT)
        path = self.script.path
        if carries:
            self.deciding.append(("outcome",))
            return Judge(
                path=path,
                line=line,
                column=column,
                language="workflow",
                label=label,
                name=name,
                decides=("outcome (pass, fail, abstain)",),
                contract=bool(self.script.blocks),
            )
        fields = [] if schema is None else [*fields_of(self._value(schema))]
        known = schema is not None and self._object(schema) is not None
        may_decide = [f for f in fields if label or f.may_decide]
        decisive = {f.name: f for f in may_decide if f.name in self.read}
        self.deciding.append(tuple(decisive))
        if not decisive and (not label or (known and not fields)):
            return None
        return Judge(
            path=path,
            line=line,
            column=column,
            language="workflow",
            label=label,
            name=name,
            decides=tuple(f.told for f in decisive.values()),
            steers=not label and not any(f.says_verdict for f in decisive.values()),
        )

    def advice(self, fields: set[str]) -> Iterator[Advice]:
        """Yield defaults that let a missing answer go as a pass."""
        for node in self.nodes:
            why = self._fail_open(node, fields)
            if why is not None:
                start, end = node.range
                yield Advice(
                    path=self.script.path,
                    line=self.script.position(start)[0],
                    code=" ".join(self.script.text[start:end].split())[:_SHORT],
                    why=why,
                )

    def _fail_open(self, node: Node, fields: set[str]) -> str | None:
        if node.type == "LogicalExpression" and node.operator in {"??", "||"}:
            name = _verdict(node.left, set())
            if name and node.right.type == "Literal" and node.right.value is True:
                return f"a missing {name} counts as true"
            if node.operator == "||" and (name := self._missing_or(node, fields)):
                return f"a missing {name} lets it through"
        if node.type == "BinaryExpression" and node.operator == "!==":
            name = _verdict(node.left, set())
            if name and node.right.type == "Literal" and node.right.value is False:
                return f"a missing {name} counts as true"
        if node.type == "IfStatement" and _skips(node.consequent):
            test = bare(node.test)
            if test.type == "UnaryExpression" and test.operator == "!":
                return self._dropped(node, bare(test.argument), fields)
        return None

    def _missing_or(self, node: Node, fields: set[str]) -> str | None:
        """Return what `!v || v.real` goes without: a verdict that is missing lets it pass."""
        left, right = bare(node.left), bare(node.right)
        if left.type != "UnaryExpression" or left.operator != "!":
            return None
        start, path = root(left.argument)
        while right.type == "LogicalExpression":
            right = bare(right.left)
        if right.type == "BinaryExpression" and right.operator in {"===", "==", ">=", ">"}:
            right = bare(right.left)
        name = _verdict(right, fields)
        begun, way = root(right)
        same = _same(start, begun) and way[: len(path)] == path and len(way) > len(path)
        rejects = self._is_rejected(node)
        return name if name and same and not rejects else None

    def _is_rejected(self, node: Node) -> bool:
        """Whether a condition that holds skips, throws or returns, and so lets nothing through."""
        parent, role = self.scopes.parent(node)
        if parent is not None and parent.type == "IfStatement" and role == "test":
            return _skips(parent.consequent) or _ends(parent.consequent)
        return parent is not None and parent.type == "UnaryExpression" and parent.operator == "!"

    def _dropped(self, node: Node, skipped: Node, fields: set[str]) -> str | None:
        """Tell of `if (!v) continue` before a verdict is read from v in the same loop."""
        begun = root(skipped)
        around = next((n for n in self.scopes.above(node) if n.type.startswith("For")), None)
        if around is None:
            return None
        for other in walk(around.body):
            if other.type == "MemberExpression" and (name := _verdict(other, fields)):
                start, way = root(other)
                if _same(start, begun[0]) and way[: len(begun[1])] == begun[1]:
                    return f"a judge that gave no {name} drops out without a word"
        return None

    def _conditions(self) -> Iterator[Node]:
        for node in self.nodes:
            if node.type == "LogicalExpression" and _is_default(node):
                continue
            for name in _TESTS.get(node.type, ()):
                if getattr(node, name, None) is not None:
                    yield getattr(node, name)
            if node.type == "UnaryExpression" and node.operator == "!":
                yield node.argument
            elif node.type == "BinaryExpression" and node.operator in _COMPARISONS:
                yield node
            elif node.type == "CallExpression":
                callee = bare(node.callee)
                if callee.type == "MemberExpression" and member(callee) in _SELECTING:
                    yield from (a for a in node.arguments if a.type in FUNCTIONS)

    def _names(self, place: Node) -> Iterator[str]:
        for node in walk(place):
            if node.type == "MemberExpression" and (name := member(node)):
                yield name
            elif node.type == "Identifier" and (variable := self.scopes.variable(node)):
                parent, role = self.scopes.parent(variable.bindings[0])
                if parent is not None and parent.type == "AssignmentPattern":
                    parent, role = self.scopes.parent(parent)
                if parent is not None and parent.type == "Property" and role == "value":
                    yield key(parent) or ""

    def _object(self, node: Node, depth: int = 0) -> Node | None:
        """Return the object that an expression is, also by the name of a constant."""
        node = bare(node)
        if node.type == "ObjectExpression" or depth > _DEPTH:
            return node if node.type == "ObjectExpression" else None
        variable = self.scopes.variable(node) if node.type == "Identifier" else None
        if variable is None:
            return None
        parent, role = self.scopes.parent(variable.bindings[0])
        if parent is None or parent.type != "VariableDeclarator" or role != "id":
            return None
        return None if parent.init is None else self._object(parent.init, depth + 1)

    def _value(self, node: Node, depth: int = 0) -> Any:  # noqa: ANN401 - a JSON-like value
        """Return what an expression spells out; None where it cannot be told."""
        node = bare(node)
        if node.type == "Literal":
            return node.value
        if node.type == "ArrayExpression" and depth < _DEPTH:
            return [self._value(item, depth + 1) for item in node.elements if item is not None]
        found = self._object(node)
        return None if found is None or depth > _DEPTH else self._entries(found, depth)

    def _entries(self, node: Node, depth: int) -> Mapping[str, Any]:
        value: dict[str, Any] = {}
        for entry in node.properties:
            if entry.type == "Property":
                value[key(entry) or ""] = self._value(entry.value, depth + 1)
            elif isinstance(spread := self._value(entry.argument, depth + 1), dict):
                value |= spread
        return value

    def _keys(self, node: Node) -> set[str]:
        return {key(p) or "" for p in node.properties if p.type == "Property"}


def _verdict(node: Node, fields: set[str]) -> str | None:
    """Return the name of the member that an expression reads, when it says a verdict."""
    node = bare(node)
    if node.type != "MemberExpression":
        return None
    name = member(node) or ""
    return name if name in fields or says_verdict(name) else None


def _is_default(node: Node) -> bool:
    """Whether `x || 0` or `x ?? []` only stands in for what is missing."""
    kinds = {"Literal", "ArrayExpression", "ObjectExpression", "TemplateLiteral"}
    return node.operator in {"||", "??"} and bare(node.right).type in kinds


def _text(node: Node) -> str:
    """Return what a label spells out, with dots for each part that is computed."""
    node = bare(node)
    if node.type == "Literal":
        return str(node.value)
    if node.type == "TemplateLiteral":
        return _COMPUTED.join(str(part.value.cooked) for part in node.quasis)
    if node.type == "BinaryExpression" and node.operator == "+":
        return _text(node.left) + _text(node.right)
    return _COMPUTED


def _is_name(node: Node, name: str) -> bool:
    node = bare(node)
    return bool(node.type == "Identifier" and node.name == name)


def _same(one: Node, other: Node) -> bool:
    return bool(one.type == other.type == "Identifier" and one.name == other.name)


def _skips(node: Node) -> bool:
    if node.type == "BlockStatement":
        return len(node.body) == 1 and _skips(node.body[0])
    return bool(node.type == "ContinueStatement")


def _ends(node: Node) -> bool:
    last = node.body[-1] if node.type == "BlockStatement" and node.body else node
    return last.type in {"ReturnStatement", "ThrowStatement", "BreakStatement", "ContinueStatement"}
