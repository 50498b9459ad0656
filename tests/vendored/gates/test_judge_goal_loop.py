"""judge_goal_loop.py: a command decides when it is done, a cap when it is enough."""

from __future__ import annotations

import hashlib
import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vendored.gates.conftest import GOAL, Said

NEVER = hashlib.sha256(b"false").hexdigest()
ANEW = " (not counted: without --state each call starts anew)"
FAILED = "judge_goal_loop.py: the step failed: "
MISSING = "could not start: No such file or directory"

RUNS: list[tuple[str, list[str], int, str]] = [
    ("met", ["--check", "true", "--cap", "3"], 0,
     f"GOAL MET: failures 0, cap 3, exit status 0{ANEW}"),
    ("not met", ["--check", "false", "--cap", "3"], 1,
     f"CONTINUE: failures 1, cap 3, exit status 1{ANEW}"),
    ("the only one", ["--check", "false", "--cap", "1"], 2,
     f"CAP REACHED: failures 1, cap 1, exit status 1{ANEW}"),
    ("a loop that fails", ["--check", "false", "--cap", "4", "--step", "true"], 2,
     "CAP REACHED: failures 4, cap 4, exit status 1"),
    ("no such check", ["--check", "./none", "--cap", "2", "--step", "true"], 2,
     f"CAP REACHED: failures 2, cap 2, {MISSING}"),
    ("a check that is a folder", ["--check", "/", "--cap", "2"], 1,
     f"CONTINUE: failures 1, cap 2, could not start: Permission denied{ANEW}"),
    ("a check that is killed", ["--check", "kill -9 $$", "--shell", "--cap", "2"], 1,
     f"CONTINUE: failures 1, cap 2, exit status -9{ANEW}"),
    ("a check that is slow", ["--check", "sleep 60", "--cap", "2", "--timeout", "0.1"], 1,
     f"CONTINUE: failures 1, cap 2, timed out after 0.1 s{ANEW}"),
    ("no such program in a shell", ["--check", "no-such-program 2>&1", "--shell", "--cap", "2"], 1,
     f"CONTINUE: failures 1, cap 2, exit status 127{ANEW}"),
    ("an endless timeout", ["--check", "true", "--cap", "3", "--timeout", "inf"], 0,
     f"GOAL MET: failures 0, cap 3, exit status 0{ANEW}"),
    ("words, not a shell", ["--check", "test 'a  b' = \"a  b\"", "--cap", "3"], 0,
     f"GOAL MET: failures 0, cap 3, exit status 0{ANEW}"),
    ("code in quotes", ["--check", "python3 -c 'import sys; sys.exit(1 > 2)'", "--cap", "3"], 0,
     f"GOAL MET: failures 0, cap 3, exit status 0{ANEW}"),
    ("nothing on standard input", ["--check", "grep -q .", "--cap", "3"], 1,
     f"CONTINUE: failures 1, cap 3, exit status 1{ANEW}"),
]  # fmt: skip


def run(*words: str, cwd: Path) -> Said:
    return GOAL.run(*words, cwd=cwd, given=b"text that no command may read")


@pytest.mark.parametrize(
    ("words", "code", "text"), [row[1:] for row in RUNS], ids=[row[0] for row in RUNS]
)
def test_runs(words: list[str], code: int, text: str, tmp_path: Path) -> None:
    said = run(*words, cwd=tmp_path)
    assert (said.code, said.out) == (code, f"{text}\n")


def test_the_step_comes_before_the_check_until_it_is_met(tmp_path: Path) -> None:
    step = "echo step >>log; test -e b && touch c; test -e a && touch b; touch a"
    check = "echo check >>log; test -e c"
    words = ["--step", step, "--check", check, "--cap", "9", "--shell"]
    said = run(*words, cwd=tmp_path)
    assert (said.code, said.out) == (0, "GOAL MET: failures 2, cap 9, exit status 0\n")
    assert (tmp_path / "log").read_text("ascii").split() == ["step", "check"] * 3


@pytest.mark.parametrize(
    ("step", "ending"),
    [("false", "exit status 1"), ("./none", MISSING), ("sleep 60", "timed out after 0.3 s")],
)
def test_a_failing_step_is_told_and_the_check_still_runs(
    step: str, ending: str, tmp_path: Path
) -> None:
    words = ["--step", step, "--check", "touch checked", "--cap", "2", "--timeout", "0.3"]
    said = run(*words, cwd=tmp_path)
    assert (said.code, said.err) == (0, f"{FAILED}{ending}\n")
    assert (tmp_path / "checked").exists()


def test_what_commands_print_is_kept_from_standard_output(tmp_path: Path) -> None:
    words = ["--step", "echo from the step", "--check", "echo from the check", "--cap", "1"]
    said = run(*words, "--json", cwd=tmp_path)
    assert said.document["decision"] == "GOAL MET"
    assert said.err == "from the step\nfrom the check\n"


def test_a_whole_document(tmp_path: Path) -> None:
    assert GOAL.decides("--check", "false", "--cap", "2", "--state", "s", cwd=tmp_path) == {
        "kind": "goal",
        "gate": "judge-goal-loop",
        "decision": "CONTINUE",
        "failures": 1,
        "cap": 2,
        "counted": True,
        "check": "false",
        "check_sha256": NEVER,
        "ending": "exit status 1",
        "code": 1,
    }
    state = json.loads((tmp_path / "s").read_text("ascii"))
    assert state == {"gate": "judge-goal-loop", "failures": {NEVER: 1}}
    GOAL.schema("input").validate(state)
    assert not GOAL.schema("input").is_valid({"failures": {NEVER: 0.5}})
    assert not GOAL.schema("input").is_valid({"failures": {"false": 1}})


def test_a_caller_drives_the_loop(tmp_path: Path) -> None:
    words = ["--check", "test -e done", "--cap", "3", "--state", "s"]
    assert [run(*words, cwd=tmp_path).code for _ in range(4)] == [1, 1, 2, 2]
    (tmp_path / "done").touch()
    assert run(*words, cwd=tmp_path).code == 0
    (tmp_path / "done").unlink()
    assert [run(*words, cwd=tmp_path).code for _ in range(3)] == [1, 1, 2]


ENDINGS_OF_CHECKS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["exit status 0", "exit status 1", "late"])),
    max_size=8,
)


@given(calls=ENDINGS_OF_CHECKS, random=st.randoms(use_true_random=False))
def test_the_order_of_callers_never_matters(
    calls: list[tuple[str, str]], random: Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """However the calls for several checks come between one another, each counts its own."""
    turns = [check for check, _ in calls]
    random.shuffle(turns)
    each = {check: [ending for one, ending in calls if one == check] for check in "abc"}
    mixed = [(check, each[check].pop(0)) for check in turns]
    folder = tmp_path_factory.mktemp("turns")
    counts = []
    for name, order in [("one", calls), ("other", mixed)]:
        told: dict[str, list[int]] = {check: [] for check in "abc"}
        for check, ending in order:
            told[check].append(GOAL.module.keep(str(folder / name), check, ending))
        counts.append((told, (folder / name).read_bytes() if order else b""))
    assert counts[0] == counts[1]


def test_another_check_has_another_count(tmp_path: Path) -> None:
    checks = ["false", "test -e x", "false", "false ", "false"]
    words = ["--cap", "3", "--state", "s", "--check"]
    assert [run(*words, check, cwd=tmp_path).code for check in checks] == [1, 1, 1, 1, 2]


def test_a_loop_with_a_state_goes_on_where_it_was(tmp_path: Path) -> None:
    state = {"failures": {NEVER: 3}}
    (tmp_path / "s").write_text(json.dumps(state))
    words = ["--check", "false", "--cap", "5", "--state", "s", "--step", "touch x"]
    said = run(*words, cwd=tmp_path)
    assert (said.code, said.out) == (2, "CAP REACHED: failures 5, cap 5, exit status 1\n")
    (tmp_path / "x").unlink()
    assert run(*words, cwd=tmp_path).code == 2
    assert not (tmp_path / "x").exists()


def test_a_state_behind_a_link_stays_behind_it(tmp_path: Path) -> None:
    (tmp_path / "s").symlink_to(tmp_path / "real")
    words = ["--check", "false", "--cap", "3", "--state", "s"]
    assert [run(*words, cwd=tmp_path).code for _ in range(3)] == [1, 1, 2]
    assert (tmp_path / "s").is_symlink()
    assert json.loads((tmp_path / "real").read_text("ascii"))["failures"] == {NEVER: 3}


BAD_STATES = [
    b"[]",
    b"{}",
    b'{"failures": null}',
    b'{"failures": {"a": true}}',
    b'{"failures": {"a": 1.5}}',
    b'{"failures": {"a": 12345678901234567890}}',
]


@pytest.mark.parametrize("state", BAD_STATES, ids=lambda state: state.decode())
def test_what_is_no_state_runs_nothing_and_is_kept(state: bytes, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(state)
    words = ["--check", "touch ran", "--cap", "3", "--state", "s", "--step", "touch ran"]
    run(*words, cwd=tmp_path).is_one_line(2, "s: no state of this script")
    assert (tmp_path / "s").read_bytes() == state
    assert not (tmp_path / "ran").exists()


def test_a_state_that_cannot_be_kept_is_never_a_go(tmp_path: Path) -> None:
    words = ["--check", "true", "--cap", "3", "--state", "no/s"]
    run(*words, cwd=tmp_path).is_one_line(2, "no/s: cannot be kept: No such file or directory")


def test_no_caller_loses_a_count(tmp_path: Path) -> None:
    words = ["--check", "false", "--cap", "12", "--state", "s"]
    codes: list[int] = []

    def call() -> None:
        for _ in range(3):
            codes.append(run(*words, cwd=tmp_path).code)  # noqa: PERF401 - a list of its own would need a lock

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert Counter(codes) == {1: 11, 2: 1}
    assert json.loads((tmp_path / "s").read_text("ascii"))["failures"] == {NEVER: 12}


def test_a_state_is_whole_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    """Thirty writers are killed at thirty moments; each reader in between finds a whole state."""
    state = tmp_path / "s"
    state.write_text(json.dumps({"failures": {f"{i:064x}": i for i in range(5000)}}))
    loop = ["--check", "false", "--cap", "1000000", "--state", "s", "--step", "true"]
    for moment in range(30):
        before = state.stat().st_ino
        writer = subprocess.Popen([*WAYS["itself"], *loop], cwd=tmp_path, stderr=subprocess.DEVNULL)
        while state.stat().st_ino == before:  # it has not counted yet
            assert writer.poll() is None
            time.sleep(0.001)
        time.sleep(moment * 0.001)
        writer.kill()
        writer.wait()
        failures = json.loads(state.read_text("ascii"))["failures"]
        assert len(failures) == 5001
        assert failures[NEVER] > moment
    assert run("--check", "false", "--cap", "1", "--state", "s", cwd=tmp_path).code == 2


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A FIFO and the descriptor that reads it: it ends when nobody holds the other end."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path, reader
    os.close(reader)


def read(reader: int) -> bytes:
    """Return what comes through a pipe, however long it takes; nothing when it has no writer."""
    assert select.select([reader], [], [], 30)[0] == [reader]
    return os.read(reader, 100)


DEAF = "(trap '' HUP TERM INT; (trap '' TERM; exec sleep 60) & exec sleep 60)"
HOLDS = f"exec 3>{{}}; {DEAF} & sleep 0.5; echo x >&3; wait"


@pytest.mark.parametrize("flag", ["--check", "--step"])
def test_a_timeout_ends_the_whole_group(flag: str, pipe: tuple[Path, int], tmp_path: Path) -> None:
    path, reader = pipe
    holds = HOLDS.format(shlex.quote(str(path)))
    words = ["--check", "false", "--cap", "1", "--timeout", "3", "--shell", flag, holds]
    said = run(*words, cwd=tmp_path)
    assert said.code == 2
    assert "timed out after 3 s" in said.out + said.err
    assert read(reader) == b"x\n"
    assert read(reader) == b""


ENDED = "trap 'sleep 0.3; echo {0} >&3; exit' {0}"
ENDINGS = [(signal.SIGINT, 130, b"INT\n"), (signal.SIGTERM, 143, b"TERM\n")]
WAYS = {
    "itself": [sys.executable, "-I", "-S", str(GOAL.path)],
    "command": [sys.executable, "-m", "judge_conformance", "goal"],
}


@pytest.mark.parametrize("row", ENDINGS, ids=["interrupt", "term"])
@pytest.mark.parametrize("flag", ["--check", "--step"])
@pytest.mark.parametrize("way", WAYS)
def test_a_signal_is_passed_on_and_nothing_outlives_it(
    way: str, flag: str, row: tuple[signal.Signals, int, bytes], pipe: tuple[Path, int]
) -> None:
    """The command ends in its own way; what ignores the signal is killed; no count is touched."""
    (sent, code, told), (path, reader) = row, pipe
    tmp_path = path.parent
    traps = "; ".join(ENDED.format(name) for name in ("INT", "TERM"))
    holds = f"exec 3>{shlex.quote(str(path))}; {traps}; {DEAF} & sleep 0.5; echo x >&3; wait"
    state = {"gate": "judge-goal-loop", "failures": {NEVER: 7}}
    (tmp_path / "s").write_text(json.dumps(state))
    words = ["--check", "false", "--cap", "9", "--state", "s", "--shell", flag, holds]
    process = subprocess.Popen(
        [*WAYS[way], *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert read(reader) == b"x\n"
    process.send_signal(sent)
    assert read(reader) == told
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (code, b"", b"")
    assert read(reader) == b""
    assert json.loads((tmp_path / "s").read_text()) == state


def test_a_signal_at_any_moment_ends_it_with_the_state_whole(tmp_path: Path) -> None:
    """Whether it comes while a command starts, runs, or is counted."""
    loop = ["--check", "false", "--cap", "1000000", "--state", "s", "--step", "echo x"]
    failures = 0
    for moment in range(25):
        process = subprocess.Popen(
            [*WAYS["itself"], *loop], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stderr is not None
        least = failures + moment // 5  # each further step comes after a failure that is counted
        assert [process.stderr.readline() for _ in range(1 + moment // 5)] == [b"x\n"] * (
            1 + moment // 5
        )
        time.sleep(moment * 0.001)
        process.terminate()
        out, err = process.communicate(timeout=30)  # till nobody holds these, its commands neither
        assert (process.returncode, out, {*err.split()} - {b"x"}) == (143, b"", set())
        failures = read_state(tmp_path / "s") if (tmp_path / "s").exists() else 0
        assert failures >= least
    assert failures > 5


def read_state(path: Path) -> int:
    """Return how often a check was never met, by a state that must be whole."""
    state = json.loads(path.read_text("ascii"))
    GOAL.schema("input").validate(state)
    return int(state["failures"][NEVER])


def test_what_is_left_after_the_grace_is_killed(pipe: tuple[Path, int], tmp_path: Path) -> None:
    path, reader = pipe
    holds = f"exec 3>{shlex.quote(str(path))}; trap '' TERM INT; echo x >&3; sleep 60"
    words = ["--cap", "1", "--grace", "0.2", "--shell", "--check", holds]
    process = subprocess.Popen([*WAYS["itself"], *words], cwd=tmp_path)
    assert read(reader) == b"x\n"
    process.terminate()
    assert read(reader) == b""
    assert process.wait(30) == 143


def test_what_a_step_leaves_running_goes_on(tmp_path: Path) -> None:
    step = "(while [ ! -e go ]; do sleep 0.05; done; touch went) &"
    check = "touch go; for i in $(seq 200); do test -e went && exit; sleep 0.05; done; exit 1"
    words = ["--step", step, "--check", check, "--cap", "1", "--shell"]
    assert run(*words, cwd=tmp_path).code == 0


SHELL_ONLY = [
    ("true && false", "&&"),
    ("false||true", "||"),
    ("true;false", ";"),
    ("true; false", ";"),
    ("cat log | grep ok", "|"),
    ("echo ok >log", ">"),
    ("make 2>&1", ">&"),
    ("grep ok <log", "<"),
    ("test -n $HOME", "$"),
    ("test -n `cat log`", "`"),
    ("(true)", "("),
    ("sleep 9 &", "&"),
    ("true # && false", "&&"),
]


@pytest.mark.parametrize(("command", "token"), SHELL_ONLY, ids=[row[0] for row in SHELL_ONLY])
@pytest.mark.parametrize("flag", ["--check", "--step"])
def test_what_only_a_shell_understands_needs_one(
    flag: str, command: str, token: str, tmp_path: Path
) -> None:
    words = ["--check", "touch ran", "--cap", "1", flag, command]
    text = f"{command}: {token} means something to a shell only (say --shell)"
    run(*words, cwd=tmp_path).is_one_line(2, text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "check",
    [
        "python3 hooks/judge_vote.py --votes votes.json",
        "judge_vote.py --votes votes.json --json",
        "judge-contract vote --votes votes.json",
        "python3 -m judge_conformance vote --votes votes.json",
    ],
)
def test_a_panel_as_the_check_must_expect_something(check: str, tmp_path: Path) -> None:
    words = ["--cap", "1", "--check"]
    run(*words, check, cwd=tmp_path).is_one_line(2, "say --expect VERDICT")
    assert run(*words, f"{check} --expect pass", cwd=tmp_path).code == 2
    assert "CAP REACHED" in run(*words, f"{check} --expect pass", cwd=tmp_path).out


@pytest.mark.parametrize(
    "check",
    [
        "python3 hooks/judge_advisory.py advise --checklist c.json",
        "judge-contract advisory verify v.json",
        "python3 -m judge_conformance advisory advise --checklist c.json",
    ],
)
@pytest.mark.parametrize("shell", [[], ["--shell"]], ids=["words", "shell"])
def test_an_advisory_judge_is_no_check(check: str, shell: list[str], tmp_path: Path) -> None:
    words = ["--cap", "1", *shell, "--check", check]
    run(*words, cwd=tmp_path).is_one_line(2, "exit 0 of an advisory judge means")


def test_a_panel_as_the_check_decides(tmp_path: Path) -> None:
    vote = shlex.quote(str(GOAL.path.with_name("judge_vote.py")))
    check = f"{shlex.quote(sys.executable)} {vote} --votes v --expect done"
    for verdict, code in [("done", 0), ("open", 1)]:
        (tmp_path / "v").write_text(json.dumps([{"verdict": verdict}]))
        assert run("--check", check, "--cap", "2", cwd=tmp_path).code == code


def test_windows_is_told_that_it_cannot() -> None:
    source = GOAL.path.read_text("ascii")
    imports = re.findall(r"(?m)^import .*|^from (?!__future__).*", source.partition("VERSION")[0])
    pretend = "; ".join([*imports, "os.name = 'nt'", f"exec(compile({source!r}, 'x', 'exec'))"])
    words = [sys.executable, "-c", pretend, "--selftest"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    told = "judge_goal_loop.py: needs process groups, which Windows does not have\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
