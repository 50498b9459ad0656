"""What counts as importing or running a Python copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.shapes import context, found

from judge_conformance.catalog import Catalog
from judge_conformance.planted.scripts import HEAD, PATH
from judge_conformance.rules.uncalled import RULE

COPY = "plugins/acme/scripts/judge_contract.py"
USED = {
    "a skill, fenced": (
        "skills/a/SKILL.md",
        "```sh\npython3 scripts/judge_contract.py decide\n```\n",
    ),
    "a command, inline": (
        "commands/a.md",
        "Run `python3 ${CLAUDE_PLUGIN_ROOT}/scripts/judge_contract.py`.",
    ),
    "prose that gives the command": (
        "agents/a.md",
        "Run scripts/judge_contract.py decide on it.\n",
    ),
    "a module": ("scripts/gate.py", "from judge_contract import decide\n"),
    "a relative import": ("scripts/gate.py", "from .judge_contract import decide\n"),
    "imported from its package": ("scripts/gate.py", "from . import judge_contract as jc\n"),
    "a subprocess": ("scripts/gate.py", "run(['python3', here / 'judge_contract.py'])\n"),
    "a dict of commands": ("scripts/gate.py", "C = {'decide': 'judge_contract.py'}\n"),
    "importlib": ("scripts/gate.py", "m = importlib.import_module('judge_contract')\n"),
    "hooks.json": ("hooks/hooks.json", '{"command": "python3 scripts/judge_contract.py"}'),
    "a shell script": ("scripts/gate.sh", "python3 judge_contract.py decide -\n"),
    "an executable without a suffix": ("bin/gate", "#!/bin/sh\npython3 ../judge_contract.py\n"),
    "a workflow's prompt": ("workflows/a.js", "agent(`run python3 scripts/judge_contract.py`)"),
    "python that cannot be read": ("scripts/gate.py", "import judge_contract\nprint 'x'\n"),
}
NOT_USED = {
    "nothing": ("README.md", "A plugin.\n"),
    "prose": ("skills/a/SKILL.md", "The contract lies in judge_contract.py and is good.\n"),
    "a comment of shell": ("scripts/gate.sh", "# python3 judge_contract.py\necho no\n"),
    "a comment of Python": ("scripts/gate.py", "# import judge_contract\n"),
    "a docstring": ("scripts/gate.py", '"""See judge_contract.py."""\n'),
    "a longer name": ("scripts/gate.py", "import judge_contract_tools\n"),
    "another plugin": ("../other/scripts/gate.py", "import judge_contract\n"),
    "a copy of the text": ("references/judge-contract.md", "`python3 judge_contract.py`\n"),
}


@pytest.mark.parametrize(("path", "text"), USED.values(), ids=USED)
def test_a_python_copy_that_is_used(tmp_path: Path, catalog: Catalog, path: str, text: str) -> None:
    files = {COPY: catalog.content("judge_contract.py").decode(), f"plugins/acme/{path}": text}
    assert found(RULE, tmp_path, catalog, files) == []


@pytest.mark.parametrize(("path", "text"), NOT_USED.values(), ids=NOT_USED)
def test_a_python_copy_that_nothing_uses(
    tmp_path: Path, catalog: Catalog, path: str, text: str
) -> None:
    files = {COPY: catalog.content("judge_contract.py").decode(), f"plugins/acme/{path}": text}
    assert found(RULE, tmp_path, catalog, files) == [COPY]


def test_a_script_without_a_block_is_somebody_elses(tmp_path: Path, catalog: Catalog) -> None:
    assert found(RULE, tmp_path, catalog, {PATH: "return decideVerdict\n"}) == []


def test_the_hint_holds_the_lines_to_paste(tmp_path: Path, catalog: Catalog) -> None:
    hint = RULE.examples[1]
    assert hint.at is not None
    pasted = HEAD + ("const items = ['a'];\n" + _idiom(tmp_path / "a", catalog) + "\n")
    assert found(RULE, tmp_path / "b", catalog, {PATH: pasted}) == []


def _idiom(root: Path, catalog: Catalog) -> str:
    (finding,) = RULE.check(context(root, catalog, {PATH: HEAD}))
    assert finding.hint is not None
    return finding.hint.partition("\n")[2]
