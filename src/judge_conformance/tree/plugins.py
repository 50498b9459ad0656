"""Where the plugins of a tree are: its marketplace, their manifests, or `plugins/*`."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judge_conformance.errors import UnusableInputError
from judge_conformance.tree.base import Tree

MARKETPLACE = ".claude-plugin/marketplace.json"
MANIFEST = ".claude-plugin/plugin.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """One plugin root: its name, its folder (`""`: the root itself) and its stated version.

    `version_path` is the manifest that states the version, where one does.
    """

    name: str
    path: str
    version: str | None = None
    version_path: str | None = None

    def holds(self, path: str) -> bool:
        """Whether a path lies below this plugin."""
        return not self.path or path.startswith(self.path + "/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A manifest, or a source in one, that cannot be followed."""

    path: str
    message: str
    line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """All plugin roots by path, how many entries live elsewhere, and what was off."""

    found: tuple[Plugin, ...]
    skipped: int = 0
    problems: tuple[Problem, ...] = ()

    def of(self, path: str) -> Plugin | None:
        """Return the innermost plugin that holds the path."""
        holders = (plugin for plugin in self.found if plugin.holds(path))
        return max(holders, key=lambda plugin: len(plugin.path), default=None)


def find_plugins(tree: Tree) -> Plugins:
    """Find every plugin root of the tree, each once, sorted by path."""
    roots: dict[str, Plugin] = {}
    problems: list[Problem] = []
    skipped = 0
    if MARKETPLACE in tree.entries:
        market = _read(tree, MARKETPLACE, problems)
        for name, source, version in _entries(market, problems):
            if not isinstance(source, str):
                skipped += 1
                continue
            path = _local(source, market)
            if path is None or tree.link_on_the_way(posixpath.join(path, "x")):
                message = f"the source {source!r} of {name!r} leaves the root; it is not followed"
                problems.append(Problem(path=MARKETPLACE, message=message))
            elif path not in roots:
                stated = MARKETPLACE if version else None
                plugin = Plugin(name=name, path=path, version=version, version_path=stated)
                roots[path] = _with_manifest(tree, plugin, problems)
    for path in tree.entries:
        if path == MANIFEST or path.endswith("/" + MANIFEST):
            folder = path.removesuffix(MANIFEST).rstrip("/")
            if folder not in roots:
                plugin = Plugin(name=posixpath.basename(folder) or tree.root.name, path=folder)
                roots[folder] = _with_manifest(tree, plugin, problems)
    if not roots:
        names = {
            entry.path.split("/")[1] for entry in tree.under("plugins") if entry.path.count("/") > 1
        }
        roots = {f"plugins/{name}": Plugin(name=name, path=f"plugins/{name}") for name in names}
    found = tuple(sorted(roots.values(), key=lambda plugin: plugin.path))
    return Plugins(found=found, skipped=skipped, problems=tuple(problems))


def _entries(market: Any, problems: list[Problem]) -> Iterator[tuple[str, Any, str | None]]:  # noqa: ANN401 - JSON
    rows = market.get("plugins") if isinstance(market, dict) else None
    if not isinstance(rows, list):
        if market is not None:
            problems.append(Problem(path=MARKETPLACE, message="holds no list of plugins"))
        return
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("name"), str):
            version = row.get("version")
            yield row["name"], row.get("source"), version if isinstance(version, str) else None
        else:
            problems.append(Problem(path=MARKETPLACE, message="an entry without a name"))


def _local(source: str, market: dict[str, Any]) -> str | None:
    """Return the folder of a local source, normal and inside the root; None when outside."""
    metadata = market.get("metadata")
    base = metadata.get("pluginRoot", "") if isinstance(metadata, dict) else ""
    if not source.startswith("./") and isinstance(base, str):
        source = posixpath.join(base, source)
    path = posixpath.normpath(source)
    if (
        path.startswith(("/", "../"))
        or path == ".."
        or "\0" in path
        or re.match(r"[A-Za-z]:", path)
    ):
        return None
    return "" if path == "." else path


def _with_manifest(tree: Tree, plugin: Plugin, problems: list[Problem]) -> Plugin:
    path = posixpath.join(plugin.path, MANIFEST)
    if path not in tree.entries:
        return plugin
    manifest = _read(tree, path, problems)
    if not isinstance(manifest, dict):
        return plugin
    name, version = manifest.get("name"), manifest.get("version")
    states = isinstance(version, str)
    return Plugin(
        name=name if isinstance(name, str) and name else plugin.name,
        path=plugin.path,
        version=version if isinstance(version, str) else plugin.version,
        version_path=path if states else plugin.version_path,
    )


def _read(tree: Tree, path: str, problems: list[Problem]) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(tree.read(path).decode("utf-8-sig"))
    except UnusableInputError as error:
        problems.append(Problem(path=path, message=error.message))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        problems.append(Problem(path=path, line=line, message=f"not JSON: {error}"))
    return None
