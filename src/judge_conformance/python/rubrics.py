"""The rubrics that a Python file writes out for decide()."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any

from judge_conformance.python.source import Source


def rubrics(source: Source) -> Iterator[tuple[ast.AST, Mapping[str, Any]]]:
    """Yield each dict that a decision is given as its rubric, once, and its value as JSON has it.

    What is read from a file, or put together, is held elsewhere or not at all.
    """
    given = [_literal(source, _given(call)) for call in source.contract.calls("verdict")]
    for node in {id(node): node for node in given if node is not None}.values():
        try:
            value = json.loads(json.dumps(ast.literal_eval(node)))
        except (ValueError, TypeError):
            continue
        if isinstance(value, dict):
            yield node, value


def _given(call: ast.Call) -> ast.AST | None:
    named = {one.arg: one.value for one in call.keywords}
    return call.args[1] if len(call.args) > 1 else named.get("rubric")


def _literal(source: Source, node: ast.AST | None) -> ast.AST | None:
    """Return what the only binding of a name gives it; of anything else, itself."""
    variable = source.names.variable(node) if node is not None else None
    if variable is None or len(variable.bindings) != 1:
        return node
    [binding] = variable.bindings
    return getattr(source.names.parent(binding), "value", None)
