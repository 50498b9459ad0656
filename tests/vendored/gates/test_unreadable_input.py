"""What cannot be used, in every flag that takes a file: one line, and an exit that is never a go.

Each run may take 2 seconds of processor time and 128 MiB of address space, Python included.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.vendored.gates.conftest import ADVISORY, DEBATE, FANOUT, GOAL, REFUTE, VOTE, Gate, Said

LIMITS = {"RLIMIT_AS": 128 * 1024 * 1024, "RLIMIT_CPU": 2}
HUGE = 200 * 1024 * 1024  # bytes

# --- what is bad, as a file in a folder, and what is said of it ---

NOT_READ = "cannot be"  # read, kept or written: a word of the flag and one of the system follow
NO_FILE: dict[str, tuple[str, str]] = {
    "missing": ("none", NOT_READ),
    "a folder": (".", "not a regular file"),
    "a FIFO": ("fifo", "not a regular file"),
    "an endless device": ("/dev/zero", "not a regular file"),
    "a link to itself": ("loop", NOT_READ),
    "below no folder": ("no\nsuch/folder", NOT_READ),
    "below a file": ("empty/x", NOT_READ),
    "no name": ("", NOT_READ),
    "a name that is too long": ("x" * 5000, NOT_READ),
    "a name that is not UTF-8": ("\udcff\udcfe/\udcfd", NOT_READ),
}
TOO_LARGE: dict[str, tuple[str, str]] = {
    "200 MiB, sparse": ("sparse", "16777216 bytes or more"),
    "200 MiB, an open list": ("large", "16777216 bytes or more"),
}
CONTENTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not JSON"),
    "white space": (b" \n", "not JSON"),
    "prose": (b"All of them pass.", "not JSON"),
    "fenced": (b"```json\n[]\n```", "not JSON"),
    "cut short": (b'[{"verdict": "pass"', "not JSON"),
    "two values": (b"[]\n[]", "not JSON"),
    "not UTF-8": (b'["\xff"]', "not UTF-8 at byte 2"),
    "a lone surrogate in UTF-8": (b'["\xed\xa0\x80"]', "not UTF-8 at byte 2"),
    "UTF-16": ("[]".encode("utf-16"), "not UTF-8 at byte 0"),
    "a byte order mark": (b"\xef\xbb\xbf[]", "not JSON"),
    "NaN": (b'[{"verdict": "pass", "score": NaN}]', "NaN is not JSON"),
    "Infinity": (b"[-Infinity]", "-Infinity is not JSON"),
    "a key twice": (b'[{"verdict": "fail", "verdict": "pass"}]', "duplicate key 'verdict'"),
    "a lone surrogate twice": (b'{"\\ud800": 1, "\\ud800": 2}', "duplicate key '\\\\ud800'"),
    "101 levels": (b"[" * 101 + b"]" * 101, "nested more than 100"),
    "100,000 levels": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "100,000 objects": (b'{"a":' * 100_000, "nested too deeply"),
    "a number": (b"7", ""),
    "null": (b"null", ""),
    "a string": (b'"pass"', ""),
}
LINES = {  # what a ledger, which is JSON Lines, says of these in other words
    "empty": "no event in it",
    "white space": "no event in it",
    "two values": "not an object",
    "not UTF-8": "not JSON: 'utf-8' codec",
    "a lone surrogate in UTF-8": "not JSON: 'utf-8' codec",
    "UTF-16": "not JSON: 'utf-8' codec",
    "101 levels": "not an object",
}

# --- what comes of it ---

Check = Callable[[Said, str], None]


def refused(said: Said, text: str, code: int = 2) -> None:
    said.is_one_line(code, text)


def retried(said: Said, text: str) -> None:
    """A specification that is no JSON has failed the first check, and may come again."""
    assert (said.code, said.err, said.out.count("\n")) == (4, "", 1)
    assert said.out.startswith("Retry: syntax: ")
    assert text in said.out


def uncited(said: Said, text: str) -> None:
    assert (said.code, said.out) == (2, "sha256:UNREADABLE\n")
    assert said.err.count("\n") == 1
    assert text in said.err


def unbacked(said: Said, _: str) -> None:
    """Evidence that cannot be read backs nothing, and the opinion goes on without it."""
    assert (said.code, said.err) == (0, "")
    assert '0 of 1 opinions are backed\n  UNBACKED, and its opinion void: "i": no' in said.out


def unlabelled(said: Said, text: str) -> None:
    corpus = said.document["label_corpus"]
    assert (said.code, said.err, corpus["present"], corpus["labels"]) == (0, "", False, 0)
    assert text.replace("\\\\", "\\") in corpus["reason"].replace("\n", "\\n")


def unlogged(said: Said, _: str) -> None:
    assert said.code == 0
    assert said.err.startswith("judge_advisory.py: the shadow log cannot be written: ")
    assert said.err.count("\n") == 1
    assert "0 of 1 opinions are backed" in said.out


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A flag that takes a file, or a word that is one, and what comes of one that is bad."""

    gate: Gate
    words: tuple[str, ...]  # `?` stands for the file
    check: Check = refused
    content: Check | None = refused  # None: it takes any bytes
    takes: frozenset[str] = frozenset()  # what is not bad here

    def __str__(self) -> str:
        return f"{self.gate.name} {' '.join(self.words[:-1][-4:])}"


STATE = "audits/judge/2026-01-31 judge-with-debate state.json"
HELD = functools.partial(refused, code=3)
ITEM = {"item": "i", "type": "subjective", "opinion": "YES", "citation": "sha256:0123456789ab"}


def taking(gate: Gate, words: str, **more: object) -> Flag:
    named = [STATE if word == "STATE" else word for word in words.split()]
    return Flag(gate=gate, words=tuple(named), **more)  # type: ignore[arg-type]


ADVISE = "advise --checklist items --sink log"
WRITABLE = frozenset({"missing", "no name", "below no folder", "a name that is not UTF-8"})
FLAGS_OF_FILES = [
    taking(VOTE, "--votes ?"),
    taking(REFUTE, "--votes ?"),
    taking(FANOUT, "--in ?", check=HELD, content=HELD),
    taking(GOAL, "--check true --cap 3 --state ?", takes=frozenset({"missing"})),
    taking(DEBATE, "start --task x --artifact ?", content=None),
    taking(DEBATE, "start --task x --artifact good ?", content=None),
    taking(DEBATE, "spec spec --state ?"),
    taking(DEBATE, "spec --state STATE ?", content=retried),
    taking(DEBATE, "spec spec --state STATE --source ?", content=None),
    taking(DEBATE, "reply good good good --round 0 --state ?"),
    taking(DEBATE, "reply --state STATE --round 0 good good ?"),
    taking(DEBATE, "report --state ?"),
    taking(ADVISORY, "cite --file ?", check=uncited, content=None, takes=frozenset({"stdin"})),
    taking(ADVISORY, "cite --ledger ?"),
    taking(ADVISORY, "advise --sink log --checklist ?"),
    taking(ADVISORY, f"{ADVISE} --evidence ?", check=unbacked, content=unbacked),
    taking(ADVISORY, f"{ADVISE} --ledger ?"),
    taking(ADVISORY, f"{ADVISE} --json --labels ?", check=unlabelled, content=unlabelled),
    taking(ADVISORY, f"{ADVISE} --calibration ?"),
    taking(ADVISORY, "advise --checklist items --sink ?", check=unlogged, content=None,
           takes=WRITABLE | {"stdin"}),
    taking(ADVISORY, "verify --sink log ?"),
    taking(ADVISORY, "verify verdict --sink log --evidence ?", check=unbacked, content=unbacked),
    taking(ADVISORY, "verify verdict --sink log --ledger ?"),
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """A folder with what is bad, what is good for the other flags, and a debate that goes on."""

    folder: Path
    states: dict[str, bytes]  # of the debate, before each of its commands

    def run(self, place: Flag, path: str) -> Said:
        """Run a command with a file in the place of `?`."""
        if STATE in place.words:
            (self.folder / STATE).write_bytes(self.states[place.words[0]])
        words = [path if word == "?" else word for word in place.words]
        env = {"HOME": str(self.folder / "home"), "PATH": os.environ["PATH"]}
        return place.gate.run(*words, given=b"", cwd=self.folder, env=env, limits=LIMITS)


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Bad:
    place = tmp_path_factory.mktemp("bad")
    os.mkfifo(place / "fifo")
    (place / "loop").symlink_to("loop")
    with (place / "sparse").open("wb") as file:
        file.truncate(HUGE)
    with (place / "large").open("wb") as file:
        file.write(b"[" + b'"a",' * (4 * 1024 * 1024))
        file.truncate(HUGE)
    for name, (content, _) in CONTENTS.items():
        (place / name).write_bytes(content)
    criterion = {"id": "a", "name": "A", "weight": 1, "scale": {"min": 1, "max": 5},
                 "rubric": dict.fromkeys("135", "x"), "checklist": ["x"]}  # fmt: skip
    verdict = {"gate": "judge-advisory", "subcommand": "advise", "checklist": [ITEM],
               "evidence": [], "ledger": None}  # fmt: skip
    good = {"good": {}, "items": [ITEM], "verdict": verdict, "spec": {"criteria": [criterion]}}
    for name, value in good.items():
        (place / name).write_text(json.dumps(value))
    begin = ["start", "--date", "2026-01-31", "--task", "x", "--artifact", "good"]
    states = {}
    for command, words in [("spec", begin), ("reply", ["spec", "--state", STATE, "spec"])]:
        assert DEBATE.run(*words, cwd=place).code == 0
        states[command] = (place / STATE).read_bytes()
    return Bad(folder=place, states=states)


ROWS = [
    *((flag, name, flag.check, *told) for flag in FLAGS_OF_FILES for name, told in NO_FILE.items()),
    *((flag, name, flag.content, *told)
      for flag in FLAGS_OF_FILES for name, told in TOO_LARGE.items()),
    *((flag, name, flag.content, name, LINES.get(name, text) if "--ledger" in flag.words else text)
      for flag in FLAGS_OF_FILES for name, (_, text) in CONTENTS.items()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("flag", "check", "path", "text"),
    [pytest.param(flag, check, path, text, id=f"{flag}: {name}")
     for flag, name, check, path, text in ROWS if check and name not in flag.takes],
)  # fmt: skip
def test_what_cannot_be_used(flag: Flag, check: Check, path: str, text: str, bad: Bad) -> None:
    check(bad.run(flag, path), text)
    assert path not in CONTENTS or (bad.folder / path).read_bytes() == CONTENTS[path][0]


@pytest.mark.parametrize(
    "flag", [flag for flag in FLAGS_OF_FILES if "stdin" not in flag.takes], ids=str
)
def test_standard_input(flag: Flag, bad: Bad) -> None:
    """Empty, and closed from the start; what is read again later cannot come from there."""
    once = flag.content is not None and flag.words[-2] != "--state" and flag.words[0] != "spec"
    told = "standard input: " if once else "standard input keeps nothing (name a file)"
    flag.check(bad.run(flag, "-"), told)
    words = ["-" if word == "?" else word for word in flag.words]
    shut = ["/bin/sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-I", "-S"]
    run = [*shut, str(flag.gate.path), *words]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=bad.folder)
    said = Said(code=done.returncode, out=done.stdout, err=done.stderr)
    flag.check(said, "standard input: closed" if once else told)


LONE = "a\ud800"
CRITERION = {"id": LONE, "name": LONE, "weight": 1, "scale": {"min": 1, "max": 5},
             "rubric": dict.fromkeys("135", LONE), "checklist": [LONE]}  # fmt: skip
SURROGATES: list[tuple[Gate, str, object, int, str]] = [
    (VOTE, "--votes -", [{"verdict": LONE}] * 2, 0, r'consensus: "a\ud800"'),
    (REFUTE, "--votes -", [{"refuted": True, "reason": LONE}], 1, "stop: 1 of 1"),
    (FANOUT, "--in -", {"claims": [{"id": LONE, "status": "pending"}]}, 1, r'held: "a\ud800"'),
    (DEBATE, "spec --state STATE lone", {"criteria": [CRITERION]}, 4, "id: not one plain line"),
    (ADVISORY, "advise --checklist - --sink lone", [{**ITEM, "item": LONE, "category": LONE}], 0,
     r'UNBACKED, and its opinion void: "a\ud800"'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("gate", "words", "given", "code", "text"), SURROGATES, ids=[row[0].name for row in SURROGATES]
)
def test_a_lone_surrogate_where_a_text_may_be(  # noqa: PLR0917 - a row
    gate: Gate, words: str, given: object, code: int, text: str, bad: Bad
) -> None:
    (bad.folder / "lone").write_text(json.dumps(given))
    (bad.folder / STATE).write_bytes(bad.states["spec"])
    said = gate.run(*taking(gate, words).words, given=given, cwd=bad.folder, limits=LIMITS)
    assert (said.code, said.err) == (code, "")
    assert text in said.out


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
