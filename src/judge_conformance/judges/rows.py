"""The rows of `judges.toml`, parsed strictly; what is missing for a status is found later."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from judge_conformance.config import parse_toml
from judge_conformance.errors import AuthorMistakeError
from judge_conformance.paths import REGISTRY

STATUSES: Mapping[str, str] = {
    "conforms": "a command decides, or it has the contract's shape",
    "collapsed": "replaced by one contract judge",
    "fixed": "a fail-open default closed",
    "kept-unmeasured": "kept, no measured reason claimed",
    "kept-calibrated": "kept, measured once on a sealed set",
}
"""The statuses, and what each means."""

_TEXTS = ("plugin", "judge", "shape", "status", "note", "rubric", "resolves_if", "record")
_NEEDED = ("plugin", "judge", "where", "status")
_PROOF = frozenset({"command", "expect_exit", "expect_stdout", "absent", "present", "in"})
_HEAD = re.compile(r"\s*\[\[\s*judge\s*\]\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What shows that a default is closed: a command (argv), or a regex in files.

    `expect_stdout` is compared without white space around it; None: not at all. `absent` and
    `present` are regexes of Python, over each file that `paths` (gitignore patterns) match.
    """

    command: tuple[str, ...] = ()
    expect_exit: int = 0
    expect_stdout: str | None = None
    absent: str | None = None
    present: str | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One judge: where it is, how it stands, and what its status rests on; `line` from 1."""

    plugin: str
    judge: str
    where: tuple[str, ...]
    status: str
    line: int
    shape: str = ""
    note: str = ""
    rubric: str = ""
    resolves_if: str = ""
    record: str = ""
    proof: Proof | None = None

    @property
    def name(self) -> str:
        """Plugin and judge, as findings name it."""
        return f"{self.plugin}/{self.judge}"


def parse_registry(data: bytes, *, path: str = REGISTRY) -> tuple[Row, ...]:
    """Parse the bytes of a registry. Raises AuthorMistakeError naming file, line and the mend."""
    text, table = parse_toml(data, path=path)
    rows = table.get("judge", [])
    if table.keys() - {"judge"} or not isinstance(rows, list):
        key = next(iter(sorted(table.keys() - {"judge"})), "judge")
        raise AuthorMistakeError(
            f"{key!r} is no part of a registry", path=path, line=1, hint="one [[judge]] a row"
        )
    heads = [n for n, line in enumerate(text.splitlines(), 1) if _HEAD.match(line)]
    lines = heads if len(heads) == len(rows) else [1] * len(rows)
    return tuple(_Reader(path, line).row(row) for row, line in zip(rows, lines, strict=True))


@dataclass(frozen=True, slots=True)
class _Reader:
    path: str
    line: int

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        raise AuthorMistakeError(message, path=self.path, line=self.line, hint=hint)

    def row(self, row: object) -> Row:
        if not isinstance(row, dict):
            self.fail("a judge must be written as a [[judge]] table")
        known = {*_TEXTS, "where", "proof"}
        if unknown := sorted(row.keys() - known):
            self.fail(f"unknown key {unknown[0]!r}", hint=f"known: {', '.join(sorted(known))}")
        if missing := [key for key in _NEEDED if not row.get(key)]:
            self.fail(f"a judge without {' and without '.join(missing)}")
        for key in _TEXTS:
            if not isinstance(row.get(key, ""), str):
                self.fail(f"{key} must be a text")
        proof = None if "proof" not in row else self.proof(row["proof"])
        texts = {key: row.get(key, "").strip() for key in _TEXTS}
        where = self.strings(row["where"], "where")
        return Row(**texts, where=where, proof=proof, line=self.line)

    def proof(self, value: object) -> Proof:
        if not isinstance(value, dict) or value.keys() - _PROOF:
            self.fail(
                "proof must be {command, expect_exit, expect_stdout} or {absent | present, in}"
            )
        if (kinds := [key for key in ("command", "absent", "present") if key in value]) != kinds[
            :1
        ]:
            self.fail("a proof is a command, or absent, or present: one of them")
        if not kinds:
            self.fail("a proof needs a command, or a regex as absent or present")
        if kinds == ["command"]:
            return self.command(value)
        if value.keys() - {*kinds, "in"} or "in" not in value:
            self.fail("a regex is looked for in paths: in = [...]")
        return self.regex(kinds[0], value)

    def command(self, value: Mapping[str, Any]) -> Proof:
        code, out = value.get("expect_exit", 0), value.get("expect_stdout")
        if "in" in value or type(code) is not int or not (out is None or isinstance(out, str)):
            self.fail("a command's proof is {command, expect_exit = 0, expect_stdout = ''}")
        argv = self.strings(value["command"], "command")
        return Proof(command=argv, expect_exit=code, expect_stdout=out)

    def regex(self, kind: str, value: Mapping[str, Any]) -> Proof:
        pattern, paths = value[kind], self.strings(value["in"], "in")
        try:
            re.compile(pattern)
        except (re.error, TypeError, RecursionError, OverflowError) as error:
            self.fail(f"{kind}: not a regex: {error}")
        return Proof(**{kind: pattern}, paths=paths)

    def strings(self, value: object, key: str) -> tuple[str, ...]:
        texts = isinstance(value, list) and all(isinstance(v, str) and v for v in value)
        if not isinstance(value, list) or not value or not texts:
            self.fail(f"{key} must be a list of texts")
        return tuple(value)
