# judge-contract: judge_goal_loop.py 0.2.0
"""A stop that the model does not decide: a command does, and a cap.

    judge_goal_loop.py --check COMMAND --cap N [--step COMMAND] [--state FILE] [--timeout 600]
            [--grace 5] [--shell] [--json]
    judge_goal_loop.py --selftest | --version | --help

With --step: runs the step, then the check, until the check exits 0 or has failed N times. Without:
runs the check once, so that a caller drives the loop. Failures are counted in --state, one count a
check, from one call to the next; a check that is met starts anew. Without --state each call starts
anew, and a caller without --step never reaches the cap.

A command is split into words and run without a shell, except with --shell. One that cannot start,
or takes longer than --timeout seconds, has failed; what it started is ended with it. A step may
fail: the check decides. What the commands print goes to standard error.

Whoever can write FILE can reset the count. An interrupt or SIGTERM is passed on to the command that
runs, which is killed when it has not ended --grace seconds later; it counts nothing.

Exits:
  0  GOAL MET
  1  CONTINUE: the check failed, and the cap is not reached
  2  CAP REACHED
  143  ended by SIGTERM
  2  input or flags that cannot be used: never a go
  130  interrupted
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import select
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

NAME = "judge_goal_loop.py"
VERSION = "0.2.0"

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write(
        "judge_goal_loop.py: needs Python 3.11 or later, this is %d.%d\n"  # noqa: UP031 - any Python 3
        % sys.version_info[:2]
    )
    sys.exit(2)

if os.name != "posix":
    sys.stderr.write("judge_goal_loop.py: needs process groups, which Windows does not have\n")
    sys.exit(2)

import fcntl  # noqa: E402 - Windows has no such module, and is told above

# --- the same lines in every judge-contract script: reading JSON strictly ---
LIMIT = 16 * 1024 * 1024  # bytes; as many are refused before they are parsed
DEPTH = 100  # levels of nesting; more is refused


class Unusable(Exception):  # noqa: N818 - it names the state of the input, not a fault of the code
    """Input that cannot be used: one line on stderr, and never a go."""


def read_json(path: str) -> Any:
    """Return the one JSON value in the file at `path` (`-`: standard input), read strictly.

    UTF-8 without a byte order mark, no duplicate keys, no NaN or Infinity, fewer than LIMIT
    bytes, at most DEPTH levels. Integers too long to be exact as doubles become doubles. Raises
    Unusable.
    """
    name = "standard input" if path == "-" else path
    try:
        with opened(path) as file:
            data = file.read(LIMIT)
    except (OSError, ValueError) as error:
        raise Unusable(
            f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from error
    if len(data) == LIMIT:
        raise Unusable(f"{name}: {LIMIT} bytes or more")
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_int=_integer,
            parse_constant=_refuse,
        )
    except UnicodeDecodeError as error:
        raise Unusable(f"{name}: not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise Unusable(f"{name}: nested too deeply") from error
    except ValueError as error:
        raise Unusable(f"{name}: not JSON: {error}") from error
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEPTH:
            raise Unusable(f"{name}: nested more than {DEPTH} levels deep")
        level = [child for node in level for child in _children(node)]
    return value


def opened(path: str) -> Any:
    """Open a regular file (`-`: standard input) for its bytes. Raises Unusable and OSError."""
    if path == "-":
        if sys.stdin is None or sys.stdin.closed:  # from the start, or once it was read
            raise Unusable("standard input: closed")
        return sys.stdin.buffer
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise Unusable(f"{path}: not a regular file (use - for standard input)")
    return open(path, "rb")


def _children(node: Any) -> Iterable[Any]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, child in pairs:
        if key in value:
            raise ValueError(f"duplicate key {ascii(key)}")
        value[key] = child
    return value


def _integer(text: str) -> float:
    return int(text) if len(text) < 16 else float(text)  # noqa: PLR2004 - 15 digits are exact


def _refuse(literal: str) -> Any:
    raise ValueError(f"{literal} is not JSON")


# --- end of the same lines ---

SYNTAX = "();<>|&$`"  # what only a shell understands
OPINION = re.compile(r"judge_advisory\.py|(judge-contract|judge_conformance) +advisory\b")
PANEL = re.compile(r"judge_vote\.py|(judge-contract|judge_conformance) +vote\b")


def argv_of(command: str, *, shell: bool) -> list[str]:
    """Return what to start. Raises Unusable for a blank command and for what needs a shell."""
    if not command.strip():
        raise Unusable("a command is blank")
    if shell:
        return ["/bin/sh", "-c", command]
    lexer = shlex.shlex(command, posix=True, punctuation_chars=SYNTAX)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        for token in lexer:
            if token and set(token) <= set(SYNTAX):
                raise Unusable(f"{command}: {token} means something to a shell only (say --shell)")
        return shlex.split(command)
    except ValueError as error:
        raise Unusable(f"{command}: {error}") from error


def refuse_opinions(check: str) -> None:
    """Raise Unusable for a check whose exit 0 does not say that anything is done."""
    if OPINION.search(check):
        raise Unusable(
            "--check: exit 0 of an advisory judge means that it has an opinion, not done"
        )
    if PANEL.search(check) and "--expect" not in check:
        raise Unusable("--check: a panel's exit 0 is any consensus; say --expect VERDICT")


ENDING = (signal.SIGINT, signal.SIGTERM)


def end(number: int, _: object) -> NoReturn:
    """Handle a signal of ENDING: exit with its code, and let no other one hurry that."""
    for other in ENDING:
        signal.signal(other, signal.SIG_IGN)
    raise SystemExit(128 + number)


def run(argv: list[str], timeout: float, grace: float) -> str:
    """Run a command to its end and tell how it ended; too late, and its whole group is killed.

    A signal that ends this script goes to the group, which has `grace` seconds to end by itself.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # none while a command starts

    def unmask() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    try:
        with subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=sys.__stderr__,
            start_new_session=True,
            preexec_fn=unmask,  # noqa: PLW1509 - this script has one thread
        ) as process:
            try:
                unmask()
                return f"exit status {process.wait(timeout)}"
            except subprocess.TimeoutExpired:
                _send(process, signal.SIGKILL)
                return f"timed out after {timeout:g} s"
            except SystemExit as ended:
                _send(process, int(str(ended)) - 128)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(grace)
                _send(process, signal.SIGKILL)
                raise
    except (OSError, ValueError) as error:
        return f"could not start: {getattr(error, 'strerror', None) or error}"
    finally:
        unmask()


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to all that is left of a command's process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


MET = "exit status 0"


def read_state(path: str) -> dict[str, int]:
    """Return the failures of each check (by sha256) in a state file. Raises Unusable."""
    if not os.path.lexists(os.path.realpath(path)):
        return {}
    state = read_json(path)
    failures = state.get("failures") if isinstance(state, dict) else None
    if not isinstance(failures, dict) or not all(type(n) is int for n in failures.values()):
        raise Unusable(f"{path}: no state of this script")
    return failures


def keep(path: str, check: str, ending: str) -> int:
    """Count the ending of a check in the state file; return how often in a row it has failed.

    Callers take turns, and the file is replaced as a whole: no count is lost. Raises Unusable.
    """
    real = os.path.realpath(path)
    try:
        with open(f"{real}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            failures = read_state(path)
            failures[check] = 0 if ending == MET else failures.get(check, 0) + 1
            state = {"gate": "judge-goal-loop", "failures": dict(sorted(failures.items()))}
            new = Path(f"{real}.new")
            new.write_text(json.dumps(state, indent=2) + "\n", encoding="ascii")
            new.replace(real)
    except OSError as error:
        raise Unusable(f"{path}: cannot be kept: {error.strerror}") from error
    return failures[check]


def loop(args: argparse.Namespace) -> dict[str, Any]:
    """Run step and check until the check is met or the cap reached; without a step, once."""
    for number in ENDING:
        signal.signal(number, end)
    refuse_opinions(args.check)
    check = argv_of(args.check, shell=args.shell)
    step = argv_of(args.step, shell=args.shell) if args.step is not None else None
    key = hashlib.sha256(args.check.encode("utf-8", "surrogateescape")).hexdigest()
    failures = 0 if args.state is None else read_state(args.state).get(key, 0)
    while True:
        if step is not None and failures < args.cap:
            ending = run(step, args.timeout, args.grace)
            if ending != MET:
                sys.stderr.write(_line(f"{NAME}: the step failed: {ending}"))
        ending = run(check, args.timeout, args.grace)
        failed = failures + 1  # whatever others do to the state, this loop comes to its cap
        if args.state is not None:
            failed = max(failed, keep(args.state, key, ending))
        failures = failures if ending == MET else failed
        if ending == MET or failures >= args.cap or step is None:
            return {
                "kind": "goal",
                "gate": "judge-goal-loop",
                "decision": _decision(ending, failures, args.cap),
                "failures": failures,
                "cap": args.cap,
                "counted": args.state is not None or step is not None,
                "check": args.check,
                "check_sha256": key,
                "ending": ending,
            }


def _decision(ending: str, failures: int, cap: int) -> str:
    if ending == MET:
        return "GOAL MET"
    return "CAP REACHED" if failures >= cap else "CONTINUE"


def summary(result: dict[str, Any]) -> str:
    """Return the decision for people."""
    figures = f"failures {result['failures']}, cap {result['cap']}, {result['ending']}"
    note = "" if result["counted"] else " (not counted: without --state each call starts anew)"
    return f"{result['decision']}: {figures}{note}"


EXITS = {"GOAL MET": 0, "CONTINUE": 1, "CAP REACHED": 2}


def _goal(args: argparse.Namespace) -> int:
    if args.check is None or args.cap is None:
        raise Unusable("--check COMMAND and --cap N are both needed (see --help)")
    if args.state == "-":
        raise Unusable("--state -: standard input keeps nothing (name a file)")
    result = loop(args)
    print(json.dumps(result, indent=2) if args.json else summary(result))
    return EXITS[result["decision"]]


def count(text: str) -> int:
    """Read a whole number of 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("not 1 or more")
    return value


def seconds(text: str) -> float:
    """Read a time above 0."""
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("not above 0")
    return value


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(description=__doc__, formatter_class=form, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        self.exit(2, _line(f"{self.prog}: {message} (see --help)"))


def _line(message: str) -> str:
    """Return the message as one line that every console can show."""
    return message.encode("unicode_escape").decode("ascii") + "\n"


def _parser() -> _Parser:
    parser = _Parser(prog=NAME)
    parser.add_argument("--check", metavar="COMMAND")
    parser.add_argument("--cap", type=count, metavar="N")
    parser.add_argument("--step", metavar="COMMAND")
    parser.add_argument("--state", metavar="FILE")
    parser.add_argument("--timeout", type=seconds, default=600.0, metavar="SECONDS")
    parser.add_argument("--grace", type=seconds, default=5.0, metavar="SECONDS")
    parser.add_argument("--shell", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    flags = ["--selftest", "--self-test"]
    parser.add_argument(*flags, action="store_const", dest="act", const=selftest, default=_goal)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        return int(args.act(args))
    except Unusable as error:
        sys.stderr.write(_line(f"{NAME}: {error}"))
        return 2


# --- the same lines in several judge-contract scripts: trying planted inputs ---
Case = tuple[int, str, str, dict[str, Any]]  # exit, all (or part) that is said, flags, files


def selftest(_: object = None) -> int:
    """Try planted inputs through the command line; 0 when each comes out as planned, else 1."""
    cases, wrong = [*_planted()], [*_misread()]
    for expected, text, command, files in cases:
        code, output = _try(command, files)
        if code != expected or not (output == text if text.endswith("\n") else text in output):
            wrong.append(f"{command} on {files}: exit {code}, {output}, not {expected}, {text}")
    flags = ["--selftest", "--self-test"]
    wrong += [flag for flag in flags if _parser().parse_args([flag]).act is not selftest]
    sys.stderr.writelines(map(_line, wrong))
    print(f"{NAME}: {len(cases)} planted cases, {len(wrong)} wrong")
    return int(bool(wrong))


def _try(command: str, files: dict[str, Any]) -> tuple[object, str]:
    """Run lines of flags beside these files (`-`: standard input); return last exit, and output."""
    output, stdin, argv = io.StringIO(), sys.stdin, sys.argv
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in files.items():
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            Path(name).write_bytes(raw)
        sys.stdin = io.TextIOWrapper(io.BytesIO(Path("-").read_bytes() if "-" in files else b""))
        code: object = None
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                for line in command.split("\n"):
                    sys.argv = [NAME, *shlex.split(line)]
                    code = main()
        except SystemExit as stopped:
            code = stopped.code
        finally:
            sys.stdin, sys.argv = stdin, argv
        return code, output.getvalue()


def _misread() -> Iterable[str]:
    """Yield the contents that read_json() does not read, or refuse, as it should."""
    for content, expected in [
        (b"[999999999999999, 1234567890123456]", "[999999999999999, 1234567890123456.0]"),
        (b"[" * 100 + b"]" * 100, "[" * 100 + "]" * 100),
        (b"[[]," + b"[" * 100 + b"]" * 101, "x: nested more than 100 levels deep"),
        (b"[" * 101 + b"]" * 101, "x: nested more than 100 levels deep"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "x: nested more than 100 levels deep"),
        (b"[" * 100_000, "x: nested too deeply"),
        (b'{"a": 1, "b": 2}', "{'a': 1, 'b': 2}"),
        (b'{"b": 1, "a": 2, "a": 3}', "x: not JSON: duplicate key 'a'"),
        (b"[NaN]", "x: not JSON: NaN is not JSON"),
        (b"", "x: not JSON: Expecting value: line 1 column 1 (char 0)"),
        (b"1\xff", "x: not UTF-8 at byte 1"),
        (b"1" + b" " * 16777214, "1"),
        (b"1" + b" " * 16777215, "x: 16777216 bytes or more"),
    ]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            Path("x").write_bytes(content)
            stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(content))
            found = [_read("x"), _read("-").replace("standard input", "x"), _read("-")]
            sys.stdin = stdin
        if found != [expected, expected, "standard input: closed"]:
            yield f"{content[:40]!r} is read as {found}, not {expected}"
    stdin, sys.stdin = sys.stdin, None
    paths = [
        ("-", "standard input: closed", ""),
        ("/", "/: not a regular file (use - for standard input)", ""),
        ("/\n", "/\n: cannot be read: No such file or directory", ""),
        ("\0", "\0: cannot be read: ", "embedded null"),
    ]
    for path, start, part in paths:
        read = _read(path)
        if not (read.startswith(start) and part in read):
            yield f"{path} is read as {read}, not {start}{part}"
    sys.stdin = stdin


def _read(path: str) -> str:
    try:
        return repr(read_json(path))
    except Unusable as error:
        return str(error)


# --- end of the same lines ---


FALSE = hashlib.sha256(b"false").hexdigest()
ANEW = " (not counted: without --state each call starts anew)"
LATE = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do test -e late && exit; sleep 0.1; done; exit 1"


def _planted() -> Iterable[Case]:
    yield from _loops()
    yield from _states()
    yield from _flags()
    for fault in [*_survivors(), *_jumpers(), *_ended()]:
        yield 0, fault, "--version", {}


def _loops() -> Iterable[Case]:
    failed, missing = f"{NAME}: the step failed: ", "could not start: No such file or directory"
    for flags, code, text in [
        ("--check true --cap 1", 0, f"GOAL MET: failures 0, cap 1, exit status 0{ANEW}"),
        ("--check cat --cap 1", 0, f"GOAL MET: failures 0, cap 1, exit status 0{ANEW}"),
        ("--check false --cap 1", 2, f"CAP REACHED: failures 1, cap 1, exit status 1{ANEW}"),
        ("--check false --cap 2", 1, f"CONTINUE: failures 1, cap 2, exit status 1{ANEW}"),
        ("--check false --cap 3 --step true", 2, "CAP REACHED: failures 3, cap 3, exit status 1"),
        ("--check 'test -e b' --cap 4 --step 'test -e a && touch b || touch a' --shell", 0,
         "GOAL MET: failures 1, cap 4, exit status 0"),
        ("--check true --cap 1 --step false", 0,
         f"{failed}exit status 1\nGOAL MET: failures 0, cap 1, exit status 0"),
        ("--check true --cap 1 --step ./no", 0,
         f"{failed}{missing}\nGOAL MET: failures 0, cap 1, exit status 0"),
        ("--check ./no --cap 2", 1, f"CONTINUE: failures 1, cap 2, {missing}{ANEW}"),
        ("--check \0 --cap 2", 1,
         f"CONTINUE: failures 1, cap 2, could not start: embedded null byte{ANEW}"),
        ("--check 'exit 3' --cap 2 --shell", 1,
         f"CONTINUE: failures 1, cap 2, exit status 3{ANEW}"),
        ("--check 'sleep 9' --cap 1 --timeout 0.1", 2,
         f"CAP REACHED: failures 1, cap 1, timed out after 0.1 s{ANEW}"),
        (f"--check '{LATE}' --cap 1 --step '(sleep 0.05; touch late) &' --shell", 0,
         "GOAL MET: failures 0, cap 1, exit status 0"),
    ]:  # fmt: skip
        yield code, f"{text}\n", flags, {}
    for check, code, text in [
        ("test -z ''", 0, "GOAL MET"),
        ("test '#' = \\#", 0, "GOAL MET"),
        ("test 'a&&b' = \"a&&b\"", 0, "GOAL MET"),
        ("test X:'&&' = X:'&&'", 0, "GOAL MET"),
        ("test X = X", 0, "GOAL MET"),
        ("test \udcff", 0, "GOAL MET"),
        ("judge_vote.py --expect x", 1, "CONTINUE"),
        ("my_judge_voted.py", 1, "CONTINUE"),
        ("judge-contract refute", 1, "CONTINUE"),
    ]:
        yield code, text, f"--cap 2 --check {shlex.quote(check)}", {}


def _states() -> Iterable[Case]:
    false = "--check false --cap 3 --state s"
    exists = "--check 'test -e x' --cap 9 --state s"
    met = "GOAL MET: failures 0, cap 1, exit status 0"
    state = {"gate": "judge-goal-loop", "failures": {FALSE: 2, "another": 5}}
    files = {"s": state}
    for code, given, turns in [
        (2, {}, [
            (false, "CONTINUE: failures 1, cap 3, exit status 1"),
            (exists, "CONTINUE: failures 1, cap 9, exit status 1"),
            (false, "CONTINUE: failures 2, cap 3, exit status 1"),
            (false, "CAP REACHED: failures 3, cap 3, exit status 1"),
            (false, "CAP REACHED: failures 4, cap 3, exit status 1"),
        ]),
        (1, {}, [
            (exists, "CONTINUE: failures 1, cap 9, exit status 1"),
            ("--check 'touch x' --cap 1 --state s", met),
            (exists, "GOAL MET: failures 1, cap 9, exit status 0"),
            ("--check 'rm x' --cap 1 --state s", met),
            (exists, "CONTINUE: failures 1, cap 9, exit status 1"),
        ]),
        (2, files, [(f"{false} --step true", "CAP REACHED: failures 3, cap 3, exit status 1")]),
        (1, files, [
            ("--check false --cap 2 --state s --step 'touch x'",
             "CAP REACHED: failures 3, cap 2, exit status 1"),
            (exists, "CONTINUE: failures 1, cap 9, exit status 1"),
        ]),
    ]:  # fmt: skip
        flags, told = zip(*turns, strict=True)
        yield code, "\n".join(told) + "\n", "\n".join(flags), given
    reset = "--check false --cap 4 --state s --shell --step 'echo >>l; test -e x || rm s; touch x'"
    twice = "--check 'test $(wc -l <l) = 2' --shell --cap 1"
    yield 0, "cap 4, exit status 1\nGOAL MET", f"{reset}\n{twice}", files
    late = "--check 'sleep 0.5; echo >l' --shell --cap 1 --timeout 0.1"
    yield 2, "cap 1, exit status 1", f"{late}\n--check 'test -e l' --cap 1", {}
    kept = {**state, "failures": {"another": 5, FALSE: 3}}
    yield (
        0,
        "GOAL MET",
        f"{false}\n--check 'cmp s kept' --cap 1",
        {
            "s": state,
            "kept": (json.dumps(kept, indent=2) + "\n").encode(),
        },
    )
    yield 0, "GOAL MET", f"{false}\n--check 'test ! -e s.new' --cap 1", {}
    document = {
        "kind": "goal",
        "gate": "judge-goal-loop",
        "decision": "CAP REACHED",
        "failures": 3,
        "cap": 3,
        "counted": True,
        "check": "false",
        "check_sha256": FALSE,
        "ending": "exit status 1",
    }
    yield 2, json.dumps(document, indent=2) + "\n", f"{false} --json", files
    first = {**document, "failures": 1, "counted": False, "decision": "CONTINUE"}
    yield 1, json.dumps(first, indent=2) + "\n", "--check false --cap 3 --json", {}
    for content, why in [
        ([], "no state of this script"),
        ({}, "no state of this script"),
        ({"failures": []}, "no state of this script"),
        ({"failures": {"a": 1, "b": True}}, "no state of this script"),
        (b"", "not JSON: Expecting value: line 1 column 1 (char 0)"),
    ]:
        yield 2, f"{NAME}: s: {why}\n", f"{false} --step 'touch x'", {"s": content}
    yield 2, f"{NAME}: no/s: cannot be kept: No such file or directory\n", f"{false[:-1]}no/s", {}


def _flags() -> Iterable[Case]:
    yield 0, "judge_goal_loop.py 0.2.0\n", "--version", {}
    yield 0, "\n\nA stop that the model does not decide: ", "--help", {}
    both = "--check COMMAND and --cap N are both needed (see --help)"
    opinion = "--check: exit 0 of an advisory judge means that it has an opinion, not done"
    panel = "--check: a panel's exit 0 is any consensus; say --expect VERDICT"
    for flags, text in [
        ("", both),
        ("--check true", both),
        ("--cap 1", both),
        ("--cap 0", "argument --cap: not 1 or more (see --help)"),
        ("--cap x", "argument --cap: invalid count value: 'x' (see --help)"),
        ("--timeout 0", "argument --timeout: not above 0 (see --help)"),
        ("--grace 0", "argument --grace: not above 0 (see --help)"),
        ("--timeout nan", "argument --timeout: not above 0 (see --help)"),
        ("--timeout x", "argument --timeout: invalid seconds value: 'x' (see --help)"),
        ("--chec true", "unrecognized arguments: --chec true (see --help)"),
        ("--cap 1 --check true --state -",
         "--state -: standard input keeps nothing (name a file)"),
        ("--cap 1 --check ' '", "a command is blank"),
        ("--cap 1 --check ' ' --shell", "a command is blank"),
        ("--cap 1 --check true --step ''", "a command is blank"),
        ("--cap 1 --check '\"'", '": No closing quotation'),
        *((f"--cap 1 --check {shlex.quote(check)}", opinion) for check in [
            "python3 judge_advisory.py advise", "judge-contract advisory cite",
            "python -m judge_conformance  advisory",
        ]),
        *((f"--cap 1 --check {shlex.quote(check)} --shell", panel) for check in [
            "python3 judge_vote.py --votes v", "judge-contract vote --votes v",
            "python -m judge_conformance  vote",
        ]),
        *((f"--cap 1 --check {shlex.quote(check)}",
           f"{check}: {token} means something to a shell only (say --shell)") for check, token in [
            ("true && false", "&&"), ("true;false", ";"), ("a|b", "|"), ("a >b", ">"),
            ("a <b", "<"), ("(a", "("), ("a)", ")"), ("test -n $a", "$"), ("a `b`", "`"),
            ("a # && b", "&&"), ("X && b", "&&"), ("a '&&'", "&&"), ("a ();<>|&$`", "();<>|&$`"),
        ]),
    ]:  # fmt: skip
        yield 2, f"{NAME}: {text}\n", flags, {}
    usual = _parser().parse_args([])
    if (usual.timeout, usual.grace) != (600, 5):  # as in the docstring
        yield 0, "no --timeout or --grace", "--version", {}


def _survivors() -> Iterable[str]:
    """Yield a fault when something that a command started outlives its timeout."""
    with tempfile.TemporaryDirectory() as folder:
        pipe = f"{folder}/pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        check = f"exec 3>{shlex.quote(pipe)}; (trap '' TERM HUP; sleep 9) & echo >&3; wait"
        _try(f"--check {shlex.quote(check)} --cap 1 --timeout 0.2 --shell", {})
        while select.select([reader], [], [], 1)[0]:
            if not os.read(reader, 9):  # nobody holds the other end
                break
        else:
            yield "a process that outlives its timeout"
        os.close(reader)


def _jumpers() -> Iterable[str]:
    """Yield a fault when a caller does not wait for its turn with the state."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/s"
        other = threading.Thread(target=keep, args=[path, FALSE, "exit status 1"])
        with open(f"{path}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            other.start()
            other.join(0.2)
            if not other.is_alive():
                yield "a caller that does not wait for its turn"
        other.join()


def _ended() -> Iterable[str]:
    """Yield a fault when a signal is not passed on, or hurried, or something outlives it."""
    before = [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGTERM)]
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # whatever was blocked before
    _try("--check ./no --cap 1", {})
    if signal.pthread_sigmask(signal.SIG_SETMASK, []):
        yield "signals that stay blocked after what could not start"
    for number, code, check, told in [
        (
            signal.SIGTERM,
            143,
            "trap 'sleep 0.3; echo t >&3; exit' TERM; sleep 9 & echo >&3; wait",
            b"t\n",
        ),
        (signal.SIGINT, 130, "trap 'echo i >&3; exit' INT; sleep 9 & echo >&3; wait", b"i\n"),
        (signal.SIGTERM, 143, "trap '' TERM; echo >&3; sleep 9", b""),
    ]:
        with tempfile.TemporaryDirectory() as folder:
            pipe, state = f"{folder}/pipe", f"{folder}/state"
            os.mkfifo(pipe)
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            sender = threading.Thread(target=_send_twice, args=[reader, number])
            sender.start()
            flags = f"--check {shlex.quote(f'exec 3>{pipe}; {check}')} --shell --cap 1"
            said = _try(f"{flags} --state {state} --grace 0.6", {})
            sender.join()
            found = said, _heard(reader), _heard(reader), os.path.exists(state)
            os.close(reader)
        if found != ((code, ""), told, b"", False):
            yield f"{number} ends {check} as {found}"
    for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
        signal.signal(number, handler)


def _send_twice(reader: int, number: int) -> None:
    """Wait for a word of the check, then send this script a signal, and the others."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # they are for the thread that runs the check
    if _heard(reader):
        os.kill(os.getpid(), number)
        time.sleep(0.1)
        for other in ENDING:
            os.kill(os.getpid(), other)


def _heard(reader: int) -> bytes:
    """Return what comes through a pipe, empty when nobody holds its other end."""
    return os.read(reader, 9) if select.select([reader], [], [], 5)[0] else b"late"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
