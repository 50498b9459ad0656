from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.trees import Fifo, Link, Planted, build, plant

from judge_conformance.tree import find_root

CONFIG = "judge-contract.toml"
MARKET = ".claude-plugin/marketplace.json"

TREES: dict[str, tuple[dict[str, Planted], str, str]] = {
    "a config": ({f"m/{CONFIG}": "", "m/a/b/f": ""}, "m/a/b", "m"),
    "the nearest config": ({CONFIG: "", f"m/{CONFIG}": "", "m/a/f": ""}, "m/a", "m"),
    "a config before a nearer marketplace": ({CONFIG: "", f"m/{MARKET}": ""}, "m", ""),
    "a marketplace": ({f"m/{MARKET}": "", "m/a/f": ""}, "m/a", "m"),
    "a marketplace before git's top": ({f"m/{MARKET}": "", "m/a/f": ""}, "m/a", "m"),
    "neither": ({"a/f": ""}, "a", ""),
    "the start itself": ({f"a/{CONFIG}": ""}, "a", "a"),
    "a dangling config is one, so that it is complained of": (
        {f"m/{CONFIG}": Link("nowhere"), "m/f": "", CONFIG: ""},
        "m",
        "m",
    ),
    "a pipe for a config": ({f"m/{CONFIG}": Fifo(), "m/f": "", CONFIG: ""}, "m", "m"),
}


@pytest.mark.parametrize(("files", "start", "root"), TREES.values(), ids=TREES.keys())
def test_the_root_of_a_repository(
    tmp_path: Path, files: dict[str, Planted], start: str, root: str
) -> None:
    plant(tmp_path, {CONFIG: "", MARKET: ""})  # above git's top: another project's
    top = build(tmp_path / "top", files)
    assert find_root(top / start) == top / root


def test_without_git(tmp_path: Path) -> None:
    plant(tmp_path, {f"m/{MARKET}": "", "m/a/f": "", "b/f": ""})
    assert find_root(tmp_path / "m/a") == tmp_path / "m"
    assert find_root(tmp_path / "b") == tmp_path / "b"


def test_a_relative_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = build(tmp_path / "top", {f"m/{CONFIG}": "", "m/a/f": ""})
    monkeypatch.chdir(top / "m/a")
    assert find_root(Path()) == top / "m"
    assert os.fspath(find_root(Path("../..")))
