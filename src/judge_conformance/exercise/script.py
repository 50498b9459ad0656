"""What the text of a Workflow script says of itself: its agent() sites, labels and conditions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from judge_conformance.exercise.session import Site
from judge_conformance.workflows import parse

_LONGEST = 70  # characters of a condition that is quoted
_LEAST_LITERAL = 3  # characters that make a pattern telling beyond its own call

Node = Any  # of esprima, which has no types
Parts = tuple[str | None, ...]  # literal text, and None for what is computed


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPattern:
    """A label as it is written: literal parts, and None where something is computed."""

    parts: Parts

    @property
    def shown(self) -> str:
        """Return it as people read it: `verify:*`."""
        return "".join("*" if part is None else part for part in self.parts)

    @property
    def expression(self) -> str:
        """Return it as a regular expression that Python and JavaScript (`su`) read alike."""
        return _expression(self.parts)

    @property
    def weight(self) -> int:
        """Return how many characters of it are literal."""
        return sum(len(part) for part in self.parts if part is not None)

    def matches(self, label: str) -> bool:
        """Whether a label can have been written so."""
        return _compiled(self.parts).search(label) is not None


@cache
def _expression(parts: Parts) -> str:
    return f"^{''.join('.*' if part is None else _escape(part) for part in parts)}$"


@cache
def _compiled(parts: Parts) -> re.Pattern[str]:
    return re.compile(_expression(parts), re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSite:
    """One agent() call in the text: where, how its label is written, and what leads to it."""

    site: Site
    labels: tuple[LabelPattern, ...]
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A Workflow script, read once.

    `unread` says why its syntax could not be read (then the lists are empty, which costs precision,
    not soundness: the script still runs). `handed` are the calls of helpers that take a label;
    `literals` maps a property or variable to the strings
    that it is compared with, in the order of the text.
    """

    path: str
    source: str
    sites: tuple[AgentSite, ...] = ()
    handed: tuple[AgentSite, ...] = ()
    patterns: tuple[LabelPattern, ...] = ()
    literals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unread: str | None = None

    def place(self, site: Site) -> Site:
        """Return a position in whole characters, of one that counts columns as JavaScript does."""
        line, column = site
        lines = re.split(r"\r\n|[\r\n]", self.source)
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        before = text.encode("utf-16-le", "surrogatepass")[: 2 * (column - 1)]
        return line, len(before.decode("utf-16-le", "ignore")) + 1

    def label_of(self, site: Site, label: str) -> LabelPattern:
        """Return how a label seen at a site is written: there, else anywhere, else guessed."""
        own = [pattern for known in self.sites if known.site == site for pattern in known.labels]
        best = _best(label, own, least=1) or _best(label, self.patterns, least=_LEAST_LITERAL)
        return best or guessed(label)


def guessed(label: str) -> LabelPattern:
    """Take what looks computed out of a label: marks of ours, and numbers."""
    parts = re.split(r"[\w./-]*q[0-9a-z]{6}z[\w./-]*|\d+", label)
    spread: list[str | None] = []
    for part in parts:
        spread += [part, None]
    return LabelPattern(parts=_joined(spread[:-1]))


def read_script(path: str, source: str) -> Script:
    """Read a script's syntax; one that the parser cannot read is still a script."""
    try:
        parsed = parse.parse(path, source.encode())
    except parse.ScriptError as error:
        return Script(path=path, source=source, unread=f"line {error.line}: {error.message}")
    walk = _Walk(parsed)
    walk.visit()
    return Script(
        path=path,
        source=source,
        sites=tuple(walk.sites),
        handed=tuple(walk.handed),
        patterns=tuple(dict.fromkeys(walk.patterns)),
        literals={name: tuple(dict.fromkeys(found)) for name, found in walk.literals.items()},
    )


def _best(
    label: str, patterns: tuple[LabelPattern, ...] | list[LabelPattern], *, least: int
) -> LabelPattern | None:
    fitting = [p for p in patterns if p.weight >= least and p.matches(label)]
    return max(fitting, key=lambda pattern: pattern.weight, default=None)


class _Walk:
    """One pass over the tree, with the way down to each node."""

    def __init__(self, script: parse.Script) -> None:
        self._script = script
        self._arrays: dict[str, tuple[str, ...]] = {}
        self.sites: list[AgentSite] = []
        self.handed: list[AgentSite] = []
        self.patterns: list[LabelPattern] = []
        self.literals: dict[str, list[str]] = defaultdict(list)

    def visit(self) -> None:
        stack: list[tuple[Node, tuple[tuple[Node, str], ...]]]
        stack = [(node, ()) for node in reversed(self._script.body)]
        while stack:
            node, above = stack.pop()
            self._look(node, above)
            inner = [(child, (*above, (node, name))) for name, child in _children(node)]
            stack.extend(reversed(inner))

    def _look(self, node: Node, above: tuple[tuple[Node, str], ...]) -> None:
        match node.type:
            case "CallExpression":
                self._call(node, above)
            case "ObjectExpression" if above and above[-1][0].type == "CallExpression":
                self._options(node, above)
            case "VariableDeclarator" if node.init and node.init.type == "ArrayExpression":
                strings = _strings(node.init)
                if strings and node.id.type == "Identifier":
                    self._arrays[node.id.name] = strings
            case "BinaryExpression" if node.operator in {"==", "===", "!=", "!=="}:
                self._compared(node.left, node.right)
                self._compared(node.right, node.left)
            case "SwitchStatement":
                for case in node.cases:
                    if case.test:
                        self._compared(node.discriminant, case.test)
            case _:
                pass
        if node.type in {"TemplateLiteral", "Literal", "BinaryExpression"}:
            self.patterns += [p for p in _label_patterns(node) if p.weight >= _LEAST_LITERAL]

    def _call(self, node: Node, above: tuple[tuple[Node, str], ...]) -> None:
        callee = node.callee
        if callee.type == "Identifier" and callee.name == "agent":
            labels = _label_patterns(_option(node, "label"))
            where = self._conditions(above)
            self.sites.append(AgentSite(site=self._site(callee), labels=labels, conditions=where))
        elif _is_member(callee, "includes") and node.arguments:
            strings = _strings(callee.object)
            if callee.object.type == "Identifier":
                strings = self._arrays.get(callee.object.name, ())
            for name in _names(node.arguments[0]):
                self.literals[name] += strings

    def _options(self, node: Node, above: tuple[tuple[Node, str], ...]) -> None:
        """Note a label that is handed to a helper which calls agent() for others."""
        call = above[-1][0]
        named = {getattr(p.key, "name", None) for p in node.properties if hasattr(p, "key")}
        if call.callee.type != "Identifier" or call.callee.name == "agent":
            return
        label = _property(node, "label")
        if label is not None and named & {"schema", "agentType", "phase"}:
            labels = tuple(p for p in _label_patterns(label) if p.weight)
            where = self._conditions(above)
            self.handed.append(AgentSite(site=self._site(node), labels=labels, conditions=where))

    def _compared(self, one: Node, other: Node) -> None:
        if other.type == "Literal" and isinstance(other.value, str):
            for name in _names(one):
                self.literals[name].append(other.value)

    def _conditions(self, above: tuple[tuple[Node, str], ...]) -> tuple[str, ...]:
        found = []
        for node, role in reversed(above):
            match (node.type, role):
                case ("IfStatement" | "ConditionalExpression", "consequent"):
                    found.append(f"`{self._quoted(node.test)}` holds")
                case ("IfStatement" | "ConditionalExpression", "alternate"):
                    found.append(f"`{self._quoted(node.test)}` does not hold")
                case ("LogicalExpression", "right"):
                    holds = "holds" if node.operator == "&&" else "does not hold"
                    found.append(f"`{self._quoted(node.left)}` {holds}")
                case ("WhileStatement" | "ForStatement", "body") if node.test:
                    found.append(f"`{self._quoted(node.test)}` holds")
                case ("ForOfStatement", "body"):
                    found.append(f"`{self._quoted(node.right)}` is not empty")
                case ("CatchClause", "body"):
                    found.append("something in the try block throws")
                case ("FunctionDeclaration", "body") if node.id:
                    found.append(f"`{node.id.name}` is called")
                case ("CallExpression", "arguments") if _is_member(
                    node.callee, "map", "flatMap", "forEach"
                ):
                    found.append(f"`{self._quoted(node.callee.object)}` is not empty")
                case _:
                    pass
        return tuple(dict.fromkeys(found))

    def _site(self, node: Node) -> Site:
        """Return where a node begins, in columns as JavaScript counts them."""
        line, column = self._script.position(node.range[0])
        before = self._script.text[node.range[0] - column + 1 : node.range[0]]
        return line, len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1

    def _quoted(self, node: Node) -> str:
        text = " ".join(self._script.text[node.range[0] : node.range[1]].split())
        return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _children(node: Node) -> Iterator[tuple[str, Node]]:
    for name, value in vars(node).items():
        if name in {"type", "loc", "range"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if hasattr(child, "type") and hasattr(child, "range"):
                yield name, child


def _is_member(node: Node, *names: str) -> bool:
    return node.type == "MemberExpression" and not node.computed and node.property.name in names


def _names(node: Node) -> Iterator[str]:
    """Yield the names by which an expression goes: `args.mode || 'x'` is `mode`."""
    match node.type:
        case "Identifier":
            yield node.name
        case "MemberExpression" if not node.computed:
            yield node.property.name
        case "LogicalExpression" | "BinaryExpression":
            yield from _names(node.left)
            yield from _names(node.right)
        case "CallExpression" if _is_member(node.callee, "toLowerCase", "trim", "toUpperCase"):
            yield from _names(node.callee.object)
        case "ChainExpression":
            yield from _names(node.expression)
        case _:
            return


def _strings(node: Node) -> tuple[str, ...]:
    if node.type != "ArrayExpression":
        return ()
    values = [e.value for e in node.elements if e and e.type == "Literal"]
    return tuple(value for value in values if isinstance(value, str))


def _option(call: Node, name: str) -> Node | None:
    options = call.arguments[1] if len(call.arguments) > 1 else None
    if options is None or options.type != "ObjectExpression":
        return None
    return _property(options, name)


def _property(node: Node, name: str) -> Node | None:
    for prop in node.properties:
        key = getattr(prop, "key", None)
        if key is not None and name in {getattr(key, "name", 0), getattr(key, "value", 0)}:
            return prop.value
    return None


def _label_patterns(node: Node | None) -> tuple[LabelPattern, ...]:
    return () if node is None else tuple(LabelPattern(parts=_joined(p)) for p in _parts(node))


def _parts(node: Node) -> list[list[str | None]]:
    """Every way in which an expression can be spelled, as parts; branches give several."""
    match node.type:
        case "Literal":
            return [[str(node.value)]] if isinstance(node.value, str) else [[None]]
        case "TemplateLiteral":
            spread: list[str | None] = []
            for quasi in node.quasis:
                spread += [quasi.value.cooked or "", None]
            return [spread[:-1]]
        case "BinaryExpression" if node.operator == "+":
            return [[*a, *b] for a in _parts(node.left) for b in _parts(node.right)][:4]
        case "ConditionalExpression":
            return (_parts(node.consequent) + _parts(node.alternate))[:4]
        case _:
            return [[None]]


def _joined(parts: list[str | None]) -> Parts:
    joined: list[str | None] = []
    for part in parts:
        if part == "" or (part is None and joined and joined[-1] is None):
            continue
        if part is not None and joined and joined[-1] is not None:
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(joined)


def _escape(text: str) -> str:
    return re.sub(r"[\\^$.*+?()\[\]{}|/]", lambda match: "\\" + match[0], text)
