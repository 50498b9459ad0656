"""`args` for a script that nobody gave any: made from what the script reads, by trying.

A property that the script reads and misses is tried as a text, a list, an object, a number and a
flag; what leads further into the script stays. The script is the only judge of what fits.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from judge_conformance.exercise.script import Script
from judge_conformance.exercise.session import Run

Json = Any
Path = tuple[str, ...]

_MOST_STEPS = 24
_PATIENCE = 3  # steps without progress, once the script runs to its end
_DEEPEST = 5
_THROUGH = (1_000_000_000, 0)  # further than any line: the script ended without an error
_ANY = "?"  # a property of any name, in an object that is empty
_WIDTH = 8  # states that are followed at once
_MANY = 16  # elements of a list, where two are too few
_MOST_LITERALS = 4
_MARK = re.compile(r"q[0-9a-z]{6}z")
_LIST_METHODS = frozenset(
    [
        "map",
        "flatMap",
        "filter",
        "forEach",
        "find",
        "findIndex",
        "some",
        "every",
        "reduce",
        "slice",
        "concat",
        "join",
        "sort",
        "push",
        "at",
        "flat",
        "entries",
        "keys",
        "values",
        "indexOf",
    ]
)
_TEXT_METHODS = frozenset(
    ["trim", "split", "startsWith", "endsWith", "toLowerCase", "replace", "match"]
)
_NEVER_MADE = frozenset(
    ["then", "toJSON", "constructor", "toString", "valueOf", "trim", "startsWith", "length", "size"]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Arguments that were made, the run that they gave, and the paths that were tried for them."""

    args: Json
    run: Run
    settled: frozenset[Path] = frozenset()

    @property
    def text(self) -> str:
        """Return them as JSON."""
        return json.dumps(self.args)

    @property
    def missing(self) -> tuple[str, ...]:
        """Return what the script reads and does not find, as dotted paths."""
        return tuple(dict.fromkeys(".".join(path) for path in _missing(self)))


def make_args(script: Script, run: Callable[[str], Run]) -> Made:
    """Make arguments that lead as far into the script as we can; `run` runs it with JSON args."""
    beam = [_first(script, run)]
    best = beam[0]
    idle = 0
    for _ in range(_MOST_STEPS):
        grown = [child for made in beam for child in _children(script, made, run)]
        if not grown:
            break
        grown.sort(key=_progress, reverse=True)  # stable: the likelier shape stays first
        beam = _distinct(grown)[:_WIDTH]
        idle = 0 if _progress(beam[0]) > _progress(best) else idle + 1
        best = max([best, *beam], key=_progress)
        if idle >= _PATIENCE and not _is_stuck(script, best):
            break
    return _filled(best, run)


def _filled(best: Made, run: Callable[[str], Run]) -> Made:
    """Name what is still missing, so that it can be traced, where the script then does the same."""
    for path in dict.fromkeys(_missing(best)):
        if path[-1] in {"*", _ANY}:
            continue
        args = _put(copy.deepcopy(best.args), path, "", ())
        named = Made(args=args, run=run(json.dumps(args)), settled=best.settled)
        best = named if _course(named) == _course(best) else best
    return best


def _course(made: Made) -> tuple[object, ...]:
    return (made.run.ended.kind, [call.site for call in made.run.calls])


def more(args: Json) -> Json:
    """Return the same arguments with many elements in every list: some scripts have a floor."""
    return _more(args, ())


def _more(node: Json, path: Path) -> Json:
    if isinstance(node, list) and node:
        return [_more(node[i % len(node)], (*path, str(i))) for i in range(_MANY)]
    if isinstance(node, dict):
        return {key: _more(inner, (*path, key)) for key, inner in node.items()}
    return _text(path) if isinstance(node, str) and _MARK.search(node) else node


def _first(script: Script, run: Callable[[str], Run]) -> Made:
    """Choose the root: an object, unless the script treats it as a list or a text."""
    made = _at(script, {}, frozenset(), run)
    asked = {path[0] for path in made.run.reads if len(path) == 1}
    if asked & _LIST_METHODS:
        lists = [[_text(("args", "0")), _text(("args", "1"))], [{}, {}]]
        return max((_at(script, root, frozenset(), run) for root in lists), key=_progress)
    if asked & _TEXT_METHODS:
        return _at(script, _text(("args",)), frozenset(), run)
    return made


def _children(script: Script, made: Made, run: Callable[[str], Run]) -> list[Made]:
    """Try what a missing property can be; where the run is stuck, rather that than nothing."""
    open_paths = [path for path in _missing(made) if path not in made.settled]
    path = max(open_paths, key=len, default=None)  # the deepest first: it is what was put there
    if path is None:
        return []
    settled = made.settled | {path}
    put = [_put(copy.deepcopy(made.args), path, value, ()) for value in _shapes(script, path)]
    tried = [_at(script, args, settled, run) for args in put]
    tried.sort(key=lambda child: not _opens(child, path))
    without = Made(args=made.args, run=made.run, settled=settled)
    stuck = _is_stuck(script, made)
    return [*tried, without] if stuck else [without, *tried]


def _is_stuck(script: Script, made: Made) -> bool:
    """Whether a run ends early: with an error, or with most agent() calls of the text unmade."""
    reached = len({call.at for call in made.run.calls})
    return made.run.ended.kind != "value" or reached * 2 < max(len(script.sites), 1)


def _at(script: Script, args: Json, settled: frozenset[Path], run: Callable[[str], Run]) -> Made:
    """Run with these; a script that ends early may have found its lists too short."""
    made = Made(args=args, run=run(json.dumps(args)), settled=settled)
    larger = more(args)
    if larger == args or not _is_stuck(script, made):
        return made
    return max(made, Made(args=larger, run=run(json.dumps(larger)), settled=settled), key=_progress)


def _distinct(states: list[Made]) -> list[Made]:
    kept: dict[tuple[object, ...], Made] = {}
    for made in states:
        kept.setdefault(_signature(made), made)
    return list(kept.values())


def _signature(made: Made) -> tuple[object, ...]:
    """Where a run came to: of several that came to the same place the first is kept."""
    ended = made.run.ended
    sites = frozenset((call.site, call.label) for call in made.run.calls)
    return (ended.kind, ended.line, ended.column, sites, frozenset(_missing(made)))


def _progress(made: Made) -> tuple[int, bool, int, tuple[int, int]]:
    run = made.run
    sites = len({(call.site, call.agent_type) for call in run.calls})
    done = bool(run.calls) and run.ended.kind == "value"
    ended = run.ended
    reached = (ended.line or 0, ended.column or 0) if ended.kind == "error" else _THROUGH
    return (sites, done, min(len(run.calls), 3), reached)


def _opens(made: Made, path: Path) -> bool:
    """Whether the script now reads properties of what was put there."""
    deeper = (found for found in _missing(made) if found[: len(path)] == path)
    never = _TEXT_METHODS | {_ANY}
    return any(len(found) > len(path) and found[-1] not in never for found in deeper)


def _missing(made: Made) -> Iterator[Path]:
    for path in made.run.reads:
        plain = tuple("*" if step.isdigit() else step for step in path)
        if plain and len(plain) <= _DEEPEST and plain[-1] not in _NEVER_MADE:
            if plain[-1] in _TEXT_METHODS and len(plain) > 1:
                continue
            yield plain[:-1] if plain[-1] in _LIST_METHODS else plain


def _put(node: Json, path: Path, value: Json, done: Path) -> Json:
    """Set a value at a path, in every element of the lists on the way, each text marked."""
    if not path:
        return _marked(value, done)
    step, rest = path[0], path[1:]
    if isinstance(node, list):
        return [
            _put(inner, rest if step == "*" else path, value, (*done, str(i)))
            for i, inner in enumerate(node)
        ]
    if step == _ANY:
        step = "given"
    node = node if isinstance(node, dict) else {}
    return {**node, step: _put(node.get(step), rest, value, (*done, step))}


def _shapes(script: Script, path: Path) -> list[Json]:
    """Return what a property can be, the likeliest first."""
    if not path:
        return [[{}, {}], ["", ""]]
    lists: list[Json] = [["", ""], [{}, {}]]
    texts: list[Json] = ["", *script.literals.get(path[-1], ())[:_MOST_LITERALS]]
    if _looks_like_list(script, path[-1]):
        return [*lists, *texts, {}, 3, True]
    return [*texts, {}, *lists, 3, True]


def _looks_like_list(script: Script, name: str) -> bool:
    word = re.escape(name)
    methods = "|".join(sorted(_LIST_METHODS))
    used = rf"\b{word}\b\)?\s*(\?\.|\.)\s*({methods})\(|isArray\([^)]*\b{word}\b|"
    used += rf"\bfor\s*(await\s*)?\([^)]*\bof\s+[^)]*\b{word}\b\s*\)"
    return re.search(used, script.source) is not None


def _marked(value: Json, path: Path) -> Json:
    if value == "":
        return _text(path)
    if isinstance(value, list):
        return [_marked(inner, (*path, str(i))) for i, inner in enumerate(value)]
    return value


def _text(path: Path) -> str:
    """Return a text that can be traced: `system-q1w2e3rz`; a path where the name asks for one."""
    mark = _mark(path)
    name = next((step for step in reversed(path) if not step.isdigit()), "")
    word = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
    if re.fullmatch(r"file|path|filename|filepath|file_path|filePath|files|paths", name):
        return f"src/{mark}.js"
    return f"{word}-{mark}" if word else mark


def _mark(path: Sequence[str]) -> str:
    number = int.from_bytes(sha256("\0".join(path).encode()).digest()[:6])
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    marks = ""
    for _ in range(6):
        number, digit = divmod(number, 36)
        marks += digits[digit]
    return f"q{marks}z"
