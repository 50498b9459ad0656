from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judge_conformance.catalog import Catalog
from judge_conformance.rule import Rule
from judge_conformance.selftest import selftest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("scripts", "src/judge_conformance/rules", "tests/rules"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "scripts/new-rule", tmp_path / "scripts")
    return tmp_path


def new_rule(project: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, project / "scripts/new-rule", *argv],
        capture_output=True,
        text=True,
        check=False,
    )


def files(project: Path) -> list[str]:
    found = (path for path in project.rglob("*.py") if path.is_file())
    return sorted(path.relative_to(project).as_posix() for path in found)


def test_a_new_rule_has_the_form_and_is_red_until_it_is_written(
    project: Path, catalog: Catalog
) -> None:
    done = new_rule(project, "JC-TWO-WORDS", "a copy that nobody reads")
    assert done.returncode == 0, done.stderr
    assert files(project) == [
        "src/judge_conformance/rules/two_words.py",
        "tests/rules/test_two_words.py",
    ]
    spec = importlib.util.spec_from_file_location(
        "two_words", project / "src/judge_conformance/rules/two_words.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["two_words"] = module
    spec.loader.exec_module(module)
    rule: Rule = module.RULE
    assert (rule.code, rule.title) == ("JC-TWO-WORDS", "a copy that nobody reads")
    assert len(rule.doc.split("\n\n")) == 4
    outcomes = [outcome for _, outcome in selftest(catalog, [rule], [rule])]
    assert [outcome is None for outcome in outcomes] == [True, False]
    again = new_rule(project, "JC-TWO-WORDS", "again")
    assert again.returncode == 2
    assert again.stderr.endswith("rules/two_words.py is there already\n")


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("JC-X",),
        ("jc-x", "a title"),
        ("JC-X-", "a title"),
        ("../JC-X", "a title"),
        ("JC-X", ""),
        ("JC-X", "two\nlines"),
        ("JC-X", 'a "quoted" title'),
        ("JC-X", "a sentence."),
        ("JC-X", "one", "two"),
    ],
    ids=repr,
)
def test_what_is_no_rule_is_refused_in_one_line(project: Path, argv: tuple[str, ...]) -> None:
    done = new_rule(project, *argv)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert files(project) == []
