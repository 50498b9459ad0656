"""The files of another commit, and where two histories part."""

from __future__ import annotations

import os
from pathlib import Path

from judge_conformance.errors import GitError
from judge_conformance.tree.base import Tree
from judge_conformance.tree.blobs import git_tree
from judge_conformance.tree.entries import Entry
from judge_conformance.tree.git import Repository, find_repository

_DEEPER = "fetch it first; in GitHub Actions, check out with fetch-depth: 0"


def open_commit(root: Path, ref: str) -> Tree:
    """Open the files below the root as a commit has them. Raises GitError for an unknown ref."""
    repository = _repository(root)
    listed = repository.git("ls-tree", "-r", "-z", _commit(repository, ref))
    rows: dict[str, str | Entry] = {}
    for record in os.fsdecode(listed).split("\0")[:-1]:
        head, _, path = record.partition("\t")
        mode, _, blob = head.split(" ")
        rows[path] = f"{mode} {blob}"
    return git_tree(repository, rows, source="commit")


def resolve(root: Path, ref: str) -> str:
    """Return the commit id of a ref. Raises GitError naming the mend."""
    return _commit(_repository(root), ref)


def merge_base(root: Path, ref: str, head: str = "HEAD") -> str:
    """Return the commit where two histories part. Raises GitError when git cannot say."""
    repository = _repository(root)
    ours, theirs = _commit(repository, head), _commit(repository, ref)
    try:
        return repository.git("merge-base", theirs, ours).decode().strip()
    except GitError as error:
        shallow = _is_shallow(repository)
        story = "the clone is shallow" if shallow else "the histories are unrelated"
        hint = "git fetch --unshallow; in GitHub Actions, check out with fetch-depth: 0"
        raise GitError(
            f"{ref!r} and {head!r} have no commit in common: {story}",
            hint=hint if shallow else None,
        ) from error


def was_named(root: Path, text: str, *paths: str) -> bool:
    """Whether any commit that HEAD comes from put a text into one of these files, or took it out.

    Paths are relative to the root. Raises GitError.
    """
    repository = find_repository(root)
    if repository is None:
        return False
    places = [f":(top,literal){repository.uri_prefix}{path}" for path in paths]
    return bool(repository.git("log", "-1", "--format=%H", f"-S{text}", "HEAD", "--", *places))


def main_branch(root: Path) -> str:
    """Return what origin calls its own, else main or master where there is one."""
    repository = find_repository(root)
    if repository is None:
        return "main"

    def says(*words: str) -> str:
        try:
            return repository.git(*words).decode("utf-8", "replace").strip()
        except GitError:
            return ""

    if origin := says("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"):
        return origin.removeprefix("origin/")
    usual = (name for name in ("main", "master") if says("rev-parse", "--verify", "-q", name))
    return next(usual, says("symbolic-ref", "--quiet", "--short", "HEAD") or "main")


def _commit(repository: Repository, ref: str) -> str:
    question = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    try:
        return repository.git(*question).decode().strip()
    except GitError as error:
        story = " (the clone is shallow)" if _is_shallow(repository) else ""
        raise GitError(f"no commit is known here by {ref!r}{story}", hint=_DEEPER) from error


def _is_shallow(repository: Repository) -> bool:
    return repository.git("rev-parse", "--is-shallow-repository").strip() == b"true"


def _repository(root: Path) -> Repository:
    repository = find_repository(root)
    if repository is None:
        raise GitError("a base needs git's history, and this is no git repository")
    return repository
