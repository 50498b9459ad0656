"""Which files of a tree are scanned, and by what."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from judge_conformance.errors import UnusableInputError
from judge_conformance.scan import commands, javascript, python
from judge_conformance.scan.found import Advice, Judge, Named, Scan
from judge_conformance.scan.words import says_judge
from judge_conformance.tree import Plugins, Tree
from judge_conformance.workflows.parse import Script, ScriptError, parse

WORKFLOWS = ".claude/workflows"

_SCRIPTS = (".js", ".mjs", ".cjs")
_ASKS = re.compile(rb"\bagent\s*\(")
_MAY_ADVISE = re.compile(rb"\w\s*(?:(?:\?\?|\|\|)\s*true\b|!==\s*false\b)|!\w[\w.?]{0,60}\s*\|\|")
_META = re.compile(rb"export\s+const\s+meta\b")
_SKIPPED = re.compile(
    r"(?:^|/)(?:node_modules|dist|vendor|tests?|fixtures|__tests__)/|\.(?:test|spec|min)\."
)
_LARGEST = 512 * 1024  # bytes of a script that is read; larger ones are bundles of libraries


def scan_tree(tree: Tree, plugins: Plugins, read: Mapping[str, Script] | None = None) -> Scan:
    """Look through the scripts, hooks and agents of every plugin; reads only, needs no config.

    `read` are scripts that were parsed already, by path.
    """
    look = _Look(tree=tree, read=read or {})
    for path in sorted(_paths(tree, plugins)):
        look.at(path)
    return Scan(
        judges=tuple(sorted(look.judges, key=lambda judge: (judge.path, judge.line))),
        advice=tuple(sorted(look.advice, key=lambda advice: (advice.path, advice.line))),
        named=tuple(look.named),
        scripts=look.scripts,
        unread=tuple(look.unread),
    )


def _paths(tree: Tree, plugins: Plugins) -> Iterator[str]:
    seen: set[str] = set()
    for root in [*(plugin.path for plugin in plugins.found), WORKFLOWS]:
        for path in tree.paths_under(root):
            if path not in seen and not _SKIPPED.search(path.removeprefix(root)):
                seen.add(path)
                yield path


@dataclass(slots=True, kw_only=True)
class _Look:
    tree: Tree
    read: Mapping[str, Script] = field(default_factory=dict)
    judges: list[Judge] = field(default_factory=list)
    advice: list[Advice] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    scripts: int = 0

    def at(self, path: str) -> None:
        """Look at one file, by what its name says that it is."""
        name = posixpath.basename(path)
        folder = posixpath.basename(posixpath.dirname(path))
        if name.endswith(".md"):
            if folder == "agents" and says_judge(name.removesuffix(".md")):
                self.named.append(Named(path=path, name=name.removesuffix(".md")))
            return
        is_hooks = name.endswith(".json") and folder == "hooks"
        if not name.endswith((*_SCRIPTS, ".py", ".sh", ".bash")) and not is_hooks:
            return
        entry = self.tree.entries[path]
        if entry.kind != "file":
            return
        try:
            data = self.tree.read(path)
        except UnusableInputError as error:
            self.unread.append((path, error.message))
            return
        self.scripts += 1
        if len(data) > _LARGEST:
            return
        if name.endswith(_SCRIPTS):
            self.script(path, data)
        elif name.endswith(".py"):
            self.python(path, data)
        else:
            self.judges += (commands.hooks if is_hooks else commands.shell)(path, data)

    def script(self, path: str, data: bytes) -> None:
        if not (_ASKS.search(data) or _MAY_ADVISE.search(data)):
            return
        try:
            judges, advice = javascript.look(self.read.get(path) or parse(path, data))
        except ScriptError as error:
            if _META.search(data):
                self.unread.append((path, f"line {error.line}: {error.message}"))
            return
        self.judges += judges
        self.advice += advice

    def python(self, path: str, data: bytes) -> None:
        if not (python.ASKS.search(data) or python.MAY_ADVISE.search(data)):
            return
        try:
            judges, advice = python.look(path, data)
        except (SyntaxError, ValueError, RecursionError) as error:
            self.unread.append((path, f"not Python: {error}"))
            return
        self.judges += judges
        self.advice += advice
