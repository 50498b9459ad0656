"""What a change does to the files that run the check, and to who owns them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judge_conformance.errors import UnusableInputError
from judge_conformance.paths import CONFIG, LOCK
from judge_conformance.tree import Tree

HOOKS = ".pre-commit-config.yaml"

_GITHUB = ".github"
_OWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # GitHub reads the first
_NAME = b"judge-contract"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEdit:
    """One loosening: the file that does it, the line where it stands (None: it is gone), words."""

    path: str
    line: int | None
    message: str


def file_edits(after: Tree, before: Tree, prefix: str) -> Iterator[GateEdit]:
    """Yield edits of workflows and actions, of the pre-commit hook, and of owners.

    The trees are those of git's top; `prefix` leads from there to the config (`""` or `sub/`).
    """
    yield from _workflow_edits(after, before)
    yield from _hook_edits(after, before)
    yield from _owner_edits(after, before, prefix)


def _workflow_edits(after: Tree, before: Tree) -> Iterator[GateEdit]:
    gates = _gates(before)
    for path, old in gates.items():
        new = _read(after, path)
        if new is None:
            yield GateEdit(path=path, line=None, message="what runs the check is gone")
        elif new != old:
            yield GateEdit(path=path, line=1, message="what runs the check is edited")
    for path in _gates(after).keys() - gates.keys():
        if gates and _read(before, path) is None:
            message = "a further workflow names judge-contract: its job can stand in for the check"
            yield GateEdit(path=path, line=1, message=message)


def _gates(tree: Tree) -> dict[str, bytes]:
    """Return the workflows and local actions that name the tool, by path."""
    paths = [entry.path for entry in tree.under(_GITHUB) if entry.kind == "file"]
    read = {path: _read(tree, path) for path in paths if path.endswith((".yml", ".yaml"))}
    return {path: data for path, data in read.items() if data is not None and _NAME in data}


def _hook_edits(after: Tree, before: Tree) -> Iterator[GateEdit]:
    old, new = _read(before, HOOKS), _read(after, HOOKS)
    if old is None or _NAME not in old or old == new:
        return
    if new is None or _NAME not in new:
        yield GateEdit(path=HOOKS, line=None, message="the hook that runs the check is gone")
        return
    was, now = _hook(old), _hook(new)
    if was is None or now is None or was != now:
        at = new.count(b"\n", 0, new.index(_NAME)) + 1
        message = "the hook that runs the check, or what holds for every hook, is edited"
        yield GateEdit(path=HOOKS, line=at, message=message)


def _hook(data: bytes) -> dict[str, Any] | None:
    """Return a pre-commit config without other repositories; None for what is not YAML."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - only a changed file has to pay for it
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        config = YAML(typ="safe", pure=True).load(data)
        rows = config["repos"]
        ours = [row for row in rows if _NAME.decode() in str(row)]
    except (YAMLError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return {**config, "repos": ours}


def _owner_edits(after: Tree, before: Tree, prefix: str) -> Iterator[GateEdit]:
    gates = [prefix + CONFIG, prefix + LOCK, HOOKS, *_OWNERS, *_gates(before)]
    for path in gates:
        file, was = _owner(before, path)
        where, now = _owner(after, path)
        if was and was != now:
            lost = f"{path} was owned by {' '.join(was)}, and now by {' '.join(now) or 'nobody'}"
            yield GateEdit(path=where or file, line=None, message=lost)


def _owner(tree: Tree, path: str) -> tuple[str, list[str]]:
    """Return the file that speaks, and who owns a path by the last line of it that matches."""
    file = next((name for name in _OWNERS if name in tree.entries), "")
    data = (_read(tree, file) or b"").decode("utf-8", "replace") if file else ""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - late: only owners are patterns

    for line in reversed(data.splitlines()):
        pattern, *owners = line.split("#", 1)[0].split() or [""]
        try:
            if pattern and GitIgnoreSpec.from_lines([pattern]).match_file(path):
                return file, owners
        except ValueError:
            continue
    return file, []


def _read(tree: Tree, path: str) -> bytes | None:
    try:
        return tree.read(path) if path in tree.entries else None
    except UnusableInputError:
        return None
