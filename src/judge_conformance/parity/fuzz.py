"""Inputs by the hundred thousand: seeded, made with the structure in mind, shrunk when they differ.

An input is the text of a case without its answer. Neither side is the oracle here; what is looked
for is a text that the two answer differently.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import islice
from typing import Any

BATCH = 2_000
_FAULT = 0.06  # chance of each field to be something else than it should

_NUMBERS = [
    "0",
    "-0",
    "0.0",
    "1",
    "1.0",
    "1e0",
    "0.5",
    "0.79",
    "0.8",
    "0.80000000000000004",
    "0.9",
    "0.9999999999999999",
    "0.1",
    "1e-7",
    "1e-6",
    "5e-324",
    "1e-400",
    "0.30000000000000004",
    "0.333333333333333333",
    "0.7999999999999999",
    "2.5e-1",
]
_NO_SHARES = [
    "1.0000000000000002",
    "-1",
    "2",
    "1e2",
    "90",
    "1e400",
    "-1e400",
    "-5e-324",
    "9007199254740993",
    "4e1",
]
_BLANKS = ['""', '" "', r'"\u00a0\ufeff"', r'"\u180e"', r'"\u2060\t"', r'"\u0085"', r'"\u00ad"']
_TEXTS = [
    '"case-1"',
    '"case-2"',
    '"a"',
    r'"\ud83d\ude00"',
    r'"\ud83d"',
    r'"\uffff"',
    r'"e\u0301"',
    r'" x"',
    r'"\u200b."',
    r'"\u0000"',
    r'"\u2065"',
    r'"say \"no\"\n"',
    '"__proto__"',
    '"true"',
    '"0.9"',
]
_ODD = ["null", "true", "false", "[]", "{}", "[null]", '{"id":"a"}', *_NO_SHARES[:4], "0", '"1"']
_COUNTS = ["0", "1", "2", "3", "4", "5", "7", "-1", "2.0", "3e0"]
_IDS = [
    '"a"',
    '"b"',
    '"aa"',
    '"__proto__"',
    '"constructor"',
    '"toString"',
    r'"\ud83d\ude00"',
    r'"\uffff"',
    r'"\ud800"',
    '"1"',
    '"01"',
    '" a"',
    '"A"',
]
_NAMES = ['"acme-review@1"', '"a-b@2"', '"acme-x9-review@9007199254740993"']
_BAD_NAMES = ['"acme@1"', '"Acme-review@1"', '"a-b@0"', r'"a-b@1\n"', "null", "1", '"a--b@1"']


def inputs(seed: int) -> Iterator[str]:
    """Yield the endless sequence of inputs of a seed; the same in every run."""
    rng = random.Random(f"judge-parity {seed}")  # noqa: S311 - repeatable on purpose
    while True:
        yield _spot_check(rng) if rng.random() < 0.08 else _decide(rng)  # noqa: PLR2004 - a share


def sample(seed: int, count: int) -> list[str]:
    """Return the first inputs of a seed."""
    return list(islice(inputs(seed), count))


def _pick(rng: random.Random, good: Sequence[str], bad: Sequence[str]) -> str:
    return rng.choice(bad if rng.random() < _FAULT else good)


def _object(rng: random.Random, fields: Sequence[tuple[str, str]]) -> str:
    """Write an object; now and then a key is missing, doubled, or the order another."""
    chance = rng.random()
    fields = list(fields)
    if chance < _FAULT / 2:
        del fields[rng.randrange(len(fields))]
    elif chance < _FAULT:
        fields.append((rng.choice(fields)[0], rng.choice(_ODD)))
    elif chance < 4 * _FAULT:
        rng.shuffle(fields)
    return "{" + ",".join([f'"{key}":{value}' for key, value in fields]) + "}"


def _decide(rng: random.Random) -> str:
    ids = rng.sample(_IDS, rng.choice((1, 2, 2, 3, 4)))
    fields = [("report", _report(rng, ids)), ("rubric", _rubric(rng, ids))]
    chance = rng.random()
    if chance < 0.3:  # noqa: PLR2004 - a share
        fields.append(("item", _pick(rng, ['"case-1"', "null", *_TEXTS[:4]], [*_BLANKS, *_ODD])))
    elif chance < 0.4:  # noqa: PLR2004 - a share
        fields.append(("decidedBy", _pick(rng, ['"judge"', '"command"'], [*_TEXTS, *_ODD])))
    return "{" + ",".join([f'"{key}":{value}' for key, value in fields]) + "}"


def _rubric(rng: random.Random, ids: Sequence[str]) -> str:
    if rng.random() < _FAULT / 4:
        return rng.choice(_ODD)
    asked = [
        _object(
            rng,
            [
                ("id", _pick(rng, (name,), [*_ODD, *_BLANKS, '"a,b"']) if rough else name),
                ("question", _pick(rng, _TEXTS, [*_BLANKS, *_ODD]) if rough else '"q"'),
            ],
        )
        if (rough := rng.random() < 2 * _FAULT)
        else f'{{"id":{name},"question":"q"}}'
        for name in ids
    ]
    threshold = _pick(rng, _NUMBERS[3:], ["0", "-0", "1e-400", *_NO_SHARES, *_ODD, *_TEXTS[-2:]])
    fields = [
        ("id", _pick(rng, _NAMES, _BAD_NAMES)),
        ("threshold", threshold),
        ("criteria", "[" + ",".join(asked) + "]"),
    ]
    if rng.random() < 0.25:  # noqa: PLR2004 - a share
        fields.append(("calibration", _calibration(rng)))
    return _object(rng, fields) if rng.random() < _FAULT else _plain(fields)


def _calibration(rng: random.Random) -> str:
    return _object(
        rng,
        [
            ("sealed", _pick(rng, ["0", "-0", "1", "40", "4e1", "40.0"], ["-1", "0.5", *_ODD])),
            ("agreement", _pick(rng, _NUMBERS, [*_NO_SHARES, *_ODD])),
            ("floor", _pick(rng, _NUMBERS[3:], ["0", *_NO_SHARES, *_ODD])),
        ],
    )


def _report(rng: random.Random, ids: Sequence[str]) -> str:
    if rng.random() < _FAULT / 2:
        return rng.choice(_ODD)
    reported = list(ids)
    rng.shuffle(reported)
    chance = rng.random()
    if chance < _FAULT:
        reported.pop()
    elif chance < 2 * _FAULT:
        reported.insert(rng.randrange(len(reported) + 1), rng.choice(_IDS))
    criteria = "[" + ",".join([_criterion(rng, name) for name in reported]) + "]"
    fields = [
        ("item", _pick(rng, ('"case-1"', '"case-1"', *_TEXTS), [*_BLANKS, *_ODD])),
        ("criteria", _pick(rng, (criteria,), _ODD) if rng.random() < _FAULT else criteria),
        ("abstain", _pick(rng, (*["false"] * 9, "true"), _ODD)),
        ("abstainReason", _pick(rng, ("null", *_TEXTS), [*_BLANKS, *_ODD])),
    ]
    return _object(rng, fields)


def _criterion(rng: random.Random, name: str) -> str:
    if rng.random() < _FAULT / 4:
        return rng.choice(_ODD)
    score, passed = (
        _pick(rng, _NUMBERS, [*_NO_SHARES, *_ODD]),
        rng.choice(("true", "true", "false")),
    )
    chance = rng.random()
    if chance < 0.12:  # noqa: PLR2004 - a share
        score, passed = "null", "null"
    elif chance < 0.15:  # noqa: PLR2004 - a share
        passed = rng.choice(_ODD)
    evidence = _pick(rng, _TEXTS, [*_BLANKS, *_ODD])
    fields = [("id", name), ("score", score), ("pass", passed), ("evidence", evidence)]
    return _object(rng, fields)


def _spot_check(rng: random.Random) -> str:
    items = [_pick(rng, (*_TEXTS, *_IDS, "null"), _ODD) for _ in range(rng.randrange(9))]
    verdicts = [f'{{"item":{item},"n":{index}}}' for index, item in enumerate(items)]
    fields = [("call", '"spotCheck"'), ("verdicts", "[" + ",".join(verdicts) + "]")]
    if rng.random() < 0.7:  # noqa: PLR2004 - a share
        fields.append(("k", _pick(rng, _COUNTS, ["2.5", *_ODD])))
    return _plain(fields)


def _plain(fields: Sequence[tuple[str, str]]) -> str:
    return "{" + ",".join([f'"{key}":{value}' for key, value in fields]) + "}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """An input that the sides answer differently, shrunk, with the answer of each side."""

    text: str
    answers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzReport:
    """How many inputs of which seed both sides answered, and the first that they did not alike."""

    seed: int
    inputs: int
    disagreement: Disagreement | None


class Sides:
    """Both languages, asked at the same time."""

    def __init__(
        self, ask: Mapping[str, Callable[[str, Sequence[str]], Mapping[str, Any]]], pool: Executor
    ) -> None:
        """`ask` maps a language to its worker's answer to a command about texts."""
        self._ask = ask
        self._pool = pool

    def both(self, command: str, texts: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Return each language's reply."""
        pending = {name: self._pool.submit(ask, command, texts) for name, ask in self._ask.items()}
        return {name: reply.result() for name, reply in pending.items()}

    def first_difference(self, texts: Sequence[str]) -> Disagreement | None:
        """Return the first text that is answered differently."""
        replies = self.both("texts", texts)
        for index, text in enumerate(texts):
            answers = {name: reply["answers"][index] for name, reply in replies.items()}
            if len(set(answers.values())) > 1:
                return Disagreement(text=text, answers=answers)
        return None


def run(sides: Sides, *, seed: int, count: int) -> FuzzReport:
    """Send inputs through both sides until they disagree or `count` are done."""
    stream = inputs(seed)
    done = 0
    while done < count:
        texts = list(islice(stream, min(BATCH, count - done)))
        digests = {reply.get("digest") for reply in sides.both("digest", texts).values()}
        if len(digests) != 1 or None in digests:
            found = sides.first_difference(texts)
            if found is not None:
                at = done + texts.index(found.text) + 1
                return FuzzReport(seed=seed, inputs=at, disagreement=shrunk(found, sides))
        done += len(texts)
    return FuzzReport(seed=seed, inputs=done, disagreement=None)


class _Raw(str):
    """A number as it is written."""

    __slots__ = ()


def shrunk(found: Disagreement, sides: Sides) -> Disagreement:
    """Return a smaller input that still tells the sides apart: fewer parts, simpler values."""
    value = json.loads(found.text, parse_int=_Raw, parse_float=_Raw)
    candidates = [_written(value)]
    while smaller := sides.first_difference(candidates):
        found = smaller
        value = json.loads(found.text, parse_int=_Raw, parse_float=_Raw)
        parts = (part for part in _simpler(value) if _same_call(part, value))
        candidates = [text for part in parts if len(text := _written(part)) < len(found.text)]
        if not candidates:
            break
    return found


def _same_call(part: object, whole: Mapping[str, Any]) -> bool:
    return isinstance(part, dict) and part.get("call") == whole.get("call")


def _simpler(value: Any) -> Iterator[Any]:  # noqa: ANN401 - any JSON value
    """Yield the value with one part left out, or one part made simpler."""
    if isinstance(value, dict | list):
        keys: Sequence[Any] = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            rest: Any = (
                {k: v for k, v in value.items() if k != key}
                if isinstance(value, dict)
                else [v for i, v in enumerate(value) if i != key]
            )
            yield rest
        for key in keys:
            for simpler in _simpler(value[key]):
                changed = value.copy()
                changed[key] = simpler
                yield changed
    if value not in (None, [], {}):
        yield from (None, {}, [])
    if isinstance(value, str):
        yield from (_Raw("1"), "a", "")


def _written(value: object) -> str:
    if isinstance(value, _Raw):
        return str(value)
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)}:{_written(part)}" for key, part in value.items())
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return json.dumps(value)
