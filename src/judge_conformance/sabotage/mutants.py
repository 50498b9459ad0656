"""A mutant: a few edits of a source text, with a name that stays as long as its place does."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from judge_conformance.errors import BrokenInstrumentError


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Edit:
    """Replace the characters from `start` to `end` (exclusive) of the source by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What an operator would do at one place of the tree.

    `function` is the top-level function, class or constant that it stands in, `scope` the span of
    that statement in the source.
    """

    function: str
    scope: tuple[int, int]
    operator: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One sabotage: `id` is function, operator, ordinal among these, and hash of the function."""

    id: str
    function: str
    operator: str
    edits: tuple[Edit, ...]

    @property
    def span(self) -> tuple[int, int]:
        """The part of the source from the first to the last character that is edited."""
        return self.edits[0].start, max(edit.end for edit in self.edits)


def apply(source: str, edits: Iterable[Edit], *, within: tuple[int, int] | None = None) -> str:
    """Return the source (or its part `within`) with the edits made.

    Raises BrokenInstrumentError where edits overlap, leave the part or change nothing.
    """
    start, end = within or (0, len(source))
    pieces, position = [], start
    for edit in sorted(edits):
        if not position <= edit.start <= edit.end <= end:
            raise BrokenInstrumentError(f"an edit at {edit.start} does not fit into the source")
        pieces += [source[position : edit.start], edit.text]
        position = edit.end
    changed = "".join([*pieces, source[position:end]])
    if changed == source[start:end]:
        raise BrokenInstrumentError(f"a mutant at {start} changes nothing")
    return changed


def replacement(source: str, mutant: Mutant) -> str:
    """Return what stands in the mutant's span after its edits."""
    return apply(source, mutant.edits, within=mutant.span)


def named(source: str, sites: Iterable[Site]) -> Iterator[tuple[Mutant, Site]]:
    """Name each site; the ordinal counts within one function and operator, in source order."""
    seen: Counter[tuple[str, str]] = Counter()
    for site in sites:
        seen[site.function, site.operator] += 1
        start, end = site.scope
        digest = hashlib.sha256(source[start:end].encode("utf-8", "surrogatepass")).hexdigest()[:8]
        ordinal = seen[site.function, site.operator]
        yield (
            Mutant(
                id=f"{site.function}:{site.operator}:{ordinal}:{digest}",
                function=site.function,
                operator=site.operator,
                edits=tuple(sorted(site.edits)),
            ),
            site,
        )


def line_and_column(source: str, offset: int) -> tuple[int, int]:
    """Return line and column, both from 1, of a character offset."""
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def to_wire(source: str, edits: Sequence[Edit]) -> list[list[int | str]]:
    """Return edits with offsets in UTF-16 units, as JavaScript counts."""
    return [
        [edit.start + _astral(source, edit.start), edit.end + _astral(source, edit.end), edit.text]
        for edit in edits
    ]


def _astral(source: str, end: int) -> int:
    return 0 if source.isascii() else sum(ord(point) > 0xFFFF for point in source[:end])  # noqa: PLR2004 - the last code point of one UTF-16 unit
