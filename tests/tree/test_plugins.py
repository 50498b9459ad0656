from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.trees import Link, Planted, build, git, plant

from judge_conformance.tree import Plugins, find_plugins, open_tree

MARKET = ".claude-plugin/marketplace.json"


def market(*entries: Any, **more: Any) -> str:  # noqa: ANN401 - JSON
    rows = [{"name": e[0], "source": e[1]} if isinstance(e, tuple) else e for e in entries]
    return json.dumps({"name": "m", "plugins": rows, **more}, indent=2)


def manifest(**members: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(members, indent=2)


def found(plugins: Plugins) -> dict[str, str]:
    return {plugin.path: plugin.name for plugin in plugins.found}


@dataclass(frozen=True, kw_only=True)
class Case:
    files: Mapping[str, Planted]
    found: Mapping[str, str]
    skipped: int = 0
    problems: tuple[str, ...] = field(default=())


GITHUB = {"source": "github", "repo": "o/r"}
ROOTED = {"metadata": {"pluginRoot": "./plugins"}}
CASES = {
    "a local source": Case(
        files={MARKET: market(("a", "./plugins/a")), "plugins/a/f": ""}, found={"plugins/a": "a"}
    ),
    "a source with a slash at its end, and dots inside": Case(
        files={MARKET: market(("a", "./x/../plugins//a/")), "plugins/a/f": ""},
        found={"plugins/a": "a"},
    ),
    "a bare name under pluginRoot": Case(
        files={MARKET: market(("a", "a"), **ROOTED), "plugins/a/f": ""}, found={"plugins/a": "a"}
    ),
    "a dotted source is the root's, whatever pluginRoot says": Case(
        files={MARKET: market(("a", "./b"), **ROOTED), "b/f": "", "plugins/b/f": ""},
        found={"b": "a"},
    ),
    "a bare name without pluginRoot": Case(
        files={MARKET: market(("a", "tools/a"), ("o", "owner/repo")), "tools/a/f": ""},
        found={"tools/a": "a"},
        skipped=1,
    ),
    "sources that live elsewhere": Case(
        files={
            MARKET: market(
                ("a", GITHUB),
                ("b", "https://x.example/y.git"),
                ("c", "git@x.example:y"),
                ("d", "."),
            )
        },
        found={"": "d"},
        skipped=3,
    ),
    "six entries for one root": Case(
        files={MARKET: market(*((name, "./") for name in "abcdef")), "f": ""}, found={"": "a"}
    ),
    "manifests without a marketplace": Case(
        files={
            "x/.claude-plugin/plugin.json": manifest(name="ex"),
            "deep/er/.claude-plugin/plugin.json": manifest(description="no name"),
            "y.claude-plugin/plugin.json": manifest(name="none"),
        },
        found={"deep/er": "er", "x": "ex"},
    ),
    "the repository is one plugin": Case(
        files={".claude-plugin/plugin.json": manifest(name="one"), "f": ""}, found={"": "one"}
    ),
    "a manifest that no entry names": Case(
        files={
            MARKET: market(("a", "./a")),
            "a/f": "",
            "b/.claude-plugin/plugin.json": manifest(name="bee"),
        },
        found={"a": "a", "b": "bee"},
    ),
    "the entry's name comes first": Case(
        files={
            MARKET: market(("entry", "./a")),
            "a/.claude-plugin/plugin.json": manifest(name="own"),
        },
        found={"a": "entry"},
    ),
    "no manifests": Case(
        files={"plugins/a/f": "", "plugins/b/c/f": "", "plugins/README.md": "", "other/f": ""},
        found={"plugins/a": "a", "plugins/b": "b"},
    ),
    "nothing": Case(files={"README.md": ""}, found={}),
    "sources that leave the root": Case(
        files={
            MARKET: market(
                ("up", "../up"),
                ("upper", "./a/../../up"),
                ("absolute", "/etc"),
                ("rooted", "up"),
                ("drive", "C:/x"),
                metadata={"pluginRoot": "../"},
            ),
            "plugins/a/f": "",
        },
        found={"plugins/a": "a"},
        problems=tuple(
            f"{MARKET}:{line}: the source {source!r} of {name!r} leaves the root, "
            "so it is not followed"
            for line, name, source in (
                (6, "up", "../up"),
                (10, "upper", "./a/../../up"),
                (14, "absolute", "/etc"),
                (18, "rooted", "up"),
                (22, "drive", "C:/x"),
            )
        ),
    ),
    "sources through links": Case(
        files={
            MARKET: market(("a", "./in/a"), ("b", "./out"), ("c", "./real/a")),
            "real/a/f": "",
            "in": Link("real"),
            "out": Link("/usr"),
        },
        found={"real/a": "c"},
        problems=(
            (
                f"{MARKET}:6: the source './in/a' of 'a' goes through the link 'in', "
                "so it is not followed"
            ),
            (
                f"{MARKET}:10: the source './out' of 'b' goes through the link 'out', "
                "so it is not followed"
            ),
        ),
    ),
    "a source that is not there, a file, a name that no disk can hold": Case(
        files={MARKET: market(("a", "./a"), ("b", "./b"), ("c", "./\ud800\0")), "b": ""},
        found={},
        problems=tuple(
            f"{MARKET}:{line}: the source {source!r} of {name!r} "
            "leads to no folder that holds a file"
            for line, name, source in ((6, "a", "./a"), (10, "b", "./b"), (14, "c", "./\ud800\0"))
        ),
    ),
    "entries that are none": Case(
        files={MARKET: market("x", {"source": "./a"}, {"name": ""}, {"name": "n"}, ("m", 5))},
        found={},
        problems=(
            f"{MARKET}:4: an entry without a name",
            f"{MARKET}:5: an entry without a name",
            f"{MARKET}:8: an entry without a name",
            f"{MARKET}:11: 'n' states no source",
            f"{MARKET}:14: 'm' states no source",
        ),
    ),
    "one name for two folders": Case(
        files={MARKET: market(("a", "./x"), ("a", "./y")), "x/f": "", "y/f": ""},
        found={"x": "a", "y": "a"},
        problems=(f"{MARKET}:1: the name 'a' stands for 'x' and for 'y'",),
    ),
    "hostile names": Case(
        files={
            MARKET: market(("new\nline", "./p/new\nline"), ("::error,", "./p/a:b,c")),
            "p/new\nline/f": "",
            "p/a:b,c/f": "",
        },
        found={"p/a:b,c": "::error,", "p/new\nline": "new\nline"},
    ),
    "a byte order mark": Case(
        files={MARKET: b"\xef\xbb\xbf" + market(("a", "./a")).encode(), "a/f": ""},
        found={"a": "a"},
    ),
    "equal keys: the last counts, as for everybody": Case(
        files={MARKET: '{"plugins": 1, "plugins": [{"name": "a", "source": "./a"}]}', "a/f": ""},
        found={"a": "a"},
    ),
    "not UTF-8": Case(
        files={MARKET: b'{\n"a": "\xff"}'}, found={}, problems=(f"{MARKET}:2: is not UTF-8",)
    ),
    "not JSON": Case(
        files={MARKET: '{\n"plugins": [\n}', "plugins/a/f": ""},
        found={"plugins/a": "a"},
        problems=(f"{MARKET}:3: is not JSON: Expecting value",),
    ),
    "no object": Case(
        files={MARKET: "[]", "a/.claude-plugin/plugin.json": '"text"'},
        found={"a": "a"},
        problems=(
            f"{MARKET}:1: holds no JSON object",
            "a/.claude-plugin/plugin.json:1: holds no JSON object",
        ),
    ),
    "no list of plugins": Case(
        files={MARKET: '{\n"name": "m",\n"plugins": {"a": "./a"}}'},
        found={},
        problems=(f"{MARKET}:3: holds no list of plugins",),
    ),
    "no plugins at all": Case(
        files={MARKET: "{}"}, found={}, problems=(f"{MARKET}:1: holds no list of plugins",)
    ),
    "too deep": Case(
        files={MARKET: "[" * 100_000},
        found={},
        problems=(f"{MARKET}:1: is not JSON that can be read",),
    ),
    "a number too long": Case(
        files={MARKET: "9" * 10_000},
        found={},
        problems=(f"{MARKET}:1: is not JSON that can be read",),
    ),
    "50 MB": Case(
        files={MARKET: b" " * 50_000_000},
        found={},
        problems=(f"{MARKET}:1: is larger than 8 MiB, so it is not read",),
    ),
    "the marketplace is a link": Case(
        files={MARKET: Link("../other.json"), "other.json": market(("a", "./a")), "a/f": ""},
        found={},
        problems=(f"{MARKET}:1: is a symbolic link",),
    ),
    "the marketplace lies behind a link": Case(
        files={".claude-plugin": Link("else"), "else/marketplace.json": market(("a", "./a"))},
        found={},
        problems=(f"{MARKET}:1: lies behind the link .claude-plugin",),
    ),
    "a version that is no string": Case(
        files={"a/.claude-plugin/plugin.json": '{"name": "a",\n\n"version": 1.0}'},
        found={"a": "a"},
        problems=("a/.claude-plugin/plugin.json:3: the version is no string",),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_plugins(tmp_path: Path, case: Case) -> None:
    root = plant(tmp_path / "root", case.files)
    plugins = find_plugins(open_tree(root))
    assert found(plugins) == case.found
    assert [plugin.path for plugin in plugins.found] == sorted(case.found)
    assert plugins.skipped == case.skipped
    problems = tuple(f"{p.path}:{p.line}: {p.message}" for p in plugins.problems)
    assert problems == case.problems


def test_all_names_of_one_root(tmp_path: Path) -> None:
    files = {
        MARKET: market(("a", "./"), ("b", "."), ("a", "./")),
        ".claude-plugin/plugin.json": manifest(name="own"),
    }
    (plugin,) = find_plugins(open_tree(plant(tmp_path, files))).found
    assert plugin.names == ("a", "b", "own")


def test_a_root_without_any_name_has_its_folders(tmp_path: Path) -> None:
    root = plant(tmp_path / "tools", {".claude-plugin/plugin.json": "{}"})
    assert found(find_plugins(open_tree(root))) == {"": "tools"}


def test_where_versions_stand(tmp_path: Path) -> None:
    root = plant(
        tmp_path,
        {
            MARKET: market(
                {"name": "ü", "source": "./entry", "version": "1.0.0"},
                {"name": "b", "source": "./both", "version": "1.0.0"},
                {"name": "n", "source": "./none"},
            ),
            "entry/f": "",
            "none/f": "",
            "both/.claude-plugin/plugin.json": '\ufeff{"x": {"version": "0"},\n"version":"2.0.0"}',
        },
    )
    plugins = find_plugins(open_tree(root))
    entry, both, none = (plugins.by_path[path] for path in ("entry", "both", "none"))
    assert (none.version, none.version_path, none.stated) == (None, None, None)
    for plugin, version, path, line in (
        (entry, "1.0.0", MARKET, 7),
        (both, "2.0.0", "both/.claude-plugin/plugin.json", 2),
    ):
        assert plugin.stated is not None
        assert (plugin.version, plugin.version_path) == (version, path)
        assert plugin.stated.line == line
        start, end = plugin.stated.span
        assert (root / path).read_bytes()[start:end] == f'"{version}"'.encode()


def test_the_innermost_plugin_holds_a_path(tmp_path: Path) -> None:
    files = dict.fromkeys(
        [f"{folder}.claude-plugin/plugin.json" for folder in ("", "a/", "a/b/", "a.b/")], "{}"
    )
    plugins = find_plugins(open_tree(plant(tmp_path, files)))

    def holder(path: str) -> str | None:
        plugin = plugins.of(path)
        return plugin.path if plugin else None

    assert holder("f") == ""
    assert holder("a/f") == "a"
    assert holder("a/b/c/f") == "a/b"
    assert holder("a/bc/f") == "a"
    assert holder("a.b/f") == "a.b"
    assert holder("a") == ""
    assert all(plugins.found[0].holds(path) for path in ("f", "a/f"))
    assert not plugins.by_path["a"].holds("a.b/f")
    assert Plugins(found=()).of("a/b") is None


def test_a_submodule_is_another_repository(tmp_path: Path) -> None:
    other = build(tmp_path / "other", {"skills/x/SKILL.md": "x"})
    root = build(tmp_path / "root", {MARKET: market(("s", "./sub"), ("t", "./sub/skills"))})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    plugins = find_plugins(open_tree(root))
    assert found(plugins) == {}
    assert [problem.message for problem in plugins.problems] == [
        f"the source './{path}' of {name!r} lies in another repository, 'sub', "
        "which is not looked into"
        for name, path in (("s", "sub"), ("t", "sub/skills"))
    ]


def test_manifests_in_the_index(tmp_path: Path) -> None:
    root = build(tmp_path / "root", {MARKET: market(("a", "./a")), "a/f": "", "b/f": ""})
    plant(root, {MARKET: market(("b", "./b"))})
    assert found(find_plugins(open_tree(root, staged=True))) == {"a": "a"}
    assert found(find_plugins(open_tree(root))) == {"b": "b"}


def test_a_marketplace_that_is_a_pipe(tmp_path: Path) -> None:
    root = plant(tmp_path, {"a/.claude-plugin/plugin.json": "{}", ".claude-plugin/x": ""})
    os.mkfifo(root / MARKET)
    plugins = find_plugins(open_tree(root))
    assert found(plugins) == {"a": "a"}
    assert [problem.message for problem in plugins.problems] == [
        "cannot be read: it is not a regular file"
    ]
