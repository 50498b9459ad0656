"""What a repository has adopted: `judge-contract.lock`, written by the tool alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import tomli_w

from judge_conformance.config import is_inside, parse_toml
from judge_conformance.errors import AuthorMistakeError, UnusableInputError
from judge_conformance.paths import LOCK

FORMAT = 1

_HEAD = "# Written by judge-contract; mend it with: judge-contract lock\n"
_MEND = "run: judge-contract lock"
_PINNED = ("artifact", "release", "sha256", "why")
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7}|\|{7})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """An unmodified copy of an older release that is kept on purpose."""

    path: str
    artifact: str
    release: str
    sha256: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired:
    """A path that no longer has to carry the contract, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The release that a repository stands on, and which path carries which artifact."""

    release: str
    copies: Mapping[str, str] = field(default_factory=dict)
    pins: tuple[Pin, ...] = ()
    retired: tuple[Retired, ...] = ()

    @property
    def pinned(self) -> Mapping[str, Pin]:
        """Pins by path."""
        return {pin.path: pin for pin in self.pins}

    def render(self) -> bytes:
        """Return the bytes of the file: the same lock always gives the same ones.

        Every table is there, even when empty, and holds one line a path, so that independent
        changes merge without conflict under `merge=union`. Raises UnusableInputError for a path
        or a reason that is not UTF-8.
        """
        lines = [f"version = {FORMAT}", _line("release", self.release)]
        lines += [
            "",
            "[copies]",
            *(_line(path, name) for path, name in sorted(self.copies.items())),
        ]
        lines += ["", "[pins]", *(_pin_line(pin) for pin in sorted(self.pins, key=_path))]
        lines += ["", "[retired]", *(_line(r.path, r.why) for r in sorted(self.retired, key=_path))]
        try:
            return (_HEAD + "\n".join(lines) + "\n").encode()
        except UnicodeEncodeError as error:
            row = next(line for line in lines if not _is_utf8(line))
            raise UnusableInputError(
                f"cannot hold what is not UTF-8: {row}", path=LOCK, hint="give it another name"
            ) from error


def _is_utf8(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def _path(row: Pin | Retired) -> str:
    return row.path


def _line(key: str, value: str) -> str:
    return tomli_w.dumps({key: value}).rstrip("\n")


def _pin_line(pin: Pin) -> str:
    fields = ", ".join(_line(name, getattr(pin, name)) for name in _PINNED)
    return f"{_key(pin.path)}{{ {fields} }}"


def _key(path: str) -> str:
    """Return how the line of a path begins."""
    return _line(path, "").removesuffix('""')


def line_of(data: bytes, path: str) -> int:
    """Return the line of the lock that speaks of a path; 1 when none does."""
    start = _key(path).encode()
    lines = enumerate(data.splitlines(), 1)
    return next((number for number, line in lines if line.startswith(start)), 1)


def parse_lock(data: bytes, *, path: str = LOCK) -> Lock:
    """Parse the bytes of a lock. Raises AuthorMistakeError naming the line and the mend."""
    try:
        _, table = parse_toml(data, path=path)
    except AuthorMistakeError as error:
        conflict = next(
            (n for n, line in enumerate(data.split(b"\n"), 1) if line.startswith(b"<<<<<<<")), None
        )
        story = "holds a merge conflict" if conflict else error.message
        raise AuthorMistakeError(
            story, path=path, line=conflict or error.line, hint=_MEND
        ) from error
    if table.get("version") != FORMAT:
        raise AuthorMistakeError(
            f"has format {table.get('version')!r}, and this version reads {FORMAT}",
            path=path,
            line=1,
            hint="install a newer judge-contract",
        )
    try:
        lock = Lock(
            release=_text(table["release"]),
            copies={_text(key): _text(value) for key, value in table.get("copies", {}).items()},
            pins=tuple(
                Pin(path=path, **{name: _text(row[name]) for name in _PINNED})
                for path, row in table.get("pins", {}).items()
            ),
            retired=tuple(
                Retired(path=path, why=_text(why)) for path, why in table.get("retired", {}).items()
            ),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise AuthorMistakeError(
            f"does not have the lock's form: {error}", path=path, line=1, hint=_MEND
        ) from error
    paths = [*lock.copies, *(pin.path for pin in lock.pins), *(row.path for row in lock.retired)]
    for item in paths:
        if not is_inside(item):
            raise AuthorMistakeError(
                f"{item!r} is no path inside the repository",
                path=path,
                line=line_of(data, item),
                hint=_MEND,
            )
    return lock


def salvage(data: bytes) -> Lock | None:
    """Read what can be read of a lock that a merge has broken; None when nothing can.

    Conflict marks go, and of two lines for one key the later stays.
    """
    lines: list[str] = []
    seen: dict[str, int] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        if _CONFLICT.match(line):
            continue
        if line.startswith("["):
            seen = {}
        key = line.partition(" = ")[0]
        if " = " in line and key in seen:
            lines[seen[key]] = line
            continue
        seen[key] = len(lines)
        lines.append(line)
    try:
        return parse_lock("\n".join(lines).encode())
    except AuthorMistakeError:
        return None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
