from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.trees import Executable, Link, Planted, build, commit, git, plant

from judge_conformance.errors import GitError, UnusableInputError
from judge_conformance.tree import merge_base, open_commit, open_tree, resolve

Build = Callable[[Mapping[str, Planted]], Path]


def test_the_files_of_a_commit(repository: Build, tmp_path: Path) -> None:
    other = build(tmp_path / "other", {"f": "f"})
    root = repository(
        {"m/a": "one", "m/run": Executable("r"), "m/link": Link("a"), "m/\udcff\n": "odd", "b": "b"}
    )
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "m/s")
    first = commit(root)
    plant(root, {"m/a": "two", "m/late": "l"})
    commit(root)
    tree = open_commit(root / "m", first)
    assert [(e.path, e.kind, e.executable, e.blob is not None) for e in tree.entries.values()] == [
        ("a", "file", False, True),
        ("link", "link", False, True),
        ("run", "file", True, True),
        ("s", "submodule", False, True),
        ("\udcff\n", "file", False, True),
    ]
    assert (tree.source, tree.uri_prefix, tree.object_format) == ("commit", "m/", "sha1")
    assert tree.read("a") == b"one"
    assert tree.read("\udcff\n") == b"odd"
    assert tree.entries["a"].blob == tree.blob_id(b"one")
    assert tree.look("late") is None
    for path, story in (
        ("late", "no such file"),
        ("link", "symbolic link"),
        ("link/x", "behind the link link"),
        ("s", "another repository"),
    ):
        with pytest.raises(UnusableInputError, match=story) as caught:
            tree.read(path)
        assert caught.value.path == path
    assert open_commit(root / "m", "HEAD").read("a") == b"two"


def test_many_files_are_read_by_one_process(repository: Build) -> None:
    files = {f"f{number:03}": b"\0\n" * number for number in range(200)}
    tree = open_commit(repository(files), "HEAD")
    assert {path: tree.read(path) for path in reversed(tree.paths)} == files
    assert tree.read("f001") == b"\0\n"


def test_a_lost_object_spoils_no_other_answer(repository: Build) -> None:
    root = repository({"a": "1", "b": "2"})
    tree = open_commit(root, "HEAD")
    assert tree.read("a") == b"1"
    lost = tree.entries["b"].blob or ""
    (root / ".git/objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(UnusableInputError, match="git does not have its bytes") as caught:
        tree.read("b")
    assert caught.value.path == "b"
    assert tree.read("a") == b"1"


def test_a_root_that_was_not_there_yet(repository: Build) -> None:
    root = repository({"b": "b"})
    plant(root, {"later/a": "a"})
    assert dict(open_commit(root / "later", "HEAD").entries) == {}


@pytest.mark.parametrize(
    "ref", ["nowhere", "", "-x", "--all", "HEAD^{tree}", "a b", "new\nline", "nul\0", "HEAD~5"]
)
def test_an_unknown_ref(repository: Build, ref: str) -> None:
    root = repository({"a": "1"})
    for ask in (open_commit, resolve, merge_base):
        with pytest.raises(GitError) as caught:
            ask(root, ref)
        assert "\n" not in caught.value.message
        assert repr(ref) in caught.value.message
        assert "fetch" in (caught.value.hint or "")


def test_the_base_of_two_branches(repository: Build) -> None:
    root = repository({"a": "1"})
    base = git(root, "rev-parse", "HEAD").strip()
    git(root, "checkout", "-q", "-b", "side")
    plant(root, {"b": "1"})
    side = commit(root)
    git(root, "checkout", "-q", "main")
    plant(root, {"c": "1"})
    commit(root)
    assert merge_base(root, "side") == merge_base(root, side, "main") == base
    assert merge_base(root, "HEAD") == resolve(root, "main")


def test_unrelated_histories(repository: Build) -> None:
    root = repository({"a": "1"})
    git(root, "checkout", "-q", "--orphan", "other")
    commit(root, "Another beginning")
    with pytest.raises(GitError, match="commit in common: the histories are unrelated"):
        merge_base(root, "main")


def test_a_shallow_clone(repository: Build) -> None:
    root = repository({"a": "1"})
    git(root, "checkout", "-q", "-b", "side")
    plant(root, {"b": "1"})
    commit(root)
    git(root, "checkout", "-q", "main")
    plant(root, {"c": "1"})
    commit(root)
    shallow = root.parent / "shallow"
    url = root.as_uri()
    git(root.parent, "clone", "-q", "--depth=1", "--no-single-branch", url, str(shallow))
    with pytest.raises(GitError, match="no commit in common: the clone is shallow") as caught:
        merge_base(shallow, "origin/side")
    assert "fetch-depth: 0" in (caught.value.hint or "")
    with pytest.raises(GitError, match=r"'HEAD~1' \(the clone is shallow\)") as caught:
        merge_base(shallow, "HEAD~1")
    assert "fetch-depth: 0" in (caught.value.hint or "")
    assert list(open_commit(shallow, "origin/side").entries) == ["a", "b"]


def test_without_git_or_commits(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="this is no git repository"):
        open_commit(tmp_path, "HEAD")
    git(tmp_path, "init", "-q")
    plant(tmp_path, {"a": "a"})
    with pytest.raises(GitError, match="'HEAD'"):
        merge_base(tmp_path, "HEAD")


def test_sha256(tmp_path: Path) -> None:
    root = build(tmp_path / "r", {"f": "data"}, object_format="sha256")
    tree = open_commit(root, "HEAD")
    assert (tree.object_format, tree.read("f")) == ("sha256", b"data")


def test_no_process_is_left(repository: Build) -> None:
    tree = open_tree(repository({"a": "1"}), staged=True)
    tree.read("a")
    del tree  # an unfinished process would be a ResourceWarning, which fails a test
