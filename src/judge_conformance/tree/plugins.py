"""Where the plugins of a tree are: its marketplace, their manifests, or `plugins/*`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from judge_conformance.paths import MANIFEST, MARKETPLACE
from judge_conformance.tree.base import Tree
from judge_conformance.tree.manifests import ManifestError, Node, read_manifest

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|git@")
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A plugin's stated version: the text, its manifest and line, and where its bytes stand there.

    `span` holds the JSON string with its quotes: start and end offset in the file's bytes.
    """

    text: str
    path: str
    line: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """One plugin root: its folder (`""`: the root itself), its name, and its stated version.

    The name is that of its first entry in the marketplace, else its manifest's, else its
    folder's; `names` has all that stand for it.
    """

    name: str
    path: str
    names: tuple[str, ...] = ()
    stated: Version | None = None

    @property
    def version(self) -> str | None:
        """The version as its manifest, else its entry, states it."""
        return self.stated.text if self.stated else None

    @property
    def version_path(self) -> str | None:
        """The manifest that states the version."""
        return self.stated.path if self.stated else None

    def holds(self, path: str) -> bool:
        """Whether a path lies below this plugin."""
        return not self.path or path.startswith(self.path + "/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A manifest, or a source in one, that cannot be followed."""

    path: str
    message: str
    line: int = 1


@dataclass(frozen=True, kw_only=True)
class Plugins:
    """All plugin roots by path, how many entries live elsewhere, and what was off."""

    found: tuple[Plugin, ...]
    skipped: int = 0
    problems: tuple[Problem, ...] = ()

    @cached_property
    def by_path(self) -> Mapping[str, Plugin]:
        """Plugins by their folder."""
        return {plugin.path: plugin for plugin in self.found}

    def of(self, path: str) -> Plugin | None:
        """Return the innermost plugin that holds the path."""
        while path:
            path = path.rpartition("/")[0]
            if plugin := self.by_path.get(path):
                return plugin
        return None


def find_plugins(tree: Tree) -> Plugins:
    """Find every plugin root of the tree, each once, sorted by path."""
    search = _Search(tree=tree)
    if MARKETPLACE in tree.entries or tree.link_on_the_way(MARKETPLACE):
        search.read_marketplace()
    for path in tree.paths:
        if path == MANIFEST or path.endswith("/" + MANIFEST):
            search.read_plugin(path)
    if not search.found:
        for path in tree.paths_under("plugins"):
            if path.count("/") > 1:
                search.add("/".join(path.split("/")[:2]))
    search.compare_names()
    return Plugins(
        found=tuple(plugin for _, plugin in sorted(search.found.items())),
        skipped=search.skipped,
        problems=tuple(search.problems),
    )


@dataclass(slots=True, kw_only=True)
class _Search:
    tree: Tree
    found: dict[str, Plugin] = field(default_factory=dict)
    skipped: int = 0
    problems: list[Problem] = field(default_factory=list)

    def read_marketplace(self) -> None:
        market = self.read(MARKETPLACE)
        if market is None:
            return
        members = market.members()
        rows = members.get("plugins")
        if rows is None or not isinstance(rows.value, list):
            self.note(MARKETPLACE, "holds no list of plugins", rows or market)
            return
        metadata = market.value.get("metadata")
        base = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
        for row in rows.items():
            self.read_entry(row, base if isinstance(base, str) else None)

    def read_entry(self, row: Node, base: str | None) -> None:
        """Follow one entry of the marketplace to a folder of the tree."""
        members = row.members()
        name, source = members.get("name"), members.get("source")
        if name is None or not isinstance(name.value, str) or not name.value:
            self.note(MARKETPLACE, "an entry without a name", row)
        elif source is None or not isinstance(source.value, str | dict):
            self.note(MARKETPLACE, f"{name.value!r} states no source", row)
        elif isinstance(source.value, dict) or _REMOTE.match(source.value):
            self.skipped += 1
        else:
            self.follow(name.value, source, base, _version(MARKETPLACE, members.get("version")))

    def follow(self, name: str, source: Node, base: str | None, stated: Version | None) -> None:
        bare = not source.value.startswith((".", "/"))
        path = posixpath.normpath(
            posixpath.join(base or "", source.value) if bare else source.value
        )
        path = "" if path == "." else path
        if story := self.obstacle(path):
            if bare and base is None:
                self.skipped += 1  # `owner/repository`, or what else a newer format may mean
                return
            self.note(MARKETPLACE, f"the source {source.value!r} of {name!r} {story}", source)
            return
        self.add(path, name=name, stated=stated)

    def obstacle(self, path: str) -> str | None:
        """Say why a source leads to no folder of the tree."""
        if path.startswith(("/", "../")) or path == ".." or _DRIVE.match(path):
            return "leaves the root, so it is not followed"
        if not path or self.tree.paths_under(path):
            return None
        inside = path + "/x"
        if link := self.tree.link_on_the_way(inside):
            return f"goes through the link {link!r}, so it is not followed"
        if other := self.tree.repository_on_the_way(inside):
            return f"lies in another repository, {other!r}, which is not looked into"
        return "leads to no folder that holds a file"

    def read_plugin(self, path: str) -> None:
        """Add the plugin of a manifest, or what the manifest says of a plugin that was found."""
        manifest = self.read(path)
        members = manifest.members() if manifest else {}
        name, version = members.get("name"), members.get("version")
        if version is not None and not isinstance(version.value, str):
            self.note(path, "the version is no string", version)
        named = name is not None and isinstance(name.value, str) and name.value
        folder = path.removesuffix(MANIFEST).rstrip("/")
        self.add(folder, name=name.value if name and named else None)
        if stated := _version(path, version):
            self.found[folder] = replace(self.found[folder], stated=stated)

    def add(self, path: str, *, name: str | None = None, stated: Version | None = None) -> None:
        """Add a plugin, or a further name of one that was found; what came first stands."""
        known = self.found.get(path)
        if known is None:
            name = name or posixpath.basename(path) or self.tree.root.resolve().name
            self.found[path] = Plugin(name=name, path=path, names=(name,), stated=stated)
        elif name and name not in known.names:
            self.found[path] = replace(known, names=(*known.names, name))

    def compare_names(self) -> None:
        """Note each name that stands for more than one folder."""
        first: dict[str, str] = {}
        for path, plugin in self.found.items():
            other = first.setdefault(plugin.name, path)
            if other != path:
                where = posixpath.join(path, MANIFEST)
                place = where if where in self.tree.entries else MARKETPLACE
                message = f"the name {plugin.name!r} stands for {other!r} and for {path!r}"
                self.problems.append(Problem(path=place, message=message))

    def read(self, path: str) -> Node | None:
        try:
            return read_manifest(self.tree, path)
        except ManifestError as error:
            self.problems.append(Problem(path=path, message=error.message, line=error.line))
            return None

    def note(self, path: str, message: str, at: Node) -> None:
        self.problems.append(Problem(path=path, message=message, line=at.line))


def _version(path: str, node: Node | None) -> Version | None:
    if node is None or not isinstance(node.value, str):
        return None
    return Version(text=node.value, path=path, line=node.line, span=node.span)
