"""The command line, run as a plugin runs it."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.vendored.contract.conftest import InPython

RUBRIC: dict[str, Any] = {
    "id": "acme-review@1",
    "threshold": 0.8,
    "criteria": [
        {"id": "grounded", "question": "Is each claim backed by the quoted source?"},
        {"id": "complete", "question": "Is every requirement addressed?"},
    ],
}
ENTRY = '{"id":"%s","score":%s,"pass":true,"evidence":"line 12"}'
REPORT = '{"item":"case-1","criteria":[%s],"abstain":false,"abstainReason":null}'
GOOD = REPORT % ",".join([ENTRY % ("grounded", "0.9"), ENTRY % ("complete", "1.0")])


def run(
    command: list[str], *words: str, given: str | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *words],
        input=given,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def fails_in_one_line(done: subprocess.CompletedProcess[str], code: int, text: str) -> None:
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.isascii()
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("judge_contract.py")
    assert text in done.stderr


@pytest.fixture
def rubric(tmp_path: Path) -> str:
    path = tmp_path / "rubric.json"
    path.write_text(json.dumps(RUBRIC), "utf-8")
    return str(path)


def test_a_decision_is_canonical_json_on_one_line(command: list[str], rubric: str) -> None:
    done = run(command, "decide", "--rubric", rubric, "--item", "case-1", "-", given=GOOD)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        '{"abstain":false,"abstainReason":null,"calibrated":false,"criteria":['
        '{"evidence":"line 12","id":"grounded","pass":true,"score":0.9},'
        '{"evidence":"line 12","id":"complete","pass":true,"score":1}],'
        '"decidedBy":"judge","item":"case-1","outcome":"pass","rubric":"acme-review@1",'
        '"score":0.9,"threshold":0.8}\n'
    )


DECISIONS = [
    (
        "fail",
        REPORT % ",".join([ENTRY % ("grounded", "0.1"), ENTRY % ("complete", "1")]),
        1,
        "fail",
    ),
    ("null", "null", 2, "abstain"),
    ("left out", REPORT % (ENTRY % ("grounded", "1")), 2, "abstain"),
    ("1e400", GOOD.replace("0.9", "1e400"), 2, "abstain"),
    ("5,000 digits", GOOD.replace("0.9", "1" * 5000), 2, "abstain"),
    ("escapes", GOOD.replace("case-1", "\\u00e9\\ud83d\\ude00\\ud800"), 0, "pass"),
    ("white space", f" \r\n\t{GOOD}\n\n", 0, "pass"),
]


@pytest.mark.parametrize(
    ("report", "code", "outcome"), [row[1:] for row in DECISIONS], ids=[row[0] for row in DECISIONS]
)
def test_the_exit_is_the_outcome_on_any_console(
    command: list[str], rubric: str, report: str, code: int, outcome: str
) -> None:
    words = [command[0], "-S", command[-1], "decide", "--rubric", rubric, "-"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(words, input=report.encode(), capture_output=True, env=env, check=False)
    assert (done.returncode, done.stderr) == (code, b"")
    assert json.loads(done.stdout)["outcome"] == outcome


UNREADABLE: list[tuple[str, bytes, str]] = [
    ("empty", b"", "not JSON"),
    ("white space", b" \n", "not JSON"),
    ("prose", b"The report passes.", "not JSON"),
    ("fenced", b"```json\n{}\n```", "not JSON"),
    ("cut short", GOOD[:-2].encode(), "not JSON"),
    ("two values", f"{GOOD}\n{GOOD}".encode(), "not JSON"),
    ("not UTF-8", b'{"item": "\xff"}', "not UTF-8 at byte 10"),
    ("UTF-16", GOOD.encode("utf-16"), "not UTF-8 at byte 0"),
    ("an encoded surrogate", b'"\xed\xa0\x80"', "not UTF-8 at byte 1"),
    ("a byte order mark", GOOD.encode("utf-8-sig"), "not JSON"),
    ("NaN", GOOD.replace("0.9", "NaN").encode(), "NaN is not JSON"),
    ("Infinity", GOOD.replace("0.9", "Infinity").encode(), "Infinity is not JSON"),
    ("-Infinity", GOOD.replace("0.9", "-Infinity").encode(), "-Infinity is not JSON"),
    ("a key twice", b'{"item": 1, "item": 2}', "duplicate key 'item'"),
    ("a key twice, escaped", b'{"a": {"\\u00e9": 1, "\xc3\xa9": 2}}', "duplicate key '\\\\xe9'"),
    (
        "a score twice",
        GOOD.replace('"score":0.9', '"score":0,"score":1').encode(),
        "duplicate key 'score'",
    ),
    ("101 levels", b"[" * 101 + b"]" * 101, "nested more than 100"),
    ("100,000 levels", b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    ("100,000 objects", b'{"a":' * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(
    ("content", "text"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE]
)
def test_what_cannot_be_read_is_exit_2(
    command: list[str], rubric: str, tmp_path: Path, content: bytes, text: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    fails_in_one_line(run(command, "decide", "--rubric", rubric, str(path)), 2, text)


def test_every_place_for_a_file_reads_alike(
    command: list[str], rubric: str, tmp_path: Path
) -> None:
    bad = str(tmp_path / "no\nsuch.json")
    words = [
        ["decide", "--rubric", bad, rubric],
        ["decide", "--rubric", rubric, bad],
        ["run", "--rubric", bad, "--item", "i", "--check", "grounded=true"],
        ["validate", bad],
        ["validate", "--rubric", bad, rubric],
        ["spot-check", bad],
        ["check-rubric", bad],
    ]
    for one in words:
        fails_in_one_line(run(command, *one), 2, "no\\nsuch.json: cannot be read: No such file")


def test_what_is_no_file_is_exit_2(command: list[str], rubric: str, tmp_path: Path) -> None:
    fifo, loop, sparse, shut = (tmp_path / name for name in ("fifo", "loop", "sparse", "shut"))
    os.mkfifo(fifo)
    loop.symlink_to(loop)
    with sparse.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    for path, text in [
        (str(tmp_path), "not a regular file"),
        (str(fifo), "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (str(loop), "cannot be read"),
        (str(sparse), "16777216 bytes or more"),
        (str(shut / "x"), "cannot be read"),
        ("", "cannot be read"),
        ("x" * 5000, "cannot be read"),
        ("\udcff", "cannot be read"),
    ]:
        fails_in_one_line(run(command, "decide", "--rubric", rubric, path), 2, text)


def test_a_path_with_a_nul_is_exit_2(
    python: InPython, rubric: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert python.module.main(["decide", "--rubric", rubric, "a\0b"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("judge_contract.py: a\\x00b: cannot be read: ")
    assert "embedded null" in told


def test_standard_input_can_be_given_once(command: list[str]) -> None:
    done = run(command, "decide", "--rubric", "-", "-", given=json.dumps(RUBRIC))
    fails_in_one_line(done, 2, "standard input: closed")


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("a threshold below", {"threshold": -1}, "rubric.threshold: "),
    ("a criterion twice", {"criteria": [RUBRIC["criteria"][0]] * 2}, "rubric.criteria[1].id: "),
    ("an id in capitals", {"id": "Acme-x@1"}, "rubric.id: "),
]


@pytest.mark.parametrize(
    ("changes", "text"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_refused_rubric_is_exit_3(
    command: list[str], tmp_path: Path, changes: dict[str, Any], text: str
) -> None:
    path = tmp_path / "refused.json"
    path.write_text(json.dumps({**RUBRIC, **changes}), "utf-8")
    for words in [
        ["decide", "--rubric", str(path), "-"],
        ["run", "--rubric", str(path), "--item", "i", "--check", "grounded=touch ran"],
        ["validate", "--rubric", str(path), "-"],
        ["check-rubric", str(path)],
    ]:
        done = run(command, *words, given=GOOD, cwd=tmp_path)
        fails_in_one_line(done, 3, f"refused.json: {text}")
    assert not (tmp_path / "ran").exists()


FLAGS: list[tuple[list[str], str]] = [
    ([], "no command (see --help)"),
    (["judge"], "invalid choice: 'judge'"),
    (["decide"], "the following arguments are required"),
    (["decide", "--rub", "r", "-"], "required: --rubric"),
    (["decide", "--rubric", "r", "--item", "\u3000", "-"], "--item: blank"),
    (["decide", "--rubric", "r", "--decided-by", "me", "-"], "--decided-by: invalid choice"),
    (["spot-check", "-k", "few", "-"], "-k: invalid int"),
    (["run", "--rubric", "r", "--item", "i"], "required: --check"),
    (
        ["run", "--rubric", "r", "--item", "i", "--check", "a\nb"],
        "--check: not of the form ID=COMMAND",
    ),
    (
        ["run", "--rubric", "r", "--item", "i", "--check", "a=b", "--timeout", "-1"],
        "--timeout: not above 0",
    ),
    (["decide\udcff\n\U0001f600"], "invalid choice"),
]


@pytest.mark.parametrize(
    ("words", "text"),
    FLAGS,
    ids=[" ".join(row[0])[:40].encode("unicode_escape").decode() for row in FLAGS],
)
def test_wrong_flags_are_exit_2(command: list[str], words: list[str], text: str) -> None:
    fails_in_one_line(run(command, *words, given=""), 2, text)


def test_validate(command: list[str], rubric: str) -> None:
    verdict = run(command, "decide", "--rubric", rubric, "-", given=GOOD).stdout
    done = run(command, "validate", "--rubric", rubric, "-", given=verdict)
    report = {"gate": "judge-contract", "kind": "validation", "valid": True, "problems": []}
    assert (done.returncode, json.loads(done.stdout)) == (0, report)
    done = run(
        command, "validate", "-", given=verdict.replace('"score":0.9,"thr', '"score":1,"thr')
    )
    problems = ["score: 1 where decide() gives 0.9"]
    assert (done.returncode, json.loads(done.stdout)) == (
        1,
        {**report, "valid": False, "problems": problems},
    )


def test_spot_check(command: list[str]) -> None:
    rows = [{"item": item} for item in "gfedcba"]
    done = run(command, "spot-check", "-", given=json.dumps(rows))
    assert (done.returncode, [row["item"] for row in json.loads(done.stdout)]) == (
        0,
        ["a", "d", "g"],
    )
    fails_in_one_line(run(command, "spot-check", "-", given="[]"), 2, "nothing to look at")
    fails_in_one_line(run(command, "spot-check", "-", given="{}"), 2, "verdicts: not a list")


def test_check_rubric(command: list[str], rubric: str) -> None:
    done = run(command, "check-rubric", rubric)
    facts = {
        "gate": "judge-contract",
        "kind": "rubric",
        "rubric": "acme-review@1",
        "calibrated": False,
    }
    assert (done.returncode, json.loads(done.stdout)) == (0, facts)


def checked(
    command: list[str], rubric: str, *words: str, cwd: Path | None = None
) -> tuple[int, dict[str, Any]]:
    done = run(command, "run", "--rubric", rubric, "--item", "i", *words, cwd=cwd)
    assert done.stderr == ""
    verdict: dict[str, Any] = json.loads(done.stdout)
    assert verdict["decidedBy"] == "command"
    return done.returncode, verdict


def test_commands_decide(command: list[str], rubric: str) -> None:
    code, verdict = checked(
        command, rubric, "--check", "complete=echo 'so it' is", "--check", "grounded=false"
    )
    assert code == 1
    assert verdict["criteria"] == [
        {"id": "grounded", "score": 0, "pass": False, "evidence": "$ false\nexit status 1\n"},
        {
            "id": "complete",
            "score": 1,
            "pass": True,
            "evidence": "$ echo 'so it' is\nexit status 0\nso it is\n",
        },
    ]


def test_there_is_no_shell_unless_asked(command: list[str], rubric: str, tmp_path: Path) -> None:
    check = ["--check", "grounded=echo $HOME > made; exit 0", "--check", "complete=true"]
    code, verdict = checked(command, rubric, *check, cwd=tmp_path)
    assert code == 0
    assert verdict["criteria"][0]["evidence"].endswith("\n$HOME > made; exit 0\n")
    assert list(tmp_path.glob("made")) == []
    code, verdict = checked(command, rubric, *check, "--shell", cwd=tmp_path)
    assert (code, verdict["criteria"][0]["evidence"].endswith("exit status 0\n")) == (0, True)
    assert (tmp_path / "made").read_text("utf-8") == os.environ["HOME"] + "\n"


NEVER_RAN = [
    ("no such program", "/no/such/program", [], "could not start: [Errno 2]"),
    ("a folder", "/", [], "could not start: [Errno 13]"),
    ("an open quote", "echo 'x", [], "could not start: No closing quotation"),
    (
        "no such program in a shell",
        "no-such-program",
        ["--shell"],
        "could not start: exit status 127",
    ),
    ("too slow", "sleep 30", ["--timeout", "0.2"], "timed out after 0.2 s"),
]


@pytest.mark.parametrize(
    ("check", "flags", "text"), [row[1:] for row in NEVER_RAN], ids=[row[0] for row in NEVER_RAN]
)
def test_what_did_not_run_to_its_end_is_undecidable(
    command: list[str], rubric: str, check: str, flags: list[str], text: str
) -> None:
    words = ["--check", f"grounded={check}", "--check", "complete=true", *flags]
    code, verdict = checked(command, rubric, *words)
    assert (code, verdict["abstainReason"]) == (2, "undecidable:grounded")
    entry = verdict["criteria"][0]
    assert (entry["score"], entry["pass"]) == (None, None)
    assert entry["evidence"].startswith(f"$ {check}\nundecided, {text}")


def test_a_fail_dominates_what_did_not_run(command: list[str], rubric: str) -> None:
    words = ["--check", "grounded=/no/such/program", "--check", "complete=false"]
    assert checked(command, rubric, *words)[0] == 1


def test_a_command_that_a_signal_ended_has_failed(command: list[str], rubric: str) -> None:
    words = ["--check", "grounded=kill -SEGV $$", "--check", "complete=true", "--shell"]
    code, verdict = checked(command, rubric, *words)
    assert (code, "exit status -11\n" in verdict["criteria"][0]["evidence"]) == (1, True)


def test_output_is_cut_and_says_so(command: list[str], rubric: str) -> None:
    flood = f"{shlex.quote(sys.executable)} -c \"print('x' * 10_000_000 + 'end')\""
    words = ["--check", f"grounded={flood}", "--check", "complete=true"]
    code, verdict = checked(command, rubric, *words)
    evidence = verdict["criteria"][0]["evidence"]
    assert code == 0
    assert "\n[the first 9996004 bytes are cut]\nxxx" in evidence
    assert evidence.endswith("xend\n")
    assert len(evidence) < 4200


def test_output_of_any_bytes_is_ascii_json(command: list[str], rubric: str) -> None:
    noise = (
        f'{shlex.quote(sys.executable)} -c "import sys; sys.stdout.buffer.write(bytes(range(256)))"'
    )
    done = run(
        command,
        "run",
        "--rubric",
        rubric,
        "--item",
        "i",
        "--check",
        f"grounded={noise}",
        "--check",
        "complete=true",
    )
    assert (done.returncode, done.stdout.isascii()) == (0, True)
    evidence = json.loads(done.stdout)["criteria"][0]["evidence"]
    assert evidence.endswith("~\x7f" + "\ufffd" * 128)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A FIFO whose reader sees the end of file when its last writer is gone."""
    path = tmp_path / "held"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path, reader
    os.close(reader)


def assert_closed(reader: int) -> None:
    """Whoever held the other end of the pipe is gone: an end of file, not silence."""
    assert select.select([reader], [], [], 30)[0] == [reader]
    assert os.read(reader, 1) == b""


@pytest.mark.parametrize("ending", ["wait", "exit 0"], ids=["timed out", "ended"])
def test_everything_that_a_command_started_ends_with_it(
    command: list[str], rubric: str, pipe: tuple[Path, int], ending: str
) -> None:
    path, reader = pipe
    held = f"exec 3>{shlex.quote(str(path))}; (trap '' HUP TERM INT; exec sleep 60) & exec 3>&-"
    script = f"{held}; echo started; {ending}"
    words = [
        "--check",
        f"grounded={script}",
        "--check",
        "complete=true",
        "--shell",
        "--timeout",
        "1",
    ]
    code, verdict = checked(command, rubric, *words)
    assert code == (2 if ending == "wait" else 0)
    assert verdict["criteria"][0]["evidence"].endswith("started\n")
    assert_closed(reader)


def test_a_process_that_left_the_group_holds_nothing_up(
    command: list[str], rubric: str, tmp_path: Path
) -> None:
    leaver = (
        "import os, time; os.setsid(); open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    )
    script = (
        f"{shlex.quote(sys.executable)} -c {shlex.quote(leaver)} & "
        "while [ ! -s pid ]; do sleep 0.05; done; echo left"
    )
    words = ["--check", f"grounded={script}", "--check", "complete=true", "--shell"]
    code, verdict = checked(command, rubric, *words, cwd=tmp_path)
    os.kill(int((tmp_path / "pid").read_text("ascii")), signal.SIGKILL)
    assert (code, verdict["criteria"][0]["evidence"].endswith("left\n")) == (0, True)


WRONG_CHECKS = [
    (["style=true"], "--check style: no such criterion in "),
    (["grounded=touch ran", "style=true"], "--check style: no such criterion in "),
    (["grounded=touch ran", "grounded=touch ran"], "--check grounded: given twice"),
    (["=true"], "--check : no such criterion in "),
]


@pytest.mark.parametrize(
    ("checks", "text"), WRONG_CHECKS, ids=[" ".join(row[0]) for row in WRONG_CHECKS]
)
def test_a_wrong_check_runs_nothing(
    command: list[str], rubric: str, tmp_path: Path, checks: list[str], text: str
) -> None:
    words = [word for check in checks for word in ("--check", check)]
    done = run(command, "run", "--rubric", rubric, "--item", "i", *words, cwd=tmp_path)
    fails_in_one_line(done, 2, text)
    assert not (tmp_path / "ran").exists()


def test_a_criterion_without_a_check_abstains(command: list[str], rubric: str) -> None:
    code, verdict = checked(command, rubric, "--check", "grounded=true")
    assert (code, verdict["abstainReason"]) == (2, "missing-criterion:complete")


def test_an_interrupt_ends_the_command_and_says_nothing(
    command: list[str], rubric: str, pipe: tuple[Path, int]
) -> None:
    path, reader = pipe
    script = f"exec 3>{shlex.quote(str(path))}; sleep 0.5; echo started >&3; sleep 60"
    words = ["run", "--rubric", rubric, "--item", "i", "--check", f"grounded={script}", "--shell"]
    process = subprocess.Popen(
        [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    select.select([reader], [], [], 60)
    assert os.read(reader, 100) == b"started\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "")
    assert_closed(reader)
