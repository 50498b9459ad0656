"""Whether anything of a plugin imports or runs a Python file: modules, Markdown, hooks, shell."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterator

from judge_conformance.errors import UnusableInputError
from judge_conformance.tree import Tree

_LARGEST = 1024 * 1024  # bytes of a file that is read; what is larger was not written by hand
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\1|\Z)", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_COMMAND = re.compile(  # one that stands in prose without being marked as code
    r"\bpython3? \S+|\S+\.py (?=decide\b|run\b|validate\b|spot-check\b|check-rubric\b|--)"
)
_COMMENT = re.compile(r"(?:^|[ \t])#.*$", re.MULTILINE)
_HASHED = (".sh", ".bash", ".zsh", ".fish", ".yml", ".yaml", ".toml", "makefile", "justfile")


def runs_module(tree: Tree, root: str, path: str, *, besides: Callable[[str], bool]) -> bool:
    """Whether a file below `root` imports or runs the Python file at `path`.

    Counted are imports and strings of modules, code and commands of Markdown, and any text of
    other files less its comments. A file for which `besides` holds does not count: the copies.
    """
    name = posixpath.basename(path)
    stem = name.removesuffix(".py").encode()
    for entry in tree.under(root):
        if besides(entry.path) or entry.kind != "file":
            continue
        try:
            data = tree.read(entry.path)
        except UnusableInputError:
            continue
        if stem in data and len(data) <= _LARGEST and b"\0" not in data:
            text = data.decode("utf-8", "replace")
            if any(_names(code, name) for code in _code(entry.path, text)):
                return True
    return False


def _names(code: str, name: str) -> bool:
    stem = re.escape(name.removesuffix(".py"))
    return re.search(rf"(?<![\w-]){stem}(?:\.py)?(?![\w-])", code) is not None


def _code(path: str, text: str) -> Iterator[str]:
    """Yield what of a file is code."""
    lower = path.lower()
    if lower.endswith(".py"):
        yield from _python(text)
    elif lower.endswith((".md", ".mdx", ".markdown")):
        yield from (match[2] for match in _FENCE.finditer(text))
        prose = _FENCE.sub("\n", text)
        yield from (match[2] for match in _INLINE.finditer(prose))
        yield from _COMMAND.findall(_INLINE.sub(" ", prose))
    elif lower.endswith(_HASHED) or text.startswith("#!"):
        yield _COMMENT.sub("", text)
    else:
        yield text


def _python(text: str) -> Iterator[str]:
    """Yield the modules that a module imports, and its strings but for docstrings."""
    try:
        tree = ast.parse(text)
    except Exception:  # noqa: BLE001 - broken, or too deep in one way or another
        yield text  # gets the benefit of the doubt
        return
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node)
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
        ):
            yield node.value
