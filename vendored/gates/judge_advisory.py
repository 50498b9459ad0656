# judge-contract: judge_advisory.py 0.2.0
"""A second opinion that cites its evidence and blocks nothing.

    judge_advisory.py cite --file PATH | --text TEXT | --ledger EVENTS [-n 40] [--json]
        print what an opinion may cite: a hash of the exact bytes, or the latest events
    judge_advisory.py advise --checklist FILE [--evidence PATH]... [--ledger EVENTS]
            [--cluster green|red|not-run|unknown] [--labels FILE] [--calibration FILE]
            [--sink FILE] [--json]
        look every citation up; an opinion without one that holds is void
    judge_advisory.py verify VERDICT [--evidence PATH]... [--ledger EVENTS] [--sink FILE] [--json]
        look the citations of such a verdict up again, by default where it says they were found
    judge_advisory.py --selftest | --version | --help

FILE (or -, standard input) holds a JSON list of items, or an object with "items", and if wanted
"icd203", "confidence" (low, medium, high) and "log" (more keys for the shadow log). An item has
"item" and "type", and if it is subjective "opinion", "citation", and if wanted "receipt" and
"category". A hash is backed by a file of --evidence that has it, an event by --ledger.

advise and verify append a line to the shadow log, by default $AGENT_AS_JUDGE_SHADOW_SINK or else
~/.claude/shadow-sinks/agent-as-judge.jsonl. Above 2 MiB it becomes FILE.1. Labels are counted in
--labels (~/.claude/learnings-queue.json); --calibration is what judge_calibration.py kappa --json
wrote.

Exits:
  0  an opinion, whatever it is: it blocks nothing
  2  input or flags that cannot be used: never a go
  130  interrupted
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import hashlib
import io
import json
import os
import shlex
import stat
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

NAME = "judge_advisory.py"
VERSION = "0.2.0"

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write(
        "judge_advisory.py: needs Python 3.11 or later, this is %d.%d\n"  # noqa: UP031 - any Python 3
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

VERDICT = "ADVISORY (does not gate)"
UNBACKED = "UNBACKED"
UNCATEGORISED = "uncategorised"
SHORTEST = len("sha256:") + 12  # a citation of a hash may be its first 12 digits
TYPES = ("deterministic", "subjective")
OPINIONS = ("YES", "NO", "CANNOT-TELL")
RECEIPTS = ("reproduced", "not-reproduced", "unrunnable", None)
CLUSTERS = ("green", "red", "not-run", "unknown")
CONFIDENCES = ("low", "medium", "high")
ROW = ("item", "type", "opinion", "citation", "citation_kind", "receipt")
GRADES = ("PASS", "PARTIAL", "FAIL", None)
STANDARDS = (
    "sourcing",
    "uncertainty",
    "fact-vs-assumption",
    "alternatives",
    "relevance",
    "logic",
    "consistency",
    "likelihood",
    "presentation",
)
LABELS = 30  # fewer of a category say nothing
BAR = 0.6  # what the lower bound of kappa must reach
SINK_LIMIT = 2 * 1024 * 1024  # bytes; a longer log is rotated


def _demand(holds: object, message: str) -> None:
    if not holds:
        raise Unusable(message)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _printable(text: str) -> str:
    return _line(text)[:-1]


def _one_of(value: Any, known: tuple[Any, ...], at: str) -> None:
    names = ", ".join(name for name in known if name)
    _demand(value in known, f"{at}: none of {names}")


# --- citations ---


def hash_of(path: str) -> str:
    """Return the citation of a file's exact bytes. Raises Unusable where it cannot be read."""
    try:
        with opened(path) as file:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise Unusable(f"{path}: cannot be read: {why}") from error


def events_of(path: str) -> list[str]:
    """Return the citation of each event in a ledger of JSON Lines, the lowest `seq` first.

    An event is an object with `seq`, an integer, and `kind` and `ts`, strings. Raises Unusable.
    """
    try:
        with opened(path) as file:
            data = file.read(LIMIT)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise Unusable(f"{path}: cannot be read: {why}") from error
    name = "standard input" if path == "-" else path
    _demand(len(data) < LIMIT, f"{name}: {LIMIT} bytes or more")
    lines = enumerate(data.split(b"\n"), 1)
    events = [_event(line, f"{name}:{number}") for number, line in lines if line.strip()]
    _demand(events, f"{name}: no event in it")
    return [citation for _, citation in sorted(events)]


def _event(line: bytes, at: str) -> tuple[int, str]:
    try:
        text = line.decode("utf-8")
        event = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else f"not JSON: {error}"
        raise Unusable(f"{at}: {why}") from error
    _demand(isinstance(event, dict), f"{at}: not an object")
    _demand(type(event.get("seq")) is int, f"{at}: seq: not an integer")
    for key in ("kind", "ts"):
        _demand(_is_text(event.get(key)), f"{at}: {key}: not a non-blank string")
    citation = f"ledger#seq{event['seq']}({event['kind']}@{event['ts']})"
    return event["seq"], _printable(citation)


class Sources(NamedTuple):
    """What citations are looked up in: the hashes of files, and the events of a ledger."""

    evidence: list[str]
    ledger: str | None
    hashes: list[str]
    events: set[str]


def sources_of(evidence: list[str], ledger: str | None) -> Sources:
    """Read them; a file that cannot be read backs nothing. Raises Unusable for the ledger."""
    hashes = []
    for path in evidence:
        with contextlib.suppress(Unusable):
            hashes.append(hash_of(path))
    return Sources(evidence, ledger, hashes, set() if ledger is None else {*events_of(ledger)})


def backing(citation: Any, receipt: Any, sources: Sources) -> str:
    """Return what backs a citation: `sha256`, `ledger`, or else UNBACKED."""
    if not isinstance(citation, str) or receipt == "unrunnable":
        return UNBACKED
    if citation in sources.events:
        return "ledger"
    known = len(citation) >= SHORTEST and any(h.startswith(citation) for h in sources.hashes)
    return "sha256" if known else UNBACKED


# --- an opinion ---


def decide(document: Any, sources: Sources, cluster: str) -> tuple[dict[str, Any], list[str]]:
    """Return the verdict without its calibration, and the category of each opinion.

    Raises Unusable for what is no checklist, and for opinions on deterministic items.
    """
    if isinstance(document, list):
        document = {"items": document}
    _demand(isinstance(document, dict), "not a list of items, nor an object with one")
    items, given = document.get("items"), document.get("icd203", {})
    _demand(isinstance(items, list) and items, "items: not a list with an item")
    _demand(isinstance(given, dict) and not {*given} - {*STANDARDS}, "icd203: not its standards")
    for name, grade in given.items():
        _one_of(grade, GRADES, f"icd203.{name}")
    confidence = document.get("confidence", "medium")
    _one_of(confidence, CONFIDENCES, "confidence")
    rows = [_row(item, f"items[{i}]", sources) for i, item in enumerate(items)]
    notes = [note for row in rows for note in _notes(row)]
    if cluster != "green":
        confidence = "low"
        notes.append(f"confidence is low: the deterministic checks are {cluster}")
    opinions = [item for item in items if item["type"] == "subjective"]
    return {
        "kind": "advisory",
        "gate": "judge-advisory",
        "subcommand": "advise",
        "verdict": VERDICT,
        "ran_after_deterministic_cluster": cluster,
        "checklist": rows,
        "icd203": {name: given.get(name) for name in STANDARDS},
        "calibration": {},
        "evidence": sources.evidence,
        "ledger": sources.ledger,
        "ledger_events_available_for_citation": len(sources.events),
        "label_corpus": {},
        "passk_stats": None,
        "blocking_findings": 0,
        "confidence": confidence,
        "notes": notes,
    }, [item.get("category", UNCATEGORISED) for item in opinions]


def _row(item: Any, at: str, sources: Sources) -> dict[str, Any]:
    _demand(isinstance(item, dict), f"{at}: not an object")
    _demand(_is_text(item.get("item")), f"{at}.item: not a non-blank string")
    named = "category" not in item or _is_text(item["category"])
    _demand(named, f"{at}.category: not a non-blank string")
    kind, opinion, receipt = (item.get(key) for key in ("type", "opinion", "receipt"))
    _one_of(kind, TYPES, f"{at}.type")
    _one_of(receipt, RECEIPTS, f"{at}.receipt")
    citation, found = item.get("citation"), None
    if kind == "subjective":
        _one_of(opinion, OPINIONS, f"{at}.opinion")
        found = backing(citation, receipt, sources)
    else:
        _demand(opinion is None, f"{at}.opinion: refused, a check decides a deterministic item")
    return {
        "item": item["item"],
        "type": kind,
        "opinion": None if found == UNBACKED else opinion,
        "citation": citation,
        "citation_kind": found,
        "receipt": receipt,
    }


def _notes(row: dict[str, Any]) -> Iterable[str]:
    name = json.dumps(row["item"])
    if row["citation_kind"] == UNBACKED:
        why = "its receipt is unrunnable" if row["receipt"] == "unrunnable" else "no such evidence"
        yield f"{UNBACKED}, and its opinion void: {name}: {why}"
    if row["receipt"] == "not-reproduced":
        yield f"not reproduced: {name}"


def verified(rows: list[dict[str, Any]], sources: Sources) -> dict[str, Any]:
    """Return an earlier verdict's opinions as its citations bear them out now. Raises Unusable."""
    again = []
    for i, row in enumerate(rows):
        _one_of(row.get("type"), TYPES, f"checklist[{i}].type")
        _one_of(row.get("opinion"), (*OPINIONS, None), f"checklist[{i}].opinion")
        _demand(_is_text(row.get("item")), f"checklist[{i}].item: not a non-blank string")
        told = {key: row.get(key) for key in ROW}
        subjective = row["type"] == "subjective"
        found = backing(told["citation"], told["receipt"], sources) if subjective else None
        told["citation_kind"] = found
        told["opinion"] = told["opinion"] if found not in (None, UNBACKED) else None
        again.append(told)
    return {
        "kind": "advisory",
        "gate": "judge-advisory",
        "subcommand": "verify",
        "verdict": VERDICT,
        "checklist": again,
        "calibration": {},
        "evidence": sources.evidence,
        "ledger": sources.ledger,
        "blocking_findings": 0,
        "notes": [note for row in again for note in _notes(row)],
    }


# --- calibration: a licence to speak, never to block, and never granted here ---


def corpus(path: str) -> tuple[dict[str, Any], Counter[str]]:
    """Return whether there are corrections by people, or why not, and how many a category."""
    facts: dict[str, Any] = {"path": path, "present": False, "labels": 0, "reason": None}
    try:
        entries = read_json(path)
        _demand(isinstance(entries, list), f"{path}: not a list")
    except Unusable as error:
        return {**facts, "reason": str(error)}, Counter()
    labels = [
        entry
        for entry in entries
        if isinstance(entry, dict)
        and (
            entry.get("sentiment") == "correction"
            or entry.get("type") in ("auto", "explicit", "guardrail")
        )
    ]
    counts = Counter(str(entry.get("category", UNCATEGORISED)) for entry in labels)
    return {**facts, "present": True, "labels": len(labels)}, counts


def kappas(path: str | None) -> dict[str, Any]:
    """Return the figures of each category that judge_calibration.py measured. Raises Unusable."""
    if path is None:
        return {}
    document = read_json(path)
    found = document.get("categories") if isinstance(document, dict) else None
    if not isinstance(found, dict):
        raise Unusable(f"{path}: not what judge_calibration.py kappa --json writes")
    for name, figures in found.items():
        _demand(
            isinstance(figures, dict)
            and all(_is_figure(figures.get(key)) for key in ("kappa", "lower")),
            f"{path}: {name}: not what judge_calibration.py kappa --json writes",
        )
    return found


def _is_figure(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and -1 <= value <= 1)


def standing(labels: int, figures: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what is known of the judge in one category, with the line that says it."""
    known = {"labels": labels, "kappa": None, "lower": None}
    if labels < LABELS:
        return {**known, "line": f"INSUFFICIENT LABELS (n={labels})"}
    if figures is None:
        return {**known, "line": "CALIBRATION: UNAVAILABLE"}
    kappa, lower = figures.get("kappa"), figures.get("lower")
    if kappa is None or lower is None:
        why = _printable(str(figures.get("reason")))
        return {**known, "line": f"CALIBRATION: UNAVAILABLE: {why}"}
    clears = f"clears {BAR}: a licence to speak, never to block"
    told = clears if lower >= BAR else f"below {BAR}: no licence to speak"
    line = f"kappa {kappa:.3f}, at least {lower:.3f}, {told}"
    return {**known, "kappa": kappa, "lower": lower, "line": line}


# --- the shadow log ---


def default_sink(environment: Mapping[str, str]) -> str:
    """Return where the shadow log is when no flag says it."""
    usual = "~/.claude/shadow-sinks/agent-as-judge.jsonl"
    return environment.get("AGENT_AS_JUDGE_SHADOW_SINK") or os.path.expanduser(usual)


def log(sink: str, more: dict[str, Any], result: dict[str, Any]) -> None:
    """Append a run to the shadow log; where that fails, say so and go on."""
    entry = {
        **more,  # first, so that what follows always wins
        "time": dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "gate": "judge-advisory",
        "subcommand": result["subcommand"],
        "mode": "SHADOW/ADVISE",
        "blocks": False,
        "verdict": VERDICT,
        "would_have_fired": [r["item"] for r in result["checklist"] if r["opinion"] == "NO"],
        "unbacked": [r["item"] for r in result["checklist"] if r["citation_kind"] == UNBACKED],
        "citations": [r["citation"] for r in result["checklist"]],
        "calibration": {name: known["line"] for name, known in result["calibration"].items()},
    }
    try:
        append(os.path.realpath(sink), entry)
    except (ImportError, OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        sys.stderr.write(_line(f"{NAME}: the shadow log cannot be written: {sink}: {why}"))


def append(sink: str, entry: dict[str, Any]) -> None:
    """Append an entry as one line, in one write, while nobody else can.

    A log above SINK_LIMIT bytes becomes `<sink>.1` before. `<sink>.lock` keeps how many lines were
    dropped with earlier ones of that name, and each line tells it as `dropped`.
    """
    import fcntl  # noqa: PLC0415 - Windows has none, and only the log needs it

    if os.path.exists(sink) and not os.path.isfile(sink):
        raise ValueError("not a regular file")
    os.makedirs(os.path.dirname(sink), exist_ok=True)
    with open(f"{sink}.lock", "a+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        dropped = int(lock.read() or 0)
        if os.path.exists(sink) and os.path.getsize(sink) > SINK_LIMIT:
            if os.path.exists(f"{sink}.1"):
                dropped += Path(f"{sink}.1").read_bytes().count(b"\n")
                lock.truncate(0)
                lock.write(b"%d" % dropped)
            os.replace(sink, f"{sink}.1")
        with open(sink, "a+b") as file:
            file.seek(max(0, file.tell() - 1))
            torn = b"\n" if file.read() not in (b"", b"\n") else b""
            file.write(torn + json.dumps({**entry, "dropped": dropped}).encode() + b"\n")


# --- the commands ---


def _cite(args: argparse.Namespace) -> int:
    code = 0
    if args.ledger is not None:
        cited = events_of(args.ledger)[-args.n :]
    elif args.text is not None:
        text = args.text.encode("utf-8", "surrogateescape")
        cited = [f"sha256:{hashlib.sha256(text).hexdigest()}"]
    else:
        try:
            cited = [hash_of(args.file)]
        except Unusable as error:
            sys.stderr.write(_line(f"{NAME}: {error}"))
            code, cited = 2, ["sha256:UNREADABLE"]
    document = {
        "kind": "advisory",
        "gate": "judge-advisory",
        "subcommand": "cite",
        "citations": cited,
    }
    print(json.dumps(document, indent=2) if args.json else "\n".join(cited))
    return code


def _advise(args: argparse.Namespace) -> int:
    document = read_json(args.checklist)
    more = document.get("log", {}) if isinstance(document, dict) else {}
    _demand(isinstance(more, dict), "log: not an object")
    result, categories = decide(document, sources_of(args.evidence, args.ledger), args.cluster)
    result["label_corpus"], counts = corpus(args.labels)
    measured = kappas(args.calibration)
    result["calibration"] = {
        name: standing(counts[name], measured.get(name)) for name in sorted({*categories})
    }
    _tell(result, args)
    log(args.sink, more, result)
    return 0


def _verify(args: argparse.Namespace) -> int:
    verdict = read_json(args.verdict)
    _demand(
        isinstance(verdict, dict)
        and verdict.get("gate") == "judge-advisory"
        and verdict.get("subcommand") == "advise",
        "not a verdict that judge_advisory.py advise --json wrote",
    )
    rows, evidence = verdict.get("checklist"), args.evidence or verdict.get("evidence")
    ledger = verdict.get("ledger") if args.ledger is None else args.ledger
    _demand(
        isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows),
        "checklist: not a list with an item",
    )
    _demand(
        isinstance(evidence, list) and all(isinstance(path, str) for path in evidence),
        "evidence: not a list of paths",
    )
    _demand(isinstance(ledger, (str, type(None))), "ledger: not a path")
    result = verified(rows, sources_of(evidence, ledger))
    _tell(result, args)
    log(args.sink, {}, result)
    return 0


def _tell(result: dict[str, Any], args: argparse.Namespace) -> None:
    print(json.dumps(result, indent=2) if args.json else summary(result))


def summary(result: dict[str, Any]) -> str:
    """Return an opinion for people: what stands, what does not, and what the judge is worth."""
    rows = [row for row in result["checklist"] if row["type"] == "subjective"]
    stand = [row for row in rows if row["opinion"]]
    grades = [f"{name} {grade}" for name, grade in result.get("icd203", {}).items() if grade]
    lines = [f"{VERDICT}: {len(stand)} of {len(rows)} opinions are backed"]
    lines += [
        f"{row['opinion']}: {json.dumps(row['item'])} ({row['citation_kind']})" for row in stand
    ]
    lines += result["notes"]
    lines += [f"icd203: {', '.join(grades)}"] if grades else []
    lines += [f"{json.dumps(name)}: {told['line']}" for name, told in result["calibration"].items()]
    return "\n  ".join(lines)


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(description=__doc__, formatter_class=form, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        self.exit(2, _line(f"{self.prog}: {message} (see --help)"))


def _line(message: str) -> str:
    """Return the message as one line that every console can show."""
    return message.encode("unicode_escape").decode("ascii") + "\n"


def count(text: str) -> int:
    """Read a whole number of 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("not 1 or more")
    return value


def _parser() -> _Parser:
    parser = _Parser(prog=NAME)
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    flags = ["--selftest", "--self-test"]
    parser.add_argument(*flags, action="store_const", dest="act", const=selftest)
    commands = parser.add_subparsers()
    cite, advise, verify = (commands.add_parser(name) for name in ("cite", "advise", "verify"))
    cite.set_defaults(act=_cite)
    group = cite.add_mutually_exclusive_group(required=True)
    group.add_argument("--file", metavar="PATH")
    group.add_argument("--text")
    group.add_argument("--ledger", metavar="EVENTS")
    cite.add_argument("-n", type=count, default=40)
    advise.set_defaults(act=_advise)
    advise.add_argument("--checklist", metavar="FILE", required=True)
    advise.add_argument("--cluster", choices=CLUSTERS, default="unknown")
    labels = os.path.expanduser("~/.claude/learnings-queue.json")
    advise.add_argument("--labels", metavar="FILE", default=labels)
    advise.add_argument("--calibration", metavar="FILE")
    verify.set_defaults(act=_verify)
    verify.add_argument("verdict", metavar="VERDICT")
    for command in (advise, verify):
        command.add_argument("--evidence", metavar="PATH", action="append", default=[])
        command.add_argument("--ledger", metavar="EVENTS")
        command.add_argument("--sink", metavar="FILE", default=default_sink(os.environ))
    for command in (cite, advise, verify):
        command.add_argument("--json", action="store_true")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        _demand(args.act, "no command: one of cite, advise, verify (see --help)")
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


ABC = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # of abc
EVENT = {"seq": 7, "kind": "test-run", "ts": "2026-01-02T03:04:05Z", "more": 1}
CITED = "ledger#seq7(test-run@2026-01-02T03:04:05Z)"
LAST = "ledger#seq12(b@t)"
FIRST = json.dumps(EVENT).encode() + b"\n\n"
LEDGER = b'{"seq": 12, "kind": "b", "ts": "t"}\n' + FIRST
ADVISE = "advise --checklist c --labels l --sink s --evidence no --evidence e --ledger j"
READ = "cannot be read: No such file or directory"
NOT_KAPPA = "not what judge_calibration.py kappa --json writes"


def _item(opinion: Any = "YES", citation: Any = ABC, **more: Any) -> dict[str, Any]:
    return {"item": "i", "type": "subjective", "opinion": opinion, "citation": citation, **more}


_ROW = {**_item(), "citation_kind": "sha256", "receipt": None}
_VERDICT: dict[str, Any] = {
    "gate": "judge-advisory",
    "subcommand": "advise",
    "checklist": [_ROW],
    "evidence": ["e"],
    "ledger": None,
}


def _planted() -> Iterable[Case]:
    yield from _citing()
    yield from _advising()
    yield from _documents()
    yield from _calibrating()
    yield from _verifying()
    yield from _flags()
    for fault in _logging():
        yield 0, fault, "--version", {}


def _citing() -> Iterable[Case]:
    odd = {"seq": 0, "kind": "\u00e9\ud800", "ts": "\n9"}
    files = {"e": b"abc", "-": b"abc", "j": LEDGER, "k": odd}
    for flags, cited in [
        ("--file e", [ABC]),
        ("--file -", [ABC]),
        ("--text abc", [ABC]),
        ("--text \udcff", [f"sha256:{hashlib.sha256(bytes([255])).hexdigest()}"]),
        ("--ledger j", [CITED, LAST]),
        ("--ledger j -n 2", [CITED, LAST]),
        ("--ledger j -n 1", [LAST]),
        ("--ledger k", ["ledger#seq0(\\xe9\\ud800@\\n9)"]),
    ]:
        yield 0, "".join(f"{line}\n" for line in cited), f"cite {flags}", files
        facts = {"kind": "advisory", "gate": "judge-advisory", "subcommand": "cite"}
        document = json.dumps({**facts, "citations": cited}, indent=2)
        yield 0, f"{document}\n", f"cite --json {flags}", files
    for path, why in [("no", READ), (".", "not a regular file (use - for standard input)")]:
        yield 2, f"{NAME}: {path}: {why}\nsha256:UNREADABLE\n", f"cite --file {path}", {}
    yield 2, f"{NAME}: \\x00: cannot be read: embedded null", "cite --file \0", {}
    yield 2, f"{NAME}: no: {READ}\n", "cite --ledger no", {}
    yield 2, f"{NAME}: \\x00: cannot be read: embedded null", "cite --ledger \0", {}
    yield 2, f"{NAME}: j: 16777216 bytes or more\n", "cite --ledger j", {"j": b" " * LIMIT}
    yield 2, f"{NAME}: j: no event in it\n", "cite --ledger j", {"j": b" " * (LIMIT - 1)}
    yield 2, f"{NAME}: standard input: no event in it\n", "cite --ledger -", {}
    for event, why in [
        (b"[]", "not an object"),
        (
            b"7 \xff",
            "not JSON: 'utf-8' codec can't decode byte 0xff in position 2: invalid start byte",
        ),
        (b"[NaN]", "not JSON: NaN is not JSON"),
        (b'{"a": 1, "a": 1}', "not JSON: duplicate key 'a'"),
        (b"[" * 100_000, "nested too deeply"),
        ({**EVENT, "seq": True}, "seq: not an integer"),
        ({**EVENT, "kind": " "}, "kind: not a non-blank string"),
        ({**EVENT, "kind": 1}, "kind: not a non-blank string"),
        ({"seq": 1, "kind": "k"}, "ts: not a non-blank string"),
    ]:
        line = event if isinstance(event, bytes) else json.dumps(event).encode()
        yield 2, f"{NAME}: j:3: {why}\n", "cite --ledger j", {"j": FIRST + line}


def _advising() -> Iterable[Case]:
    low = "confidence is low: the deterministic checks are unknown"
    void = 'UNBACKED, and its opinion void: "i": '
    missing, unrunnable = f"{void}no such evidence", f"{void}its receipt is unrunnable"
    again = 'not reproduced: "i"'
    none = '"uncategorised": INSUFFICIENT LABELS (n=0)'
    few = '"b": INSUFFICIENT LABELS (n=0)'
    check = {"item": "d", "type": "deterministic", "receipt": "reproduced"}
    wrong: list[Any] = [
        None, "", 7, [], ABC[:18], f"{ABC}0", f" {ABC}", ABC[7:], ABC.upper(), f"{ABC}\n",
        f"{ABC[:-1]}e", "sha256:UNREADABLE", CITED[:-1], "ledger#seq8(a@b)", "ba7816bf8f01", "see",
    ]  # fmt: skip
    for items, backed, told in [
        ([_item()], "1 of 1", ['YES: "i" (sha256)', low, none]),
        ([_item("NO", CITED)], "1 of 1", ['NO: "i" (ledger)', low, none]),
        ([_item("CANNOT-TELL", ABC[:19])], "1 of 1", ['CANNOT-TELL: "i" (sha256)', low, none]),
        ([_item(receipt="reproduced")], "1 of 1", ['YES: "i" (sha256)', low, none]),
        ([_item(receipt="not-reproduced")], "1 of 1", ['YES: "i" (sha256)', again, low, none]),
        ([_item("YES", "?", receipt="not-reproduced")], "0 of 1", [missing, again, low, none]),
        ([_item(receipt="unrunnable")], "0 of 1", [unrunnable, low, none]),
        ([_item("NO", CITED, receipt="unrunnable")], "0 of 1", [unrunnable, low, none]),
        *(([_item("YES", citation)], "0 of 1", [missing, low, none]) for citation in wrong),
        ([_item(category="b"), check, _item("NO", "?")], "1 of 2",
         ['YES: "i" (sha256)', missing, low, few, none]),
        ([_item(category=c) for c in "hgfedcba"], "8 of 8",
         [*['YES: "i" (sha256)'] * 8, low, *(few.replace("b", c, 1) for c in "abcdefgh")]),
        ([check], "0 of 0", [low]),
        ([{**check, "citation": "x", "opinion": None}], "0 of 0", [low]),
    ]:  # fmt: skip
        text = "\n  ".join([f"{VERDICT}: {backed} opinions are backed", *told])
        yield 0, f"{text}\n", ADVISE, {"c": items, "e": b"abc", "j": LEDGER}
    second = f"sha256:{hashlib.sha256(b'abd').hexdigest()}"
    files = {"c": [_item("YES", second)], "e": b"abc", "f": b"abd", "j": LEDGER}
    yield 0, 'YES: "i" (sha256)', f"{ADVISE} --evidence f", files
    for sink, why in [
        ("c/s", "c/s: File exists"),
        (".", ".: not a regular file"),
        ("'\0'", "\\x00: "),
        ("e", "e: invalid literal for int() with base 10: b'x'"),
    ]:
        files = {"c": [_item()], "e": b"abc", "e.lock": b"x", "j": LEDGER}
        text = f"INSUFFICIENT LABELS (n=0)\n{NAME}: the shadow log cannot be written: {why}"
        yield 0, text, f"{ADVISE} --sink {sink}", files
    refused: list[tuple[Any, str]] = [
        (7, "not a list of items, nor an object with one"),
        ([], "items: not a list with an item"),
        ({}, "items: not a list with an item"),
        ({"items": {"a": 1}}, "items: not a list with an item"),
        ({"items": [_item()], "icd203": []}, "icd203: not its standards"),
        ({"items": [_item()], "icd203": {"style": "PASS"}}, "icd203: not its standards"),
        ({"items": [_item()], "icd203": {"sourcing": "PASS", "logic": "GOOD"}},
         "icd203.logic: none of PASS, PARTIAL, FAIL"),
        ({"items": [_item()], "confidence": None}, "confidence: none of low, medium, high"),
        ({"items": [_item()], "log": []}, "log: not an object"),
        ([_item(), 7], "items[1]: not an object"),
        ([_item(item="")], "items[0].item: not a non-blank string"),
        ([_item(category=None)], "items[0].category: not a non-blank string"),
        ([_item(type="x")], "items[0].type: none of deterministic, subjective"),
        ([_item(receipt="x")],
         "items[0].receipt: none of reproduced, not-reproduced, unrunnable"),
        ([_item("yes")], "items[0].opinion: none of YES, NO, CANNOT-TELL"),
        ([_item(None)], "items[0].opinion: none of YES, NO, CANNOT-TELL"),
        ([_item(type="deterministic")],
         "items[0].opinion: refused, a check decides a deterministic item"),
    ]  # fmt: skip
    for document, why in refused:
        files = {"c": document, "e": b"abc", "j": LEDGER}
        yield 2, f"{NAME}: {why}\n", ADVISE, files


def _documents() -> Iterable[Case]:
    row = {"item": "i", "type": "subjective", "opinion": "YES", "citation": ABC,
           "citation_kind": "sha256", "receipt": None}  # fmt: skip
    check = {**row, "type": "deterministic", "opinion": None, "citation": "x",
             "citation_kind": None}  # fmt: skip
    void = {**row, "opinion": None, "citation": 7, "citation_kind": UNBACKED}
    unread = {"path": "l", "present": False, "labels": 0, "reason": f"l: {READ}"}
    standards = "sourcing uncertainty fact-vs-assumption alternatives relevance logic consistency"
    grades = dict.fromkeys([*standards.split(), "likelihood"], "PASS")
    full: dict[str, Any] = {
        "kind": "advisory",
        "gate": "judge-advisory",
        "subcommand": "advise",
        "verdict": "ADVISORY (does not gate)",
        "ran_after_deterministic_cluster": "green",
        "checklist": [row, check, void],
        "icd203": {**grades, "presentation": None},
        "calibration": {
            "uncategorised": {
                "labels": 0,
                "kappa": None,
                "lower": None,
                "line": "INSUFFICIENT LABELS (n=0)",
            }
        },
        "evidence": ["e"],
        "ledger": "j",
        "ledger_events_available_for_citation": 2,
        "label_corpus": unread,
        "passk_stats": None,
        "blocking_findings": 0,
        "confidence": "medium",
        "notes": ['UNBACKED, and its opinion void: "i": no such evidence'],
    }
    items = [_item(), {"item": "i", "type": "deterministic", "citation": "x"}, _item("NO", 7)]
    given: dict[str, Any] = {"items": items, "icd203": full["icd203"]}
    files = {"c": given, "e": b"abc", "j": LEDGER}
    flags = "advise --json --sink s --checklist c --labels l --evidence e --cluster"
    yield 0, json.dumps(full, indent=2) + "\n", f"{flags} green --ledger j", files
    note = "confidence is low: the deterministic checks are red"
    bare = {
        **full,
        "ran_after_deterministic_cluster": "red",
        "icd203": dict.fromkeys(full["icd203"]),
        "ledger": None,
        "ledger_events_available_for_citation": 0,
        "confidence": "low",
        "notes": [*full["notes"], note],
    }
    yield 0, json.dumps(bare, indent=2) + "\n", f"{flags} red", {**files, "c": items}
    for cluster, told in [
        ("green", "high"),
        ("red", "low"),
        ("not-run", "low"),
        ("unknown", "low"),
    ]:
        text = f'"confidence": "{told}"'
        yield 0, text, f"{flags} {cluster}", {**files, "c": {**given, "confidence": "high"}}
    some = {"items": [_item()], "icd203": {"logic": "FAIL", "sourcing": "PARTIAL"}}
    text = f'{VERDICT}: 1 of 1 opinions are backed\n  YES: "i" (sha256)\n'
    text += "  icd203: sourcing PARTIAL, logic FAIL\n"
    text += '  "uncategorised": INSUFFICIENT LABELS (n=0)\n'
    yield 0, text, f"{ADVISE} --cluster green", {**files, "c": some}


def _calibrating() -> Iterable[Case]:
    ways = [{"sentiment": "correction"}, *({"type": t} for t in ("auto", "explicit", "guardrail"))]
    labels: list[Any] = [{**ways[i % 4], "category": "c"} for i in range(30)]
    others = [
        7,
        {"type": "x", "category": "c"},
        {"sentiment": "praise", "type": [], "category": "c"},
    ]
    figures = {"kappa": 0.7, "lower": 0.6, "reason": None}
    flags = f"{ADVISE} --cluster green --calibration k"
    few, unavailable = "INSUFFICIENT LABELS (n=29)", "CALIBRATION: UNAVAILABLE"
    poor = "kappa 0.700, at least 0.599, below 0.6: no licence to speak"
    for known, categories, line in [
        (labels, {"c": figures},
         "kappa 0.700, at least 0.600, clears 0.6: a licence to speak, never to block"),
        (labels, {"c": {**figures, "kappa": 1, "lower": -1}},
         "kappa 1.000, at least -1.000, below 0.6: no licence to speak"),
        (labels, {"c": {**figures, "lower": 0.599}}, poor),
        ([*others, *labels[1:]], {"c": figures}, few),
        (labels, {"d": figures}, unavailable),
        (labels, {"c": {**figures, "kappa": None, "reason": "why"}}, f"{unavailable}: why"),
        (labels, {"c": {**figures, "lower": None, "reason": "\ud800\n"}},
         f"{unavailable}: \\ud800\\n"),
        ({}, {"c": figures}, "INSUFFICIENT LABELS (n=0)"),
    ]:  # fmt: skip
        text = f'{VERDICT}: 1 of 1 opinions are backed\n  YES: "i" (sha256)\n  "c": {line}\n'
        files = {"c": [_item(category="c")], "e": b"abc", "j": LEDGER, "l": known}
        yield 0, text, flags, {**files, "k": {"categories": categories}}
    none_known = {"labels": 30, "kappa": None, "lower": None}
    for categories, line in [
        ({}, unavailable),
        ({"c": {"kappa": None, "lower": 0.7, "reason": "w"}}, f"{unavailable}: w"),
        ({"c": {**figures, "lower": 0.599}}, poor),
    ]:
        known = {"kappa": 0.7, "lower": 0.599} if line == poor else {}
        figured = {"calibration": {"c": {**none_known, **known, "line": line}}}
        files = {"c": [_item(category="c")], "e": b"abc", "j": LEDGER, "l": labels}
        text = json.dumps(figured, indent=2)[1:-1].rstrip()
        yield 0, text, f"{flags} --json", {**files, "k": {"categories": categories}}
    files = {"c": [_item()], "e": b"abc", "j": LEDGER}
    unlabelled = [{"type": "auto"}] * 30
    yield 0, f'"uncategorised": {unavailable}', ADVISE, {**files, "l": unlabelled}
    for known, told in [
        ([*labels, *others], {"path": "l", "present": True, "labels": 30, "reason": None}),
        ({}, {"path": "l", "present": False, "labels": 0, "reason": "l: not a list"}),
    ]:
        text = json.dumps({"label_corpus": told}, indent=2)[1:-1].rstrip()
        yield 0, text[1:], f"{ADVISE} --json", {**files, "l": known}
    yield 2, f"{NAME}: k: {READ}\n", flags, files
    broken = [7, {"kappa": "1"}, {"lower": True}, {"kappa": 1.1}, {"lower": -1.1}]
    kappas_: list[Any] = [
        [],
        {},
        {"categories": []},
        *({"categories": {"a": figures, "c": b}} for b in broken),
    ]
    for i, kappa in enumerate(kappas_):
        at = "k" if i < 3 else "k: c"  # noqa: PLR2004 - the first three have no categories
        yield 2, f"{NAME}: {at}: {NOT_KAPPA}\n", flags, {**files, "k": kappa}


def _verifying() -> Iterable[Case]:
    row, verdict = _ROW, _VERDICT
    check = {"item": "d", "type": "deterministic", "opinion": None, "citation_kind": UNBACKED}
    files = {"v": verdict, "e": b"abc", "f": b"abd", "j": LEDGER}
    event = {**verdict, "checklist": [{**row, "citation": CITED}], "ledger": "j"}
    void = {**verdict, "checklist": [{**row, "opinion": None, "citation_kind": UNBACKED}]}
    unrunnable = {**verdict, "checklist": [{**row, "receipt": "unrunnable"}]}
    head, yes = f"{VERDICT}: 1 of 1 opinions are backed\n  YES: ", f"{VERDICT}: 0 of 1 opinions are"
    lost = f'{yes} backed\n  UNBACKED, and its opinion void: "i": no such evidence\n'
    for given, flags, told in [
        (verdict, "", f'{head}"i" (sha256)\n'),
        (event, "", f'{head}"i" (ledger)\n'),
        ({**event, "ledger": None}, "--ledger j", f'{head}"i" (ledger)\n'),
        ({**event, "ledger": "no"}, "--ledger j", f'{head}"i" (ledger)\n'),
        ({**verdict, "evidence": ["no"]}, "--evidence e", f'{head}"i" (sha256)\n'),
        (verdict, "--evidence f", lost),
        ({**verdict, "evidence": ["no"]}, "", lost),
        ({**event, "ledger": None}, "", lost),
        (void, "", f"{yes} backed\n"),
        ({**verdict, "checklist": [row, {**row, "citation": "?", "receipt": "not-reproduced"}]}, "",
         (f'{head.replace("1 of 1", "1 of 2")}"i" (sha256)\n  UNBACKED, and its opinion void: "i": '
         'no such evidence\n  not reproduced: "i"\n')),
        (unrunnable, "", lost.replace("no such evidence", "its receipt is unrunnable")),
        ({**verdict, "checklist": [row, {**check, "opinion": "NO"}]}, "", f'{head}"i" (sha256)\n'),
    ]:  # fmt: skip
        yield 0, told, f"verify v --sink s {flags}", {**files, "v": given}
    document: dict[str, Any] = {
        "kind": "advisory",
        "gate": "judge-advisory",
        "subcommand": "verify",
        "verdict": VERDICT,
        "checklist": [
            {key: row[key] for key in ROW},
            {**dict.fromkeys(ROW), "item": "d", "type": "deterministic"},
        ],
        "calibration": {},
        "evidence": ["e"],
        "ledger": None,
        "blocking_findings": 0,
        "notes": [],
    }
    given = {**verdict, "checklist": [row, {**check, "opinion": "NO"}]}
    yield (
        0,
        json.dumps(document, indent=2) + "\n",
        "verify v --json --sink s",
        {**files, "v": given},
    )
    wrong: list[tuple[Any, str]] = [
        ([], "not a verdict that judge_advisory.py advise --json wrote"),
        ({**verdict, "gate": "judge-vote"}, "not a verdict that judge_advisory.py advise"),
        ({**verdict, "subcommand": "verify"}, "not a verdict that judge_advisory.py advise"),
        ({**verdict, "checklist": {"a": 1}}, "checklist: not a list with an item\n"),
        ({**verdict, "checklist": []}, "checklist: not a list with an item\n"),
        ({**verdict, "checklist": 7}, "checklist: not a list with an item\n"),
        ({**verdict, "checklist": [row, 7]}, "checklist: not a list with an item\n"),
        ({**verdict, "evidence": "e"}, "evidence: not a list of paths\n"),
        ({**verdict, "evidence": ["e", 7]}, "evidence: not a list of paths\n"),
        ({**verdict, "ledger": 7}, "ledger: not a path\n"),
        ({**verdict, "ledger": "no"}, f"no: {READ}\n"),
        ({**verdict, "ledger": ""}, f": {READ}\n"),
        ({**verdict, "checklist": [{**row, "type": 1}]}, "checklist[0].type: none of d"),
        ({**verdict, "checklist": [row, {**row, "opinion": 1}]}, "checklist[1].opinion: none of Y"),
        ({**verdict, "checklist": [{**row, "item": 1}]}, "checklist[0].item: not a non-blank st"),
    ]
    for given, why in wrong:
        text = f"{NAME}: {why}"
        yield 2, text, "verify v --sink s", {**files, "v": given}


def _flags() -> Iterable[Case]:
    yield 0, "judge_advisory.py 0.2.0\n", "--version", {}
    yield 0, "\n\nA second opinion that cites ", "--help", {}
    for flags, text in [
        ("", ": no command: one of cite, advise, verify (see --help)\n"),
        ("cite", " cite: one of the arguments --file --text --ledger is required (see --help)\n"),
        ("cite --file a --text b", " cite: argument --text: not allowed with argument --file"),
        ("cite --ledger a -n 0", " cite: argument -n: not 1 or more (see --help)\n"),
        ("cite --ledger a -n x", " cite: argument -n: invalid count value: 'x' (see --help)\n"),
        ("cite --fil a", " cite: one of the arguments"),
        ("advise", " advise: the following arguments are required: --checklist (see --help)\n"),
        ("advise --checklist c --cluster amber", " advise: argument --cluster: invalid choice: "),
        ("advise --checklist no", f": no: {READ}\n"),
        ("advise --check c", " advise: the following arguments are required: --checklist"),
        ("verify", " verify: the following arguments are required: VERDICT (see --help)\n"),
        ("verify no", f": no: {READ}\n"),
    ]:
        yield 2, f"{NAME}{text}" if text.endswith("\n") else text, flags, {}


def _logging() -> Iterable[str]:
    """Yield a fault for whatever the shadow log does not keep, or drops without counting it."""
    usual = os.path.join(os.path.expanduser("~"), ".claude")
    defaults = _parser().parse_args(["advise", "--checklist", "c"])
    if defaults.labels != os.path.join(usual, "learnings-queue.json"):
        yield "other labels than the usual"
    if _parser().parse_args(["cite", "--text", "a"]).n != 40:  # noqa: PLR2004 - as the docstring
        yield "another number of events than the usual"
    name, usual = "AGENT_AS_JUDGE_SHADOW_SINK", f"{usual}/shadow-sinks/agent-as-judge.jsonl"
    for environment, sink in [({}, usual), ({name: ""}, usual), ({name: "x"}, "x")]:
        if default_sink(environment) != sink:
            yield f"{environment} does not lead to {sink}"
    yield from _lines()
    yield from _rotations()
    yield from _jumpers()


def _lines() -> Iterable[str]:
    more = {"blocks": True, "verdict": "PASS", "dropped": 7, "who": "me"}
    items = [_item("YES", CITED, category="b"), _item("NO"), _item("NO", "?", item="u")]
    verdict = {"gate": "judge-advisory", "subcommand": "advise", "ledger": "j", "evidence": ["e"],
               "checklist": items}  # fmt: skip
    files = {"c": {"items": items, "log": more}, "e": b"abc", "j": LEDGER, "v": verdict}
    expected = {
        "blocks": False,
        "verdict": VERDICT,
        "dropped": 0,
        "who": "me",
        "gate": "judge-advisory",
        "subcommand": "advise",
        "mode": "SHADOW/ADVISE",
        "would_have_fired": ["i"],
        "unbacked": ["u"],
        "citations": [CITED, ABC, "?"],
        "calibration": dict.fromkeys(["b", "uncategorised"], "INSUFFICIENT LABELS (n=0)"),
    }
    again = {key: expected[key] for key in expected if key != "who"}
    again.update(subcommand="verify", calibration={})
    with tempfile.TemporaryDirectory() as folder:
        log_file = Path(f"{folder}/deep/log")
        sink = shlex.quote(str(log_file))
        flags = "--evidence e --ledger j"
        _try(f"{ADVISE} --sink {sink}\nverify v {flags} --sink {sink}", files)
        rows = [json.loads(line) for line in log_file.read_bytes().splitlines()]
        stamps = [row.pop("time") for row in rows]
        if rows != [expected, again]:
            yield f"the log holds {rows}"
        now = dt.datetime.now(dt.UTC)
        ages = [now - dt.datetime.fromisoformat(stamp) for stamp in stamps]
        if not all(dt.timedelta(0) <= age < dt.timedelta(minutes=1) for age in ages):
            yield f"the times in the log are not now: {stamps}"


def _rotations() -> Iterable[str]:
    """Yield a fault when a log is rotated too early or late, or what it drops is not counted."""
    at, above = b"x" * 2097151 + b"\n", b"x" * 2097152 + b"\n"
    for before, after in [
        ({}, {"s": b"0"}),
        ({"s": b""}, {"s": b"0"}),
        ({"s": b"a\n"}, {"s": b"a\n0"}),
        ({"s": b"torn"}, {"s": b"torn\n0"}),
        ({"s": b"t"}, {"s": b"t\n0"}),
        ({"s": at}, {"s": at + b"0"}),
        ({"s": above}, {"s": b"0", "s.1": above}),
        ({"s": at, "s.1": b"a\n"}, {"s": at + b"0", "s.1": b"a\n"}),
        ({"s": above, "s.1": b"a\nb\n"}, {"s": b"2", "s.1": above, "s.lock": b"2"}),
        ({"s": above, "s.1": b"a\n", "s.lock": b"9"}, {"s": b"10", "s.1": above, "s.lock": b"10"}),
        ({"s": at, "s.lock": b"12"}, {"s": at + b"12", "s.lock": b"12"}),
    ]:
        with tempfile.TemporaryDirectory() as folder:
            for name, content in before.items():
                Path(folder, name).write_bytes(content)
            append(f"{folder}/s", {"dropped": "?"})
            found = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        found["s"] = found["s"].replace(b'{"dropped": ', b"").replace(b"}\n", b"")
        if found != {"s.lock": b"", **after}:
            told = {name: content[-20:] for name, content in found.items()}
            yield f"{[*before]} is rotated to {told}"


def _jumpers() -> Iterable[str]:
    """Yield a fault when a run does not wait for its turn, or a platform has no turns."""
    with tempfile.TemporaryDirectory() as folder:
        sink = f"{folder}/s"
        import fcntl  # noqa: PLC0415 - as above

        other = threading.Thread(target=append, args=[sink, {}])
        with open(f"{sink}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            other.start()
            other.join(0.2)
            if not other.is_alive():
                yield "a run that does not wait for its turn"
        other.join()
        sys.modules["fcntl"] = None  # type: ignore[assignment]
        try:
            _, output = _try("verify v --sink s", {"v": _VERDICT})
        finally:
            sys.modules["fcntl"] = fcntl
        if "the shadow log cannot be written: s: import of fcntl halted" not in output:
            yield f"without locks: {output}"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
