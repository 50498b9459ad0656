"""Every console example of the README and the pages in docs/ is run, and must say what it shows.

A fence whose info string is `LANGUAGE NAME` is a file that the examples below it find. In a fence
of language `console`, a line that starts with `$ ` is a command (one with `> ` goes on with it) and
what follows is all that it prints; `$?` is the exit of the command before. The examples of a page
share one folder, with the canonical scripts in `scripts/`, the marketplaces of the tests where they
are, and `judge-contract` on the PATH.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
FENCE = re.compile(r"(?ms)^```(?P<language>[\w-]+)(?: (?P<name>[\w./-]+))?\n(?P<text>.*?)^```$")
WITH_EXAMPLES = [page for page in PAGES if "\n```console\n" in page.read_text("utf-8")]


def commands(example: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of an example, each with what it must print."""
    for part in re.split(r"(?m)^\$ ", example)[1:]:
        lines = part.splitlines(keepends=True)
        size = next((i for i, line in enumerate(lines[1:], 1) if line[:2] != "> "), len(lines))
        yield "".join(line.removeprefix("> ") for line in lines[:size]), "".join(lines[size:])


def play(page: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Play a page in a folder; yields each command, what it must print and what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    code = 0
    for fence in FENCE.finditer(page):
        if fence["name"]:
            file = folder / fence["name"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fence["text"], "utf-8")
        elif fence["language"] == "console":
            for command, expected in commands(fence["text"]):
                done = subprocess.run(
                    ["/bin/sh", "-c", f"(exit {code})\n{command}"],
                    cwd=folder,
                    env={**os.environ, "PATH": path, "HOME": str(folder)},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=60,
                    check=False,
                )
                code = done.returncode
                yield command, expected, done.stdout.decode("utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    shutil.copytree(ROOT / "tests/marketplaces", tmp_path / "tests/marketplaces")
    for file in [*ROOT.glob("vendored/*.py"), *ROOT.glob("vendored/gates/*.py")]:
        shutil.copy(file, tmp_path / "scripts")
    return tmp_path


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_a_page_says_what_happens(page: Path, folder: Path) -> None:
    played = list(play(page.read_text("utf-8"), folder))
    assert [(command, printed) for command, _, printed in played] == [
        (command, expected) for command, expected, _ in played
    ]
    assert played


def test_the_gates_have_examples() -> None:
    text = (ROOT / "docs/gates.md").read_text("utf-8")
    sections = re.split(r"(?m)^## ", text)[1:]
    assert [section.split("\n")[0] for section in sections] == [
        f"judge_{gate}.py" for gate in ("vote", "refute", "fanout", "goal_loop")
    ]
    assert all("```console\n$ python3 scripts/judge_" in section for section in sections)


PAGE = """
```json deep/one.json
[1]
```
```sh
never run
```
```console
$ cat deep/one.json; exit 3
[1]
$ echo $?
3
$ echo a \\
> b
c
```
"""


def test_an_example_that_is_wrong_is_seen(tmp_path: Path) -> None:
    assert list(play(PAGE, tmp_path)) == [
        ("cat deep/one.json; exit 3\n", "[1]\n", "[1]\n"),
        ("echo $?\n", "3\n", "3\n"),
        ("echo a \\\nb\n", "c\n", "a b\n"),
    ]
