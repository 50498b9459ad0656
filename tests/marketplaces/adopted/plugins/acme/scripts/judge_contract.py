# judge-contract: judge_contract.py 0.2.0
r"""The verdict contract: a judge reports evidence, this code decides.

    judge_contract.py decide --rubric RUBRIC [--item ITEM] [--decided-by judge|command] REPORT
        decide what a judge returned; ITEM is what it was asked about
    judge_contract.py run --rubric RUBRIC --item ITEM --check ID=COMMAND ...
            [--timeout 600] [--shell]
        decide by commands: exit status 0 meets the criterion; a shell runs them only with --shell
    judge_contract.py validate [--rubric RUBRIC] VERDICT
        tell whether a stored verdict was decided by this rule
    judge_contract.py spot-check [-k 3] VERDICTS
        choose some of a list of verdicts for a person to look at
    judge_contract.py check-rubric RUBRIC
    judge_contract.py --selftest | --version | --help

Each reads JSON from a file or from standard input (-) and prints one JSON document. Exit 0: pass,
valid. 1: fail, invalid. 2: abstain, or input or flags that cannot be used; never a pass. 3: a
rubric that is JSON and breaks the rule. In code: decide(report, rubric, item="the item's id").
The JavaScript twin is verdict.inline.js: the same steps, names and answers.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

VERSION = "0.2.0"

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write(
        "judge_contract.py: needs Python 3.11 or later, this is %d.%d\n"  # noqa: UP031 - any Python 3
        % sys.version_info[:2]
    )
    sys.exit(2)

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


class RubricError(ValueError):
    """A rubric, or another argument, that its author must mend."""


# Blank code points, listed since strip(), \s and their kin differ between languages.
BLANKS = [
    (0x9, 0xD), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0xAD, 0xAD), (0x1680, 0x1680),
    (0x180E, 0x180E), (0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x2064), (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
]  # fmt: skip
RUBRIC_ID = re.compile("[a-z0-9]+(-[a-z0-9]+)+@[1-9][0-9]*")


def _is_blank(point: int) -> bool:
    return any(first <= point <= last for first, last in BLANKS)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not all(_is_blank(ord(char)) for char in value)


def _is_id(value: Any) -> bool:
    return _is_text(value) and "," not in value


def _number(value: Any) -> float:
    """Return the value as a double; NaN where it is no number, which a boolean is not."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value) + 0.0  # -0.0 + 0.0 is 0.0
    except OverflowError:
        return math.inf


def _is_share(value: Any) -> bool:
    return 0 <= _number(value) <= 1


def _is_bar(value: Any) -> bool:
    return _is_share(value) and value > 0


def _demand(holds: object, message: str) -> None:
    if not holds:
        raise RubricError(message)


def check_rubric(rubric: Any) -> None:
    """Raise RubricError for the first thing wrong: its author's bug, never an abstain."""
    _demand(isinstance(rubric, dict), "rubric: not an object")
    name = rubric.get("id")
    _demand(
        isinstance(name, str) and RUBRIC_ID.fullmatch(name),
        "rubric.id: not of the form <plugin>-<name>@<number>",
    )
    _demand(
        _is_bar(rubric.get("threshold")), "rubric.threshold: not a number above 0 and at most 1"
    )
    asked = rubric.get("criteria")
    _demand(isinstance(asked, list) and asked, "rubric.criteria: not a list of one or more")
    ids: set[str] = set()
    for i, criterion in enumerate(asked):
        at = f"rubric.criteria[{i}]"
        _demand(isinstance(criterion, dict), f"{at}: not an object")
        name = criterion.get("id")
        _demand(_is_id(name), f"{at}.id: not a non-blank string without a comma")
        _demand(name not in ids, f"{at}.id: the same as an earlier one")
        _demand(_is_text(criterion.get("question")), f"{at}.question: not a non-blank string")
        ids.add(name)
    if "calibration" in rubric:
        at, calibration = "rubric.calibration", rubric["calibration"]
        _demand(isinstance(calibration, dict), f"{at}: not an object")
        sealed = _number(calibration.get("sealed"))
        _demand(sealed.is_integer() and sealed >= 0, f"{at}.sealed: not an integer of 0 or more")
        _demand(
            _is_share(calibration.get("agreement")), f"{at}.agreement: not a number from 0 to 1"
        )
        _demand(
            _is_bar(calibration.get("floor")), f"{at}.floor: not a number above 0 and at most 1"
        )


def is_calibrated(rubric: Any) -> bool:
    """Tell whether the judge was measured on sealed cases, at its floor. Raises RubricError."""
    check_rubric(rubric)
    calibration = rubric.get("calibration")
    return bool(
        calibration
        and calibration["sealed"] > 0
        and calibration["agreement"] >= calibration["floor"]
    )


def decide(  # noqa: C901, PLR0911 - one return a row of the table
    report: Any, rubric: Any, *, item: str | None = None, decided_by: str = "judge"
) -> dict[str, Any]:
    """Return the verdict (ten keys); the first row that applies decides.

    `report` is what the judge returned, whatever it is; `item` what it was asked about, where the
    caller knows it. Raises RubricError for a broken rubric, decided_by or item.
    """
    calibrated = is_calibrated(rubric)
    _demand(decided_by in ("judge", "command"), "decidedBy: neither judge nor command")
    _demand(item is None or _is_text(item), "item: not a non-blank string")
    threshold = _number(rubric["threshold"])
    ids = [criterion["id"] for criterion in rubric["criteria"]]

    def verdict(outcome: str, reason: str | None, criteria: list[Any]) -> dict[str, Any]:
        scores = [criterion["score"] for criterion in criteria if criterion["score"] is not None]
        return {
            "item": item,
            "rubric": rubric["id"],
            "decidedBy": decided_by,
            "criteria": criteria,
            "abstain": outcome == "abstain",
            "abstainReason": reason,
            "threshold": threshold,
            "score": 0.0 if outcome == "abstain" else min(scores),
            "outcome": outcome,
            "calibrated": calibrated,
        }

    # Rows 1 to 6: the report as a whole.
    if not isinstance(report, dict):
        return verdict("abstain", "verdict-missing", [])
    named = report.get("item")
    if not _is_text(named):
        return verdict("abstain", "missing-item", [])
    item = named if item is None else item
    if named != item:
        return verdict("abstain", "item-mismatch", [])
    abstains = report.get("abstain")
    if not isinstance(abstains, bool):
        return verdict("abstain", "malformed:abstain", [])
    if abstains:
        why = report.get("abstainReason")
        return verdict("abstain", f"judge:{why if _is_text(why) else 'unstated'}", [])
    reported = report.get("criteria")
    if not isinstance(reported, list):
        return verdict("abstain", "malformed:criteria", [])
    # Rows 7 and 8: each criterion.
    criteria = _read_criteria(reported, ids)
    if isinstance(criteria, str):
        return verdict("abstain", criteria, [])
    # Rows 9 to 11: what they come to. A fail dominates.
    decided = [criterion for criterion in criteria if criterion["score"] is not None]
    if any(criterion["score"] < threshold or not criterion["pass"] for criterion in decided):
        return verdict("fail", None, criteria)
    undecidable = [criterion["id"] for criterion in criteria if criterion["score"] is None]
    if undecidable:
        return verdict("abstain", f"undecidable:{','.join(undecidable)}", criteria)
    return verdict("pass", None, criteria)


def _read_criteria(  # noqa: PLR0911 - likewise
    reported: list[Any], ids: list[str]
) -> list[dict[str, Any]] | str:
    """Return the reported criteria in the rubric's order, or the first reason to abstain."""
    found: dict[str, dict[str, Any]] = {}
    for i, criterion in enumerate(reported):
        name = criterion.get("id") if isinstance(criterion, dict) else None
        if not isinstance(name, str):
            return f"malformed-criterion:{i}"
        if name in found:
            return f"duplicate-criterion:{name}"
        if name not in ids:
            return f"unknown-criterion:{name}"
        score, passed = criterion.get("score", ...), criterion.get("pass", ...)  # ... is not null
        undecidable = score is None and passed is None
        if not undecidable and not _is_share(score):
            return f"bad-score:{name}"
        if not undecidable and not isinstance(passed, bool):
            return f"bad-pass:{name}"
        evidence = criterion.get("evidence")
        if not _is_text(evidence):
            return f"bad-evidence:{name}"
        score = None if undecidable else _number(score)
        found[name] = {"id": name, "score": score, "pass": passed, "evidence": evidence}
    for name in ids:
        if name not in found:
            return f"missing-criterion:{name}"
    return [found[name] for name in ids]


def validate(verdict: Any, rubric: Any = None) -> list[str]:
    """Return what shows that decide() made no such verdict (of this rubric); [] when valid.

    Raises RubricError for a broken rubric.
    """
    if rubric is not None:
        check_rubric(rubric)
    shapes: dict[str, Callable[[Any], object]] = {
        "item": lambda value: value is None or _is_text(value),
        "rubric": lambda value: isinstance(value, str) and RUBRIC_ID.fullmatch(value),
        "decidedBy": lambda value: value in ("judge", "command"),
        "criteria": lambda value: isinstance(value, list) and all(map(_is_entry, value)),
        "abstain": lambda value: isinstance(value, bool),
        "abstainReason": lambda value: value is None or isinstance(value, str),
        "threshold": _is_bar,
        "score": _is_share,
        "outcome": lambda value: value in ("pass", "fail", "abstain"),
        "calibrated": lambda value: isinstance(value, bool),
    }
    if not isinstance(verdict, dict) or verdict.keys() != shapes.keys():
        return [f"verdict: not an object of exactly {', '.join(shapes)}"]
    wrong = [f"{key}: malformed" for key, fits in shapes.items() if not fits(verdict[key])]
    if wrong:
        return wrong

    # Decide again, from the verdict's own criteria, and compare.
    item, criteria, reason = verdict["item"], verdict["criteria"], verdict["abstainReason"]
    ids = dict.fromkeys(criterion["id"] for criterion in criteria)
    rule = rubric or {
        "id": verdict["rubric"],
        "threshold": verdict["threshold"],
        "criteria": [{"id": name, "question": name} for name in ids or [verdict["rubric"]]],
        "calibration": {"sealed": int(verdict["calibrated"]), "agreement": 1, "floor": 1},
    }
    report = {"item": item, "abstain": False, "criteria": criteria}
    again = decide(report, rule, item=item, decided_by=verdict["decidedBy"])
    if again["criteria"] != criteria:
        fault = "not in the rubric's order" if again["criteria"] else again["abstainReason"]
        return [f"criteria: {fault}"]
    if not criteria:
        if not _can_abstain(reason, item, rubric):
            return ["abstainReason: not one that goes without criteria"]
        again["abstainReason"] = reason
    return [
        f"{key}: {canonical(verdict[key])} where decide() gives {canonical(again[key])}"
        for key in shapes
        if verdict[key] != again[key]
    ]


def _is_entry(value: Any) -> bool:
    """Tell whether the value has the keys of a verdict's criterion, and an id."""
    keys = {"id", "score", "pass", "evidence"}
    return isinstance(value, dict) and value.keys() == keys and _is_id(value["id"])


def _can_abstain(reason: Any, item: str | None, rubric: Any) -> bool:
    """Tell whether rows 1 to 8 can give this reason."""
    if item is None:
        return reason in ("verdict-missing", "missing-item")
    kind, colon, detail = str(reason).partition(":")
    ids = None if rubric is None else [criterion["id"] for criterion in rubric["criteria"]]
    known = _is_id(detail) if ids is None else detail in ids
    index = re.fullmatch("0|[1-9][0-9]*", detail) is not None
    details = {
        "verdict-missing": not colon,
        "missing-item": not colon,
        "item-mismatch": not colon,
        "malformed": detail in ("abstain", "criteria"),
        "judge": _is_text(detail),
        "malformed-criterion": index and (ids is None or float(detail) <= len(ids)),
        "duplicate-criterion": known,
        "unknown-criterion": bool(colon) and (ids is None or not known),
        "bad-score": known,
        "bad-pass": known,
        "bad-evidence": known,
        "missing-criterion": known,
    }
    return details.get(kind, False)


def spot_check(verdicts: Any, k: Any = 3) -> list[Any]:
    """Return k verdicts for a person to look at, spread evenly over the items; always the same.

    Raises RubricError for verdicts that are no list and a k that is no integer.
    """
    _demand(isinstance(verdicts, list), "verdicts: not a list")
    _demand(_number(k).is_integer(), "k: not an integer")

    def item(verdict: Any) -> str:
        value = verdict.get("item") if isinstance(verdict, dict) else None
        return value if isinstance(value, str) else ""

    rows = sorted(verdicts, key=item)
    count = min(int(k), len(rows))
    return [rows[i * (len(rows) - 1) // max(count - 1, 1)] for i in range(count)]


EXPONENT = 1e-6  # ECMAScript writes what is smaller as 1e-7, Python (which begins earlier) 1e-07


def canonical(value: Any) -> str:
    """Return a verdict's canonical JSON text: sorted keys, no spaces, ECMAScript's numbers.

    The value is made of dicts, lists, strings, None, booleans and numbers from 0 to 1.
    """
    if isinstance(value, dict):
        pairs = (f"{canonical(key)}:{canonical(value[key])}" for key in sorted(value))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (bool, str)) or value is None:
        return json.dumps(value)
    if value in (0, 1):
        return str(int(value))
    text = repr(float(value))
    return text.replace("e-0", "e-") if value < EXPONENT else str(Decimal(text))


OUTPUT = 4000  # bytes of a command's output that go into the evidence: the last ones


def _run_check(
    name: str, command: str, split: Callable[[str], list[str]], timeout: float
) -> dict[str, Any]:
    """Return the criterion `name` as a command decides it: exit status 0 is a pass."""
    tail, total, status = bytearray(), 0, None

    def drain(pipe: Any) -> None:
        nonlocal total
        with pipe:
            while chunk := pipe.read1():
                total += len(chunk)
                tail.extend(chunk)
                del tail[:-OUTPUT]

    try:
        process = subprocess.Popen(
            split(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        ending = f"undecided, could not start: {error}"
    else:
        reader = threading.Thread(target=drain, args=[process.stdout], daemon=True)
        try:
            reader.start()
            status = process.wait(timeout)
            ending = f"exit status {status}"
        except subprocess.TimeoutExpired:
            ending = f"undecided, timed out after {timeout} s"
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # and with it whatever it started
        process.wait()
        reader.join(1)  # what left the group may hold the pipe open for ever
    if status in (126, 127):  # how shells and env say it
        status, ending = None, f"undecided, could not start: exit status {status}"
    cut = f"[the first {total - OUTPUT} bytes are cut]\n" if total > OUTPUT else ""
    return {
        "id": name,
        "score": None if status is None else float(status == 0),
        "pass": None if status is None else status == 0,
        "evidence": f"$ {command}\n{ending}\n{cut}{tail.decode('utf-8', 'replace')}",
    }


EXITS = {"pass": 0, "fail": 1, "abstain": 2}


def _rubric(path: str) -> Any:
    rubric = read_json(path)
    try:
        check_rubric(rubric)
    except RubricError as error:
        raise RubricError(f"{path}: {error}") from error
    return rubric


def _decide(args: argparse.Namespace) -> int:
    rubric = _rubric(args.rubric)
    verdict = decide(read_json(args.report), rubric, item=args.item, decided_by=args.decided_by)
    print(canonical(verdict))
    return EXITS[verdict["outcome"]]


def _run(args: argparse.Namespace) -> int:
    rubric = _rubric(args.rubric)
    names = [name for name, _ in args.check]
    for name in names:
        if name not in [criterion["id"] for criterion in rubric["criteria"]]:
            raise Unusable(f"--check {name}: no such criterion in {args.rubric}")
        if names.count(name) > 1:
            raise Unusable(f"--check {name}: given twice")
    split = (lambda command: ["/bin/sh", "-c", command]) if args.shell else shlex.split
    criteria = [_run_check(name, command, split, args.timeout) for name, command in args.check]
    report = {"item": args.item, "abstain": False, "criteria": criteria}
    verdict = decide(report, rubric, item=args.item, decided_by="command")
    print(canonical(verdict))
    return EXITS[verdict["outcome"]]


def _validate(args: argparse.Namespace) -> int:
    rubric = None if args.rubric is None else _rubric(args.rubric)
    problems = validate(read_json(args.verdict), rubric)
    _tell("validation", valid=not problems, problems=problems)
    return int(bool(problems))


def _spot_check(args: argparse.Namespace) -> int:
    try:
        sample = spot_check(read_json(args.verdicts), args.k)
    except RubricError as error:
        raise Unusable(f"{args.verdicts}: {error}") from error
    if not sample:
        raise Unusable(f"{args.verdicts}: nothing to look at")
    print(json.dumps(sample, indent=2))
    return 0


def _check_rubric(args: argparse.Namespace) -> int:
    rubric = _rubric(args.rubric)
    _tell("rubric", rubric=rubric["id"], calibrated=is_calibrated(rubric))
    return 0


def _tell(kind: str, **facts: Any) -> None:
    print(json.dumps({"gate": "judge-contract", "kind": kind, **facts}, indent=2))


def _text(value: str) -> str:
    if not _is_text(value):
        raise argparse.ArgumentTypeError("blank")
    return value


def _check(value: str) -> tuple[str, str]:
    name, _, command = value.partition("=")
    if not _is_text(command):
        raise argparse.ArgumentTypeError("not of the form ID=COMMAND")
    return name, command


def _seconds(value: str) -> float:
    seconds = float(value)
    if not seconds > 0:
        raise argparse.ArgumentTypeError("not above 0")
    return seconds


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
    parser = _Parser(prog="judge_contract.py")
    parser.add_argument("--version", action="version", version=f"judge_contract.py {VERSION}")
    parser.add_argument("--selftest", "--self-test", action="store_true")
    parser.set_defaults(act=None)
    commands = parser.add_subparsers()

    decide_ = commands.add_parser("decide")
    decide_.add_argument("report")
    decide_.add_argument("--rubric", required=True)
    decide_.add_argument("--item", type=_text)
    decide_.add_argument("--decided-by", choices=["judge", "command"], default="judge")
    decide_.set_defaults(act=_decide)

    run = commands.add_parser("run")
    run.add_argument("--rubric", required=True)
    run.add_argument("--item", type=_text, required=True)
    run.add_argument("--check", type=_check, action="append", required=True)
    run.add_argument("--timeout", type=_seconds, default=600)
    run.add_argument("--shell", action="store_true")
    run.set_defaults(act=_run)

    validate_ = commands.add_parser("validate")
    validate_.add_argument("verdict")
    validate_.add_argument("--rubric")
    validate_.set_defaults(act=_validate)

    spot = commands.add_parser("spot-check")
    spot.add_argument("verdicts")
    spot.add_argument("-k", type=int, default=3)
    spot.set_defaults(act=_spot_check)

    check = commands.add_parser("check-rubric")
    check.add_argument("rubric")
    check.set_defaults(act=_check_rubric)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.selftest:
        return selftest()
    if args.act is None:
        parser.error("no command")
    try:
        return int(args.act(args))
    except (Unusable, RubricError) as error:
        sys.stderr.write(_line(f"judge_contract.py: {error}"))
        return 3 if isinstance(error, RubricError) else 2


Case = tuple[int, str, str, dict[str, Any]]  # exit code, text in the output, command, its files


def selftest() -> int:
    """Try planted inputs through the command line; 0 when each comes out as planned, else 1."""
    cases = [*_decisions(), *_inputs(), *_stored(), *_reasons(), *_samples(), *_checks(), *_flags()]
    wrong = [f"decide() or spot_check() called with {call}" for call in _wrong_calls()]
    with tempfile.TemporaryDirectory() as folder:
        for expected, text, command, files in cases:
            code, output = _try(folder, command, files)
            told = output.endswith(text) if text.endswith("\n") else text in output
            if code != expected or not told:
                wrong.append(f"{command} on {files}: exit {code}, {output}, not {expected}, {text}")
    sys.stderr.writelines(map(_line, wrong))
    print(f"judge_contract.py: {len(cases)} planted cases, {len(wrong)} wrong")
    return int(bool(wrong))


def _try(folder: str, command: str, files: dict[str, Any]) -> tuple[object, str]:
    """Run a command on files of these contents (`-`: standard input); return exit and output."""
    raw = {
        name: content if isinstance(content, bytes) else json.dumps(content).encode()
        for name, content in files.items()
    }
    for name, content in raw.items():
        Path(folder, name).write_bytes(content)
    argv = [
        str(Path(folder, word)) if word in raw and word != "-" else word
        for word in shlex.split(command)
    ]
    output, stdin = io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(raw.get("-", b"")))
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            return main(argv), output.getvalue()
    except SystemExit as stopped:
        return stopped.code, output.getvalue()
    finally:
        sys.stdin = stdin


def _wrong_calls() -> Iterable[str]:
    """Yield the calls that no command line can make and that come out wrong."""
    huge = {**REPORT, "criteria": [{**A, "score": 10**400}]}
    if decide(huge, RUBRIC)["abstainReason"] != "bad-score:a":
        yield "10**400"
    zero = {**REPORT, "criteria": [{**A, "score": -0.0}, B]}
    if [repr(entry["score"]) for entry in decide(zero, RUBRIC)["criteria"]] != ["1.0", "0.0"]:
        yield "-0.0"
    blanks = [point for point in range(0x10000) if not _is_text(chr(point))]
    if (len(blanks), sum(blanks)) != (47, 336_969):
        yield f"{len(blanks)} blanks"
    if spot_check([*range(9)]) != [0, 4, 8]:
        yield "9 verdicts"
    if not _parser().parse_args(["--self-test"]).selftest:
        yield "--self-test"
    run = _parser().parse_args(["run", "--rubric=r", "--item=i", "--check=a=b"])
    if run.timeout != 600:  # noqa: PLR2004 - the ten minutes of the docstring
        yield "no --timeout"
    refused: list[tuple[str, Callable[[], object]]] = [
        ("decidedBy: neither judge nor command", lambda: decide(REPORT, RUBRIC, decided_by="me")),
        ("item: not a non-blank string", lambda: decide(REPORT, RUBRIC, item=" ")),
        ("rubric: not an object", lambda: decide(REPORT, None)),
        ("rubric: not an object", lambda: validate(None, [])),
        ("k: not an integer", lambda: spot_check([], 0.5)),
        ("standard input: closed", lambda: read_json("-")),
    ]
    stdin, sys.stdin = sys.stdin, None
    for message, call in refused:
        try:
            call()
            yield message
        except (RubricError, Unusable) as error:
            if str(error) != message:
                yield message
    sys.stdin = stdin


QUESTION = "Is it so?"
MEASURED: dict[str, Any] = {"sealed": 1, "agreement": 0.8, "floor": 0.8}
RUBRIC: dict[str, Any] = {
    "id": "self-test@10",
    "threshold": 0.5,
    "criteria": [{"id": "b", "question": QUESTION}, {"id": "a", "question": QUESTION}],
    "calibration": MEASURED,
}
A = {"id": "a", "score": 0.5, "pass": True, "evidence": "line 1"}
B = {"id": "b", "score": 1, "pass": True, "evidence": "line 2"}
REPORT = {"item": "i", "criteria": [A, B], "abstain": False, "abstainReason": None}
OPEN = {"score": None, "pass": None}
BOTH = "validate --rubric rubric verdict"


def _decisions() -> Iterable[Case]:
    decide_ = "decide --rubric rubric report"
    for report, reason in [
        (None, "verdict-missing"),
        ([REPORT], "verdict-missing"),
        ({}, "missing-item"),
        ({**REPORT, "item": "\u2064 \ufeff\r"}, "missing-item"),
        ({**REPORT, "abstain": 0}, "malformed:abstain"),
        ({**REPORT, "abstain": True, "abstainReason": "dark"}, "judge:dark"),
        ({**REPORT, "abstain": True, "abstainReason": "\u00ad"}, "judge:unstated"),
        ({**REPORT, "criteria": {}}, "malformed:criteria"),
        ({**REPORT, "criteria": [A, "b"]}, "malformed-criterion:1"),
        ({**REPORT, "criteria": [{**A, "id": 1}]}, "malformed-criterion:0"),
        ({**REPORT, "criteria": [A, A, B]}, "duplicate-criterion:a"),
        ({**REPORT, "criteria": [{**A, "id": "c"}]}, "unknown-criterion:c"),
        ({**REPORT, "criteria": [B]}, "missing-criterion:a"),
        ({**REPORT, "criteria": [{**A, "score": True}]}, "bad-score:a"),
        ({**REPORT, "criteria": [{**A, "score": "1"}]}, "bad-score:a"),
        ({**REPORT, "criteria": [{**A, "score": -0.1}]}, "bad-score:a"),
        ({**REPORT, "criteria": [{**A, "score": 1.1}]}, "bad-score:a"),
        ({**REPORT, "criteria": [{**A, "score": None}]}, "bad-score:a"),
        ({**REPORT, "criteria": [{"id": "a"}]}, "bad-score:a"),
        ({**REPORT, "criteria": [{**A, "pass": 1}]}, "bad-pass:a"),
        ({**REPORT, "criteria": [{**A, "pass": None}]}, "bad-pass:a"),
        ({**REPORT, "criteria": [{**A, "evidence": ""}]}, "bad-evidence:a"),
        ({**REPORT, "criteria": [{**A, **OPEN, "evidence": "\x1f\u200f"}]}, "bad-evidence:a"),
        ({**REPORT, "criteria": [{**A, **OPEN}, B]}, "undecidable:a"),
        ({**REPORT, "criteria": [{**A, **OPEN}, {**B, **OPEN}]}, "undecidable:b,a"),
    ]:
        yield 2, f'"abstainReason":"{reason}"', decide_, {"rubric": RUBRIC, "report": report}
    for criteria, expected in [
        ([A, B], (0, '"outcome":"pass","rubric":"self-test@10","score":0.5,"threshold":0.5')),
        (
            [{**A, "score": 0.4999}, B],
            (1, '"outcome":"fail","rubric":"self-test@10","score":0.4999'),
        ),
        ([{**A, "pass": False}, {**B, **OPEN}], (1, '"abstainReason":null')),
        ([{**A, "score": -0.0}, B], (1, '"score":0,')),
        ([{**A, "score": 1e-6}, B], (1, '"score":0.000001,')),
        ([{**A, "score": 9.5e-7}, B], (1, '"score":9.5e-7,')),
        ([{**A, "score": 1e-10}, B], (1, '"score":1e-10,')),
    ]:
        yield *expected, decide_, {"rubric": RUBRIC, "report": {**REPORT, "criteria": criteria}}
    files = {"rubric": RUBRIC, "report": REPORT}
    yield 0, '"calibrated":true,"criteria":[{"evidence":"line 2","id":"b",', decide_, files
    yield 0, '"decidedBy":"judge","item":"i"', f"{decide_} --item i", files
    yield 0, '"decidedBy":"command"', f"{decide_} --decided-by command", files
    yield 2, '"abstainReason":"item-mismatch"', f"{decide_} --item j", files
    yield 2, "decide: argument --item: blank (see --help)\n", f"{decide_} --item ' '", files
    yield 0, '"decidedBy":"judge"', f"{decide_} --decided-by judge", files
    full = (
        '{"abstain":false,"abstainReason":null,"calibrated":true,"criteria":['
        '{"evidence":"line 2","id":"b","pass":true,"score":1},'
        '{"evidence":"line 1","id":"a","pass":true,"score":0.5}],"decidedBy":"judge","item":"i",'
        '"outcome":"pass","rubric":"self-test@10","score":0.5,"threshold":0.5}\n'
    )
    yield 0, full, decide_, files


def _inputs() -> Iterable[Case]:
    for content, text in [
        (b"", "report: not JSON: Expecting value: line 1 column 1 (char 0)\n"),
        (b"\xff", "report: not UTF-8 at byte 0\n"),
        (b'{"b": 1, "a": 2, "a": 3}', "report: not JSON: duplicate key 'a'\n"),
        (b"[NaN]", "report: not JSON: NaN is not JSON\n"),
        (b"[" * 100 + b"]" * 100, "verdict-missing"),
        (b"[" * 101 + b"]" * 101, "report: nested more than 100 levels deep\n"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "report: nested more than 100 levels deep\n"),
        (b"[" * 100_000, "report: nested too deeply\n"),
        (b" " * 16777215, "report: not JSON"),
        (b" " * 16777216, "report: 16777216 bytes or more\n"),
    ]:
        yield 2, text, "decide --rubric rubric report", {"rubric": RUBRIC, "report": content}
    yield 2, "/: not a regular file (use - for standard input)\n", "check-rubric /", {}
    yield 2, "\\nx: cannot be read: No such file or directory\n", "check-rubric '\nx'", {}
    yield 2, "embedded null", "check-rubric \0", {}
    name = "rubric: rubric.id: not of the form <plugin>-<name>@<number>\n"
    threshold = "rubric: rubric.threshold: not a number above 0 and at most 1\n"
    criterion = "rubric: rubric.criteria[0].id: not a non-blank string without a comma\n"
    sealed = "rubric: rubric.calibration.sealed: not an integer of 0 or more\n"
    changes: list[tuple[dict[str, Any], str]] = [
        ({"id": "self-test@0"}, name),
        ({"id": "selftest@1"}, name),
        ({"id": "self-test@1\n"}, name),
        ({"id": 1}, name),
        ({"threshold": 0}, threshold),
        ({"threshold": 1.1}, threshold),
        ({"criteria": []}, "rubric: rubric.criteria: not a list of one or more\n"),
        ({"criteria": {"a": 1}}, "rubric: rubric.criteria: not a list of one or more\n"),
        ({"criteria": ["a"]}, "rubric: rubric.criteria[0]: not an object\n"),
        ({"criteria": [{"id": "a,b", "question": QUESTION}]}, criterion),
        ({"criteria": [{"id": " ", "question": QUESTION}]}, criterion),
        (
            {"criteria": RUBRIC["criteria"] * 2},
            "rubric: rubric.criteria[2].id: the same as an earlier one\n",
        ),
        (
            {"criteria": [{"id": "a"}]},
            "rubric: rubric.criteria[0].question: not a non-blank string\n",
        ),
        ({"calibration": None}, "rubric: rubric.calibration: not an object\n"),
        ({"calibration": {**MEASURED, "sealed": -1}}, sealed),
        ({"calibration": {**MEASURED, "sealed": 0.5}}, sealed),
        ({"calibration": {**MEASURED, "sealed": True}}, sealed),
        (
            {"calibration": {**MEASURED, "agreement": 2}},
            "rubric: rubric.calibration.agreement: not a number from 0 to 1\n",
        ),
        (
            {"calibration": {**MEASURED, "floor": 0}},
            "rubric: rubric.calibration.floor: not a number above 0 and at most 1\n",
        ),
    ]
    for change, text in changes:
        yield 3, text, "check-rubric rubric", {"rubric": {**RUBRIC, **change}}
    yield 3, "rubric: rubric: not an object\n", "validate --rubric rubric rubric", {"rubric": []}
    facts = '"kind": "rubric",\n  "rubric": "self-test@10",\n  "calibrated": true\n}\n'
    yield 0, facts, "check-rubric -", {"-": RUBRIC}
    yield 2, "judge_contract.py: x: cannot be read: No such file or directory\n", "validate x", {}
    yield 2, "standard input: not JSON", "check-rubric -", {"-": b" " * 16777215}
    yield 2, "standard input: closed\n", "decide --rubric - -", {"-": RUBRIC}
    yield 2, "standard input: 16777216 bytes or more\n", "check-rubric -", {"-": b" " * 16777216}
    for calibration, text in [
        (MEASURED, '"calibrated": true'),
        ({**MEASURED, "sealed": 0}, '"calibrated": false'),
        ({**MEASURED, "agreement": 0.79}, '"calibrated": false'),
        ({"sealed": 1, "agreement": 1, "floor": 1}, '"calibrated": true'),
    ]:
        yield 0, text, "check-rubric rubric", {"rubric": {**RUBRIC, "calibration": calibration}}
    bare = {key: RUBRIC[key] for key in ("id", "criteria")}
    yield 0, '"calibrated": false', "check-rubric rubric", {"rubric": {**bare, "threshold": 1}}


def _stored() -> Iterable[Case]:
    passed = decide(REPORT, RUBRIC)
    failed = decide({**REPORT, "criteria": [{**A, "pass": False}, B]}, RUBRIC)
    held = decide({**REPORT, "criteria": [{**A, **OPEN}, B]}, RUBRIC)
    ended = decide({**REPORT, "abstain": True}, RUBRIC)
    for verdict, text in [
        (
            [],
            '"valid": false,\n  "problems": [\n    "verdict: not an object of exactly item, rubric',
        ),
        ({**passed, "more": 1}, "verdict: not an object of exactly"),
        *(({**passed, key: 7}, f'"{key}: malformed"') for key in passed),
        ({**passed, "item": " "}, '"item: malformed"'),
        ({**passed, "rubric": "x"}, '"rubric: malformed"'),
        ({**passed, "criteria": [7]}, '"criteria: malformed"'),
        ({**passed, "criteria": [{**A, "more": 1}]}, '"criteria: malformed"'),
        ({**passed, "criteria": [{**A, "id": "a,b"}]}, '"criteria: malformed"'),
        ({**passed, "criteria": [A, A]}, "criteria: duplicate-criterion:a"),
        ({**passed, "item": None}, "criteria: missing-item"),
        ({**passed, "score": 1}, "score: 1 where decide() gives 0.5"),
        ({**passed, "criteria": [A, {**B, **OPEN}]}, "outcome: "),
        ({**failed, "outcome": "abstain"}, "outcome: "),
        ({**held, "abstain": False}, "abstain: false where decide() gives true"),
        ({**held, "criteria": []}, '"abstainReason: not one that goes without criteria"'),
        ({**passed, "criteria": []}, '"abstainReason: not one that goes without criteria"'),
        ({**ended, "outcome": "pass"}, "outcome: "),
        ({**ended, "item": None}, "abstainReason: "),
    ]:
        yield 1, text, "validate verdict", {"verdict": verdict}
    for verdict, text in [
        ({**passed, "criteria": [A, B]}, "criteria: not in the rubric's order\""),
        ({**passed, "criteria": [A]}, "criteria: missing-criterion:b"),
        ({**passed, "calibrated": False}, "calibrated: false where decide() gives true"),
        ({**passed, "threshold": 0.4}, "threshold: 0.4 where decide() gives 0.5"),
        ({**ended, "rubric": "self-test@1"}, "rubric: "),
    ]:
        yield 1, text, BOTH, {"rubric": RUBRIC, "verdict": verdict}
    valid = '{\n  "gate": "judge-contract",\n  "kind": "validation",\n  "valid": true,'
    valid += '\n  "problems": []\n}\n'
    for verdict in [passed, failed, held, ended, {**passed, "decidedBy": "command"}]:
        yield 0, valid, BOTH, {"rubric": RUBRIC, "verdict": verdict}
    yield 0, '"problems": []', "validate verdict", {"verdict": {**passed, "calibrated": False}}


def _reasons() -> Iterable[Case]:
    # Does the reason stand alone? Beside the rubric? Without an item?
    ended = decide(None, RUBRIC, item="i")
    known = ["duplicate-criterion", "bad-score", "bad-pass", "bad-evidence", "missing-criterion"]
    names = [("a", "yyn"), ("c", "ynn"), ("a,b", "nnn"), ("", "nnn")]
    for reason, holds in [
        ("verdict-missing", "yyy"),
        ("verdict-missing:", "nnn"),
        ("missing-item", "yyy"),
        ("missing-item:", "nnn"),
        ("item-mismatch", "yyn"),
        ("item-mismatch:", "nnn"),
        ("malformed:abstain", "yyn"),
        ("malformed:criteria", "yyn"),
        ("malformed:", "nnn"),
        ("judge:x", "yyn"),
        ("judge: ", "nnn"),
        ("malformed-criterion:0", "yyn"),
        ("malformed-criterion:2", "yyn"),
        ("malformed-criterion:3", "ynn"),
        ("malformed-criterion:10", "ynn"),
        ("malformed-criterion:01", "nnn"),
        ("unknown-criterion:", "yyn"),
        ("unknown-criterion:a", "ynn"),
        ("unknown-criterion", "nnn"),
        ("undecidable:a", "nnn"),
        *((f"{kind}:{name}", holds) for kind in known for name, holds in names),
    ]:
        verdict, nameless = ({**ended, "abstainReason": reason, "item": i} for i in ("i", None))
        alone, beside, without = map("yn".index, holds)
        yield alone, '"validation"', "validate verdict", {"verdict": verdict}
        yield beside, '"validation"', BOTH, {"rubric": RUBRIC, "verdict": verdict}
        yield without, '"validation"', "validate verdict", {"verdict": nameless}


def _samples() -> Iterable[Case]:
    smile, last, c, b = ({"item": item} for item in ("\U0001f600", "\ufffd", "c", "b"))
    rows = [smile, last, c, b, 7, {"item": None}]
    ordered = [7, {"item": None}, b, c, last, smile]
    for flags, chosen in [
        ("-k 1", [7]),
        ("-k 2", [7, smile]),
        ("-k 3", [7, b, smile]),
        ("", [7, b, smile]),
        ("-k 4", [7, {"item": None}, c, smile]),
        ("-k 6", ordered),
        ("-k 9", ordered),
    ]:
        yield 0, json.dumps(chosen, indent=2), f"spot-check rows {flags}", {"rows": rows}
    yield 0, "999999999999999,", "spot-check rows", {"rows": [[999999999999999, 1]]}
    yield 0, "1e+16", "spot-check rows", {"rows": [9999999999999999]}
    yield 2, "rows: nothing to look at\n", "spot-check -k 0 rows", {"rows": rows}
    yield 2, "rows: nothing to look at\n", "spot-check rows", {"rows": []}
    yield 2, "rows: verdicts: not a list\n", "spot-check rows", {"rows": {}}


def _checks() -> Iterable[Case]:
    late = "echo soon; sleep 1; echo late"
    cut = "\\u0000" * 4000 + '"'
    for code, text, flags in [
        (0, '"decidedBy":"command","item":"i","outcome":"pass"', "--check a=true"),
        (0, '"evidence":"$ echo x=y\\nexit status 0\\nx=y\\n"', "--check 'a=echo x=y'"),
        (
            1,
            '"evidence":"$ false\\nexit status 1\\n","id":"a","pass":false,"score":0}',
            "--check a=false",
        ),
        (0, "exit status 0\\n\\u0000", "--check 'a=head -c 4000 /dev/zero'"),
        (0, f"[the first 1 bytes are cut]\\n{cut}", "--check 'a=head -c 4001 /dev/zero'"),
        (0, '"evidence":"$ cat\\nexit status 0\\n"', "--check a=cat"),
        (0, "exit status 0\\n\\ufffdx", "--check 'a=printf \\\\377x'"),
        (2, "\\nundecided, could not start: [Errno 2]", "--check a=/no/such"),
        (2, "\\nundecided, could not start: No closing", "--check 'a=echo \"'"),
        (2, "\\nundecided, could not start: exit status 127", "--check a=nosuch --shell"),
        (2, "\\nundecided, could not start: exit status 126", "--check a=/ --shell"),
        (0, "\\nexit status 0\\nsoon\\n", "--check 'a=echo soon; true' --shell"),
        (0, '\\nsoon\\n"', "--check 'a=(sleep 0.5; echo late) & echo soon' --shell"),
        (
            2,
            '\\nundecided, timed out after 0.3 s\\nsoon\\n"',
            f"--check 'a={late}' --shell --timeout 0.3",
        ),
        (2, '"abstainReason":"missing-criterion:a"', ""),
        (2, "--check c: no such criterion in ", "--check c=true"),
        (2, "--check b: given twice\n", "--check b=true"),
        (2, "argument --check: not of the form ID=COMMAND (see --help)\n", "--check a="),
        (2, "argument --timeout: not above 0 (see --help)\n", "--timeout 0"),
        (2, "argument --timeout: not above 0 (see --help)\n", "--timeout nan"),
        (2, "argument --timeout: invalid", "--timeout x"),
    ]:
        yield code, text, f"run --rubric rubric --item i --check b=true {flags}", {"rubric": RUBRIC}


def _flags() -> Iterable[Case]:
    yield 2, "judge_contract.py: no command (see --help)\n", "", {}
    yield 2, "required: --rubric (see --help)\n", "decide --rubri rubric report", {}
    for flags in ["--version", "--selftest --version"]:
        yield 0, "judge_contract.py 0.2.0\n", flags, {}
    yield 0, "\nThe verdict contract: ", "run --help", {}
    for flags in ["decide r", "decide --rubric r", "validate", "spot-check", "check-rubric"]:
        yield 2, "required", flags, {}
    for flags in ["--item i --check a=true", "--rubric r --check a=true", "--rubric r --item i"]:
        yield 2, "required", f"run {flags}", {}
    for flags in ["decide --decided-by me --rubric r r", "spot-check -k x r"]:
        yield 2, "invalid", flags, {}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
