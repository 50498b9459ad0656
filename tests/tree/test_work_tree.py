from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.trees import Executable, Fifo, Link, Planted, build, commit, git, plant

from judge_conformance.errors import UnusableInputError
from judge_conformance.tree import Tree, open_tree

Build = Callable[[Mapping[str, Planted]], Path]


def seen(tree: Tree) -> dict[str, str]:
    """Each path with its kind, and what else is not as usual."""
    return {
        path: " ".join(
            [
                entry.kind,
                *["executable"] * entry.executable,
                *["untracked"] * (not entry.tracked),
                *["ignored"] * entry.ignored,
            ]
        )
        for path, entry in tree.entries.items()
    }


def test_tracked_untracked_and_ignored(repository: Build) -> None:
    root = repository({"b/run.sh": Executable("#!/bin/sh\n"), "a.txt": "a", "c": Link("a.txt")})
    plant(root, {".gitignore": "*.log\n", "new.txt": "n", "x.log": "x", "tool": Executable("t")})
    tree = open_tree(root)
    assert seen(tree) == {
        ".gitignore": "file untracked",
        "a.txt": "file",
        "b/run.sh": "file executable",
        "c": "link",
        "new.txt": "file untracked",
        "tool": "file executable untracked",
    }
    assert tree.source == "work"
    assert tree.object_format == "sha1"
    assert all(entry.path == path for path, entry in tree.entries.items())
    assert tree.read("a.txt") == b"a"
    ignored = tree.look("x.log")
    assert ignored is not None
    assert (ignored.ignored, ignored.tracked, ignored.kind) == (True, False, "file")


def test_the_work_tree_differs_from_the_index(repository: Build) -> None:
    root = repository(dict.fromkeys(["edited", "gone", "linked", "piped", "run", "dir"], "x\n"))
    (root / "edited").write_text("changed\n")
    (root / "gone").unlink()
    (root / "linked").unlink()
    (root / "linked").symlink_to("edited")
    (root / "piped").unlink()
    os.mkfifo(root / "piped")
    (root / "run").chmod(0o755)
    (root / "dir").unlink()
    plant(root, {"dir/inside": "i"})
    tree = open_tree(root)
    assert seen(tree) == {
        "dir/inside": "file untracked",
        "edited": "file",
        "linked": "link",
        "piped": "special",
        "run": "file executable",
    }
    assert tree.read("edited") == b"changed\n"
    assert tree.look("gone") is None
    assert tree.look("dir") is None


def test_the_index_is_what_will_be_committed(repository: Build) -> None:
    root = repository({"kept": "1", "edited": "1", "gone": "1", "dropped": "1"})
    plant(root, {"edited": "staged", "added": "new", "intended": "later", "untracked": "u"})
    (root / "gone").unlink()
    git(root, "add", "edited", "added")
    git(root, "rm", "-q", "--cached", "dropped")
    git(root, "add", "--intent-to-add", "intended")
    (root / "edited").write_text("not staged")
    tree = open_tree(root, staged=True)
    assert list(tree.entries) == ["added", "edited", "gone", "kept"]
    assert tree.read("edited") == b"staged"
    assert tree.read("gone") == b"1"
    assert tree.entries["edited"].blob == tree.blob_id(b"staged")
    assert tree.look("dropped") is None
    assert list(open_tree(root).entries) == [
        *["added", "dropped", "edited", "intended", "kept", "untracked"]
    ]


def test_what_git_does_not_look_at_is_looked_at(repository: Build) -> None:
    root = repository({"assumed": "1", "sparse": "1", "absent": "1", "swapped": "1"})
    git(root, "update-index", "--assume-unchanged", "assumed", "swapped")
    git(root, "update-index", "--skip-worktree", "sparse", "absent")
    (root / "assumed").write_text("edited")
    (root / "sparse").write_text("edited")
    (root / "absent").unlink()
    (root / "swapped").unlink()
    (root / "swapped").symlink_to("assumed")
    tree = open_tree(root)
    assert tree.read("assumed") == b"edited"
    assert tree.read("sparse") == b"edited"
    assert tree.read("absent") == b"1", "what a sparse checkout leaves out is git's own"
    assert tree.entries["absent"].blob == tree.blob_id(b"1")
    assert tree.entries["swapped"].kind == "link"


def test_what_git_does_not_look_at_may_lie_behind_a_link(repository: Build) -> None:
    root = repository({"sub/assumed": "1", "sub/sparse": "1"})
    git(root, "update-index", "--assume-unchanged", "sub/assumed")
    git(root, "update-index", "--skip-worktree", "sub/sparse")
    plant(root.parent, {"outside/assumed": "secret", "outside/sparse": "secret"})
    (root / "sub").rename(root.parent / "moved")
    (root / "sub").symlink_to("../outside")
    tree = open_tree(root)
    for path in ("sub/assumed", "sub/sparse"):
        assert tree.link_on_the_way(path) == "sub"
        assert tree.read(path) == b"1", "what git holds, and nothing from outside"


def test_sparse_checkout_deletes_nothing(repository: Build) -> None:
    root = repository({"in/a": "a", "out/b": "b", "top": "t"})
    git(root, "sparse-checkout", "set", "--sparse-index", "in")
    assert not (root / "out").exists()
    tree = open_tree(root)
    assert list(tree.entries) == ["in/a", "out/b", "top"]
    assert tree.read("out/b") == b"b"


def test_a_conflict_is_read_from_the_disk_and_refused_in_the_index(repository: Build) -> None:
    root = repository({"both": "1\n", "theirs": "1\n"})
    git(root, "checkout", "-q", "-b", "other")
    plant(root, {"both": "2\n"})
    (root / "theirs").unlink()
    commit(root)
    git(root, "checkout", "-q", "main")
    plant(root, {"both": "3\n", "theirs": "3\n"})
    commit(root)
    with pytest.raises(AssertionError):
        git(root, "merge", "-q", "other")
    tree = open_tree(root)
    assert list(tree.entries) == ["both", "theirs"]
    assert tree.read("both").startswith(b"<<<<<<<")
    staged = open_tree(root, staged=True)
    with pytest.raises(UnusableInputError, match="merge conflict") as caught:
        staged.read("both")
    assert caught.value.path == "both"


@pytest.mark.parametrize(
    ("attributes", "config"),
    [
        ("* text=auto\n", "core.autocrlf=false"),
        ("* text eol=crlf\n", "core.autocrlf=false"),
        ("", "core.autocrlf=true"),
        ("* filter=upper\n", "filter.upper.clean=tr a-z A-Z"),
        ("*.txt working-tree-encoding=UTF-16LE\n", "core.autocrlf=false"),
    ],
)
def test_a_filtered_file_is_read_as_it_lies_there(
    repository: Build, attributes: str, config: str
) -> None:
    data = "line\r\n".encode("utf-16-le" if "UTF-16" in attributes else "utf-8")
    root = repository({".gitattributes": attributes})
    git(root, "config", *config.split("=", 1))
    plant(root, {"f.txt": data})
    commit(root)
    assert git(root, "status", "--porcelain") == ""
    tree = open_tree(root)
    assert tree.read("f.txt") == data
    assert tree.entries["f.txt"].blob is None
    assert open_tree(root, staged=True).read("f.txt") != data


def test_other_repositories_inside_are_not_looked_into(repository: Build, tmp_path: Path) -> None:
    other = build(tmp_path / "other", {"f": "f"})
    root = repository({"a": "a"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    commit(root)
    build(root / "nested", {"n": "n"})
    git(root, "init", "-q", "empty")
    (root / "sub" / "f").write_text("changed")
    tree = open_tree(root)
    assert seen(tree) == {
        ".gitmodules": "file",
        "a": "file",
        "empty": "submodule untracked",
        "nested": "submodule untracked",
        "sub": "submodule",
    }
    assert tree.look("sub/f") is None
    assert tree.look("nested/n") is None
    assert tree.look(".git/config") is None
    assert tree.repository_on_the_way("nested/n") == "nested"
    assert tree.repository_on_the_way("a") is None
    for path in ("sub", "nested"):
        with pytest.raises(UnusableInputError, match="another repository"):
            tree.read(path)
    with pytest.raises(UnusableInputError, match="another repository"):
        tree.read("sub/f")


def test_links_are_never_followed(repository: Build, tmp_path: Path) -> None:
    plant(tmp_path, {"outside/secret": "s"})
    root = repository({"real/f": "f", "in": Link("real"), "out": Link("../outside")})
    tree = open_tree(root)
    for path, parent in (("in/f", "in"), ("out/secret", "out")):
        assert tree.link_on_the_way(path) == parent
        assert tree.look(path) is None
        with pytest.raises(UnusableInputError, match=f"lies behind the link {parent}"):
            tree.read(path)
    assert tree.link_on_the_way("real/f") is None
    for path in ("in", "out"):
        with pytest.raises(UnusableInputError, match="symbolic link"):
            tree.read(path)


def test_a_folder_that_became_a_link_holds_nothing(repository: Build) -> None:
    root = repository({"plugins/a/f": "f", "g": "g"})
    (root / "plugins").rename(root / "moved")  # the very same files: git's dates cannot tell
    (root / "plugins").symlink_to("moved")
    tree = open_tree(root)
    assert seen(tree) == {"g": "file", "moved/a/f": "file untracked", "plugins": "link untracked"}
    assert tree.link_on_the_way("plugins/a/f") == "plugins"
    assert list(open_tree(root, staged=True).entries) == ["g", "plugins/a/f"]


@pytest.mark.parametrize(
    ("path", "story"),
    [
        ("missing", "No such file"),
        ("fifo", "not a regular file"),
        ("dangling", "symbolic link"),
        ("folder", "not a regular file|Is a directory"),
        ("folder/f/deeper", "Not a directory"),
        ("../outside", "no path inside the root"),
        ("/etc/hostname", "no path inside the root"),
        ("folder//f", "no path inside the root"),
        ("folder/./f", "no path inside the root"),
        ("", "no path inside the root"),
        ("nul\0byte", "no path inside the root"),
        ("n" * 5000, "File name too long"),
    ],
    ids=lambda value: repr(value)[:20],
)
@pytest.mark.parametrize("kind", ["git", "folder"])
def test_what_cannot_be_read_is_named(tmp_path: Path, kind: str, path: str, story: str) -> None:
    plant(tmp_path, {"outside": "o"})
    root = plant(tmp_path / "root", {"folder/f": "f", "fifo": Fifo(), "dangling": Link("nowhere")})
    if kind == "git":
        build(root, {})
    tree = open_tree(root)
    with pytest.raises(UnusableInputError, match=story) as caught:
        tree.read(path)
    assert caught.value.path == path
    entry = tree.look(path)
    assert (entry.kind if entry else None) == {"fifo": "special", "dangling": "link"}.get(path)


def test_a_huge_file_is_refused_unread(repository: Build) -> None:
    root = repository({})
    with (root / "huge.js").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(UnusableInputError, match="larger than 256 MiB"):
        open_tree(root).read("huge.js")


NAMES = ["new\nline", "co:lon,comma", " space ", "tab\there", '"quoted"', "ümlaut", "\udcff\udcfe"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_are_taken_as_they_are(repository: Build, name: str) -> None:
    root = repository({f"{name}/tracked": "t"})
    plant(root, {f"{name}/untracked": "u"})
    for tree in (open_tree(root), open_tree(root, staged=True)):
        assert tree.read(f"{name}/tracked") == b"t"
        assert next(tree.under(name)).path == f"{name}/tracked"
    assert open_tree(root).read(f"{name}/untracked") == b"u"


def test_paths_are_sorted_and_searched(repository: Build) -> None:
    paths = ["a", "a-b/x", "a.d/x", "a/b/c", "a/b0", "a/b.c", "a0", "b/\udcff", "b/ü", "b/😀"]
    root = repository({path: "" for path in paths if path != "a"})
    tree = open_tree(root)
    assert list(tree.paths) == sorted(paths[1:])
    assert [entry.path for entry in tree.under("a")] == ["a/b.c", "a/b/c", "a/b0"]
    assert list(tree.paths_under("a/b")) == ["a/b/c"]
    assert list(tree.paths_under("none")) == []
    assert list(tree.paths_under("")) == list(tree.paths)


def test_sha256(tmp_path: Path) -> None:
    root = build(tmp_path / "r", {"f": "data"}, object_format="sha256")
    tree = open_tree(root, staged=True)
    assert tree.object_format == "sha256"
    assert tree.blob_id(b"data") == tree.entries["f"].blob == git(root, "hash-object", "f").strip()
    assert tree.read("f") == b"data"


def test_blob_ids_are_gits(repository: Build) -> None:
    root = repository({"f": b"\0\xff\r\n"})
    assert open_tree(root).blob_id(b"\0\xff\r\n") == git(root, "hash-object", "f").strip()


def test_an_empty_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "new")
    assert dict(open_tree(tmp_path / "new").entries) == {}
    plant(tmp_path / "new", {"f": "f"})
    assert list(open_tree(tmp_path / "new").entries) == ["f"]
    assert list(open_tree(tmp_path / "new", staged=True).entries) == []


def test_case_counts_in_names(repository: Build) -> None:
    tree = open_tree(repository({"Readme": "1", "readme": "2"}))
    assert (tree.read("Readme"), tree.read("readme")) == (b"1", b"2")
    assert tree.look("README") is None
