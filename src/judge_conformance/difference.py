"""How a copy differs from the canonical bytes: the least change that explains it."""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from dataclasses import dataclass
from typing import Literal

from judge_conformance.copies import Copy, State

Language = Literal["python", "javascript", "markdown"]

_BOM = b"\xef\xbb\xbf"
_DIFF_LINES = 60
_COMPARED = 16  # times the canonical size: what is larger is told apart by its first line alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What kind of difference it is, in words; `harmless` ones carry no edit of somebody's.

    `line` is the first line of the file that differs; `diff` is unified, canonical to found.
    """

    story: str
    line: int
    harmless: bool
    diff: str


def differ(copy: Copy, canonical: bytes, language: Language, release: str) -> Difference:
    """Describe the difference of a copy that is not current."""
    if len(copy.data) > _COMPARED * len(canonical):
        return Difference(
            story=f"has been edited: it is {len(copy.data)} bytes long (not release {release})",
            line=copy.line + _first_difference(copy.data, canonical),
            harmless=False,
            diff="",
        )
    story = _harmless(copy, canonical, language)
    edited = "is cut short" if canonical.startswith(copy.data) else "has been edited"
    return Difference(
        story=story or f"{edited} (not release {release})",
        line=copy.line + _first_difference(copy.data, canonical),
        harmless=story is not None,
        diff=_diff(copy, canonical),
    )


def _harmless(copy: Copy, canonical: bytes, language: Language) -> str | None:
    if copy.state is State.OTHER:
        return f"is release {copy.found}, unmodified"
    found = copy.data
    tests = (
        ("differs in its line endings", _newlines(found) == canonical),
        ("begins with a byte order mark", found.removeprefix(_BOM) == canonical),
        ("differs in its final newline", found.rstrip(b"\r\n") == canonical.rstrip(b"\n")),
        ("differs in its indentation", _flush(found) == _flush(canonical) and language != "python"),
        ("differs in formatting only", _tokens(found, language) == _tokens(canonical, language)),
    )
    return next((story for story, holds in tests if holds), None)


def _newlines(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _flush(data: bytes) -> list[bytes]:
    return [line.strip() for line in _newlines(data).split(b"\n")]


def _tokens(data: bytes, language: Language) -> object:
    """Return what a reader of the language sees; the data itself where it cannot be read."""
    text = _newlines(data.removeprefix(_BOM)).decode("utf-8", "surrogateescape")
    if language == "markdown":
        return data
    if language == "javascript":
        import esprima  # noqa: PLC0415 - 44 ms that only an edited block has to pay

        try:
            return [
                (token.type, token.value)
                for token in esprima.tokenize(text)
                if token.value not in {";", ","}
            ] + re.findall(r"//\s*(.*?)\s*$", text, re.MULTILINE)
        except (esprima.Error, RecursionError):
            return data
    layout = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return data
    return [
        token.string if token.type not in layout else token.type
        for token in tokens
        if token.type != tokenize.NL and token.string != ","
    ]


def _first_difference(found: bytes, canonical: bytes) -> int:
    ours, theirs = found.split(b"\n"), canonical.split(b"\n")
    pairs = zip(ours, theirs, strict=False)
    same = next((n for n, (a, b) in enumerate(pairs) if a != b), None)
    return min(len(ours), len(theirs)) - 1 if same is None else same


def _diff(copy: Copy, canonical: bytes) -> str:
    def lines(data: bytes) -> list[str]:
        return data.decode("utf-8", "backslashreplace").splitlines()

    rows = list(
        difflib.unified_diff(
            lines(canonical), lines(copy.data), copy.artifact, copy.path, lineterm=""
        )
    )
    more = len(rows) - _DIFF_LINES
    return "\n".join(rows[:_DIFF_LINES] + ([f"... and {more} lines more"] if more > 0 else []))
