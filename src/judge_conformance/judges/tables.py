"""Show a registry: as Markdown tables between two markers of a page, and drafts of new rows."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from judge_conformance.errors import AuthorMistakeError
from judge_conformance.judges.rows import STATUSES, Row
from judge_conformance.scan import Judge
from judge_conformance.tree import Plugins

START = "<!-- judges:start -->"
END = "<!-- judges:end -->"


def tables(rows: Iterable[Row]) -> str:
    """Return the rows as Markdown: how many have each status, then a table a plugin."""
    ordered = sorted(rows, key=lambda row: (row.plugin, row.judge))
    counts = Counter(row.status for row in ordered)
    lines = ["| status | judges | means |", "|---|---|---|"]
    lines += [f"| {s} | {counts[s]} | {means} |" for s, means in STATUSES.items() if counts[s]]
    for plugin, group in groupby(ordered, key=lambda row: row.plugin):
        lines += ["", f"### {_cell(plugin)}", "", "| judge | shape | status | where | rests on |"]
        lines += ["|---|---|---|---|---|", *map(_line, group)]
    return "\n".join(lines) + "\n"


def between_markers(text: str, table: str, *, path: str) -> str:
    """Return a page with the tables between its markers. Raises AuthorMistakeError without them."""
    start, end = text.find(START), text.find(END)
    if text.count(START) != 1 or text.count(END) != 1 or end < start:
        raise AuthorMistakeError(
            "not one start and one end of the judges' tables",
            path=path,
            line=text.count("\n", 0, max(start, 0)) + 1,
            hint=f"put {START} and {END} on lines of their own",
        )
    newline = "\r\n" if "\r\n" in text else "\n"
    body = f"\n\n{table}\n".replace("\n", newline)
    return text[: start + len(START)] + body + text[end:]


def drafts(judges: Iterable[Judge], plugins: Plugins) -> str:
    """Return rows for judges as TOML that checks: a maintainer then says how each stands."""
    names: Counter[str] = Counter()
    return "\n".join("\n".join(_draft(judge, plugins, names)) + "\n" for judge in judges)


def _draft(judge: Judge, plugins: Plugins, names: Counter[str]) -> Iterator[str]:
    plugin = plugins.of(judge.path)
    name = posixpath.basename(judge.path).partition(".")[0]
    owner = plugin.name if plugin else "."
    names[f"{owner}/{name}"] += 1
    number = names[f"{owner}/{name}"]
    yield "[[judge]]"
    yield f"plugin = {_text(owner)}"
    yield f"judge = {_text(name if number == 1 else f'{name}-{number}')}"
    yield f"where = [{_text(judge.path)}]"
    yield f"shape = {_text(', '.join(judge.decides) or judge.label)}"
    if judge.contract:
        yield 'status = "conforms"'
        return
    yield 'status = "kept-unmeasured"'
    yield f"note = {_text(f'found at line {judge.line}')}"
    told = "a paired run against one contract judge on the same items, by a rule declared before"
    yield f"resolves_if = {_text(told)}"


def _line(row: Row) -> str:
    where = ", ".join(f"`{path}`" for path in row.where)
    rests = {
        "collapsed": f"rubric `{row.rubric}`",
        "fixed": "proof: " + (" ".join(row.proof.command) or "a regex") if row.proof else "",
        "kept-unmeasured": f"settled by {row.resolves_if}",
        "kept-calibrated": f"record `{row.record}`",
    }.get(row.status, "")
    told = "; ".join(text for text in (rests, row.note) if text)
    return f"| {' | '.join(map(_cell, (row.judge, row.shape, row.status, where, told)))} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _text(text: str) -> str:
    """Return a text as TOML writes it: a basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in escaped) + '"'
