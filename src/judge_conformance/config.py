"""What a repository asks for: `judge-contract.toml`, parsed strictly, faults named by line."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

from judge_conformance.errors import AuthorMistakeError
from judge_conformance.findings import Severity
from judge_conformance.paths import CONFIG

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

Bump = Literal["pull-request", "after-merge", "off"]
Level = Literal["error", "warning", "notice", "off"]

_EVERY = ("*",)
_CODE = re.compile(r"J[CX]-[A-Z]+(-[A-Z]+)*")
_RELEASE = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """One allowance: findings of `rule` at paths that match `path` count, but do not fail.

    `why` and `until` may be missing here, so that the rule about allowances can say so.
    """

    rule: str
    path: str
    why: str
    until: dt.date | None
    line: int

    def matches(self, code: str, path: str) -> bool:
        """Whether a finding falls under it; `path` is one pattern in gitignore's language."""
        return code == self.rule and _spec([self.path]).match_file(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """A path that must carry a copy or a block, and the line that says so."""

    path: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The parsed config; its defaults are what a repository without one gets."""

    plugins: tuple[str, ...] = _EVERY
    exclude: tuple[str, ...] = ()
    required: tuple[Required, ...] = ()
    severity: Mapping[str, Level] = field(default_factory=dict)
    bump: Bump = "pull-request"
    minimum_release: str | None = None
    allow: tuple[Allow, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)

    def level(self, code: str, default: Severity) -> Severity | None:
        """Return how bad findings of a rule are here; None when it is off."""
        level = self.severity.get(code, default.value)
        return None if level == "off" else Severity(level)

    def selects_plugin(self, path: str) -> bool:
        """Whether a plugin root is to be looked at (the root itself always is)."""
        return not path or self.plugins == _EVERY or _spec(self.plugins).match_file(path)

    def excludes(self, path: str) -> bool:
        """Whether a path is left out of every rule."""
        return bool(self.exclude) and _spec(self.exclude).match_file(path)


def parse_config(data: bytes, *, path: str = CONFIG) -> Config:
    """Parse the bytes of a config. Raises AuthorMistakeError naming file, line and the mend."""
    text, table = parse_toml(data, path=path)
    reader = _Reader(text=text, path=path)
    known = {f.replace("_", "-") for f in Config.__dataclass_fields__} - {"lines"}
    for key in table:
        if key not in known:
            reader.fail(f"unknown key {key!r}", at=key, hint=f"known: {', '.join(sorted(known))}")
    return Config(
        plugins=reader.patterns(table, "plugins", default=("*",)),
        exclude=reader.patterns(table, "exclude", default=()),
        required=tuple(
            Required(path=reader.inside(item), line=reader.line(item))
            for item in reader.strings(table, "required")
        ),
        severity=reader.severities(table.get("severity", {})),
        bump=reader.choice(table, "bump", get_args(Bump), default="pull-request"),
        minimum_release=reader.release(table, "minimum-release"),
        allow=reader.allowances(table.get("allow", [])),
        lines={key: reader.line(key) for key in table},
    )


def parse_toml(data: bytes, *, path: str) -> tuple[str, dict[str, Any]]:
    """Decode and parse; the error names the line that TOML's parser found wrong."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise AuthorMistakeError("not UTF-8", path=path, line=line) from error
    try:
        return text, tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else len(text.splitlines()) or 1
        story = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise AuthorMistakeError(f"not TOML: {story}", path=path, line=line) from error


def _spec(patterns: tuple[str, ...] | list[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - late: many configs have no pattern

    return GitIgnoreSpec.from_lines(patterns)


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    path: str

    def line(self, needle: str) -> int:
        """Return the first line that holds the text as a key or a string; 1 when none does."""
        word = re.compile(rf"(?<![\w/.-]){re.escape(needle)}(?![\w/.-])")
        for number, line in enumerate(self.text.splitlines(), 1):
            if word.search(line.split("#", 1)[0] if '"' not in line else line):
                return number
        return 1

    def fail(self, message: str, *, at: str, hint: str | None = None, line: int = 0) -> NoReturn:
        raise AuthorMistakeError(message, path=self.path, line=line or self.line(at), hint=hint)

    def strings(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(f"{key} must be a list of strings", at=key)
        for item in value:
            if value.count(item) > 1:
                self.fail(f"{key} names {item!r} twice", at=item)
        return tuple(value)

    def patterns(
        self, table: Mapping[str, Any], key: str, *, default: tuple[str, ...]
    ) -> tuple[str, ...]:
        patterns = self.strings(table, key)
        if key in table and not patterns and default:
            self.fail(f"{key} is empty, so that nothing would be checked", at=key)
        for pattern in patterns:
            self.pattern(pattern)
        return patterns or default

    def pattern(self, pattern: str) -> str:
        try:
            blank = all(p.include is None for p in _spec([pattern]).patterns)
        except ValueError:
            blank = True
        if blank:
            self.fail(f"bad pattern {pattern!r}", at=pattern, hint="gitignore's language")
        return pattern

    def inside(self, path: str) -> str:
        """Return a path that is relative, normal, and stays inside the root."""
        if not is_inside(path):
            self.fail(
                f"{path!r} is no path inside the repository",
                at=path,
                hint="write it relative to the root, with / and without . or ..",
            )
        return path

    def severities(self, value: object) -> Mapping[str, Level]:
        levels = get_args(Level)
        if not isinstance(value, dict):
            self.fail("severity must be a table", at="severity")
        for code, level in value.items():
            if not _CODE.fullmatch(code):
                self.fail(f"{code!r} is no rule code", at=code, hint="see: judge-contract rules")
            if level not in levels:
                self.fail(f"{level!r} is no severity", at=code, hint=f"one of {', '.join(levels)}")
        return dict(value)

    def choice(
        self, table: Mapping[str, Any], key: str, choices: tuple[str, ...], *, default: str
    ) -> Any:  # noqa: ANN401 - one of the choices
        value = table.get(key, default)
        if value not in choices:
            self.fail(f"{key} must be one of {', '.join(choices)}", at=key)
        return value

    def release(self, table: Mapping[str, Any], key: str) -> str | None:
        value = table.get(key)
        if value is not None and not (isinstance(value, str) and _RELEASE.fullmatch(value)):
            self.fail(f'{key} must be a release such as "0.2.0"', at=key)
        return value

    def allowances(self, value: object) -> tuple[Allow, ...]:
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            self.fail("allow must be written as [[allow]] tables", at="allow")
        heads = [
            number
            for number, line in enumerate(self.text.splitlines(), 1)
            if re.match(r"\s*\[\[\s*allow\s*\]\]", line)
        ]
        lines = heads if len(heads) == len(value) else [self.line("allow")] * len(value)
        return tuple(self._allowance(row, line) for row, line in zip(value, lines, strict=True))

    def _allowance(self, row: Mapping[str, Any], line: int) -> Allow:
        for key in row.keys() - {"rule", "path", "why", "until"}:
            self.fail(f"unknown key {key!r} in [[allow]]", at=key, line=line)
        rule, path = row.get("rule"), row.get("path")
        if not isinstance(rule, str) or not _CODE.fullmatch(rule):
            self.fail("an allowance needs the code of a rule", at="allow", line=line)
        if not isinstance(path, str):
            self.fail("an allowance needs a path", at="allow", line=line)
        until = self._date(row.get("until"), line)
        why = row.get("why", "")
        if not isinstance(why, str):
            self.fail("why must be a text", at="why", line=line)
        return Allow(
            rule=str(rule), path=self.pattern(str(path)), why=why.strip(), until=until, line=line
        )

    def _date(self, value: object, line: int) -> dt.date | None:
        if isinstance(value, str):
            with suppress(ValueError):
                value = dt.date.fromisoformat(value)
        if isinstance(value, dt.datetime) or not (value is None or isinstance(value, dt.date)):
            self.fail("until must be a date such as 2027-01-31", at="until", line=line)
        return value


def is_inside(path: str) -> bool:
    """Whether a POSIX path is relative, in normal form, and cannot leave the root."""
    parts = path.split("/")
    return bool(path) and not any(part in {"", ".", ".."} for part in parts) and "\0" not in path
