"""Show a registry: as Markdown tables between two markers of a page, and drafts of new rows."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from judge_conformance.errors import AuthorMistakeError
from judge_conformance.judges.rows import STATUSES, Row
from judge_conformance.scan.found import Judge
from judge_conformance.tree import Plugins

START = "<!-- judges:start -->"
END = "<!-- judges:end -->"

_ACTIVE = re.compile(r"[\\`*\[\]|~$#@]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown acts on inside of a line, less what is written as an entity."""

_ENDS_CODE = re.compile(r"[`|\\]|<!--")


def tables(rows: Iterable[Row]) -> str:
    """Return the rows as Markdown: how many have each status, then a table a plugin."""
    ordered = in_order(rows)
    counts = Counter(row.status for row in ordered)
    lines = ["| status | judges | means |", "|---|---|---|"]
    lines += [f"| {s} | {counts[s]} | {means} |" for s, means in STATUSES.items() if counts[s]]
    for plugin, group in groupby(ordered, key=lambda row: row.plugin):
        lines += ["", f"### {_cell(plugin)}", "", "| judge | shape | status | where | rests on |"]
        lines += ["|---|---|---|---|---|", *map(_line, group)]
    return "\n".join(lines) + "\n"


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Return the rows by plugin, then by judge."""
    return sorted(rows, key=lambda row: (row.plugin, row.judge))


def rests_on(row: Row) -> list[tuple[str, str]]:
    """Return what a row's status rests on, and its note: words, and a name that follows them."""
    command = "" if row.proof is None else " ".join(row.proof.command)
    rests = {
        "collapsed": ("rubric", row.rubric),
        "fixed": ("proof:", command) if command else ("proof: a regex", ""),
        "kept-unmeasured": (f"settled by {row.resolves_if}", ""),
        "kept-calibrated": ("record", row.record),
    }
    noted = [(row.note, "")] if row.note else []
    return [rests[row.status], *noted] if row.status in rests else noted


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
    owner, name = plugin.name if plugin else ".", _named(judge)
    names[f"{owner}/{name}"] += 1
    number = names[f"{owner}/{name}"]
    yield f"# found at line {judge.line}"
    yield "[[judge]]"
    yield f"plugin = {_text(owner)}"
    yield f"judge = {_text(name if number == 1 else f'{name}-{number}')}"
    yield f"where = [{_text(judge.path)}]"
    yield f"shape = {_text(', '.join(judge.decides) or judge.label)}"
    if judge.contract:
        yield 'status = "conforms"'
        return
    yield 'status = "kept-unmeasured"'
    told = "a paired run against one contract judge on the same items, by a rule declared before"
    yield f"resolves_if = {_text(told)}"


def _named(judge: Judge) -> str:
    """Return a judge's name: that of its file, and what its call is labelled."""
    stem = posixpath.basename(judge.path).partition(".")[0]
    label = re.sub(r"[^a-z0-9]+", "-", judge.name.lower()).strip("-")
    return f"{stem}-{label}" if label and label not in stem else stem


def _line(row: Row) -> str:
    where = ", ".join(map(_code, row.where))
    told = "; ".join(
        _cell(words) + (f" {_code(name)}" if name else "") for words, name in rests_on(row)
    )
    cells = (_cell(row.judge), _cell(row.shape), _cell(row.status), where, told)
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Return a text as Markdown that shows it and does nothing else, on one line."""
    shown = _visible(" ".join(text.split())).replace("&", "&amp;").replace("<", "&lt;")
    return _ACTIVE.sub(r"\\\g<0>", shown)


def _code(name: str) -> str:
    """Return a path or a name as code; one that would end its span is spelled in entities."""
    shown = _visible(name)
    if shown.strip() == shown and not _ENDS_CODE.search(shown):
        return f"`{shown}`"
    return f"<code>{''.join(f'&#{ord(c)};' if not c.isalnum() else c for c in shown)}</code>"


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _text(text: str) -> str:
    """Return a text as TOML writes it: a basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in escaped) + '"'
