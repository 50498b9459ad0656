# judge-contract: judge_refute.py 0.2.0
"""Does one claim survive the attempts of several members to refute it?

    judge_refute.py --votes FILE [--panel N] [--min-valid 1] [--require-reason] [--json]
    judge_refute.py --selftest | --version | --help

FILE (or -, standard input) holds a JSON list of votes: objects with "refuted", true or false, and
maybe a "reason", a string. Anything else is an invalid vote and is left out.

  --panel           how many were asked: an adopt that the missing could overturn is an abstain
  --min-valid       fewer valid votes decide nothing
  --require-reason  a refutation without a reason is invalid; an adopt that these could overturn
                    is an abstain

Adopt is a gate, not an approval: whatever is externally visible, financial or binding still needs
a person.

Exits:
  0  adopt: no majority refuted; an even split is no majority
  1  stop: a majority refuted
  2  abstain: too few valid votes, or the missing could overturn an adopt
  2  input or flags that cannot be used: never a go
  130  interrupted
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shlex
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

NAME = "judge_refute.py"
VERSION = "0.2.0"

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write(
        "judge_refute.py: needs Python 3.11 or later, this is %d.%d\n"  # noqa: UP031 - any Python 3
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


def decide(
    votes: Any, *, panel: int | None, min_valid: int, require_reason: bool
) -> dict[str, Any]:
    """Return the decision, adopt, stop or abstain, with its counts and its reason.

    `panel` and `min_valid` are 1 or more. The order of the votes never matters. Raises Unusable.
    """
    if not isinstance(votes, list):
        raise Unusable("the votes are not a list")
    told = [v for v in votes if isinstance(v, dict) and isinstance(v.get("refuted"), bool)]
    upheld = sum(_is_reason(vote.get("reason")) for vote in told if not vote["refuted"])
    against = [vote.get("reason") for vote in told if vote["refuted"]]
    reasoned = sum(_is_text(reason) for reason in against)
    unreasoned = sum(_is_reason(reason) for reason in against) - reasoned
    refuted = reasoned if require_reason else reasoned + unreasoned
    lost = len(against) - refuted  # what refutes in a way that does not count
    valid = upheld + refuted
    if panel is not None and valid > panel:
        raise Unusable(f"{valid} votes for a panel of {panel}")
    missing = lost if panel is None else max(lost, panel - valid)
    majority = valid // 2
    reason = f"{refuted} of {valid} refute the claim"
    if valid < min_valid:
        decision, reason = "abstain", f"{valid} valid votes, where {min_valid} must decide"
    elif refuted > majority:
        decision = "stop"
    elif refuted + missing > (valid + missing) // 2:
        decision, reason = "abstain", f"{reason}, and {missing} who are missing could overturn it"
    else:
        decision = "adopt"
    return {
        "kind": "refute",
        "gate": "judge-refute",
        "decision": decision,
        "total": len(votes),
        "valid": valid,
        "invalid": len(votes) - valid,
        "refuted": refuted,
        "upheld": upheld,
        "majority": majority,
        "unreasoned": unreasoned,
        "reason": reason,
    }


def _is_reason(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_text(value: Any) -> bool:
    """Tell whether there is something to read: a letter, a digit, a sign."""
    return isinstance(value, str) and any(char.isprintable() and char != " " for char in value)


def summary(result: dict[str, Any]) -> str:
    """Return the decision for people, and what an adopt is not."""
    marks = f"{result['invalid']} invalid, {result['unreasoned']} unreasoned"
    text = f"{result['decision']}: {result['reason']} ({marks})"
    return text + (APPROVAL if result["decision"] == "adopt" else "")


APPROVAL = """
  a gate, not an approval: what is externally visible, financial or binding still needs a person"""
EXITS = {"adopt": 0, "stop": 1, "abstain": 2}


def _refute(args: argparse.Namespace) -> int:
    if args.votes is None:
        raise Unusable("--votes FILE is missing (see --help)")
    rule = {key: getattr(args, key) for key in ("panel", "min_valid", "require_reason")}
    try:
        result = decide(read_json(args.votes), **rule)
    except Unusable as error:
        if args.json:
            print(json.dumps({**decide([], **rule), "reason": str(error)}, indent=2))
        raise
    print(json.dumps(result, indent=2) if args.json else summary(result))
    return EXITS[result["decision"]]


def count(text: str) -> int:
    """Read a whole number of 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("not 1 or more")
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
    parser.add_argument("--votes", metavar="FILE")
    parser.add_argument("--panel", type=count)
    parser.add_argument("--min-valid", type=count, default=1)
    parser.add_argument("--require-reason", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    flags = ["--selftest", "--self-test", "--check"]
    parser.add_argument(*flags, action="store_const", dest="act", const=selftest, default=_refute)
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


# A letter a vote: r refutes with a reason, b with a blank one, n with null, q without; u upholds,
# e with a reason; x refutes and y upholds with a reason that is no string; the rest says nothing.
VOTES: dict[str, Any] = {
    "r": {"refuted": True, "reason": " line 3 says otherwise"},
    "b": {"refuted": True, "reason": " \u200b\n"},
    "n": {"refuted": True, "reason": None},
    "q": {"refuted": True},
    "u": {"refuted": False},
    "e": {"refuted": False, "reason": "line 3 says so"},
    "x": {"refuted": True, "reason": 3},
    "y": {"refuted": False, "reason": ["a", "b"]},
    "1": {"refuted": 1},
    "s": {"refuted": "false"},
    "0": None,
}


def _planted() -> Iterable[Case]:
    two, four = (f", and {n} who are missing could overturn it" for n in (2, 4))
    for letters, flags, code, told, invalid, unreasoned in [
        ("u", "", 0, "adopt: 0 of 1 refute the claim", 0, 0),
        ("re", "", 0, "adopt: 1 of 2 refute the claim", 0, 0),
        ("qu", "", 0, "adopt: 1 of 2 refute the claim", 0, 1),
        ("rru", "", 1, "stop: 2 of 3 refute the claim", 0, 0),
        ("bqnreu", "", 1, "stop: 4 of 6 refute the claim", 0, 3),
        ("ruu1s0y", "", 0, "adopt: 1 of 3 refute the claim", 4, 0),
        ("", "", 2, "abstain: 0 valid votes, where 1 must decide", 0, 0),
        ("10", "", 2, "abstain: 0 valid votes, where 1 must decide", 2, 0),
        ("rr", "--min-valid 3", 2, "abstain: 2 valid votes, where 3 must decide", 0, 0),
        ("rr", "--min-valid 2", 1, "stop: 2 of 2 refute the claim", 0, 0),
        ("us100", "--panel 5", 2, f"abstain: 0 of 1 refute the claim{four}", 4, 0),
        ("uu", "--panel 2", 0, "adopt: 0 of 2 refute the claim", 0, 0),
        ("uu", "--panel 4", 0, "adopt: 0 of 2 refute the claim", 0, 0),
        ("ruu", "--panel 4", 0, "adopt: 1 of 3 refute the claim", 0, 0),
        ("ruu", "--panel 5", 2, f"abstain: 1 of 3 refute the claim{two}", 0, 0),
        ("rr", "--panel 5", 1, "stop: 2 of 2 refute the claim", 0, 0),
        ("ux", "", 0, "adopt: 0 of 1 refute the claim", 1, 0),
        ("uxx", "", 2, f"abstain: 0 of 1 refute the claim{two}", 2, 0),
        ("uxx", "--panel 2", 2, f"abstain: 0 of 1 refute the claim{two}", 2, 0),
        ("uq", "--require-reason", 0, "adopt: 0 of 1 refute the claim", 1, 1),
        ("ubq", "--require-reason", 2, f"abstain: 0 of 1 refute the claim{two}", 2, 2),
        ("uqx", "--require-reason", 2, f"abstain: 0 of 1 refute the claim{two}", 2, 1),
        ("rruq", "--require-reason", 1, "stop: 2 of 3 refute the claim", 1, 1),
    ]:  # fmt: skip
        votes = [VOTES[letter] for letter in letters]
        text = f"{told} ({invalid} invalid, {unreasoned} unreasoned)"
        said = text + (APPROVED if code == 0 else "") + "\n"
        yield code, said, f"--votes - {flags}", {"-": votes}
    yield 1, _document(), "--votes votes --json", {"votes": [VOTES[letter] for letter in "urq0"]}
    nothing = dict.fromkeys(["total", "valid", "invalid", "refuted"], 0)
    nothing |= dict.fromkeys(["upheld", "majority", "unreasoned"], 0)
    for content, why in [
        ({"refuted": False}, "the votes are not a list"),
        (b"", "votes: not JSON: Expecting value: line 1 column 1 (char 0)"),
    ]:
        text = _document(**nothing, decision="abstain", reason=why) + f"judge_refute.py: {why}\n"
        yield 2, text, "--votes votes --json", {"votes": content}
    yield 0, "judge_refute.py 0.2.0\n", "--version", {}
    yield 0, "\n\nDoes one claim survive ", "--help", {}
    for flags, text in [
        ("", "--votes FILE is missing (see --help)"),
        ("--votes x", "x: cannot be read: No such file or directory"),
        ("--votes votes --panel 1", "2 votes for a panel of 1"),
        ("--vote x", "unrecognized arguments: --vote x (see --help)"),
        ("--panel 0", "argument --panel: not 1 or more (see --help)"),
        ("--min-valid 0", "argument --min-valid: not 1 or more (see --help)"),
        ("--min-valid x", "argument --min-valid: invalid count value: 'x' (see --help)"),
    ]:
        yield 2, f"judge_refute.py: {text}\n", flags, {"votes": [VOTES["u"]] * 2}
    if _parser().parse_args(["--check"]).act is not selftest:
        yield 0, "a self-test by another name", "--check", {}


APPROVED = """
  a gate, not an approval: what is externally visible, financial or binding still needs a person"""


def _document(**changes: Any) -> str:
    document = {
        "kind": "refute",
        "gate": "judge-refute",
        "decision": "stop",
        "total": 4,
        "valid": 3,
        "invalid": 1,
        "refuted": 2,
        "upheld": 1,
        "majority": 1,
        "unreasoned": 1,
        "reason": "2 of 3 refute the claim",
    }
    return json.dumps({**document, **changes}, indent=2) + "\n"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
