"""Git as a command: which repository holds a folder, and how git is asked about it.

A hook's environment (`GIT_DIR`, `GIT_INDEX_FILE` and the like) speaks of one repository. It is
honoured for that one, wherever below it the root lies, and kept from every other.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from judge_conformance.errors import GitError

# What binds git to one repository (`git rev-parse --local-env-vars`, without the configuration
# that a caller hands on) or changes how it reads paths and attributes.
_BOUND = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
# What a hook hands on, relative to git's top, and what parts one path in it from the next.
_HANDED_ON = {
    "GIT_INDEX_FILE": "",
    "GIT_OBJECT_DIRECTORY": "",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep,
}
# No helper's word for what changed; objects as clones get them, not what stands for them here.
_SETTINGS = ("-c", "core.fsmonitor=false", "--no-replace-objects")
_OURS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A folder in a work tree: git's `top`, the way from there, and the environment for git.

    `folder` is git's own for this work tree (`.git`, or a place below it).
    """

    root: Path
    top: Path
    folder: Path
    object_format: Literal["sha1", "sha256"]
    environment: Mapping[str, str]

    @property
    def uri_prefix(self) -> str:
        """The way from git's top to the root: `""` or `sub/dir/`."""
        way = os.path.relpath(self.root.resolve(), self.top).replace(os.sep, "/")
        return "" if way == "." else way + "/"

    @property
    def keeps_private(self) -> bool:
        """Whether no commit can bring a file into git's own folder: git refuses `.git` in paths."""
        if not self.folder.is_relative_to(self.top):
            return True
        return ".git" in self.folder.relative_to(self.top).parts

    def start(self, *argv: str) -> subprocess.Popen[bytes]:
        """Start git in the root. Raises GitError when there is none."""
        return _start(self.root, self.environment, *argv)

    def git(self, *argv: str) -> bytes:
        """Return what git prints. Raises GitError with git's own words."""
        return finish(self.start(*argv))

    def gather(self, *commands: tuple[str, ...]) -> list[bytes]:
        """Run commands side by side and return what each prints. Raises GitError."""
        processes = [self.start(*argv) for argv in commands]
        outputs = [process.communicate() for process in processes]
        return [
            _checked(process, out, err)
            for process, (out, err) in zip(processes, outputs, strict=True)
        ]


def find_repository(root: Path) -> Repository | None:
    """Return the repository whose work tree holds the folder; None when there is none.

    Raises GitError when git is missing though the folder is a repository's, or refuses it.
    """
    clean = {name: value for name, value in os.environ.items() if name not in _BOUND} | _OURS
    bound = {name: os.environ[name] for name in _BOUND if os.environ.get(name)}
    if found := _discover(root, clean):
        if not bound or not _same_repository(root, clean, bound):
            return found
        handed_on = {
            name: _from(found.top, bound[name], separator)
            for name, separator in _HANDED_ON.items()
            if name in bound
        }
        return Repository(
            root=root,
            top=found.top,
            folder=found.folder,
            object_format=found.object_format,
            environment=clean | handed_on,
        )
    if "GIT_DIR" not in bound:
        return None
    places = {
        "GIT_DIR": os.path.abspath(bound["GIT_DIR"]),  # noqa: PTH100 - no link is resolved
        "GIT_WORK_TREE": os.path.abspath(bound.get("GIT_WORK_TREE", ".")),  # noqa: PTH100 - likewise
    }
    if not root.resolve().is_relative_to(Path(places["GIT_WORK_TREE"]).resolve()):
        return None
    return _discover(root, clean | bound | places)


def finish(process: subprocess.Popen[bytes]) -> bytes:
    """Wait for git and return what it printed. Raises GitError with git's own words."""
    out, err = process.communicate()
    return _checked(process, out, err)


def _from(top: Path, value: str, separator: str) -> str:
    """Make the paths of a variable absolute; git reads them from the top of the work tree."""
    parts = value.split(separator) if separator else [value]
    return separator.join(str(top / part) for part in parts)


def git_top(folder: Path) -> Path | None:
    """Return the top of the work tree that holds the folder; None outside of git."""
    repository = find_repository(folder)
    return repository.top if repository else None


def _discover(root: Path, environment: Mapping[str, str]) -> Repository | None:
    question = ("--is-inside-work-tree", "--show-object-format", "--show-cdup")
    try:
        answer = finish(_start(root, environment, "rev-parse", *question, "--absolute-git-dir"))
    except GitError as error:
        if "not a git repository (or any" in error.message:
            return None
        if "git is not" in error.message and not _looks_like_git(root):
            return None
        raise
    if not answer.startswith(b"true\n"):
        return None
    _, object_format, up, folder = answer.split(b"\n", 3)
    return Repository(
        root=root,
        top=(root / os.fsdecode(up)).resolve(),
        folder=Path(os.fsdecode(folder.removesuffix(b"\n"))),
        object_format=cast("Literal['sha1', 'sha256']", object_format.decode()),
        environment=environment,
    )


def _same_repository(root: Path, clean: Mapping[str, str], bound: Mapping[str, str]) -> bool:
    """Whether the environment's repository is the root's own."""
    here = bound.get("GIT_DIR") or _git_folder(Path.cwd(), clean)
    own = _git_folder(root, clean)
    return here is not None and own is not None and os.path.realpath(here) == os.path.realpath(own)


def _git_folder(folder: Path, environment: Mapping[str, str]) -> str | None:
    try:
        answer = finish(_start(folder, environment, "rev-parse", "--absolute-git-dir"))
    except GitError:
        return None
    return os.fsdecode(answer.removesuffix(b"\n"))


def _looks_like_git(root: Path) -> bool:
    root = root.absolute()
    return any(os.path.lexists(folder / ".git") for folder in (root, *root.parents))


def _start(folder: Path, environment: Mapping[str, str], *argv: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ("git", *_SETTINGS, *argv),
            cwd=folder,
            stdin=subprocess.PIPE if "--batch" in argv else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
    except FileNotFoundError as error:
        raise GitError("git is not on the PATH", hint="install git") from error
    except (OSError, ValueError) as error:
        story = getattr(error, "strerror", None) or str(error)
        raise GitError(f"git cannot be run: {story}") from error


def _checked(process: subprocess.Popen[bytes], out: bytes, err: bytes) -> bytes:
    if process.returncode == 0:
        return out
    lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = next((line for line in lines if line.startswith("fatal: ")), None)
    story = (fatal or (lines or [f"exit {process.returncode} without a word"])[0]).removeprefix(
        "fatal: "
    )
    command = next((line for line in lines if line.startswith("git config ")), None)
    hint = f"if you trust it: {command}" if command else None
    raise GitError(f"git says: {story}", hint=hint)
