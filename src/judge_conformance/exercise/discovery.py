"""Which Workflow scripts a tree holds, and which of them a change touched."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from judge_conformance.errors import GitError, UnusableInputError

_META = re.compile(rb"(^|[;\r\n])[ \t]*(\xef\xbb\xbf)?export\s+const\s+meta\b")
_AGENT = re.compile(rb"\bagent\s*\(")
_SUFFIXES = (".js", ".mjs")


def read(path: str) -> str:
    """Return a script's text. Raises UnusableInputError when it cannot be read as UTF-8."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise UnusableInputError(f"cannot be read: {error.strerror}", path=path) from error
    except UnicodeDecodeError as error:
        raise UnusableInputError(f"is not UTF-8 at byte {error.start}", path=path) from error


def all_scripts(root: Path) -> list[str]:
    """Find every Workflow script under `root`, sorted, as POSIX paths relative to it.

    In a Git work tree: what is tracked, and what is neither tracked nor ignored.
    """
    return sorted(path for path in _files(root) if _is_script(root / path))


def changed(paths: Sequence[str], base: str) -> set[str]:
    """Return those of the scripts that are not byte for byte what they were on the base.

    The base is where this branch left `base`. Raises GitError where Git cannot say.
    """
    if base.startswith("-"):
        raise GitError(f"{base!r} is no revision")
    start = _git("merge-base", base, "HEAD").decode().strip()
    return {path for path in paths if _on(start, path) != Path(path).read_bytes()}


def _files(root: Path) -> Iterator[str]:
    try:
        listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard", at=root)
    except GitError:
        found = (path for path in root.rglob("*") if "node_modules" not in path.parts)
        yield from (path.relative_to(root).as_posix() for path in found)
    else:
        yield from set(listed.decode("utf-8", "surrogateescape").split("\0")) - {""}


def _is_script(path: Path) -> bool:
    if path.suffix not in _SUFFIXES or not path.is_file():
        return False
    try:
        data = path.read_bytes()
    except OSError:
        return True  # said when it is read
    return _META.search(data) is not None and _AGENT.search(data) is not None


def _on(commit: str, path: str) -> bytes | None:
    whole = Path(path).resolve()
    try:
        return _git("show", f"{commit}:./{whole.name}", at=whole.parent)
    except GitError:
        return None


def _git(*argv: str, at: Path | None = None) -> bytes:
    try:
        done = subprocess.run(["git", *argv], cwd=at, capture_output=True, check=False)
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(f"git {argv[0]}: {lines[0] if lines else 'failed'}")
    return done.stdout
