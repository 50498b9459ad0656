"""Judges in Python scripts: files that ask a model and go by a field of its answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from judge_conformance.scan.found import Advice, Judge
from judge_conformance.scan.schema import fields_of
from judge_conformance.scan.words import says_verdict

ASKS = re.compile(
    rb"\b(?:messages|completions|responses)\.(?:create|parse)\b|claude_agent_sdk|/v1/messages"
    rb"|[\"']claude[\"'],\s*[\"'](?:-p|--print)[\"']"
)
"""What asks a model: a client's call, the agent SDK, the endpoint, or the command line."""

_PARSES = re.compile(rb"json\.loads|model_validate_json|structured_output")
"""What makes an answer's text a value; without it, keys are read from something else."""

MAY_ADVISE = re.compile(rb"\.get\([^()\n]*,\s*True\)|getattr\([^()\n]*,\s*True\)")


def look(path: str, data: bytes) -> tuple[list[Judge], list[Advice]]:
    """Return the judges of a file and the defaults in it that look fail-open.

    Raises SyntaxError or ValueError for what Python cannot read.
    """
    tree = ast.parse(data)
    read = frozenset(name for place in _conditions(tree) for name in _keys_read(place))
    judges: list[Judge] = []
    if ASKS.search(data):
        judges = list(_by_schema(path, tree, read)) or list(_by_key(path, tree, read, data))
    return judges, list(_advice(path, tree, data))


def _by_schema(path: str, tree: ast.AST, read: frozenset[str]) -> Iterator[Judge]:
    """Yield a judge for each schema written out whose fields a condition reads."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Dict) or not {"type", "properties"} <= _keys(node).keys():
            continue
        if _is_inner(tree, node):
            continue
        fields = {f.name: f for f in fields_of(_value(node)) if f.may_decide and f.name in read}
        if fields:
            yield Judge(
                path=path,
                line=node.lineno,
                column=node.col_offset + 1,
                language="python",
                decides=tuple(f.told for f in fields.values()),
                steers=not any(f.says_verdict for f in fields.values()),
            )


def _by_key(path: str, tree: ast.AST, read: frozenset[str], data: bytes) -> Iterator[Judge]:
    """Yield the first place that asks, where a condition reads a key that says a verdict."""
    written = {
        name for node in ast.walk(tree) if isinstance(node, ast.Dict) for name in _keys(node)
    }
    verdicts = sorted(name for name in read - written if says_verdict(name))
    asked = ASKS.search(data)
    if verdicts and asked and _PARSES.search(data):
        line = data.count(b"\n", 0, asked.start()) + 1
        yield Judge(path=path, line=line, language="python", decides=tuple(verdicts))


def _is_inner(tree: ast.AST, schema: ast.Dict) -> bool:
    return any(
        isinstance(node, ast.Dict)
        and node is not schema
        and {"type", "properties"} <= _keys(node).keys()
        and any(inner is schema for inner in ast.walk(node))
        for node in ast.walk(tree)
    )


def _advice(path: str, tree: ast.AST, data: bytes) -> Iterator[Advice]:
    """Yield `.get("confirmed", True)` and the like."""
    lines = data.decode("utf-8", "replace").splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or len(node.args) not in {2, 3}:
            continue
        function, default = node.func, node.args[-1]
        is_get = isinstance(function, ast.Attribute) and function.attr == "get"
        is_getattr = isinstance(function, ast.Name) and function.id == "getattr"
        name = node.args[-2]
        if not (is_get or is_getattr) or not isinstance(name, ast.Constant):
            continue
        is_open = isinstance(default, ast.Constant) and default.value is True
        if is_open and isinstance(name.value, str) and says_verdict(name.value):
            code = lines[node.lineno - 1].strip()[:60]
            why = f"a missing {name.value} counts as true"
            yield Advice(path=path, line=node.lineno, code=code, why=why)


def _conditions(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        match node:
            case ast.If() | ast.IfExp() | ast.While() | ast.Assert():
                yield node.test
            case ast.comprehension():
                yield from node.ifs
            case ast.BoolOp() | ast.Compare():
                yield node
            case ast.UnaryOp(op=ast.Not()):
                yield node.operand
            case ast.Match():
                yield node.subject
            case ast.Call(func=ast.Name(id="sorted" | "max" | "min" | "filter")):
                yield from (k.value for k in node.keywords if k.arg == "key")


def _keys_read(place: ast.AST) -> Iterator[str]:
    for node in ast.walk(place):
        match node:
            case ast.Subscript(slice=ast.Constant(value=str(name))):
                yield name
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
                yield name


def _keys(node: ast.Dict) -> dict[str, ast.expr]:
    return {
        key.value: value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _value(node: ast.AST) -> object:
    """Return what an expression spells out; None where it cannot be told."""
    match node:
        case ast.Constant():
            return node.value
        case ast.List() | ast.Tuple():
            return [_value(item) for item in node.elts]
        case ast.Dict():
            return {key: _value(value) for key, value in _keys(node).items()}
    return None
