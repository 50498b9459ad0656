"""`judge-contract scan`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import click

from judge_conformance.cli._formats import format_option
from judge_conformance.cli._repository import emit
from judge_conformance.cli.app import PROGRAM
from judge_conformance.errors import GO, NothingToCheckError
from judge_conformance.output import encodable, printable
from judge_conformance.output.text import counted
from judge_conformance.scan.found import Advice, Judge, Named, Scan
from judge_conformance.scan.tree import scan_tree
from judge_conformance.shell import shell_path
from judge_conformance.tree import Plugin, Plugins, find_plugins, find_root, open_tree

VERSION = 1


@click.command(epilog="Exits: 0 looked, whatever was found; 2 there is no script to look at.")
@click.argument("root", type=click.Path(path_type=Path), required=False)
@format_option(["text", "json"], "How to print what was found.")
def command(root: Path | None, format_name: str) -> int:
    """Find the model judges under ROOT.

    It needs no config and writes nothing.

    A judge is a place where a model is asked and code goes by its answer. For each: where it is,
    what it decides by, whether it carries the contract; and which defaults look fail-open. This
    is advice: read the places before you believe it.
    """
    tree = open_tree(root.absolute() if root else find_root(Path.cwd()))
    plugins = find_plugins(tree)
    if not plugins.found:  # a repository that is a plugin once it is installed from elsewhere
        plugins = Plugins(found=(Plugin(name=tree.root.name, path=""),))
    found = scan_tree(tree, plugins)
    if not found.scripts:
        raise NothingToCheckError(
            f"no plugin of {tree.root} holds a script",
            hint="name the root of a marketplace or of a plugin",
        )
    emit(_json(found) if format_name == "json" else "\n".join(_text(found, plugins)) + "\n")
    return GO


def _text(found: Scan, plugins: Plugins) -> Iterator[str]:
    places = [(j.path, j.line, _told(j)) for j in found.judges]
    places += [(a.path, a.line, f"looks fail-open: {a.why}: {a.code}") for a in found.advice]
    for path, rows in groupby(sorted(places), key=lambda place: place[0]):
        yield printable(path)
        yield from (f"  {line}  {printable(told)}" for _, line, told in rows)
        yield ""
    if found.named:
        names = ", ".join(printable(named.path) for named in found.named)
        yield f"named like judges, and read by a model or by nobody: {names}"
    yield from (f"not read: {printable(path)}: {printable(why)}" for path, why in found.unread)
    judging = [judge for judge in found.judges if not judge.steers]
    carrying, steering = sum(j.contract for j in judging), len(found.judges) - len(judging)
    looked = {"plugins": len(plugins.found), "scripts": found.scripts}
    advice = counted(len(found.advice), "places") + " look" + "s" * (len(found.advice) == 1)
    yield (
        f"scan: {', '.join(counted(count, name) for name, count in looked.items())}:"
        f" {counted(len(judging), 'judges')}, {carrying} with the contract;"
        + (f" {counted(steering, 'answers')} without a verdict;" if steering else "")
        + f" {advice} fail-open"
    )
    yield from (f"next: {line}" for line in _next(found, plugins))


def _told(judge: Judge) -> str:
    if judge.steers:
        return f"{judge.told}: no verdict"
    return f"judge: {judge.told}; {'carries the contract' if judge.contract else 'no contract'}"


def _next(found: Scan, plugins: Plugins) -> Iterator[str]:
    """Yield the commands that adopt the contract where it is missing, one a plugin."""
    judging = [judge for judge in found.judges if not judge.steers]
    missing = [j for j in judging if not j.contract and j.language in {"workflow", "python"}]
    by_plugin: dict[str, list[str]] = {}
    for judge in missing:
        plugin = plugins.of(judge.path)
        if plugin is not None:
            scripts = by_plugin.setdefault(plugin.path or ".", [])
            if judge.language == "workflow" and judge.path not in scripts:
                scripts.append(judge.path)
    for path, scripts in by_plugin.items():
        flags = "".join(f" --workflow {shell_path(script)}" for script in scripts)
        yield f"{PROGRAM} init {shell_path(path)}{flags}"
    if judging and not by_plugin:
        yield f"{PROGRAM} check"


def _json(found: Scan) -> str:
    document = {
        "version": VERSION,
        "tool": "scan",
        "judges": [_row(judge) for judge in found.judges],
        "advice": [_row(advice) for advice in found.advice],
        "named": [_row(named) for named in found.named],
        "unread": [{"path": encodable(path), "why": encodable(why)} for path, why in found.unread],
        "summary": {
            "scripts": found.scripts,
            "judges": sum(not judge.steers for judge in found.judges),
        },
    }
    return json.dumps(document, indent=2) + "\n"


def _row(found: Judge | Advice | Named) -> dict[str, object]:
    """Return a row whose texts can be encoded, whatever bytes a file's name holds."""
    row = dataclasses.asdict(found)
    return {
        key: encodable(value) if isinstance(value, str) else value for key, value in row.items()
    }
