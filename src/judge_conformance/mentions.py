"""Whether anything of a plugin imports or runs a Python file: modules, Markdown, hooks, shell."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from judge_conformance.errors import UnusableInputError
from judge_conformance.paths import CONFIG, LOCK
from judge_conformance.tree import Tree

_LARGEST = 250_000  # bytes of a file that is read; what is larger was not written by hand
_CODE = re.compile(r"(`+).+?\1", re.DOTALL)  # of Markdown, inline or fenced
_COMMAND = re.compile(  # one that stands in prose without being marked as code
    r"\bpython3? \S+|\S+\.py (?=decide\b|run\b|validate\b|spot-check\b|check-rubric\b|--)"
)
_COMMENT = re.compile(r"(?<!\S)#.*")
_LISTS = ("ignore", ".gitattributes", "CODEOWNERS", LOCK, CONFIG)  # these name files, and run none


def runs_module(tree: Tree, root: str, path: str, *, besides: Callable[[str], bool]) -> bool:
    """Whether a file below `root` imports or runs the Python file at `path`.

    Counted are imports and strings of modules, code and commands of Markdown, and any text of
    other files less what follows a `#`. A file for which `besides` holds does not count: the
    copies.
    """
    stem = posixpath.basename(path).removesuffix(".py")
    name = re.compile(rf"(?<![\w-]){re.escape(stem)}(?![\w-])")
    others = (other for other in tree.paths_under(root) if not besides(other))
    return any(
        name.search(code)
        for other, data in _read(tree, others)
        if stem.encode() in data and len(data) <= _LARGEST
        for code in _code(other, data)
    )


def _read(tree: Tree, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        with suppress(UnusableInputError):  # a link, or another repository
            yield path, tree.read(path)


def _code(path: str, data: bytes) -> Iterable[str]:
    """Return what of a file is code; lists of files hold none."""
    if path.endswith(_LISTS):
        return []
    text = data.decode("latin-1")  # whatever else it is, names read the same
    if path.endswith(".py"):
        return _python(data, text)
    if path.endswith(".md"):
        return [*(match[0] for match in _CODE.finditer(text)), *_COMMAND.findall(text)]
    return _COMMENT.split(text)


def _python(data: bytes, text: str) -> Iterable[str]:
    """Return the imports of a module, and its strings but for docstrings."""
    try:
        return [*_parts(ast.parse(data))]
    except Exception:  # noqa: BLE001 - broken, or too deep in one way or another
        return [text]  # gets the benefit of the doubt


def _parts(tree: ast.Module) -> Iterator[str]:
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node)
        elif isinstance(node, ast.Constant) and id(node) not in alone:
            yield str(node.value)
