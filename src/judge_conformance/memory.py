"""What an earlier check found clean and nobody has written since, so that it is not read again.

A plugin in which no rule found anything is remembered by one digest of all that could change this:
the tool, the config, the rows of the lock below the plugin, its names, and where and when each of
its files was written on the disk (of the index: git's ids of their bytes). The digest holds or the
plugin is looked at like any other; what was found is never remembered, only that nothing was.

The memory lies in git's own folder, where no commit can bring a file. It is a list of digests with
its own checksum: when it is cut short, edited, somebody else's or gone, everything is looked at. It
is written beside and moved into place; of several runs at once the last one's stays. A run whose
memory cannot be read or written says the same, and takes longer.

What it cannot see is a file changed to the same size with both its times put back, which takes a
clock set back. Where a file's second time does not say when it was changed (Windows), nothing is
remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from operator import index, itemgetter
from pathlib import Path

from judge_conformance.catalog import Catalog
from judge_conformance.config import Config
from judge_conformance.copies import Survey
from judge_conformance.findings import Report
from judge_conformance.lock import Lock
from judge_conformance.paths import CONFIG, REGISTRY
from judge_conformance.tree import Plugins, Tree
from judge_conformance.tree.base import below, read_regular

_FOLDER = "judge-contract"
_PACKAGE = Path(__file__).parent
_PATH = itemgetter(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clean:
    """A plugin without a finding: the paths that carry a copy, and how many of them are scripts."""

    copies: tuple[str, ...]
    scripts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is known of the plugins of one tree.

    `keys` are the digests by plugin root, of plugins that may be remembered; `clean` are those
    whose digest is known from an earlier run.
    """

    file: Path
    keys: Mapping[str, str] = field(default_factory=dict)
    clean: Mapping[str, Clean] = field(default_factory=dict)


def recall(
    tree: Tree, catalog: Catalog, config: Config, lock: Lock | None, plugins: Plugins
) -> Memory | None:
    """Read what is remembered of a tree; None where nothing can be.

    That is outside of git, before a lock, beside a registry, whose rule looks for judges in all
    plugins, on Windows, and where our own sources are no files whose edits would be seen.
    """
    tool = _tool(catalog)
    if tree.private is None or lock is None or REGISTRY in tree.entries or tool is None:
        return None
    place = hashlib.sha256(f"{tree.source}:{tree.uri_prefix}".encode("utf-8", "surrogateescape"))
    file = tree.private / _FOLDER / f"clean-{place.hexdigest()[:16]}"
    about = [tool, tree.source, str(tree.setting(CONFIG))]
    rows, names = _rows(config, lock), [(one.path, one.names) for one in plugins.found]
    keys: dict[str, str] = {}
    for plugin in plugins.found:
        kin = [plugin.names, *below(names, plugin.path, _PATH), *_around(plugins, plugin.path)]
        told = _told(tree, plugin.path, kin, below(rows, plugin.path, _PATH))
        if told is not None:
            whole = repr([about, lock.release, told])
            keys[plugin.path] = hashlib.sha256(whole.encode()).hexdigest()
    known = _read(file)
    clean = {path: known[key] for path, key in keys.items() if key in known}
    return Memory(file=file, keys=keys, clean=clean)


def remember(memory: Memory, survey: Survey, plugins: Plugins, report: Report) -> None:
    """Write down which plugins of a whole report, of all rules, are without a finding."""
    found = {finding.location.path for finding in report.all_findings}
    unclean = {root for path in found for root in _around(plugins, path)}
    copies: dict[str, list[str]] = {path: [] for path in memory.keys}
    for path in survey.copies:
        owner = plugins.of(path)
        if owner is not None and owner.path in copies:
            copies[owner.path].append(path)
    now = {
        key: memory.clean.get(path)
        or Clean(
            copies=tuple(copies[path]),
            scripts=sum(copy in survey.scripts or copy in survey.quiet for copy in copies[path]),
        )
        for path, key in memory.keys.items()
        if path not in unclean
    }
    if now.keys() != {memory.keys[path] for path in memory.clean}:
        _write(memory.file, now)


def _told(
    tree: Tree, root: str, kin: Sequence[object], rows: Sequence[tuple[str, str, str]]
) -> list[object] | None:
    """Return all that could change what is found in one plugin; None when that is not known.

    A pin is held to its hash beside the lock, and what is asked for may be absent or ignored.
    """
    for path, role, _ in rows:
        if role == "pinned" or (role != "retired" and path not in tree.entries):
            return None
    seal = tree.seal(root)
    return None if seal is None else [root, kin, rows, seal]


def _rows(config: Config, lock: Lock) -> list[tuple[str, str, str]]:
    """Return what lock and config say of paths, sorted: path, role, and what is said."""
    return sorted(
        [
            *((row.path, "required", "") for row in config.required),
            *((path, "adopted", name) for path, name in lock.copies.items()),
            *((pin.path, "pinned", pin.artifact) for pin in lock.pins),
            *((row.path, "retired", row.why) for row in lock.retired),
        ]
    )


def _around(plugins: Plugins, path: str) -> Iterator[str]:
    """Yield the roots of the plugins that a path lies in, the nearest first."""
    while path and (plugin := plugins.of(path)):
        path = plugin.path
        yield path


def _tool(catalog: Catalog) -> str | None:
    """Return a digest of what judges: our sources, the catalog, Python, and the libraries.

    None in a zip, which has no files, and on Windows.
    """
    files = sorted(_PACKAGE.rglob("*.py"))
    if _PACKAGE / "memory.py" not in files or os.name != "posix":
        return None
    digest = hashlib.sha256(f"{sys.version} {_installed('pathspec')}".encode())
    digest.update(catalog.folder.joinpath("catalog.toml").read_bytes())
    for file in files:
        digest.update(str(file).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _installed(name: str) -> str:
    """Return where a library lies and since when, without importing it."""
    found = find_spec(name)
    if found is None or found.origin is None:
        return ""
    return f"{found.origin} {Path(found.origin).stat().st_ctime_ns}"


def _read(file: Path) -> Mapping[str, Clean]:
    """Return what a memory holds: nothing of one that is not whole, or that another user wrote."""
    try:
        if file.lstat().st_uid != os.geteuid():
            return {}
        checksum, _, body = read_regular(str(file)).partition(b"\n")
        if checksum.decode() != hashlib.sha256(body).hexdigest():
            return {}
        rows = json.loads(body)
        return {
            key: Clean(copies=tuple(map(os.fspath, copies)), scripts=index(scripts))
            for key, (copies, scripts) in rows.items()
        }
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _write(file: Path, rows: Mapping[str, Clean]) -> None:
    """Write a memory whole; where that fails there is none, and nothing is lost."""
    body = json.dumps({key: [row.copies, row.scripts] for key, row in rows.items()}).encode()
    aside = file.with_name(f"{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        try:
            aside.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            aside.replace(file)
        except OSError:
            aside.unlink()
            raise
