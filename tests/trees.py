"""Small real trees from tables: `build(tmp_path, {"a.txt": "text", "b": Link("a.txt")})`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}
UNTOUCHED = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link; the target need not exist."""

    target: str


@dataclass(frozen=True, slots=True)
class Executable:
    """A file with its executable bit set."""

    text: str


@dataclass(frozen=True, slots=True)
class Fifo:
    """A pipe on which a careless reader waits for ever; git does not track it."""


Planted = str | bytes | Link | Executable | Fifo


def plant(root: Path, files: Mapping[str, Planted]) -> Path:
    """Write files below a folder (made when it is not there) and return the folder."""
    root.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case str():
                file.write_bytes(content.encode("utf-8", "surrogateescape"))
            case bytes():
                file.write_bytes(content)
            case Link():
                file.symlink_to(content.target)
            case Executable():
                file.write_text(content.text, encoding="utf-8")
                file.chmod(0o755)
            case Fifo():
                os.mkfifo(file)
    return root


def build(root: Path, files: Mapping[str, Planted], *, object_format: str = "sha1") -> Path:
    """Make a git repository whose first commit holds the files, and return its folder."""
    plant(root, files)
    git(root, "init", "-q", "-b", "main", f"--object-format={object_format}")
    commit(root)
    return root


def commit(root: Path, message: str = "A commit") -> str:
    """Commit all that is there and not ignored, and return the commit's id."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD").strip()


def git(root: Path, *argv: str) -> str:
    """Run git under a fixed identity, without the user's configuration, and return its words."""
    bound = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}
    clean = {name: value for name, value in os.environ.items() if name not in bound}
    done = subprocess.run(
        ["git", *argv],
        cwd=root,
        env=clean | IDENTITY | UNTOUCHED,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return os.fsdecode(done.stdout)
