# judge-contract: judge_fanout.py 0.2.0
"""May a fanned-out set of claims be synthesised?

    judge_fanout.py --in FILE [--min-sources 1] [--json]
    judge_fanout.py --selftest | --version | --help

FILE (or -, standard input) holds a JSON object with "claims", a list of objects with "id", a string
of their own, "status", which is verified, refuted, unverified or pending, and "sources", a list of
strings. A status is what somebody says, sources are evidence: a verified claim with fewer than
--min-sources of them, blank and repeated ones not counted, is held as undersourced.

Exits:
  0  ADOPT: every claim is verified and sourced
  1  HOLD: some are not, or there is no claim
  2  CONFLICT: a claim is refuted, and a person decides
  3  input or flags that cannot be used: never a go
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

NAME = "judge_fanout.py"
VERSION = "0.2.0"

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write(
        "judge_fanout.py: needs Python 3.11 or later, this is %d.%d\n"  # noqa: UP031 - any Python 3
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

STATUSES = ("verified", "refuted", "unverified", "pending")
SETTLED = STATUSES[:2]
EXITS = {"ADOPT": 0, "HOLD": 1, "CONFLICT": 2}


def decide(document: Any, *, min_sources: int) -> dict[str, Any]:
    """Return the verdict: ADOPT, HOLD or CONFLICT, with counts and ids; the order never matters.

    `min_sources` is 1 or more. Raises Unusable for what is no set of claims.
    """
    claims = document.get("claims") if isinstance(document, dict) else None
    if not isinstance(claims, list):
        raise Unusable("not an object with a list of claims")
    found: dict[str, str] = {}
    for i, claim in enumerate(claims):
        name, status = _standing(claim, f"claims[{i}]", min_sources)
        if name in found:
            raise Unusable(f"claims[{i}].id: the same as an earlier one")
        found[name] = status
    standings = list(found.values())
    refuted = sorted([name for name, status in found.items() if status == "refuted"])
    held = sorted([name for name, status in found.items() if status not in SETTLED])
    verdict = "CONFLICT" if refuted else "HOLD" if held or not claims else "ADOPT"
    return {
        "kind": "fanout",
        "gate": "judge-fanout",
        "verdict": verdict,
        "exit": EXITS[verdict],
        "counts": {
            "claims": len(claims),
            **{status: standings.count(status) for status in (*STATUSES, "undersourced")},
        },
        "held_ids": held,
        "refuted_ids": refuted,
    }


def _standing(claim: Any, at: str, min_sources: int) -> tuple[str, str]:
    """Return a claim's id, and its status as its sources bear it out."""
    if not isinstance(claim, dict):
        raise Unusable(f"{at}: not an object")
    if not _is_text(claim.get("id")):
        raise Unusable(f"{at}.id: not a non-blank string")
    status, sources = claim.get("status"), claim.get("sources")
    if status not in STATUSES:
        raise Unusable(f"{at}.status: none of {', '.join(STATUSES)}")
    if not isinstance(sources, (list, type(None))):
        raise Unusable(f"{at}.sources: not a list")
    distinct = {_seen(source) for source in sources or () if _is_text(source)}
    if status == "verified" and len(distinct) < min_sources:
        status = "undersourced"
    return claim["id"], status


def _seen(text: str) -> tuple[str, ...]:
    """Return what a reader sees of a text, spaces apart."""
    return tuple(char for char in text if char.isprintable() and char != " ")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and _seen(value) != ()


def summary(result: dict[str, Any]) -> str:
    """Return the verdict for people, with the ids that it is about."""
    counts = result["counts"]
    lines = [f"{result['verdict']}: {counts['verified']} of {counts['claims']} claims are verified"]
    lines += [
        f"refuted, so that a person decides: {json.dumps(name)}" for name in result["refuted_ids"]
    ]
    lines += [f"held: {json.dumps(name)}" for name in result["held_ids"]]
    return "\n  ".join(lines)


def _fanout(args: argparse.Namespace) -> int:
    if args.path is None:
        raise Unusable("--in FILE is missing (see --help)")
    result = decide(read_json(args.path), min_sources=args.min_sources)
    print(json.dumps(result, indent=2) if args.json else summary(result))
    return EXITS[result["verdict"]]


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
        self.exit(3, _line(f"{self.prog}: {message} (see --help)"))


def _line(message: str) -> str:
    """Return the message as one line that every console can show."""
    return message.encode("unicode_escape").decode("ascii") + "\n"


def _parser() -> _Parser:
    parser = _Parser(prog=NAME)
    parser.add_argument("--in", metavar="FILE", dest="path")
    parser.add_argument("--min-sources", type=count, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    flags = ["--selftest", "--self-test"]
    parser.add_argument(*flags, action="store_const", dest="act", const=selftest, default=_fanout)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        return int(args.act(args))
    except Unusable as error:
        sys.stderr.write(_line(f"{NAME}: {error}"))
        return 3


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
    two = ["https://example.org/a", "https://example.org/b"]
    same = ["note 1", " note 1\u200b", "", " \t", 7, None, "note\n1"]
    held = ["HOLD: 0 of 1 claims are verified", 'held: "a"']
    cases: list[tuple[list[Any], str, int, list[str]]] = [
        ([("a", "verified", two)], "", 0, ["ADOPT: 1 of 1 claims are verified"]),
        ([("a", "verified", two)], "--min-sources 1", 0, ["ADOPT: 1 of 1 claims are verified"]),
        ([("a", "verified", two)], "--min-sources 2", 0, ["ADOPT: 1 of 1 claims are verified"]),
        ([("a", "verified", two)], "--min-sources 3", 1, held),
        ([("a", "verified", same)], "", 0, ["ADOPT: 1 of 1 claims are verified"]),
        ([("a", "verified", same)], "--min-sources 2", 1, held),
        ([("a", "verified", [])], "", 1, held),
        ([("a", "verified", None)], "", 1, held),
        ([("b", "pending", two), ("c", "verified", two), ("a", "unverified", two)], "", 1,
         ["HOLD: 1 of 3 claims are verified", 'held: "a"', 'held: "b"']),
        ([("b", "refuted", two), ("c", "verified", two), ("\u00e9", "pending", two),
          ("a", "refuted", [])], "", 2,
         ["CONFLICT: 1 of 4 claims are verified", 'refuted, so that a person decides: "a"',
          'refuted, so that a person decides: "b"', 'held: "\\u00e9"']),
        ([], "", 1, ["HOLD: 0 of 0 claims are verified"]),
    ]  # fmt: skip
    for claims, flags, code, told in cases:
        keys = ("id", "status", "sources")
        document: Any = {"claims": [dict(zip(keys, claim, strict=True)) for claim in claims]}
        yield code, "\n  ".join(told) + "\n", f"--in - {flags}", {"-": document}
    statuses = ["verified", "pending", "refuted", "unverified", "verified", "refuted"]
    listed: list[dict[str, Any]] = [
        {"id": f"c{i}", "status": status} for i, status in enumerate(statuses)
    ]
    listed[0]["sources"] = two
    full = {
        "kind": "fanout",
        "gate": "judge-fanout",
        "verdict": "CONFLICT",
        "exit": 2,
        "counts": {
            "claims": 6,
            "verified": 1,
            "refuted": 2,
            "unverified": 1,
            "pending": 1,
            "undersourced": 1,
        },
        "held_ids": ["c1", "c3", "c4"],
        "refuted_ids": ["c2", "c5"],
    }
    yield (
        2,
        json.dumps(full, indent=2) + "\n",
        "--in file --json",
        {"file": {"claims": listed[::-1]}},
    )
    none = "none of verified, refuted, unverified, pending"
    sound = {"id": "a", "status": "pending"}
    unusable: list[tuple[Any, str]] = [
        ([], "not an object with a list of claims"),
        ({"claims": {}}, "not an object with a list of claims"),
        ({"claims": [sound, 7]}, "claims[1]: not an object"),
        ({"claims": [{**sound, "id": "\u200b"}]}, "claims[0].id: not a non-blank string"),
        ({"claims": [{**sound, "id": 1}]}, "claims[0].id: not a non-blank string"),
        ({"claims": [{**sound, "status": "true"}]}, "claims[0].status: " + none),
        ({"claims": [{**sound, "status": []}]}, "claims[0].status: " + none),
        ({"claims": [{**sound, "sources": "note 1"}]}, "claims[0].sources: not a list"),
        ({"claims": [sound, sound]}, "claims[1].id: the same as an earlier one"),
    ]
    for document, text in unusable:
        yield 3, f"judge_fanout.py: {text}\n", "--in file", {"file": document}
    yield 0, "judge_fanout.py 0.2.0\n", "--version", {}
    yield 0, "\n\nMay a fanned-out set of claims ", "--help", {}
    for flags, text in [
        ("", "--in FILE is missing (see --help)"),
        ("--in x", "x: cannot be read: No such file or directory"),
        ("--i x", "unrecognized arguments: --i x (see --help)"),
        ("--min-sources 0", "argument --min-sources: not 1 or more (see --help)"),
        ("--min-sources x", "argument --min-sources: invalid count value: 'x' (see --help)"),
    ]:
        yield 3, f"judge_fanout.py: {text}\n", flags, {}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
