"""Wrong implementations are caught and named for what they are."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.parity.protocol import Worker
from judge_conformance.sabotage.pair import Request, prove

TWINS = Path(__file__).parent / "twins"
ROWS = tomllib.loads((TWINS / "twins.toml").read_text("utf-8"))["twin"]

Edited = Callable[..., Request]
Ending = Callable[[Request], tuple[int, str]]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_each_twin_is_caught_in_its_case(row: dict[str, str], edited: Edited) -> None:
    request = edited(row["language"], row["find"], row["put"])
    few = [case for case in request.cases if case.id in ("pass", row["case"])]
    sources = {name: one for name, one in request.sources.items() if name == row["language"]}
    proof = prove(replace(request, cases=few, sources=sources))
    answers = {
        found.case.id: found.answer for found in proof.differences if found.side == row["language"]
    }
    assert row["answer"] in answers[row["case"]]
    assert not proof.sabotage, "what is not green must not be sabotaged"
    assert [note for side in proof.examined for note in side.notes if "must be green" in note]


@pytest.mark.parametrize(
    ("language", "find", "put"),
    [
        (
            "javascript",
            'const named = own(report, "item");',
            'const named = own(report, "item"); /^(a+)+$/.test("a".repeat(40) + "b");',
        ),
        (
            "python",
            '    named = report.get("item")',
            '    re.match("(a+)+$", "a" * 40 + "b")\n    named = report.get("item")',
        ),
        (
            "python",
            '    named = report.get("item")',
            '    __import__("time").sleep(60)\n    named = report.get("item")',
        ),
    ],
    ids=["javascript-regex", "python-regex", "python-native"],
)
def test_a_twin_stuck_in_native_code_is_undecided_and_named(
    language: str, find: str, put: str, edited: Edited, ending: Ending
) -> None:
    request = edited(language, find, put, patience=2.0, sabotage=False)
    few = [case for case in request.cases if case.id in ("row-1-null", "pass", "row-2-null")]
    code, said = ending(replace(request, cases=few))
    assert code == 2
    assert "stuck in 'pass'" in said


@pytest.mark.parametrize(
    ("language", "find", "put", "told"),
    [
        ("python", "class RubricError(ValueError):", "class RubricError(Missing):", "NameError"),
        ("javascript", "function spotCheck(", "missing();\nfunction spotCheck(", "ReferenceError"),
        ("python", "def is_calibrated(", "def is_calibrated((", "SyntaxError"),
        (
            "python",
            "def is_calibrated(",
            "print('\x1b')\ndef is_calibrated(",
            r'prints at load: "\u001b',
        ),
        ("javascript", "function spotCheck(", "console.log(1)\nfunction spotCheck(", 'load: "1"'),
        ("python", "def is_calibrated(", "while True: pass\ndef is_calibrated(", "hangs at load"),
        ("javascript", "function spotCheck(", "for (;;);\nfunction spotCheck(", "hangs at load"),
        (
            "python",
            "def is_calibrated(",
            "raise SystemExit(0)\ndef is_calibrated(",
            "SystemExit: 0",
        ),
    ],
)
def test_a_twin_that_fails_at_load_is_undecided_and_named(  # noqa: PLR0917 - pytest names them
    language: str, find: str, put: str, told: str, edited: Edited, ending: Ending
) -> None:
    code, said = ending(edited(language, find, put, sabotage=False))
    assert code == 2
    assert "at load" in said
    assert told in said


@pytest.mark.parametrize(
    ("manner", "told"),
    [
        ("twice", "answers 'a' twice"),
        ("wrong-id", "answers 'somebody', which was not asked"),
        ("skips", "says nothing about 'a'"),
        ("chats", "chats instead of answering: 'hello there'"),
        ("other-version", "speaks version 2, this is 1"),
        ("other-request", "answers request 2, this is 1"),
        ("dies", "died in 'a' (exit 3)"),
    ],
)
def test_a_worker_that_breaks_the_protocol_is_named(manner: str, told: str) -> None:
    argv = [sys.executable, str(TWINS / "answers.py"), manner]
    cases = [{"id": "a", "text": "{}"}, {"id": "b", "text": "{}"}]
    with (
        Worker("twin", argv) as worker,
        pytest.raises(BrokenInstrumentError) as caught,
    ):
        list(worker.ask("answers", ["a", "b"], cases=cases))
    assert caught.value.message == f"twin {told}"


def test_a_worker_that_says_nothing_is_ended() -> None:
    argv = [sys.executable, str(TWINS / "says_nothing.py")]
    with Worker("twin", argv, patience=0.3) as worker, pytest.raises(BrokenInstrumentError) as told:
        worker.tell("start")
    assert told.value.message == "twin is stuck in 'start': no answer for 0.3 s"
