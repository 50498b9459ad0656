# judge-contract: judge_vote.py 0.2.0
"""What a panel of judges agrees on: the majority verdict, if enough of them share it.

    judge_vote.py --votes FILE [--agree 0.66] [--min-votes 1] [--panel N] [--expect VERDICT]
            [--json]
    judge_vote.py --selftest | --version | --help

FILE (or -, standard input) holds a JSON list of votes: objects with a "verdict", which is any JSON
value, and maybe a "score", a number that is reported and decides nothing. What has no verdict is
no vote. A null verdict is an abstention: it counts as a vote and is never adopted.

  --agree      the share of the votes that the majority needs, above 0 and at most 1
  --min-votes  fewer votes decide nothing
  --panel      how many were asked: who did not vote stays in the denominator
  --expect     the one verdict that is a go (JSON, else a string); without it any consensus is

A consensus can be bad news: say --expect wherever the exit decides.

Exits:
  0  a consensus is adopted
  1  hung, tied, or a consensus other than the expected one
  2  nothing to decide on
  2  input or flags that cannot be used: never a go
  130  interrupted
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import shlex
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

NAME = "judge_vote.py"
VERSION = "0.2.0"

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write(
        "judge_vote.py: needs Python 3.11 or later, this is %d.%d\n"  # noqa: UP031 - any Python 3
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

SPREAD = Fraction("0.02")  # a variance of the scores from which on the panel disagrees
LARGEST = Fraction(sys.float_info.max)


def decide(
    votes: Any, *, agree: float, min_votes: int, panel: int | None, expect: str | None
) -> dict[str, Any]:
    """Return the decision: status pass, fail or observe, and the verdict where one is adopted.

    `agree` is a share above 0; `min_votes` and `panel` are 1 or more; `expect` is the canonical()
    text of the one verdict that passes. The order of the votes never matters. Raises Unusable.
    """
    if not isinstance(votes, list):
        raise Unusable("the votes are not a list")
    cast = [(text, vote) for vote in votes if (text := _ballot(vote)) is not None]
    if panel is not None and len(cast) > panel:
        raise Unusable(f"{len(cast)} votes for a panel of {panel}")
    seats = len(cast) if panel is None else panel
    counts = Counter(text for text, _ in cast)
    most = max(counts.values(), default=0)
    first = [text for text, number in counts.items() if number == most]
    (majority,) = first if len(first) == 1 else ["null"]
    agreement = Fraction(most, max(seats, 1))
    scores = [vote["score"] for _, vote in cast if "score" in vote]
    numbers = [Fraction(str(score)) for score in scores if _is_number(score)]
    mean, variance = _spread(numbers)

    status, verdict, findings = "fail", None, []
    if len(cast) < min_votes:
        status = "observe"
        findings.append(f"{len(cast)} valid votes, where {min_votes} must decide")
    elif len(first) > 1:
        findings.append("hung: a tie for first")
    elif majority == "null":
        status = "observe"
        findings.append("more votes abstain than agree on anything")
    elif agreement < Fraction(str(agree)):
        findings.append(f"hung: {most} of {seats} agree, where {agree} must")
    else:
        verdict = json.loads(majority)
        if expect in (None, majority):
            status = "pass"
        else:
            findings.append(f"this consensus is not the expected one, which is {expect}")
        if len(cast) == 1:
            findings.append("a single vote is a consensus with itself")
        if variance is not None and variance >= SPREAD:
            findings.append("the scores differ much although the verdicts agree")
    return {
        "kind": "vote",
        "gate": "judge-vote",
        "subcommand": "judge-vote",
        "status": status,
        "score": float(agreement),
        "threshold": agree,
        "metrics": {
            "votes": len(cast),
            "verdicts": dict(sorted(counts.items())),
            "majority": json.loads(majority),
            "agreement": float(agreement),
            "mean_score": _float(mean),
            "score_variance": _float(variance),
            "ignored": len(votes) - len(cast),
            "ignored_scores": len(scores) - len(numbers),
        },
        "findings": findings,
        "verdict": verdict,
    }


def _ballot(vote: Any) -> str | None:
    """Return what the vote is for, as canonical text; None when it is no vote."""
    if not isinstance(vote, dict) or "verdict" not in vote:
        return None
    try:
        return canonical(vote["verdict"])
    except ValueError:  # a number that no double holds, such as 1e400
        return None


def canonical(value: Any) -> str:
    """Return JSON text that equal values, and no others, share. Raises ValueError for infinity."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child) for child in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # a boolean is an int, no number


def _spread(numbers: list[Fraction]) -> tuple[Fraction | None, Fraction | None]:
    """Return mean and population variance, exact, of decimals as they were written."""
    if not numbers:
        return None, None
    mean = sum(numbers, Fraction()) / len(numbers)
    return mean, sum(((x - mean) ** 2 for x in numbers), Fraction()) / len(numbers)


def _float(exact: Fraction | None) -> float | None:
    return None if exact is None else float(min(exact, LARGEST))


def summary(result: dict[str, Any]) -> str:
    """Return the decision for people: what the consensus is, and what there is to say of it."""
    verdict = "none" if result["verdict"] is None else json.dumps(result["verdict"])
    figures = f"agreement {result['score']:.3f}, threshold {result['threshold']}"
    lines = [f"consensus: {verdict} ({figures})", *result["findings"]]
    return "\n  ".join(lines)


EXITS = {"pass": 0, "fail": 1, "observe": 2}


def _vote(args: argparse.Namespace) -> int:
    if args.votes is None:
        raise Unusable("--votes FILE is missing (see --help)")
    rule = {key: getattr(args, key) for key in ("agree", "min_votes", "panel", "expect")}
    try:
        result = decide(read_json(args.votes), **rule)
    except Unusable as error:
        if args.json:
            print(json.dumps({**decide([], **rule), "findings": [str(error)]}, indent=2))
        raise
    print(json.dumps(result, indent=2) if args.json else summary(result))
    return EXITS[result["status"]]


def share(text: str) -> float:
    """Read a share above 0 and at most 1."""
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError("not above 0 and at most 1")
    return value


def count(text: str) -> int:
    """Read a whole number of 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("not 1 or more")
    return value


def _verdict(text: str) -> str:
    """Read a verdict as JSON, else as the string that it is."""
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_int=_integer, parse_constant=_refuse
        )
        return canonical(value)
    except (ValueError, RecursionError):
        return json.dumps(text)


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
    parser.add_argument("--agree", type=share, default=0.66)
    parser.add_argument("--min-votes", type=count, default=1)
    parser.add_argument("--panel", type=count)
    parser.add_argument("--expect", type=_verdict, metavar="VERDICT")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    parser.add_argument(
        "--selftest", "--self-test", action="store_const", dest="act", const=selftest, default=_vote
    )
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


def _planted() -> Iterable[Case]:
    yield from _decisions()
    yield from _verdicts()
    yield from _documents()
    yield from _flags()


PLAIN: dict[str, Any] = {"null": {"verdict": None}, "?": {"note": "unreadable"}, "7": 7}


def _votes(words: str) -> list[Any]:
    """Plan votes, a word each: its verdict, an abstention (null), or no vote (? and 7)."""
    return [PLAIN.get(word, {"verdict": word}) for word in words.split()]


def _decisions() -> Iterable[Case]:
    tie, alone = "hung: a tie for first", "a single vote is a consensus with itself"
    abstained = "more votes abstain than agree on anything"
    unexpected = 'this consensus is not the expected one, which is "b"'
    for words, flags, code, told in [
        ("a a b", "", 0, ['"a" (agreement 0.667, threshold 0.66)']),
        ("a a b", "--agree 0.67", 1,
         ["none (agreement 0.667, threshold 0.67)", "hung: 2 of 3 agree, where 0.67 must"]),
        ("a ? b", "", 1, ["none (agreement 0.500, threshold 0.66)", tie]),
        ("a b", "--agree 0.5", 1, ["none (agreement 0.500, threshold 0.5)", tie]),
        ("a a b b c", "--agree 0.1", 1, ["none (agreement 0.400, threshold 0.1)", tie]),
        ("a b b c", "--agree 0.5", 0, ['"b" (agreement 0.500, threshold 0.5)']),
        ("a 7", "", 0, ['"a" (agreement 1.000, threshold 0.66)', alone]),
        ("a", "--panel 3", 1,
         ["none (agreement 0.333, threshold 0.66)", "hung: 1 of 3 agree, where 0.66 must"]),
        ("a a ?", "--panel 2 --agree 1", 0, ['"a" (agreement 1.000, threshold 1.0)']),
        ("a a", "--min-votes 2", 0, ['"a" (agreement 1.000, threshold 0.66)']),
        ("a a", "--min-votes 3", 2,
         ["none (agreement 1.000, threshold 0.66)", "2 valid votes, where 3 must decide"]),
        ("? 7", "--expect b", 2,
         ["none (agreement 0.000, threshold 0.66)", "0 valid votes, where 1 must decide"]),
        ("null null a", "", 2, ["none (agreement 0.667, threshold 0.66)", abstained]),
        ("null null a", "--agree 1", 2, ["none (agreement 0.667, threshold 1.0)", abstained]),
        ("null a", "--agree 0.5", 1, ["none (agreement 0.500, threshold 0.5)", tie]),
        ("a a null", "", 0, ['"a" (agreement 0.667, threshold 0.66)']),
        ("b b", "--expect b", 0, ['"b" (agreement 1.000, threshold 0.66)']),
        ("a", "--expect b", 1, ['"a" (agreement 1.000, threshold 0.66)', unexpected, alone]),
        ("a b", "--expect b", 1, ["none (agreement 0.500, threshold 0.66)", tie]),
    ]:  # fmt: skip
        text = "consensus: " + "\n  ".join(told) + "\n"
        yield code, text, f"--votes votes {flags}", {"votes": _votes(words)}


def _verdicts() -> Iterable[Case]:
    cases: list[tuple[list[Any], int, str]] = [
        ([1, 1.0, True], 0, "consensus: 1 (agreement 0.667"),
        ([1, "1", True, "true"], 1, "hung: a tie for first"),
        ([{"a": [1.0], "b": {}}, {"b": {}, "a": [1]}], 0, 'consensus: {"a": [1], "b": {}} ('),
        ([{"b": 0.5}, {"b": 0.5}], 0, 'consensus: {"b": 0.5} ('),
        ([[1, 2], [1, 3]], 1, "hung: a tie for first"),
        (["\u00e9", "\u00e9"], 0, 'consensus: "\\u00e9" ('),
    ]
    for values, code, text in cases:
        yield code, text, "--votes -", {"-": [{"verdict": value} for value in values]}
    verdict: Any
    for verdict, expect, code in [
        ({"a": 1, "b": 2}, '{"b":2.0,"a":1e0}', 0),
        (True, "true", 0),
        ("true", "true", 1),
        ("true", '"true"', 0),
        ("NaN", "NaN", 0),
        ("1e400", "1e400", 0),
        ('{"a":1,"a":1}', '{"a":1,"a":1}', 0),
        ("[" * 9000, "[" * 9000, 0),
        (1234567890123456789, "1234567890123456790", 0),
    ]:
        flags = f"--votes votes --expect {shlex.quote(expect)}"
        yield code, "(agreement", flags, {"votes": [{"verdict": verdict}]}
    infinite = b'[{"verdict": [1e400]}, {"verdict": "a"}, {"verdict": "a"}]'
    yield 0, '"ignored": 1', "--votes votes --json", {"votes": infinite}


def _documents() -> Iterable[Case]:
    metrics: dict[str, Any] = {
        "votes": 2,
        "verdicts": {'"a"': 2},
        "majority": "a",
        "agreement": 1.0,
        "mean_score": None,
        "score_variance": None,
        "ignored": 0,
        "ignored_scores": 0,
    }
    document: dict[str, Any] = {
        "kind": "vote",
        "gate": "judge-vote",
        "subcommand": "judge-vote",
        "status": "pass",
        "score": 1.0,
        "threshold": 0.66,
        "metrics": metrics,
        "findings": [],
        "verdict": "a",
    }

    def told(changes: dict[str, Any], **figures: Any) -> str:
        new = {**document, **changes, "metrics": {**metrics, **figures}}
        return json.dumps(new, indent=2) + "\n"

    wide: dict[str, Any] = {"findings": ["the scores differ much although the verdicts agree"]}
    for scores, mean, variance, changes in [
        ([0.5, 0.5], 0.5, 0.0, {}),
        ([0.1, 0.1, 0.4], 0.2, 0.02, wide),
        ([0.1, 0.1, 0.3999], 0.19996666666666665, 0.01998666888888889, {}),
        ([-1e308, 1e308], 0.0, sys.float_info.max, wide),
    ]:
        votes = [{"verdict": "a", "score": score} for score in scores]
        figures = {"votes": len(votes), "verdicts": {'"a"': len(votes)}}
        figures.update(mean_score=mean, score_variance=variance)
        yield 0, told(changes, **figures), "--votes votes --json", {"votes": votes}
    yield 0, told({}), "--votes votes --json", {"votes": _votes("a a")}
    votes = [{"verdict": "a", "score": score} for score in (None, 3)]
    figures = {"mean_score": 3.0, "score_variance": 0.0, "ignored_scores": 1}
    yield 0, told({}, **figures), "--votes votes --json", {"votes": votes}
    votes = [{"verdict": "a", "score": score} for score in (True, "1")]
    yield 0, told({}, ignored_scores=2), "--votes votes --json", {"votes": votes}
    infinite = b'[{"verdict": "a", "score": 1e400}, {"verdict": "a"}]'
    yield 0, told({}, ignored_scores=1), "--votes votes --json", {"votes": infinite}
    hung = {"status": "fail", "score": 0.5, "findings": ["hung: a tie for first"], "verdict": None}
    counts = {"votes": 2, "verdicts": {'"a"': 1, '"b"': 1}, "majority": None, "agreement": 0.5}
    for words in ["b a ?", "? a b"]:
        text = told(hung, **counts, ignored=1)
        yield 1, text, "--votes votes --json", {"votes": _votes(words)}
    nothing = {"votes": 0, "verdicts": {}, "majority": None, "agreement": 0.0}
    for content, why in [
        ({"a": 1}, "the votes are not a list"),
        (b"", "votes: not JSON: Expecting value: line 1 column 1 (char 0)"),
    ]:
        observed = {"status": "observe", "score": 0.0, "findings": [why], "verdict": None}
        text = told(observed, **nothing) + f"judge_vote.py: {why}\n"
        yield 2, text.replace("0.66", "0.7"), "--votes votes --json --agree 0.7", {"votes": content}


def _flags() -> Iterable[Case]:
    yield 0, "judge_vote.py 0.2.0\n", "--version", {}
    yield 0, "\n\nWhat a panel of judges agrees on: ", "--help", {}
    for flags, text in [
        ("", "--votes FILE is missing (see --help)"),
        ("--votes x", "x: cannot be read: No such file or directory"),
        ("--votes votes --panel 1", "2 votes for a panel of 1"),
        ("--vote x", "unrecognized arguments: --vote x (see --help)"),
        ("--agree 0", "argument --agree: not above 0 and at most 1 (see --help)"),
        ("--agree 1.01", "argument --agree: not above 0 and at most 1 (see --help)"),
        ("--agree nan", "argument --agree: not above 0 and at most 1 (see --help)"),
        ("--agree x", "argument --agree: invalid share value: 'x' (see --help)"),
        ("--min-votes 0", "argument --min-votes: not 1 or more (see --help)"),
        ("--panel 0", "argument --panel: not 1 or more (see --help)"),
        ("--panel 1.5", "argument --panel: invalid count value: '1.5' (see --help)"),
    ]:
        yield 2, f"judge_vote.py: {text}\n", flags, {"votes": _votes("a a")}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
