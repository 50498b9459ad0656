"""The canonical files themselves: where they run, what they say of themselves."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.vendored.contract.conftest import VENDORED, load

RELEASES = {"0.2.0": VENDORED, "0.1.0": VENDORED / "releases/0.1.0"}
BOTH = pytest.mark.parametrize("release", RELEASES)
NEW_ENOUGH = ["3.11", "3.12", "3.13", "3.14"]
TOO_OLD = ["3.8", "3.9", "3.10"]


def interpreter(version: str) -> str | None:
    """Find a working `pythonX.Y`, also among pyenv's, whose shims answer for any version."""
    versions = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(
            f"versions/{version}.*/bin/python"
        )
    )
    for candidate in [*map(str, versions), shutil.which(f"python{version}")]:
        if (
            candidate
            and subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode
            == 0
        ):
            return candidate
    return None


@BOTH
def test_the_first_line_and_the_version_name_the_release(release: str) -> None:
    path = RELEASES[release] / "judge_contract.py"
    first = path.read_text("ascii").split("\n", 1)[0]
    assert first == f"# judge-contract: judge_contract.py {release}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(path), "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"judge_contract.py {release}\n"


@BOTH
def test_it_parses_as_python_3_8(release: str) -> None:
    path = RELEASES[release] / "judge_contract.py"
    ast.parse(path.read_bytes(), feature_version=(3, 8))


@BOTH
def test_it_imports_the_standard_library_alone_and_nothing_that_is_new(release: str) -> None:
    tree = ast.parse((RELEASES[release] / "judge_contract.py").read_bytes())
    names = {
        name.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    } | {
        str(node.module).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert names <= sys.stdlib_module_names
    assert not names & {"random", "time", "datetime", "locale", "socket", "secrets", "tomllib"}


@BOTH
def test_the_guard_stands_before_anything_that_an_old_python_lacks(release: str) -> None:
    body = ast.parse((RELEASES[release] / "judge_contract.py").read_bytes()).body
    guard = next(i for i, node in enumerate(body) if isinstance(node, ast.If))
    assert ast.unparse(body[guard]).startswith("if sys.version_info < (3, 11):")
    before = [type(node) for node in body[:guard]]
    assert set(before) == {ast.Expr, ast.ImportFrom, ast.Import, ast.Assign}


@BOTH
@pytest.mark.parametrize("version", TOO_OLD)
def test_an_old_python_is_told_in_one_line(release: str, version: str) -> None:
    path = RELEASES[release] / "judge_contract.py"
    python = interpreter(version)
    if python is None:  # the same guard, run here by a Python that says that it is old
        pretend = (
            f"import sys; sys.version_info = ({version.replace('.', ', ')}, 0); sys.argv = ['x']"
        )
        words = [
            sys.executable,
            "-c",
            f"{pretend}; exec(compile(open({str(path)!r}).read(), 'x', 'exec'))",
        ]
    else:
        words = [python, str(path), "--selftest"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    told = f"judge_contract.py: needs Python 3.11 or later, this is {version}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


@pytest.mark.parametrize(
    ("release", "version", "flags"),
    [
        *(("0.2.0", version, ["-I", "-S"]) for version in NEW_ENOUGH),
        ("0.2.0", "3.11", ["-O", "-b", "-W", "error"]),
        ("0.1.0", "3.11", ["-I", "-S"]),
    ],
)
def test_the_self_test_is_green(release: str, version: str, flags: list[str]) -> None:
    python = interpreter(version) or sys.executable
    words = [python, *flags, str(RELEASES[release] / "judge_contract.py"), "--self-test"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"judge_contract.py: \d{3} planted cases, 0 wrong\n", done.stdout)


SABOTAGE = [
    ("a threshold passed over", '["score"] < threshold', '["score"] <= threshold'),
    ("a fail that does not count", 'return verdict("fail", None', 'return verdict("pass", None'),
    ("an exit", '"abstain": 2}', '"abstain": 0}'),
    ("a range", "(0x2000, 0x200F)", "(0x2000, 0x200E)"),
    ("a process left", "os.killpg(", "len("),
]


@pytest.mark.parametrize(
    ("old", "new"), [row[1:] for row in SABOTAGE], ids=[row[0] for row in SABOTAGE]
)
def test_the_self_test_is_red_when_something_is_broken(tmp_path: Path, old: str, new: str) -> None:
    text = (VENDORED / "judge_contract.py").read_text("ascii")
    assert text.count(old) == 1
    broken = tmp_path / "judge_contract.py"
    broken.write_text(text.replace(old, new), "ascii")
    done = subprocess.run(
        [sys.executable, str(broken), "--selftest"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert not done.stdout.endswith(" 0 wrong\n")


def test_both_files_list_the_same_blank_code_points() -> None:
    block = (VENDORED / "verdict.inline.js").read_text("ascii")
    ranges = re.findall(r"\[(0x[0-9a-f]+), (0x[0-9a-f]+)\]", block)
    assert [(int(a, 16), int(b, 16)) for a, b in ranges] == load(
        VENDORED / "judge_contract.py"
    ).BLANKS


@BOTH
def test_the_text_is_plugin_neutral(release: str) -> None:
    text = (RELEASES[release] / "judge-contract.md").read_text("ascii")
    word = {"0.2.0": "verdict@2", "0.1.0": "verdict@1"}[release]
    lines = text.splitlines()
    assert lines[0] == f"# The judge contract: {word}"
    assert lines[2].startswith(f"<!-- judge-contract: judge-contract.md {release}. ")
    headings = [line for line in lines if line.startswith("## ")]
    assert [heading[:5] for heading in headings] == [
        f"## {i}." for i in range(1, len(headings) + 1)
    ]
    assert headings[3] == "## 4. Calibration"
    assert not re.search(r"\]\(|\]:|https?:|<a |<img", text)
    assert "items.map((item, i) => decideVerdict(replies[i], RUBRIC, {item}))" in text
    assert text.endswith("\n")
    assert "\r" not in text


def test_the_text_names_every_reason() -> None:
    text = (VENDORED / "judge-contract.md").read_text("ascii")
    code = (VENDORED / "judge_contract.py").read_text("ascii")
    reasons = set(re.findall(r'verdict\("abstain", f?"([a-z-]+)', code)) | set(
        re.findall(r'return f"([a-z-]+):', code)
    )
    assert len(reasons) == 13
    assert [reason for reason in sorted(reasons) if reason not in text] == []
