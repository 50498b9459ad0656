"""Where a Python source can be sabotaged: its syntax tree, from given functions down."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.sabotage.mutants import Edit, Site
from judge_conformance.sabotage.python_operators import OPERATORS, Text, is_prose

PROSE = frozenset({"help", "description", "epilog", "metavar", "usage"})
"""Keywords whose values are read by people only."""


def sites(source: str, *, roots: Sequence[str], spared: Sequence[str] = ()) -> Iterator[Site]:
    """Yield every site of the top-level statements that the roots lead to by name.

    `spared` names are not followed: a self-test is not sabotaged, it is what notices. Imports, the
    version guard and the `__main__` line are no sites. Raises BrokenInstrumentError for a root
    that the source does not have.
    """
    text = Text.of(source)
    body = ast.parse(source).body
    for index in reached(body, roots=roots, spared=spared):
        statement = body[index]
        scope = text.span(statement)
        for node in _nodes(statement):
            for operator in OPERATORS:
                for edits in operator(node, text):
                    yield Site(
                        function=names_defined(statement)[0],
                        scope=scope,
                        operator=operator.__name__.replace("_", "-"),
                        edits=edits,
                    )


def reached(
    body: Sequence[ast.stmt], *, roots: Sequence[str], spared: Sequence[str] = ()
) -> list[int]:
    """Return the indexes of the statements that define the roots or what these use, in order."""
    defined: dict[str, list[int]] = {}
    for index, statement in enumerate(body):
        for name in names_defined(statement):
            defined.setdefault(name, []).append(index)
    if missing := [name for name in roots if name not in defined]:
        raise BrokenInstrumentError(f"the source has no {', '.join(missing)}")
    pending, seen = list(roots), set(spared)
    found: set[int] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for index in defined.get(name, ()):
            found.add(index)
            pending += [node.id for node in ast.walk(body[index]) if isinstance(node, ast.Name)]
    return sorted(found)


def names_defined(statement: ast.stmt) -> list[str]:
    """Return the names that a top-level statement defines; an import defines none of its own."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    names = (node for target in targets for node in ast.walk(target))
    return [node.id for node in names if isinstance(node, ast.Name)]


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a statement in source order, past what is prose or a declaration."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        if isinstance(node, ast.JoinedStr | ast.FormattedValue):
            continue
        children = value if isinstance(value, list) else [value]
        if name == "body" and is_prose(children[:1]):
            children = children[1:]
        for child in children:
            prose = isinstance(child, ast.keyword) and child.arg in PROSE
            if isinstance(child, ast.AST) and not prose:
                yield from _nodes(child)


def forced(source: str, roots: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that make root functions and methods raise, and root constants None."""
    text = Text.of(source)
    edits = []
    for statement in ast.parse(source).body:
        if not set(names_defined(statement)) & set(roots):
            continue
        within = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        for function in within:
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                first = function.body[0]
                start = text.span(first)[0]
                edits.append(Edit(start=start, end=start, text=_raising(first, function)))
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            edits.extend(text.replaced(statement.value, "None"))
    return tuple(edits)


def _raising(first: ast.stmt, function: ast.stmt) -> str:
    end = "; " if first.lineno == function.lineno else "\n" + " " * first.col_offset
    return f'raise SystemError("forced"){end}'
