"""One marketplace in which every rule finds something, told in every format."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from tests.output.at_once import PLUGIN, market
from tests.output.reading import Page, check, commands, run_of

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main
from judge_conformance.output import FORMATS
from judge_conformance.rules import all_rules
from judge_conformance.shell import shell_path

GOLDEN = Path(__file__).parent / "golden"
PINNED = f"plugins/{PLUGIN}/workflows/pinned |.js"
CODES = {rule.code for rule in all_rules()}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> dict[str, str]:
    """What `check --base` says in each format; the tree is checked once."""
    folder = tmp_path_factory.mktemp("at-once")
    root = market(folder / "market", catalog)
    files = {name: folder / name for name in FORMATS}
    reports = [word for name, file in files.items() for word in ("--report", f"{name}={file}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert main(["check", "--base", "main", *reports]) == 1
    return {name: file.read_bytes().decode() for name, file in files.items()}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_tells_every_rule_and_holds_for_its_readers(
    said: dict[str, str], name: str, request: pytest.FixtureRequest
) -> None:
    text = said[name]
    check(name, text)
    assert {code for code in CODES if code in text} == CODES
    if name == "sarif":  # the help of the rules is in docs/rules.md
        document = json.loads(text)
        driver = document["runs"][0]["tool"]["driver"]
        assert [rule["id"] for rule in driver.pop("rules")] == sorted(CODES)
        del driver["semanticVersion"]
        text = json.dumps(document, indent=1) + "\n"
    file = GOLDEN / f"at_once.{name}"
    if request.config.getoption("--rewrite"):
        file.write_bytes(text.encode())
    assert text == file.read_bytes().decode()


def test_each_format_tells_the_same_findings(said: dict[str, str]) -> None:
    rows = json.loads(said["json"])["findings"]
    codes = sorted(row["code"] for row in rows)
    assert set(codes) == CODES
    assert sorted(row["ruleId"] for row in run_of(said["sarif"])["results"]) == codes
    assert sorted(re.findall(r"(?m)^  [\d:-]+  \w+ (JC-[A-Z-]+) ", said["text"])) == codes
    assert len(re.findall(r"<testcase ", said["junit"])) == len(codes) + 1
    assert len(Page(said["markdown"]).cells) == 4 * (len(codes) + 1)
    told = [named["title"].split()[0] for _, named, _ in commands(said["github"]) if named]
    plain = re.findall(r"(?m)^(?:error|warning|notice): (JC-[A-Z-]+) ", said["github"])
    assert sorted(told + plain) == codes


def test_each_mend_names_its_paths_to_a_shell(said: dict[str, str]) -> None:
    rows = json.loads(said["json"])["findings"]
    mends = {row["fix"]: row["path"] for row in rows if row["fix"]}
    assert len(mends) > 8
    for fix, path in mends.items():
        words = shell_words(fix)
        named = [word for word in words if word.startswith("plugins/")]
        assert set(named) <= {path, f"plugins/{PLUGIN}", PINNED}, fix
        assert words[0] in {"judge-contract", "git", "chmod"}
        assert len(words) <= 7


NAMES = [
    *("a/b.js", "a b", "a'b", 'a"b', "$(touch x)", "`x`", "a|b;c&d", "a\nb", "a\r\tb\\n", "-rf"),
    *("--", "~", "#x", "\x1b[31m", "\u202egnp", "\udcff", "\U0001f600\n'\\", "!x", "*", "{a,b}"),
]


def shell_words(line: str) -> list[str]:
    script = f"printf '%s\\0' {line}"
    done = subprocess.run(
        ["bash", "-c", script.encode("utf-8", "surrogateescape")], capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]


def test_a_path_is_one_word_of_a_shell_on_one_line() -> None:
    words = [shell_path(name) for name in NAMES]
    assert all(word.isprintable() for word in words)
    assert shell_words(" ".join(words)) == [
        f"./{name}" if name.startswith("-") else name for name in NAMES
    ]
    assert shell_path("plugins/acme/scripts/a.py") == "plugins/acme/scripts/a.py"
