"""Which Python files of a tree are read for the use of the contract, and what is found there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

from judge_conformance.errors import AuthorMistakeError, UnusableInputError
from judge_conformance.findings import Finding
from judge_conformance.following.rings import TooManyPathsError
from judge_conformance.paths import REGISTRY
from judge_conformance.python.contract import MODULE
from judge_conformance.python.source import Source, read
from judge_conformance.rule import Context, Place, Rule
from judge_conformance.workflows.places import told

Look = Callable[[Source], Iterator[tuple[ast.AST, str]]]

_LARGEST = 1024 * 1024  # bytes of a file that is read; what is larger was not written by hand


def findings(context: Context, rule: Rule, look: Look, hint: str) -> Iterator[Finding]:
    """Yield what a look at each file finds; its import of the contract is where it is told of."""
    for source, place in located(context):
        imports = (one for one in source.names.nodes if source.contract.imports(one))
        line = next((getattr(one, "lineno", 1) for one in imports), 1)
        yield from told(rule, _looked(source, look, place), hint, head=(source.path, line))


def _looked(
    source: Source, look: Look, place: Callable[[ast.AST], Place]
) -> Iterator[tuple[Place, str]]:
    """Yield what a look finds, and where. Raises TooManyPathsError."""
    if source.is_lost:
        raise TooManyPathsError
    for node, message in look(source):
        yield place(node), message


def located(context: Context) -> Iterator[tuple[Source, Callable[[ast.AST], Place]]]:
    """Yield each file as it is read, and what tells the place of one of its nodes."""
    for path in sorted(_paths(context)):
        try:
            data = context.tree.read(path)
        except UnusableInputError:
            continue
        source = read(path, data) if len(data) <= _LARGEST else None
        if source is not None:
            lines = data.decode("utf-8", "replace").splitlines()
            yield source, partial(_place, path, lines)


def _paths(context: Context) -> Iterator[str]:
    """Yield files that name the copy which their plugin holds, and those of the registry."""
    artifacts, copies = context.catalog.artifacts, context.survey.copies
    seen = set[str]()
    for copy in copies.values():
        if artifacts[copy.artifact].name != f"{MODULE}.py" or copy.entry is None:
            continue
        plugin = context.plugins.of(copy.path)
        root = plugin.path if plugin else ""
        if root in seen:
            continue
        seen.add(root)
        for path in context.tree.paths_under(root):
            if not path.endswith(".py") or context.tree.entries[path].kind != "file":
                continue
            if not context.survey.carries(path) and not context.config.excludes(path):
                yield from [path] if context.tree.holds(path, MODULE.encode()) else []
    yield from (path for path in _registered(context) if not context.survey.carries(path))


def _registered(context: Context) -> Iterator[str]:
    """Yield the Python files that `judges.toml` names."""
    entries = context.tree.entries
    if REGISTRY not in entries:
        return
    from judge_conformance.judges import parse_registry  # noqa: PLC0415 - late: few have one

    try:
        rows = parse_registry(context.tree.read(REGISTRY))
    except (AuthorMistakeError, UnusableInputError):
        return  # JC-REGISTRY and the command say so
    for row in rows:
        for where in row.where:
            path = where.partition(":")[0]
            if path.endswith(".py") and path in entries and entries[path].kind == "file":
                yield path


def _place(path: str, lines: list[str], node: ast.AST) -> Place:
    """Return a node's range, in characters from 1; ast counts bytes."""
    line, start = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end_line = getattr(node, "end_lineno", None) or line
    end = getattr(node, "end_col_offset", None) or start
    if isinstance(node, ast.ExceptHandler):  # its head alone
        end_line, end = line, start + len("except")
    first, last = _characters(lines, line, start), _characters(lines, end_line, end)
    return path, line, first, end_line, last


def _characters(lines: list[str], line: int, offset: int) -> int:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return len(text.encode()[:offset].decode("utf-8", "ignore")) + 1
