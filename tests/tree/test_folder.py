from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.trees import Executable, Fifo, Link, Planted, build, git, plant

from judge_conformance.errors import UnusableInputError, UsageError
from judge_conformance.tree import find_plugins, open_tree


def test_a_folder_without_git(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "a.txt": "a",
            "run": Executable("r"),
            "link": Link("a.txt"),
            "away": Link("/usr"),
            "pipe": Fifo(),
            "sub/deep/f": "f",
            "nested/.git/HEAD": "ref",
            "nested/f": "f",
            "worktree/.git": "gitdir: elsewhere",
            "worktree/f": "f",
        },
    )
    tree = open_tree(tmp_path)
    assert {path: entry.kind for path, entry in tree.entries.items()} == {
        "a.txt": "file",
        "away": "link",
        "link": "link",
        "nested": "submodule",
        "pipe": "special",
        "run": "file",
        "sub/deep/f": "file",
        "worktree": "submodule",
    }
    assert [entry.path for entry in tree.entries.values() if entry.executable] == ["run"]
    assert (tree.source, tree.uri_prefix, tree.object_format) == ("folder", "", None)
    assert list(tree.paths) == sorted(tree.paths)
    assert tree.read("sub/deep/f") == b"f"
    assert tree.look("nested/f") is None


IGNORES: dict[str, dict[str, Planted]] = {
    "a pattern": {".gitignore": "*.log\n"},
    "a folder": {".gitignore": "a/\n"},
    "a negation": {".gitignore": "*\n!*.txt\n!a/\n"},
    "a negation inside a folder that is ignored": {".gitignore": "a\n!a/x.txt\n"},
    "anchored": {".gitignore": "/x.txt\nb/x.log\n"},
    "nested rules win": {".gitignore": "*.log\n", "a/.gitignore": "!x.log\n/b\n"},
    "nested rules are relative": {"a/.gitignore": "/x.txt\nb/x.txt\n"},
    "stars": {".gitignore": "**/b/*.txt\na/**\n!a/b\n"},
    "comments, spaces, escapes": {".gitignore": "# *\n\n  \n\\#x\n\\!y\nx.log   \nz\\ \n"},
    "classes": {".gitignore": "[xy].t?t\n"},
    "carriage returns": {".gitignore": "*.log\r\na/\r\n"},
    "a byte order mark": {".gitignore": b"\xef\xbb\xbfx.txt\n"},
    "not UTF-8": {".gitignore": b"\xff\xfe.log\nx.txt\n"},
    "other line ends are none": {".gitignore": "x.log\x0cb\nx.txt\u2028b\ny\n"},
    "no pattern": {".gitignore": "/\n!\n!/\nx.log\n"},
    "a backslash at the end": {".gitignore": "x.log\\\nx.txt\n"},
    "an open class": {".gitignore": "[x\nx.txt\n"},
    "a link is not followed": {".gitignore": Link("rules"), "rules": "*.txt\n"},
}
FILES: dict[str, Planted] = {
    path: ""
    for folder in ("", "a/", "a/b/", "b/")
    for path in (f"{folder}x.txt", f"{folder}x.log", f"{folder}y", f"{folder}#x", f"{folder}!y")
}


def as_git_has_it(root: Path) -> list[str]:
    git(root, "init", "-q")
    listed = git(root, "ls-files", "-z", "--others", "--exclude-standard").split("\0")[:-1]
    shutil.rmtree(root / ".git")
    return sorted(listed)


@pytest.mark.parametrize("ignores", IGNORES.values(), ids=IGNORES.keys())
def test_ignored_as_git_ignores(tmp_path: Path, ignores: dict[str, Planted]) -> None:
    root = plant(tmp_path / "root", FILES | ignores | {"\udcff\udcfe.log": "", "z ": ""})
    expected = as_git_has_it(root)
    assert list(open_tree(root).entries) == expected
    assert len(expected) > 1


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


parts = st.sampled_from(["a", "b", "x.txt", "y", "*", "**", "?", "*.txt", "[ab]", "[!a]", "a*"])
patterns = st.builds(
    lambda negation, root, path, folder: f"{negation}{root}{'/'.join(path)}{folder}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(parts, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
).filter(lambda pattern: not pattern.endswith("**/"))  # the library reads `a/**/` as `a/`
rules = st.lists(patterns, max_size=4).map(lambda lines: "".join(line + "\n" for line in lines))


@settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(top=rules, inner=rules)
def test_any_rules_ignore_as_git_ignores(scratch: Path, top: str, inner: str) -> None:
    root = scratch / "root"
    shutil.rmtree(root, ignore_errors=True)
    plant(root, FILES | {".gitignore": top, "a/.gitignore": inner})
    assert list(open_tree(root).entries) == as_git_has_it(root)


def test_staged_needs_git(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no git repository"):
        open_tree(tmp_path, staged=True)


@pytest.mark.parametrize("path", ["missing", "file", "nul\0"], ids=repr)
def test_a_root_that_is_no_folder(tmp_path: Path, path: str) -> None:
    plant(tmp_path, {"file": "f"})
    with pytest.raises(UnusableInputError, match="is no folder"):
        open_tree(tmp_path / path)


@pytest.fixture(params=["git", "folder"])
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    root = plant(tmp_path / "root", {"f": "f"})
    if request.param == "git":
        build(root, {})
    yield root
    subprocess.run(["chmod", "-R", "u+rwx", root], check=True)
    subprocess.run(["rm", "-rf", root], check=True)


def test_ten_thousand_levels(hostile: Path) -> None:
    here = os.open(hostile, os.O_RDONLY)
    for _ in range(10_000):
        os.mkdir("d", dir_fd=here)
        inside = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inside
    os.close(here)
    tree = open_tree(hostile)
    assert list(tree.entries) == ["f"]
    assert tree.look("/".join("d" * 10_000)) is None
    assert find_plugins(tree).found == ()


def test_an_unreadable_folder(hostile: Path) -> None:
    plant(hostile, {"closed/f": "f", "open/f": "f"})
    (hostile / "closed").chmod(0)
    paths = list(open_tree(hostile).entries)
    # Root may read everything, so that `closed/f` is there or not by who runs the test.
    assert [path for path in paths if not path.startswith("closed")] == ["f", "open/f"]


def test_a_circle_of_links(hostile: Path) -> None:
    plant(hostile, {"a": Link("b"), "b": Link("a"), "self": Link(".")})
    tree = open_tree(hostile)
    assert {path: entry.kind for path, entry in tree.entries.items()} == {
        "a": "link",
        "b": "link",
        "f": "file",
        "self": "link",
    }
    assert tree.look("self/self/f") is None
    with pytest.raises(UnusableInputError, match="lies behind the link self"):
        tree.read("self/f")
