from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_conformance.cli.app import main
from judge_conformance.rule import Change, Delete, Edit, Executable, Ignored, LinkTo, Write

PY = "plugins/acme/scripts/judge_contract.py"
MD = "plugins/acme/references/judge-contract.md"
JS = "plugins/acme/workflows/review.js"
START = "// judge-contract:start verdict@2"

TWICE = "{{verdict.inline.js}}\n// judge-contract:start verdict@2\n// judge-contract:end\n"

Adopted = Callable[..., Path]
Captured = pytest.CaptureFixture[str]


def findings(capfd: Captured) -> list[tuple[str, str, int | None]]:
    document = json.loads(capfd.readouterr().out)
    assert document["version"] == 1
    return [(row["code"], row["path"], row["line"]) for row in document["findings"]]


FAULTS: list[tuple[str, dict[str, Change], tuple[str, str, int | None]]] = [
    ("py byte", {PY: Edit(old="The verdict", new="A verdict")}, ("JC-PY-DRIFT", PY, 2)),
    ("md byte", {MD: Edit(old="# The judge", new="# A judge")}, ("JC-MD-DRIFT", MD, 1)),
    ("js byte", {JS: Edit(old="A copy, held", new="A copy, hEld")}, ("JC-DRIFT", JS, 4)),
    ("bom before block", {JS: Write(text="\ufeff{{verdict.inline.js}}\n")}, ("JC-MARKER", JS, 1)),
    ("pasted twice", {JS: Write(text=TWICE)}, ("JC-MARKER", JS, 182)),
    ("end lost", {JS: Edit(old="// judge-contract:end\n", new="\n")}, ("JC-MARKER", JS, 3)),
    ("start indented", {JS: Edit(old=START, new=" " + START)}, ("JC-MARKER", JS, 3)),
    ("block deleted", {JS: Write(text="return 1;\n")}, ("JC-REQUIRED", JS, None)),
    (
        "syntax error",
        {JS: Edit(old="return { passed", new="return {{ passed")},
        ("JC-PARSE", JS, 190),
    ),
    ("py gone", {PY: Delete()}, ("JC-REQUIRED", PY, None)),
    ("js gone", {JS: Delete()}, ("JC-REQUIRED", JS, None)),
    ("py ignored", {PY: Ignored()}, ("JC-IGNORED", PY, None)),
    ("md a link", {MD: LinkTo(target="../../../README.md")}, ("JC-LINK", MD, None)),
    (
        "lock edited",
        {"judge-contract.lock": Edit(old='= "judge_contract.py"', new='= "x.py"')},
        ("JC-LOCK", "judge-contract.lock", 7),
    ),
]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [(changes, expected) for _, changes, expected in FAULTS],
    ids=[name for name, _, _ in FAULTS],
)
def test_one_fault_gives_one_finding(
    adopted: Adopted,
    capfd: Captured,
    changes: dict[str, Change],
    expected: tuple[str, str, int | None],
) -> None:
    adopted(changes)
    assert main(["check", "--format", "json"]) == 1
    found = findings(capfd)
    if expected[0] == "JC-LOCK":
        found = [row for row in found if row[0] != "JC-STRAY"]
    assert found == [expected]


def test_crlf_is_a_difference_in_line_endings(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    path = root / PY
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["check"]) == 1
    out = capfd.readouterr().out
    assert "JC-PY-DRIFT" in out
    assert "differs in its line endings" in out
    assert "mend: judge-contract vendor plugins/acme\n" in out


def test_a_clean_tree_says_what_it_looked_at(adopted: Adopted, capfd: Captured) -> None:
    adopted()
    assert main(["check"]) == 0
    assert capfd.readouterr().out == "check: 1 plugin, 3 copies, 1 script: no finding\n"


def test_nothing_to_check_is_undecided(tmp_path: Path, capfd: Captured) -> None:
    assert main(["check", str(tmp_path)]) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert "nothing to check" in error
    assert main(["check", str(tmp_path), "--allow-empty"]) == 0


def test_warnings_fail_under_strict_alone(adopted: Adopted, capfd: Captured) -> None:
    adopted({PY: Executable()})
    assert main(["check", "--format", "json"]) == 0
    assert findings(capfd) == [("JC-MODE", PY, None)]
    assert main(["check", "--strict"]) == 1
    assert main(["check", "--strict", "--exit-zero"]) == 0


def test_staged_looks_at_the_index(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    (root / PY).write_bytes(b"# edited\n")
    assert main(["check", "--staged"]) == 0
    subprocess.run(["git", "rm", "-q", "--cached", PY], cwd=root, check=True)
    capfd.readouterr()
    assert main(["check", "--staged", "--format", "json"]) == 1
    assert findings(capfd) == [("JC-REQUIRED", PY, None)]


@pytest.mark.parametrize(
    ("config", "line", "story"),
    [
        ("plugin = []\n", 1, "unknown key 'plugin'"),
        ("\nbump = 'never'\n", 2, "bump must be one of"),
        ("exclude = ['a']\nexclude = ['b']\n", 2, "not TOML"),
        ("required = ['../x.py']\n", 1, "no path inside"),
        ("[severity]\n\nJC-DRIFT = 'mild'\n", 3, "'mild' is no severity"),
        ("[[allow]]\nrule = 'JC-DRIFT'\npath = 'a'\nuntil = 'soon'\n", 1, "until must be a date"),
    ],
)
def test_a_faulty_config_is_an_authors_mistake(
    adopted: Adopted, capfd: Captured, config: str, line: int, story: str
) -> None:
    adopted({"judge-contract.toml": Write(text=config)})
    assert main(["check"]) == 3
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(f"judge-contract: judge-contract.toml:{line}: ")
    assert story in error


def test_a_lock_of_the_future_is_undecided(adopted: Adopted, capfd: Captured) -> None:
    adopted({"judge-contract.lock": Edit(old='"0.2.0"', new='"9.0.0"')})
    assert main(["check"]) == 2
    assert "judge-contract >= 9.0.0" in capfd.readouterr().err


def test_a_hostile_name_stays_on_its_line(adopted: Adopted, capfd: Captured) -> None:
    name = "plugins/acme/a:b,c\nd/judge_contract.py"
    adopted({name: Write(text="nothing\n")})
    assert main(["check"]) == 1
    assert "plugins/acme/a:b,c\\nd/judge_contract.py\n" in capfd.readouterr().out
    assert main(["check", "--format", "github"]) == 1
    first = capfd.readouterr().out.splitlines()[0]
    assert first.startswith("::error file=plugins/acme/a%3Ab%2Cc%0Ad/judge_contract.py,line=1")
    assert main(["check", "--format", "json"]) == 1
    assert findings(capfd) == [("JC-PY-DRIFT", name, 1)]


@pytest.mark.parametrize("argv", [["--select", "JC-NONE"], ["--nonsense"], ["--format", "xml"]])
def test_wrong_flags_are_one_line(adopted: Adopted, capfd: Captured, argv: list[str]) -> None:
    adopted()
    assert main(["check", *argv]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
