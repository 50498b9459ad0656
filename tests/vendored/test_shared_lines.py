"""What every canonical Python file has in common, so that each can stand alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.vendored.contract.conftest import VENDORED
from tests.vendored.contract.test_contract_files import interpreter

FILES = sorted([*VENDORED.glob("*.py"), *VENDORED.glob("gates/*.py")])
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
READING = (
    "# --- the same lines in every judge-contract script: reading JSON strictly ---\n",
    "# --- end of the same lines ---\n",
)
TRYING = (
    "# --- the same lines in several judge-contract scripts: trying planted inputs ---\n",
    "# --- end of the same lines ---\n",
)
WRONG_FLAGS = {"judge_fanout.py": 3}  # where 2 is a decision


def text_of(path: Path) -> str:
    return path.read_text("ascii")


def between(text: str, marks: tuple[str, str]) -> str:
    start = text.index(marks[0])
    return text[start : text.index(marks[1], start)]


def definition(path: Path, name: str) -> str:
    """Return the text of a top-level function or class."""
    text = text_of(path)
    (found,) = (
        node
        for node in ast.parse(text).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name
    )
    return str(ast.get_source_segment(text, found))


def test_all_the_files_are_looked_at() -> None:
    names = {path.name for path in FILES}
    gates = ["vote", "refute", "fanout", "goal_loop", "debate", "calibration", "advisory"]
    assert names >= {"judge_contract.py", *(f"judge_{gate}.py" for gate in gates)}


@EACH
def test_whatever_reads_json_has_the_same_lines_for_it(path: Path) -> None:
    text, first = text_of(path), text_of(VENDORED / "judge_contract.py")
    assert text.count(READING[0]) == ("json.load" in text)
    assert READING[0] not in text or between(text, READING) == between(first, READING)


@EACH
def test_the_guard_is_the_same(path: Path) -> None:
    def guard(file: Path) -> str:
        found = re.search(r"(?ms)^if sys\.version_info .*?^    sys\.exit\(2\)\n", text_of(file))
        assert found is not None
        return found[0].replace(file.name, "NAME")

    assert guard(path) == guard(VENDORED / "judge_contract.py")


@EACH
def test_the_parser_is_the_same(path: Path) -> None:
    code = WRONG_FLAGS.get(path.name, 2)
    usual = definition(VENDORED / "judge_contract.py", "_Parser")
    assert definition(path, "_Parser") == usual.replace("self.exit(2,", f"self.exit({code},")
    assert definition(path, "_line") == definition(VENDORED / "judge_contract.py", "_line")


def test_the_lines_that_try_planted_inputs_are_the_same_where_they_stand() -> None:
    having = {path.name: text_of(path) for path in FILES if TRYING[0] in text_of(path)}
    assert {
        f"judge_{gate}.py" for gate in ("vote", "refute", "fanout", "goal_loop", "advisory")
    } <= set(having)
    assert len({between(text, TRYING) for text in having.values()}) == 1


@EACH
def test_the_first_line_and_the_version_name_the_release(path: Path) -> None:
    assert text_of(path).startswith(f'# judge-contract: {path.name} 0.2.0\n"""') or text_of(
        path
    ).startswith(f'# judge-contract: {path.name} 0.2.0\nr"""')
    words = [sys.executable, "-I", "-S", str(path), "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"{path.name} 0.2.0\n"


ASKING = {
    "judge_contract.py": ["check-rubric"],
    "judge_calibration.py": ["split", "--cases"],
    "judge_vote.py": ["--votes"],
    "judge_refute.py": ["--votes"],
    "judge_fanout.py": ["--in"],
    "judge_goal_loop.py": ["--check", "true", "--cap", "1", "--state"],
    "judge_debate.py": ["report", "--state"],
    "judge_advisory.py": ["advise", "--checklist"],
}
"""The words before a path, for what reads one document."""
LASTING = "standard input keeps nothing (name a file)"


@pytest.mark.parametrize("name", ASKING)
def test_standard_input_that_is_closed_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    (path,) = (path for path in FILES if path.name == name)
    (tmp_path / "-").write_text("{}")
    words = [sys.executable, "-I", "-S", str(path), *ASKING[name], "-"]
    shut = ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *words]
    done = subprocess.run(shut, capture_output=True, text=True, check=False, cwd=tmp_path)
    words_of = {"judge_goal_loop.py": f"--state -: {LASTING}", "judge_debate.py": f"-: {LASTING}"}
    told = f"{name}: {words_of.get(name, 'standard input: closed')}\n"
    assert (done.returncode, done.stdout, done.stderr) == (WRONG_FLAGS.get(name, 2), "", told)


@pytest.mark.parametrize("name", ASKING)
def test_a_late_repeat_among_many_keys_is_found_at_once(name: str, tmp_path: Path) -> None:
    (path,) = (path for path in FILES if path.name == name)
    pairs = ",".join(f'"{number}":1' for number in range(500_000))
    (tmp_path / "many").write_text(f'{{{pairs},"499999":2}}')
    words = [sys.executable, "-I", "-S", str(path), *ASKING[name], "many"]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=20
    )
    at = "many:1" if name == "judge_calibration.py" else "many"
    told = f"{name}: {at}: not JSON: duplicate key '499999'\n"
    assert (done.returncode, done.stdout, done.stderr) == (WRONG_FLAGS.get(name, 2), "", told)


@EACH
def test_it_parses_as_python_3_8(path: Path) -> None:
    ast.parse(path.read_bytes(), feature_version=(3, 8))


@EACH
def test_it_imports_the_standard_library_alone(path: Path) -> None:
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(str(node.module).partition(".")[0])
    assert names <= sys.stdlib_module_names
    assert not names & {file.stem for file in FILES}
    assert not names & {"importlib", "random", "runpy", "secrets", "socket", "urllib", "http"}


@EACH
def test_the_self_test_is_green_alone_and_isolated(path: Path, tmp_path: Path) -> None:
    alone = tmp_path / path.name
    alone.write_bytes(path.read_bytes())
    python = interpreter("3.11") or sys.executable
    words = [python, "-I", "-S", str(alone), "--selftest"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(rf"{path.name}: [1-9]\d+ planted cases, 0 wrong\n", done.stdout)
    assert list(tmp_path.iterdir()) == [alone]


@EACH
def test_an_old_python_is_told_in_one_line(path: Path) -> None:
    version = next(filter(interpreter, ["3.8", "3.9", "3.10"]), None)
    if version:
        words = [str(interpreter(version)), "-I", "-S", str(path), "--selftest"]
    else:  # the same guard, run here by a Python that says that it is old
        version, run = "3.8", f"exec(compile(open({str(path)!r}).read(), 'x', 'exec'))"
        words = [sys.executable, "-c", f"import sys; sys.version_info = (3, 8, 0); {run}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    told = f"{path.name}: needs Python 3.11 or later, this is {version}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
