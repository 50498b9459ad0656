"""The state of every copy in a tree: one answer for rules, status and vendoring."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum

from judge_conformance.catalog import HEADER, Catalog
from judge_conformance.config import Config
from judge_conformance.errors import UnusableInputError
from judge_conformance.lock import Lock
from judge_conformance.sharing import shared_out
from judge_conformance.tree import Entry, Plugins, Tree
from judge_conformance.workflows.abridged import Reader
from judge_conformance.workflows.parse import (
    Marker,
    Script,
    ScriptError,
    has_marker,
    scan_markers,
)

SCRIPTS = (".js", ".mjs", ".cjs")
TYPED = (".ts", ".mts", ".cts", ".jsx", ".tsx")
WORKFLOWS = ".claude/workflows"

_KNOWN_BY_NAME = ("judge_contract.py", "judge-contract.md")
_LOOKED_AT = (*SCRIPTS, *TYPED, ".py", ".md")
_HEADER = HEADER.encode()


class State(StrEnum):
    """How a path stands to the contract."""

    CURRENT = "current"
    OTHER = "other release"
    EDITED = "edited"
    MISSING = "missing"
    IGNORED = "ignored"
    LINK = "link"
    UNREADABLE = "unreadable"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One artifact at one path.

    `declared`: the lock or the config asks for it. `data` are the bytes found (of a block: from
    its first marker to its last) and `line` where they begin; `found` is the release they are of,
    when they are unmodified. `faults` (line, message) say why a script is broken or unreadable.
    """

    path: str
    artifact: str
    declared: bool
    state: State
    data: bytes = b""
    line: int = 1
    found: str | None = None
    entry: Entry | None = None
    faults: tuple[tuple[int, str], ...] = ()

    @property
    def present(self) -> bool:
        """Whether its bytes are there, canonical or not."""
        return self.state in {State.CURRENT, State.OTHER, State.EDITED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """All copies by path (a path carries one artifact), and the scripts that carry a block.

    `passed` are the paths with a copy in plugins that an earlier run found clean and that are as
    they were: no rule has anything to say of them. `quiet` are scripts that were read elsewhere,
    of which no rule that reads scripts has anything to say.
    """

    copies: Mapping[str, Copy]
    scripts: Mapping[str, Script] = field(default_factory=dict)
    passed: frozenset[str] = frozenset()
    quiet: frozenset[str] = frozenset()

    def data(self, path: str) -> bytes:
        """Return the bytes of the copy at a path; empty where none was looked at."""
        copy = self.copies.get(path)
        return copy.data if copy else b""

    def carries(self, path: str) -> bool:
        """Whether a path carries a copy."""
        return path in self.copies or path in self.passed

    @property
    def carriers(self) -> Iterator[Script]:
        """The scripts with a live block; one without is somebody else's, or has lost it."""
        return (script for script in self.scripts.values() if script.blocks)


def survey(
    tree: Tree,
    catalog: Catalog,
    config: Config,
    lock: Lock | None,
    plugins: Plugins,
    *,
    clean: Mapping[str, Sequence[str]] | None = None,
    known: Mapping[str, Script] | None = None,
    told_of: Callable[[Survey], AbstractSet[str]] | None = None,
) -> Survey:
    """Look at every path that carries, or must carry, an artifact of the catalog.

    Plugins that are known to be `clean`, by root, are passed by; it says which copies they hold.
    Scripts that are `known`, by path, are not parsed again where their bytes are the same. Many
    are read at once where `told_of` says of which scripts of a part of them rules have to tell.
    """
    clean = clean or {}
    release = lock.release if lock else catalog.newest
    asked = _asked(catalog, config, lock)
    found = dict(_candidates(tree, catalog, config, plugins, clean))
    reader = Reader(_blocks(catalog))
    pinned = lock.pinned if lock else {}
    passed = frozenset(path for paths in clean.values() for path in paths)
    looks: dict[str, _Look] = {}
    for path in sorted(asked.keys() | found.keys()):
        if _lies_in(plugins, path, clean) or (path not in asked and config.excludes(path)):
            continue
        artifact = asked.get(path) or found[path]
        held = pinned[path].release if path in pinned else release
        looks[path] = _Look(
            path=path,
            artifact=artifact,
            tree=tree,
            catalog=catalog,
            reader=reader,
            release=held,
            declared=path in asked,
            known=(known or {}).get(path),
        )
    quiet = _quiet(looks, passed, told_of) if told_of else {}
    copies: dict[str, Copy] = {}
    scripts: dict[str, Script] = {}
    for path, look in looks.items():
        if path in quiet:
            copies[path] = quiet[path]
            continue
        copies[path], script = look.taken()
        if script is not None:
            scripts[path] = script
    return Survey(copies=copies, scripts=scripts, passed=passed, quiet=frozenset(quiet))


def _quiet(
    looks: Mapping[str, _Look],
    passed: frozenset[str],
    told_of: Callable[[Survey], AbstractSet[str]],
) -> dict[str, Copy]:
    """Return the copies in scripts of which no rule has anything to tell, looked at in forks."""

    def work(paths: Sequence[str]) -> dict[str, Copy | None]:
        taken = {path: looks[path].taken() for path in paths}
        part = Survey(
            copies={path: copy for path, (copy, _) in taken.items()},
            scripts={path: script for path, (_, script) in taken.items() if script is not None},
            passed=passed | looks.keys(),
        )
        loud = told_of(part)
        return {
            path: None if path in loud or script is None else copy
            for path, (copy, script) in taken.items()
        }

    blocks = [path for path, look in looks.items() if look.is_block]
    return {path: copy for path, copy in shared_out(blocks, work).items() if copy is not None}


def _lies_in(plugins: Plugins, path: str, roots: Container[str]) -> bool:
    """Whether the innermost plugin around a path is one of some."""
    plugin = plugins.of(path)
    return plugin is not None and plugin.path in roots


def artifact_for(catalog: Catalog, path: str) -> str | None:
    """Return which artifact a path is to carry, by its name; None when it cannot be told."""
    name = posixpath.basename(path)
    if name in catalog.artifacts and catalog.artifacts[name].kind == "file":
        return name
    if path.endswith(SCRIPTS + TYPED):
        return next(a.name for a in catalog.artifacts.values() if a.kind == "block")
    return None


def _asked(catalog: Catalog, config: Config, lock: Lock | None) -> dict[str, str]:
    asked = {
        row.path: artifact
        for row in config.required
        if (artifact := artifact_for(catalog, row.path))
    }
    if lock is not None:
        asked |= {path: name for path, name in lock.copies.items() if name in catalog.artifacts}
        asked |= {pin.path: pin.artifact for pin in lock.pins if pin.artifact in catalog.artifacts}
    return asked


def _blocks(catalog: Catalog) -> list[bytes]:
    """Return the bytes of every block of every release."""
    return [
        catalog.content(artifact.name, release)
        for artifact in catalog.artifacts.values()
        if artifact.kind == "block"
        for release in artifact.digests
    ]


def _candidates(
    tree: Tree, catalog: Catalog, config: Config, plugins: Plugins, clean: Container[str]
) -> Iterator[tuple[str, str]]:
    """Yield undeclared paths that look like a copy, with the artifact that they look like."""
    roots = [plugin.path for plugin in plugins.found if config.selects_plugin(plugin.path)]
    texts = _texts(tree, catalog)
    seen: set[str] = set()
    for root in [*roots, WORKFLOWS]:
        for path in () if root in clean else tree.paths_under(root):
            if path.endswith(_LOOKED_AT) and path not in seen:
                seen.add(path)
                if clean and _lies_in(plugins, path, clean):
                    continue
                if artifact := _resembles(tree, catalog, path, texts):
                    yield path, artifact


def _texts(tree: Tree, catalog: Catalog) -> Mapping[str, int]:
    """Return git's id and the size of each text of each release."""
    texts = (
        catalog.content(artifact.name, release)
        for artifact in catalog.artifacts.values()
        if artifact.language == "markdown"
        for release in artifact.digests
    )
    return {tree.blob_id(text): len(text) for text in texts}


def _resembles(tree: Tree, catalog: Catalog, path: str, texts: Mapping[str, int]) -> str | None:
    """Say which artifact a file looks like: by its name, its first line or marker, its bytes."""
    name = path[path.rfind("/") + 1 :]
    if name in _KNOWN_BY_NAME:
        return name if tree.entries[path].kind == "file" else None
    if path.endswith(".md") and not tree.may_hold(path, texts):
        return None
    try:
        data = tree.read(path)
    except UnusableInputError:
        return None
    if path.endswith(".md"):
        known = catalog.identify(data)
        return known[0] if known else None
    if path.endswith(".py"):
        return _by_header(data, catalog)
    return artifact_for(catalog, path) if has_marker(data) else None


def _by_header(data: bytes, catalog: Catalog) -> str | None:
    """Return the artifact that a Python file's first line names."""
    if not data.startswith(_HEADER):
        return None
    words = data[len(_HEADER) : 200].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    return words[0] if words and words[0] in catalog.artifacts else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    path: str
    artifact: str
    tree: Tree
    catalog: Catalog
    reader: Reader
    release: str
    declared: bool
    known: Script | None

    @property
    def is_block(self) -> bool:
        """Whether a script is to be parsed."""
        return self.catalog.artifacts[self.artifact].kind == "block"

    def taken(self) -> tuple[Copy, Script | None]:
        """Read what is at the path."""
        path, artifact = self.path, self.artifact
        entry = self.tree.look(path)
        if self.tree.link_on_the_way(path) or (entry and entry.kind == "link"):
            return self._copy(path, artifact, State.LINK, entry=entry), None
        if entry is None or entry.kind != "file":
            return self._copy(path, artifact, State.MISSING, entry=entry), None
        if not self.is_block:
            return self._file(path, artifact, entry), None
        return self._block(path, artifact, entry)

    def _file(self, path: str, artifact: str, entry: Entry) -> Copy:
        if entry.blob and self.catalog.has(artifact, self.release):
            canonical = self.catalog.content(artifact, self.release)
            if entry.blob == self.tree.blob_id(canonical):
                return self._copy(path, artifact, State.CURRENT, data=canonical, entry=entry)
        try:
            data = self.tree.read(path)
        except UnusableInputError as error:
            faults = ((1, error.message),)
            return self._copy(path, artifact, State.UNREADABLE, entry=entry, faults=faults)
        return self._copy(path, artifact, None, data=data, entry=entry)

    def _block(self, path: str, artifact: str, entry: Entry) -> tuple[Copy, Script | None]:
        try:
            data = self.tree.read(path)
            script = self._read(path, data)
        except UnusableInputError as error:
            faults: tuple[tuple[int, str], ...] = ((1, error.message),)
            return self._copy(path, artifact, State.UNREADABLE, entry=entry, faults=faults), None
        except ScriptError as error:
            second = [m for m in scan_markers(data) if m.kind == "start" and m.live][1:]
            if second:
                faults = ((second[0].line, "a second block begins here"),)
                return self._copy(path, artifact, State.BROKEN, entry=entry, faults=faults), None
            faults = ((error.line, error.message),)
            return self._copy(path, artifact, State.UNREADABLE, entry=entry, faults=faults), None
        if faults := (*marker_faults(script.markers, self.catalog), *nested_blocks(script)):
            return self._copy(path, artifact, State.BROKEN, entry=entry, faults=faults[:1]), script
        if not script.blocks:
            return self._copy(path, artifact, State.MISSING, entry=entry), script
        block = script.blocks[0]
        found = script.block_bytes(block)
        return self._copy(path, artifact, None, data=found, line=block.line, entry=entry), script

    def _read(self, path: str, data: bytes) -> Script:
        if self.known is not None and self.known.data == data:
            return self.known
        return self.reader.read(path, data)

    def _copy(
        self,
        path: str,
        artifact: str,
        state: State | None,
        *,
        data: bytes = b"",
        line: int = 1,
        entry: Entry | None = None,
        faults: tuple[tuple[int, str], ...] = (),
    ) -> Copy:
        known = self.catalog.identify(data) if data else None
        found = known[1] if known and known[0] == artifact else None
        if state is None:
            same = (
                self.catalog.has(artifact, self.release)
                and self.catalog.content(artifact, self.release) == data
            )
            found = self.release if same else found
            state = State.CURRENT if same else State.OTHER if found else State.EDITED
        if entry is not None and entry.ignored and not entry.tracked:
            state = State.IGNORED
        return Copy(
            path=path,
            artifact=artifact,
            declared=self.declared,
            state=state,
            data=data,
            line=line,
            found=found,
            entry=entry,
            faults=faults,
        )


def marker_faults(markers: tuple[Marker, ...], catalog: Catalog) -> Iterator[tuple[int, str]]:
    """Say what is wrong with a script's markers, in their order: (line, message)."""
    live = [marker for marker in markers if marker.live]
    dead = [marker for marker in markers if not marker.live and marker.kind == "start"]
    if not any(marker.kind == "start" for marker in live):
        where = "not at column 0, or inside a string or comment"
        for marker in (dead or markers)[:1]:
            yield marker.line, f"the marker is text here ({where}), so nothing is adopted"
        return
    opened: Marker | None = None
    closed = False
    for marker in live:
        story = _marker_fault(marker, opened=opened, closed=closed, catalog=catalog)
        if story is not None:
            yield marker.line, story
        closed = closed or (marker.kind == "end" and opened is not None)
        opened = marker if marker.kind == "start" else None
    if opened is not None:
        yield opened.line, "a start marker without an end"


def nested_blocks(script: Script) -> Iterator[tuple[int, str]]:
    """Say where a block's statements are none of the script's own: (line, message)."""
    for block in script.blocks:
        if not any(block.start <= node.range[0] < block.end for node in script.body):
            yield block.line, "the block stands inside braces, where its names end with them"


def _marker_fault(
    marker: Marker, *, opened: Marker | None, closed: bool, catalog: Catalog
) -> str | None:
    if marker.kind == "end":
        return None if opened else "an end marker without a start"
    if opened:
        return "a block begins inside another, or the first lost its end marker"
    if closed:
        return "a second block begins here"
    if marker.version not in catalog.versions:
        return f"no release knows the marker word {marker.version!r}"
    return None
