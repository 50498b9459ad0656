"""What came out of two runs, held against one another, apart from the judge's own words."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from judge_conformance.exercise import wording
from judge_conformance.exercise.session import Call, Run

Json = Any

_MISSING = object()
_MARK = re.compile(r"q[0-9a-z]{6}z")
_MADE = re.compile(  # a whole text as replies hold it: reason-q1w2e3rz, src/q1w2e3rz.js:7
    r"(?:src/|https://example\.com/|(?:[A-Za-z]+-){0,3})(q[0-9a-z]{6}z)(?:\.js(?::7)?)?"
)
_WORD = re.compile(r"[a-z]{3,}")
_SEVERAL = 3  # words; one may stand for an empty text: "none given"
_NUMBER = re.compile(r"\d+")
_NOTHING = re.compile(r"\b(undefined|null|NaN)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run gives to whoever started it: its result, or the error that ended it.

    `own` are the marks of the exercised judge's replies, in all runs that are compared; `given` the
    names that a user's own arguments brought, which carry no mark.
    """

    result: Json
    error: str | None
    own: AbstractSet[str]
    given: AbstractSet[str] = frozenset()

    @property
    def text(self) -> str:
        """Return the result as JSON text, in which names can be looked for."""
        return json.dumps(self.result, ensure_ascii=False)


def outcome(run: Run, own: AbstractSet[str]) -> Outcome:
    """Return what a run gives. A run without an end, or one that cannot be written, is an error."""
    ended = run.ended
    if ended.kind == "value":
        result = json.loads(ended.value) if ended.value else None
        given = {name for name in run.items if not _MARK.fullmatch(name)}
        return Outcome(result=result, error=None, own=own, given=given)
    return Outcome(result=None, error=ENDS[ended.kind].format(ended.message), own=own)


ENDS = {
    "error": "{}",
    "timeout": "it does not end",
    "unsettled": "it waits for something that never comes",
    "huge": "its result is too big to compare",
    "unwritable": "its result cannot be written as JSON: {}",
}


def effects(run: Run, exercised: Callable[[Call], bool], own: AbstractSet[str]) -> Outcome:
    """Return a run's result with all that it asked of others than the exercised judge."""
    others = [
        [list(call.site), _plain(call.label or "", own), call.prompt, sorted(set(call.names) - own)]
        for call in run.calls
        if not exercised(call)
    ]
    plain = outcome(run, own)
    return replace(plain, result=[plain.result, others])


def same(dead: Outcome, reference: Outcome) -> bool:
    """Whether a run with a dead judge gives what the reference gives.

    Where the reference repeats the judge's own words, the dead run may have nothing: an item that
    stands among the confirmed with `verdict: null` is among the confirmed.
    """
    if dead.error is not None or reference.error is not None:
        one, other = (_plain(o.error or "", o.own) for o in (dead, reference))
        return dead.error is not None and reference.error is not None and one == other
    return _same(dead.result, reference.result, dead)


def differ(one: Outcome, other: Outcome) -> bool:
    """Whether two runs give different results, the judge's free texts apart."""
    return not (same(one, other) and same(other, one))


def decides(one: Outcome, other: Outcome) -> bool:
    """Whether two runs differ in shape or in who is named, not only in a value passed on."""
    if one.error is not None or other.error is not None:
        return differ(one, other)
    return bool(_shape(one.result, one.own) != _shape(other.result, other.own))


def says_more(dead: Outcome, references: Iterable[Outcome]) -> bool:
    """Whether the dead run's result has texts that no reference has: it says something of its own.

    References are asked for until none of its texts is left.
    """
    own = set(_texts(dead))
    for reference in references if own else ():
        own.difference_update(_texts(reference))
        if not own:
            break
    return bool(own)


def told_apart(dead: Iterable[str], *references: Iterable[str]) -> bool:
    """Whether prompts say something of a dead judge that they do not say of one that answered.

    A word that calls itself undecided, said more often, does, and so do several words of any kind;
    `null` does not.
    """
    known = [_words(texts) for texts in references]
    new = [word for word, n in _words(dead).items() if all(n > words[word] for words in known)]
    return len(new) >= _SEVERAL or any(wording.meaning_of_word(word) == "abstain" for word in new)


def _words(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in _WORD.findall(_NOTHING.sub("", text).lower()))


def _same(dead: Json, reference: Json, of: Outcome) -> bool:
    if isinstance(dead, dict) and isinstance(reference, dict):
        keys = dead.keys() | reference.keys()
        return all(_same(dead.get(k, _MISSING), reference.get(k, _MISSING), of) for k in keys)
    if isinstance(dead, list) and isinstance(reference, list):
        return len(dead) == len(reference) and all(
            _same(one, other, of) for one, other in zip(dead, reference, strict=True)
        )
    if isinstance(dead, str) and isinstance(reference, str):
        return _plain(dead, of.own) == _plain(reference, of.own)
    if dead is _MISSING or dead is None:
        return reference is _MISSING or reference is None or _is_own(reference, of)
    return type(dead) is type(reference) and bool(dead == reference)


def _is_own(value: Json, of: Outcome) -> bool:
    """Whether nothing in it names an item: then it can only be what the judge said."""
    text = json.dumps(value, ensure_ascii=False)
    if any(name in text for name in of.given):
        return False
    return all(mark in of.own for mark in _MARK.findall(text))


def _plain(text: str, own: AbstractSet[str]) -> str:
    without = _MADE.sub(lambda made: "" if made[1] in own else made[0], text)
    return _NOTHING.sub("", without)


def _shape(value: Json, own: AbstractSet[str]) -> Json:
    if isinstance(value, dict):
        return {key: _shape(inner, own) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_shape(inner, own) for inner in value]
    if isinstance(value, str):
        return sorted(set(_MARK.findall(value)) - own)
    return None


def _texts(given: Outcome) -> Iterator[str]:
    stack = [given.result]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, str):
            yield _unmarked(value)


@lru_cache(maxsize=100_000)
def _unmarked(text: str) -> str:
    """Return a text without the names of items and without numbers, by which runs differ anyway."""
    return _NUMBER.sub("#", _MARK.sub("*", text))
