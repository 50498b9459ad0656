"""What commands over a repository share: the root, the context, how to print."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from judge_conformance.catalog import Catalog
from judge_conformance.cli._formats import format_option
from judge_conformance.cli.app import PROGRAM
from judge_conformance.engine import base_context, context_for
from judge_conformance.errors import UsageError
from judge_conformance.findings import Report
from judge_conformance.output import FORMATS, render
from judge_conformance.rule import Context, Rule
from judge_conformance.tree import Plugin, find_base_root, find_root, git_top, open_tree

ROOT = click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="The repository; by default the nearest one upwards.",
)


def context_at(
    root: Path | None,
    *,
    staged: bool = False,
    base: str | None = None,
    accepted: bool = False,
    recalling: bool = False,
    rules: Sequence[Rule] = (),
) -> Context:
    """Open a repository, and its state at a base, and read all that rules and plans look at.

    Recalling, plugins are passed by that an earlier run found clean; compared with a base, none.
    For the `rules` alone, scripts of which none has anything to tell are not kept.
    """
    start = Path.cwd()
    found = find_base_root(start, base) if base and root is None else None
    folder = root.absolute() if root else found or find_root(start)
    tree = open_tree(folder, staged=staged)
    today = dt.datetime.now(tz=dt.UTC).date()
    catalog = Catalog.load()
    before = (
        base_context(folder, base, catalog, today=today, program=PROGRAM, rules=rules)
        if base
        else None
    )
    above = git_top(folder) if before and tree.uri_prefix else None
    return context_for(
        tree,
        catalog,
        today=today,
        program=PROGRAM,
        base=before,
        top=open_tree(above, staged=staged) if above else None,
        accepted=accepted,
        recalling=recalling and before is None,
        rules=rules,
    )


def plugin_named(context: Context, word: str) -> Plugin:
    """Find a plugin by its name, or by a path from the current folder or the root."""
    found = context.plugins.found
    path = relative_to_root(context, word)
    matches = [p for p in found if p.path == path or word in (p.path, *p.names)]
    if not matches and path is not None and (context.tree.root / path / "").is_dir() and path:
        return Plugin(name=Path(path).name, path=path)
    if not matches:
        names = ", ".join(p.name for p in found[:8]) + (", ..." if len(found) > 8 else "")  # noqa: PLR2004
        raise UsageError(f"no plugin {word!r}", hint=f"there are: {names or 'none'}")
    exact = [p for p in matches if p.path == path] or matches
    if len(exact) > 1:
        paths = ", ".join(p.path for p in exact)
        raise UsageError(f"{word!r} names several plugins", hint=f"say which by its path: {paths}")
    return exact[0]


def relative_to_root(context: Context, word: str) -> str | None:
    """Return a path of the command line relative to the root; None when it is outside."""
    target = Path.cwd().joinpath(word)
    target = Path(*target.parts[:1]).joinpath(*_normal(target.parts[1:]))
    try:
        inside = target.relative_to(context.tree.root)
    except ValueError:
        return None
    return "" if str(inside) == "." else inside.as_posix()


def inside_root(context: Context, word: str) -> str:
    """Return a path of the command line relative to the root. Raises UsageError outside."""
    path = relative_to_root(context, word)
    if not path:
        raise UsageError(f"{word} is outside of {context.tree.root}")
    return path


def _normal(parts: tuple[str, ...]) -> list[str]:
    normal: list[str] = []
    for part in parts:
        if part == "..":
            normal = normal[:-1]
        elif part != ".":
            normal.append(part)
    return normal


Reports = tuple[tuple[str, Path], ...]


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--format` and `--report`."""
    command = click.option(
        "--report",
        "reports",
        multiple=True,
        metavar="FORMAT=FILE",
        callback=_asked,
        help="Write the report in a further format to a file; may be given several times.",
    )(command)
    return format_option(FORMATS, "How to print the report.")(command)


def _asked(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> Reports:
    """Read each FORMAT=FILE, before anything is looked at."""
    asked: list[tuple[str, Path]] = []
    for value in values:
        name, _, file = value.partition("=")
        if name not in FORMATS or not file or "\0" in file:
            raise UsageError(f"--report {value}: not FORMAT=FILE", hint=", ".join(FORMATS))
        if any(Path(file) == other for _, other in asked):
            raise UsageError(f"--report: {file} is asked for twice")
        asked.append((name, Path(file)))
    return tuple(asked)


def publish(report: Report, format_name: str, reports: Reports) -> None:
    """Print the report, and write it where `--report` asks for. Raises UsageError."""
    for name, path in reports:
        try:
            write_file(path, _encoded(render(report, name)))
        except OSError as error:
            raise UsageError(f"--report: {path}: {error.strerror}") from error
    emit(render(report, format_name))


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, through a link, with the rights that it had.

    A pipe or a device takes it as it comes. Raises OSError.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    place = path.resolve()
    aside = place.with_name(f".{place.name}.judge-contract-new")
    try:
        aside.write_bytes(data)
        if place.exists():
            from shutil import copymode  # noqa: PLC0415 - late: for reports that were there

            copymode(place, aside)
        aside.replace(place)
    except OSError:
        with suppress(OSError):
            aside.unlink()
        raise


def emit(text: str) -> None:
    """Write text to standard output as UTF-8, whatever the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(_encoded(text))
    sys.stdout.buffer.flush()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
