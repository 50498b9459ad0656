"""Every console example of the README and the pages in docs/ is run, and must say what it shows.

How a page is played is told in tests/pages.py. The folder holds the canonical scripts in
`scripts/`, the marketplaces of the tests where they are, and `judge-contract` is on the PATH.
`pytest --rewrite` writes what is printed into the pages.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.pages import played

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
WITH_EXAMPLES = [page for page in PAGES if "\n```console\n" in page.read_text("utf-8")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    shutil.copytree(ROOT / "tests/marketplaces", tmp_path / "tests/marketplaces")
    for file in [*ROOT.glob("vendored/*.py"), *ROOT.glob("vendored/gates/*.py")]:
        shutil.copy(file, tmp_path / "scripts")
    return tmp_path


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_a_page_says_what_happens(page: Path, folder: Path, request: pytest.FixtureRequest) -> None:
    text = played(page.read_text("utf-8"), folder)
    if request.config.getoption("--rewrite"):
        page.write_text(text, "utf-8")
    assert text == page.read_text("utf-8")


@pytest.mark.parametrize("gate", ["vote", "refute", "fanout", "goal_loop", "debate", "advisory"])
def test_every_gate_has_an_example(gate: str) -> None:
    run = f"$ python3 scripts/judge_{gate}.py "
    page = {"debate": "debate.md", "advisory": "advisory.md"}.get(gate, "gates.md")
    text = (ROOT / "docs" / page).read_text("utf-8")
    sections = [part for part in re.split(r"(?m)^##? ", text) if f"```console\n{run}" in part]
    assert len(sections) == 1
    assert sections[0].startswith(f"judge_{gate}.py\n") or page != "gates.md"


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
{}
```
The end.
"""


def test_an_example_that_is_wrong_is_seen(tmp_path: Path) -> None:
    assert played(PAGE.format("c"), tmp_path) == PAGE.format("a b")
