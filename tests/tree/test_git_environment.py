from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.trees import IDENTITY, Planted, build, commit, git, plant

from judge_conformance.errors import GitError
from judge_conformance.tree import find_root, git_top, open_tree

Build = Callable[[Mapping[str, Planted]], Path]

HOOK = """\
#!/bin/sh
exec {python} -c '
import sys
from pathlib import Path
from judge_conformance.tree import open_tree
for root in sys.argv[1:]:
    tree = open_tree(Path(root), staged=True)
    print(root, tree.uri_prefix, *tree.entries)
' {roots} > {out}
"""


def hook_answer(repository: Path, roots: list[str], *commit_flags: str) -> list[str]:
    """Commit with a pre-commit hook that opens the staged trees; return what it saw."""
    out = repository.parent / "answer"
    hook = Path(git(repository, "rev-parse", "--git-path", "hooks/pre-commit").strip())
    hook = repository / hook
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK.format(python=sys.executable, roots=" ".join(roots), out=out))
    hook.chmod(0o755)
    git(repository, "commit", "-q", "-m", "With a hook", *commit_flags)
    return out.read_text().splitlines()


def test_the_index_of_a_partial_commit(repository: Build) -> None:
    root = repository({"market/a": "1", "b": "1"})
    plant(root, {"market/a": "2", "market/new": "1", "new": "1"})
    git(root, "add", "market/new", "new")
    answer = hook_answer(root, [".", "market"], "--only", "market/new")
    assert answer == [".  b market/a market/new", "market market/ a new"], "`new` is not committed"


def test_a_hook_of_a_linked_worktree(repository: Build) -> None:
    root = repository({"market/a": "1", "b": "1"})
    git(root, "worktree", "add", "-q", "-b", "side", "../side")
    side = root.parent / "side"
    plant(side, {"market/new": "1"})
    git(side, "add", ".")
    # Git sets GIT_DIR for the hook of a worktree, which would make `market` a top of its own.
    answer = hook_answer(side, [".", "market", str(root)])
    assert answer == [
        ".  b market/a market/new",
        "market market/ a new",
        f"{root}  b market/a",
    ]


def test_a_hook_does_not_leak_into_another_repository(repository: Build, tmp_path: Path) -> None:
    other = build(tmp_path / "other", {"elsewhere": "e"})
    plain = plant(tmp_path / "plain", {"f": "f"})
    root = repository({"a": "1"})
    plant(root, {"b": "1"})
    git(root, "add", ".")
    assert hook_answer(root, [".", str(other)]) == [".  a b", f"{other}  elsewhere"]
    environment = {"GIT_DIR": str(root / ".git"), "GIT_INDEX_FILE": str(root / ".git/index")}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        assert list(open_tree(other).entries) == ["elsewhere"]
        assert open_tree(plain).source == "folder"


@pytest.mark.parametrize("relative", [True, False], ids=["relative", "absolute"])
def test_git_dir_and_index_of_the_roots_own_repository(
    repository: Build, monkeypatch: pytest.MonkeyPatch, *, relative: bool
) -> None:
    root = repository({"market/a": "1"})
    shutil.copy(root / ".git/index", root / ".git/next-index")
    plant(root, {"market/b": "1"})
    git(root, "add", ".")
    monkeypatch.chdir(root)
    monkeypatch.setenv("GIT_DIR", ".git" if relative else str(root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", f"{'' if relative else root}/.git/next-index".lstrip("/"))
    if not relative:
        monkeypatch.setenv("GIT_INDEX_FILE", str(root / ".git/next-index"))
    for staged, expected in ((True, ["a"]), (False, ["a", "b"])):
        tree = open_tree(root / "market", staged=staged)
        assert (list(tree.entries), tree.uri_prefix) == (expected, "market/")
    assert find_root(Path("market")) == root


def test_a_repository_beside_its_work_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant(tmp_path / "home", {"market/a": "a", "b": "b"})
    git(tmp_path, "init", "-q", "--bare", "dotfiles")
    outside = plant(tmp_path / "outside", {"f": "f"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "dotfiles"))
    monkeypatch.setenv("GIT_WORK_TREE", str(root))
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    tree = open_tree(root / "market", staged=True)
    assert (list(tree.entries), tree.uri_prefix) == (["a"], "market/")
    assert git_top(root / "market") == root
    assert open_tree(outside).source == "folder"


def test_a_linked_worktree(repository: Build) -> None:
    root = repository({"a": "1"})
    git(root, "worktree", "add", "-q", "-b", "side", "../side")
    side = root.parent / "side"
    plant(side, {"b": "1"})
    assert list(open_tree(side).entries) == ["a", "b"]
    assert git_top(side) == side


def test_inside_the_git_folder_is_a_plain_folder(repository: Build) -> None:
    assert open_tree(repository({}) / ".git" / "refs").source == "folder"


def test_a_refused_owner(repository: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository({"a": "1"})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(GitError, match="dubious ownership") as caught:
        open_tree(root)
    assert "\n" not in caught.value.message
    assert f"git config --global --add safe.directory {root}" in (caught.value.hint or "")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")
    assert list(open_tree(root).entries) == ["a"], "what a caller configures is handed on"


def test_no_git(repository: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository({"sub/a": "1"})
    plain = plant(tmp_path / "plain", {"f": "f"})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git is not on the PATH") as caught:
        open_tree(root / "sub")
    assert caught.value.hint == "install git"
    assert list(open_tree(plain).entries) == ["f"], "a plain folder needs no git"


def test_a_git_that_cannot_run(
    repository: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository({})
    plant(tmp_path / "bin", {"git": "no program"})
    (tmp_path / "bin/git").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(GitError, match="git cannot be run: Exec format error"):
        open_tree(root)


@pytest.mark.parametrize(
    "damage", [b"garbage", b"DIRC" * 99, b"\0" * 999], ids=lambda damage: repr(damage[:8])
)
@pytest.mark.parametrize("staged", [False, True], ids=["work", "index"])
def test_a_corrupt_index(repository: Build, damage: bytes, *, staged: bool) -> None:
    root = repository({"a": "1"})
    (root / ".git/index").write_bytes(damage)
    with pytest.raises(GitError, match=r"^git says: .*index") as caught:
        open_tree(root, staged=staged)
    assert "\n" not in caught.value.message


def test_a_git_file_that_leads_nowhere(repository: Build) -> None:
    root = repository({"a": "1"})
    shutil.move(root / ".git", root.parent / "moved")
    plant(root, {".git": "gitdir: /nowhere/at/all\n"})
    with pytest.raises(GitError, match="not a git repository: /nowhere/at/all"):
        open_tree(root)


def test_a_hook_that_watches_the_files_is_not_asked(repository: Build) -> None:
    root = repository({"a": "1"})
    asked = root / ".git/asked"
    watcher = root / ".git/watcher"
    watcher.write_text(f"#!/bin/sh\ntouch {asked}\n")
    watcher.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(watcher))
    assert list(open_tree(root).entries) == ["a"]
    assert not asked.exists()


def test_the_index_is_not_written(repository: Build) -> None:
    root = repository({"a": "1"})
    os.utime(root / "a", (1, 1))
    before = (root / ".git/index").read_bytes()
    open_tree(root)
    assert (root / ".git/index").read_bytes() == before


def test_the_root_may_be_reached_by_a_link(repository: Build) -> None:
    root = repository({"market/a": "1", "b": "1"})
    (root.parent / "way").symlink_to(root / "market")
    tree = open_tree(root.parent / "way")
    assert (list(tree.entries), tree.uri_prefix, tree.read("a")) == (["a"], "market/", b"1")


def test_paths_with_pathspec_magic_are_names(repository: Build) -> None:
    root = repository({":(top)x/a*": "1", "a": "1"})
    tree = open_tree(root / ":(top)x")
    assert (list(tree.entries), tree.uri_prefix) == (["a*"], ":(top)x/")


def test_a_repository_in_a_folder_with_a_newline(tmp_path: Path) -> None:
    root = build(tmp_path / "new\nline", {"sub\n/a": "1"})
    tree = open_tree(root / "sub\n")
    assert (list(tree.entries), tree.uri_prefix) == (["a"], "sub\n/")
    assert git_top(root / "sub\n") == root


def test_objects_in_another_place(
    repository: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository({"a": "1"})
    (tmp_path / "objects").mkdir()
    shutil.copytree(root / ".git/objects", tmp_path / "quarantine")
    monkeypatch.chdir(root)
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "objects"))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(tmp_path / "quarantine"))
    shutil.rmtree(root / ".git/objects")
    (root / ".git/objects").mkdir()
    assert open_tree(root, staged=True).read("a") == b"1"


@pytest.mark.parametrize("name", sorted(IDENTITY))
def test_who_commits_is_fixed(repository: Build, name: str) -> None:
    form = "%an%n%ae%n%ad%n%cn%n%ce%n%cd"
    root = repository({})
    commit(root)
    said = git(root, "log", "-1", f"--format={form}", "--date=iso-strict-local").splitlines()
    assert IDENTITY[name][:10] in {line[:10] for line in said}
