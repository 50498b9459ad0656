"""What cannot be read: one line, the exit that is never a go, and nothing that reads like one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.vendored.gates.conftest import ADVISORY, DEBATE, FANOUT, GOAL, REFUTE, VOTE, Gate

PLACES: list[tuple[Gate, list[str], int]] = [
    (VOTE, ["--votes"], 2),
    (VOTE, ["--panel", "3", "--expect", "pass", "--votes"], 2),
    (REFUTE, ["--votes"], 2),
    (FANOUT, ["--in"], 3),
    (DEBATE, ["report", "--state"], 2),
    (ADVISORY, ["advise", "--checklist"], 2),
    (ADVISORY, ["verify"], 2),
    (GOAL, ["--check", "true", "--cap", "3", "--state"], 2),
]
EACH = pytest.mark.parametrize(
    ("gate", "flags", "code"), PLACES, ids=[f"{row[0].name} {row[1][-1]}" for row in PLACES]
)

CONTENTS: list[tuple[str, bytes, str]] = [
    ("empty", b"", "not JSON"),
    ("white space", b" \n", "not JSON"),
    ("prose", b"All of them pass.", "not JSON"),
    ("fenced", b"```json\n[]\n```", "not JSON"),
    ("cut short", b'[{"verdict": "pass"', "not JSON"),
    ("two values", b"[]\n[]", "not JSON"),
    ("not UTF-8", b'["\xff"]', "not UTF-8 at byte 2"),
    ("UTF-16", "[]".encode("utf-16"), "not UTF-8 at byte 0"),
    ("a byte order mark", b"\xef\xbb\xbf[]", "not JSON"),
    ("NaN", b'[{"verdict": "pass", "score": NaN}]', "NaN is not JSON"),
    ("Infinity", b"[-Infinity]", "-Infinity is not JSON"),
    ("a key twice", b'[{"verdict": "fail", "verdict": "pass"}]', "duplicate key 'verdict'"),
    ("101 levels", b"[" * 101 + b"]" * 101, "nested more than 100"),
    ("100,000 levels", b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    ("a number", b"7", ""),
    ("null", b"null", ""),
    ("a string", b'"pass"', ""),
]


@EACH
@pytest.mark.parametrize("row", CONTENTS, ids=[row[0] for row in CONTENTS])
def test_content(
    gate: Gate, flags: list[str], code: int, row: tuple[str, bytes, str], tmp_path: Path
) -> None:
    _, content, text = row
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    gate.run(*flags, str(path)).is_one_line(code, text)
    assert path.read_bytes() == content


LEDGER_WORDS = {
    "empty": "no event in it",
    "white space": "no event in it",
    "two values": "not an object",
    "not UTF-8": "not JSON: 'utf-8' codec",
    "UTF-16": "not JSON: 'utf-8' codec",
    "101 levels": "not an object",
}
"""What a ledger says of these in other words: it is JSON Lines, read line by line."""


@pytest.mark.parametrize("row", CONTENTS, ids=[row[0] for row in CONTENTS])
def test_a_ledger(row: tuple[str, bytes, str], tmp_path: Path) -> None:
    name, content, text = row
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    ADVISORY.run("cite", "--ledger", str(path)).is_one_line(2, LEDGER_WORDS.get(name, text))


@pytest.mark.parametrize(("gate", "flags", "code"), [*PLACES, (ADVISORY, ["cite", "--ledger"], 2)])
def test_what_is_no_file(gate: Gate, flags: list[str], code: int, tmp_path: Path) -> None:
    fifo, loop, sparse = (tmp_path / name for name in ("fifo", "loop", "sparse"))
    os.mkfifo(fifo)
    loop.symlink_to(loop)
    with sparse.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    for path, text in [
        (str(tmp_path), "not a regular file"),
        (str(fifo), "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (str(sparse), "16777216 bytes or more"),
        (str(loop), "cannot be"),
        (str(tmp_path / "no\nsuch/folder"), "no\\nsuch/folder: cannot be"),
        (str(sparse / "x"), "cannot be"),
        ("", "cannot be"),
        ("x" * 5000, "cannot be"),
        ("\udcff\udcfe/\udcfd", "cannot be"),
    ]:
        gate.run(*flags, path).is_one_line(code, text)


@pytest.mark.parametrize(
    ("gate", "flags", "code"),
    PLACES[:7],
    ids=["vote", "expect", "refute", "fanout", "debate", "advise", "verify"],
)
def test_standard_input(gate: Gate, flags: list[str], code: int, tmp_path: Path) -> None:
    gate.run(*flags, "-", given=b"").is_one_line(code, "standard input: not JSON")
    gate.run(*flags, "-", given=b" " * 17_000_000).is_one_line(
        code, "standard input: 16777216 bytes or"
    )
    gate.run(*flags, str(tmp_path / "-")).is_one_line(code, "cannot be read: No such file")


@pytest.mark.parametrize(
    ("gate", "key", "undecided"), [(VOTE, "status", "observe"), (REFUTE, "decision", "abstain")]
)
def test_a_document_about_what_cannot_be_read(
    gate: Gate, key: str, undecided: str, tmp_path: Path
) -> None:
    said = gate.run("--votes", str(tmp_path / "none"), "--json")
    gate.schema("output").validate(said.document)
    assert (said.code, said.document[key]) == (2, undecided)
    assert said.err.count("\n") == 1
    assert "cannot be read: No such file or directory" in json.dumps(said.document)


FLAGS: list[tuple[Gate, list[str], int, str]] = [
    (VOTE, [], 2, "--votes FILE is missing"),
    (VOTE, ["--votes"], 2, "--votes: expected one argument"),
    (VOTE, ["--votes", "-", "--agree", "0"], 2, "--agree: not above 0 and at most 1"),
    (VOTE, ["--votes", "-", "--agree", "-0.5"], 2, "--agree: not above 0 and at most 1"),
    (VOTE, ["--votes", "-", "--agree", "1.0000001"], 2, "--agree: not above 0 and at most 1"),
    (VOTE, ["--votes", "-", "--agree", "66"], 2, "--agree: not above 0 and at most 1"),
    (VOTE, ["--votes", "-", "--agree", "nan"], 2, "--agree: not above 0 and at most 1"),
    (VOTE, ["--votes", "-", "--agree", "inf"], 2, "--agree: not above 0 and at most 1"),
    (VOTE, ["--votes", "-", "--agree", "1e-999999999"], 2, "--agree: not above 0 and at most 1"),
    (VOTE, ["--votes", "-", "--agree", "two\nthirds"], 2, "invalid share value"),
    (VOTE, ["--votes", "-", "--min-votes", "0"], 2, "--min-votes: not 1 or more"),
    (VOTE, ["--votes", "-", "--panel", "-1"], 2, "--panel: not 1 or more"),
    (VOTE, ["--votes", "-", "--panel", "9" * 5000], 2, "--panel: invalid count value"),
    (VOTE, ["--votes", "-", "--expects", "pass"], 2, "unrecognized arguments"),
    (VOTE, ["--votes", "-", "more\udcff\U0001f600"], 2, "unrecognized arguments"),
    (REFUTE, [], 2, "--votes FILE is missing"),
    (REFUTE, ["--votes", "-", "--panel", "0"], 2, "--panel: not 1 or more"),
    (REFUTE, ["--votes", "-", "--min-valid", "nan"], 2, "--min-valid: invalid count value"),
    (FANOUT, [], 3, "--in FILE is missing"),
    (FANOUT, ["--in", "-", "--min-sources", "0"], 3, "--min-sources: not 1 or more"),
    (FANOUT, ["--in", "-", "--min-sources", "1.5"], 3, "--min-sources: invalid count value"),
    (FANOUT, ["--input", "-"], 3, "unrecognized arguments"),
    (ADVISORY, [], 2, "no command: one of cite, advise, verify"),
    (ADVISORY, ["cite"], 2, "one of the arguments --file --text --ledger is required"),
    (ADVISORY, ["cite", "--ledger", "x", "-n", "0"], 2, "-n: not 1 or more"),
    (ADVISORY, ["advise"], 2, "required: --checklist"),
    (ADVISORY, ["advise", "--checklist", "-", "--cluster", "blue"], 2, "--cluster: invalid choice"),
    (ADVISORY, ["verify"], 2, "required: VERDICT"),
    (GOAL, ["--cap", "3"], 2, "--check COMMAND and --cap N are both needed"),
    (GOAL, ["--check", "true"], 2, "--check COMMAND and --cap N are both needed"),
    (GOAL, ["--check", "true", "--cap", "0"], 2, "--cap: not 1 or more"),
    (GOAL, ["--check", "true", "--cap", "-3"], 2, "--cap: not 1 or more"),
    (GOAL, ["--check", "true", "--cap", "nan"], 2, "--cap: invalid count value"),
    (GOAL, ["--check", "true", "--cap", "1e3"], 2, "--cap: invalid count value"),
    (GOAL, ["--check", "true", "--cap", "3", "--timeout", "nan"], 2, "--timeout: not above 0"),
    (GOAL, ["--check", "true", "--cap", "3", "--timeout", "-1"], 2, "--timeout: not above 0"),
    (GOAL, ["--check", "", "--cap", "3"], 2, "a command is blank"),
    (GOAL, ["--check", "true", "--cap", "3", "--step", " "], 2, "a command is blank"),
    (GOAL, ["--check", "it's", "--cap", "3"], 2, "No closing quotation"),
]


@pytest.mark.parametrize(
    ("gate", "words", "code", "text"),
    FLAGS,
    ids=[f"{row[0].name} {ascii(' '.join(row[1]))[:50]}" for row in FLAGS],
)
def test_wrong_flags(gate: Gate, words: list[str], code: int, text: str) -> None:
    gate.run(*words, given=[]).is_one_line(code, text)


@pytest.mark.parametrize(
    "gate", [VOTE, REFUTE, FANOUT, GOAL, DEBATE, ADVISORY], ids=lambda gate: gate.name
)
def test_help_is_the_docstring(gate: Gate) -> None:
    said = gate.run("--help")
    assert (said.code, said.err) == (0, "")
    assert str(gate.module.__doc__).strip() in said.out
