# judge-contract: judge_calibration.py 0.2.0
r"""Is a judge to be trusted? Hold its verdicts to cases whose answers are known.

    judge_calibration.py split --cases CASES
        show the tuning set and the sealed set, or say why they will not do
    judge_calibration.py tune --cases CASES --verdicts VERDICTS --model NAME
        what to mend in the prompt, from the tuning set alone; three rounds, each recorded
    judge_calibration.py freeze --cases CASES --prompt FILE --rubric FILE --model NAME
            [--floor 0.8]
        write down what is going to be measured, before it is
    judge_calibration.py sealed --cases CASES --verdicts VERDICTS --prompt FILE --rubric FILE
            --model NAME [--record FILE] [--again --why TEXT]
        measure the sealed set, once; only the first attempt calibrates
    judge_calibration.py score --cases CASES --verdicts VERDICTS [--floor 0.8]
            [--family-floor 0.6]
        the same figures of the tuning set, or of a set without splits
    judge_calibration.py kappa --labels LABELS [--bar 0.6] [--floor 0.8]
        agreement with people's labels beyond chance, for each category
    judge_calibration.py e-value --agreed K --of N [--floor 0.8]
        evidence that agreement is above the floor; it may be looked at after every label
    judge_calibration.py declare --rule FILE
    judge_calibration.py paired --cases CASES --baseline VERDICTS --candidate VERDICTS --rule FILE
            [--errata FILE]
        two judges on the same cases, decided by a rule that was written down before
    judge_calibration.py --selftest | --version | --help

CASES: a folder with one folder a case (case.json beside the files that the judge is given; a name
that starts with "sealed" holds the case out), or JSON Lines with "split": "tuning" or "sealed".
VERDICTS: decided verdicts as JSON Lines; paired reads {"verdict": ..., "output": its cost} too.
Receipts are appended to --receipts (calibration-receipts.jsonl); --json prints one document.

Exit 0: go. 1: below the floor, stop. 2: undecided, refused, or input or flags that cannot be
used; never a go. 3: a rubric or rule that is JSON and breaks the form. Intervals are Clopper and
Pearson's, exact, 95%, two-sided. The agreement that is recorded is the weakest of six figures, so
that a judge which passes everything is never carried by a set on which most items pass.
"""

from __future__ import annotations

import argparse
import bisect
import contextlib
import decimal
import hashlib
import io
import json
import math
import os
import re
import shlex
import stat
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

VERSION = "0.2.0"

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write(
        "judge_calibration.py: needs Python 3.11 or later, this is %d.%d\n"  # noqa: UP031 - any Python 3
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


class Refused(Exception):  # noqa: N818 - likewise
    """A rubric or a rule that its author must mend."""


# --- numbers ---

TAIL = 0.025  # on either side of a 95% interval
GRID = 10**12  # bounds are exact to one part in this
CAP = 1e9  # an e-value above a billion is said as a billion


def _log_chance(k: int, n: int, p: float) -> float:
    """Return the logarithm of the chance of k in n at p (binomial), 0 < p < 1."""
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return ways + k * math.log(p) + (n - k) * math.log1p(-p)


def _lower(k: int, n: int) -> int:
    """Return the p, in steps of the grid, at which k or more in n have a chance of TAIL."""
    if k == 0:
        return 0

    def tail(step: int) -> float:
        return math.fsum(math.exp(_log_chance(i, n, step / GRID)) for i in range(k, n + 1))

    return bisect.bisect_left(range(GRID), TAIL, key=tail)


def interval(k: int, n: int) -> tuple[float, float]:
    """Return Clopper and Pearson's exact 95% interval for k of n; 0 to 1 when n is 0."""
    return _lower(k, n) / GRID, (GRID - _lower(n - k, n)) / GRID


def mcnemar(b: int, c: int) -> float | None:
    """Return McNemar's exact two-sided p for b against c discordant pairs; None without any."""
    if b == c:
        return 1.0 if b else None
    ways = term = 1
    for i in range(min(b, c)):
        term = term * (b + c - i) // (i + 1)
        ways += term
    return 2 * ways / (1 << (b + c))


def e_value(k: int, n: int, floor: float) -> float:
    """Return the evidence that k of n come from an agreement above the floor (0 < floor < 1).

    The likelihood ratio against the floor, averaged over agreements uniform on (floor, 1). When
    the agreement is at the floor or below it, 20 is reached at any time by at most one in 20.
    """
    _demand(floor < 1, "--floor: 1 leaves nothing above it")
    base = math.log1p(-floor) + math.log(n + 1) + _log_chance(k, n, floor)
    terms = (_log_chance(i, n + 1, floor) - base for i in range(k + 1))
    return min(CAP, math.fsum(math.exp(min(term, math.log(CAP))) for term in terms))


def kappa(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Return Cohen's kappa of two raters' labels and its lower bound, or why there is none.

    The bound is approximate: the exact lower bound of the observed agreement, with the agreement
    by chance taken as known.
    """
    n, agreed = len(pairs), sum(one == other for one, other in pairs)
    ones, others = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = sum(ones[label] * others[label] for label in ones)
    facts = {"n": n, "agreed": agreed, "kappa": None, "lower": None, "reason": None}
    if n < LABELS:
        return {**facts, "reason": f"INSUFFICIENT LABELS (n={n})"}
    if chance == n * n:
        return {**facts, "reason": "both raters gave every item the same label"}
    by_chance = chance / (n * n)
    return {
        **facts,
        "kappa": (n * agreed - chance) / (n * n - chance),
        "lower": (interval(agreed, n)[0] - by_chance) / (1 - by_chance),
    }


# --- cases, verdicts, rubrics ---

OUTCOMES = ("pass", "fail", "abstain")
KEYS = OUTCOMES[:2]  # what every set must hold, and a verdict may be trusted for
LABELS = 30  # fewer by people, in one category, say nothing
BLANK = re.compile(
    "[\t-\r\x1c-\x20\x85\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]*"
)
RUBRIC_ID = re.compile("[a-z0-9]+(-[a-z0-9]+)+@[1-9][0-9]*")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not BLANK.fullmatch(value)


def _is_id(value: Any) -> bool:
    return _is_text(value) and "," not in value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1


def _is_bar(value: Any) -> bool:
    return _is_share(value) and value > 0


def _demand(holds: object, message: str) -> None:
    if not holds:
        raise Unusable(message)


def _plain(value: Any) -> Any:
    """Return the value with 1.0 written as 1, as the languages that write rubrics differ there."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def digest(value: Any) -> str:
    """Return the sha256 of bytes, or of a JSON value with sorted keys and no spaces."""
    if not isinstance(value, bytes):
        value = json.dumps(_plain(value), sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(value).hexdigest()


def _read_bytes(path: str) -> bytes:
    with opened(path) as file:
        return bytes(file.read())


def _rows(path: str, data: bytes) -> list[tuple[str, dict[str, Any]]]:
    """Return the objects of JSON Lines (or of one JSON list), each with where it stands."""
    strict: dict[str, Any] = {
        "object_pairs_hook": _unique,
        "parse_int": _integer,
        "parse_constant": _refuse,
    }
    at, rows = path, []
    try:
        if data.lstrip().startswith(b"["):
            values = enumerate(json.loads(data.decode(), **strict))
            rows = [(f"{path}[{number}]", value) for number, value in values]
        else:
            for number, line in enumerate(data.split(b"\n"), 1):
                at = f"{path}:{number}"
                if line.strip():
                    rows.append((at, json.loads(line.decode(), **strict)))
    except (ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        raise Unusable(f"{at}: {'nested too deeply' if deep else f'not JSON: {error}'}") from error
    for at, row in rows:
        _demand(isinstance(row, dict), f"{at}: not an object")
    return rows


def _read_rows(path: str) -> list[tuple[str, dict[str, Any]]]:
    rows = _rows(path, _read_bytes(path))
    _demand(rows, f"{path}: nothing in it")
    return rows


def read_cases(path: str) -> list[dict[str, Any]]:
    """Return the cases, sorted by item, with `split` None where the set has none.

    Raises Unusable for a set that cannot measure anything.
    """
    folder = os.path.isdir(path)
    cases = [_case(at, row) for at, row in (_folders(path) if folder else _read_rows(path))]
    _demand(cases, f"{path}: no case in it")
    for item, count in Counter(case["item"] for case in cases).items():
        _demand(count == 1, f"{path}: item {item!r} is there {count} times")
    splits = {case["split"] for case in cases}
    _demand(None not in splits or splits == {None}, f"{path}: some cases have no split")
    keys = {(case["split"], case["expected"]) for case in cases}
    for split in (None, "sealed", "tuning"):
        for key in KEYS:
            held = (split, key) in keys or split not in splits
            _demand(held, f"{path}: no {split or 'such'} case expects {key}")
    return sorted(cases, key=lambda case: str(case["item"]))


def _folders(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the row of each folder that holds a case; without a sealed one nothing is split."""
    folders = [os.path.join(path, name) for name in sorted(os.listdir(path))]
    folders = [folder for folder in folders if os.path.isdir(folder)]
    sealed = [folder for folder in folders if os.path.basename(folder).startswith("sealed")]
    for folder in folders:
        at = os.path.join(folder, "case.json")
        row = read_json(at)
        _demand(isinstance(row, dict), f"{at}: not an object")
        held = "sealed" if folder in sealed else "tuning"
        files = [[name, sha] for name, sha in files_of(folder) if name != "case.json"]
        yield at, {**row, "split": held if sealed else None, "files": files}


def files_of(folder: str, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and sha256 of each file in a folder, by name; a link is no file of its own."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        _demand(not os.path.islink(path), f"{path}: a link; a case holds its own files")
        if os.path.isdir(path):
            yield from files_of(path, f"{above}{name}/")
        else:
            yield f"{above}{name}", digest(_read_bytes(path))


def _case(at: str, row: dict[str, Any]) -> dict[str, Any]:
    expected, split = row.get("expected"), row.get("split")
    _demand(_is_text(row.get("item")), f"{at}: item: not a non-blank string")
    _demand(expected in OUTCOMES, f"{at}: expected: not pass, fail or abstain")
    _demand(split in (None, "tuning", "sealed"), f"{at}: split: neither tuning nor sealed")
    for key in ("evidence", "family", "input"):
        _demand(row.get(key) is None or _is_text(row[key]), f"{at}: {key}: blank, or no string")
    keys = ("item", "expected", "split", "evidence", "family", "input", "files")
    return {key: row.get(key) for key in keys}


def of_split(cases: list[dict[str, Any]], split: str) -> list[dict[str, Any]]:
    """Return one set of a split whole. Raises Unusable when the other is missing anywhere."""
    held = {(case["split"], case["family"]) for case in cases}
    for name in ("tuning", "sealed"):
        _demand(any(case["split"] == name for case in cases), f"no {name} case")
        for case in cases:
            known = (name, case["family"]) in held or not case["family"]
            _demand(known, f"family {case['family']!r}: no {name} case")
    return [case for case in cases if case["split"] == split]


def _open_set(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what may be looked at as often as one likes: all but the sealed set."""
    first, *_ = cases
    return of_split(cases, "tuning") if first["split"] else cases


def cases_digest(cases: list[dict[str, Any]]) -> str:
    """Return the sha256 of what the cases say and of the files that they hold."""
    return digest([{key: case[key] for key in case if key != "split"} for case in cases])


def read_rubric(path: str) -> Any:
    """Return the rubric. Raises Unusable, and Refused where demand_rubric() does."""
    rubric = read_json(path)
    demand_rubric(rubric, path)
    return rubric


def demand_rubric(rubric: Any, path: str) -> None:
    """Raise Refused where judge_contract.py check-rubric would, its calibration aside."""
    _demand_author(isinstance(rubric, dict), f"{path}: not an object")
    name, criteria = rubric.get("id"), rubric.get("criteria")
    named = isinstance(name, str) and RUBRIC_ID.fullmatch(name)
    _demand_author(named, f"{path}: id: not of the form <plugin>-<name>@<number>")
    threshold = rubric.get("threshold")
    _demand_author(_is_bar(threshold), f"{path}: threshold: not above 0 and at most 1")
    _demand_author(
        isinstance(criteria, list)
        and criteria
        and all(
            isinstance(entry, dict) and _is_id(entry.get("id")) and _is_text(entry.get("question"))
            for entry in criteria
        )
        and len({entry["id"] for entry in criteria}) == len(criteria),
        f"{path}: criteria: not a list of one or more, each with an id of its own and a question",
    )


def _demand_author(holds: object, message: str) -> None:
    if not holds:
        raise Refused(message)


def fault(verdict: Any, rubric: Any) -> str | None:
    """Return what shows that the contract made no such verdict (of this rubric); None if it did.

    The rule of judge_contract.py's validate() for a verdict that names its item, in short: what
    an abstain's reason says of the rubric's criteria is not looked up, as it stays an abstain.
    """
    keys = "item rubric decidedBy criteria abstain abstainReason threshold score outcome calibrated"
    if not isinstance(verdict, dict) or verdict.keys() != set(keys.split()):
        return "not the ten keys of a verdict"
    name, criteria, threshold = verdict["rubric"], verdict["criteria"], verdict["threshold"]
    shapes = {
        "item": _is_text(verdict["item"]),
        "rubric": isinstance(name, str) and RUBRIC_ID.fullmatch(name),
        "decidedBy": verdict["decidedBy"] in ("judge", "command"),
        "criteria": isinstance(criteria, list) and all(map(_is_criterion, criteria)),
        "abstain": _is_bool(verdict["abstain"]),
        "threshold": _is_bar(threshold),
        "score": _is_share(verdict["score"]),
        "calibrated": _is_bool(verdict["calibrated"]),
    }
    for key, fits in shapes.items():
        if not fits:
            return f"{key}: malformed"
    ids = [criterion["id"] for criterion in criteria]
    if len(set(ids)) < len(ids):
        return "criteria: one is there twice"
    if rubric:
        asked = [criterion["id"] for criterion in rubric["criteria"]]
        if (name, threshold, ids or asked) != (rubric["id"], rubric["threshold"], asked):
            return "a verdict of another rubric"
    for key, value in _come_to(criteria, threshold, verdict["abstainReason"]).items():
        if verdict[key] != value:
            return f"{key}: not what the criteria come to"
    return None


def _come_to(criteria: list[Any], threshold: float, reason: Any) -> dict[str, Any]:
    """Return the entries of a verdict that follow from its criteria."""
    decided = [criterion for criterion in criteria if criterion["score"] is not None]
    undecidable = [criterion["id"] for criterion in criteria if criterion["score"] is None]
    outcome: str = "pass"
    why: Any = None  # what no verdict says stays ...
    if not criteria:
        outcome, why = "abstain", reason if _is_reason(reason) else ...
    elif any(criterion["score"] < threshold or not criterion["pass"] for criterion in decided):
        outcome = "fail"
    elif undecidable:
        outcome, why = "abstain", f"undecidable:{','.join(undecidable)}"
    abstains = outcome == "abstain"
    score = 0 if abstains else min(criterion["score"] for criterion in decided)
    return {"outcome": outcome, "abstain": abstains, "abstainReason": why, "score": score}


def _is_criterion(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"id", "score", "pass", "evidence"}
        and _is_id(value["id"])
        and _is_text(value["evidence"])
        and (_is_undecidable(value) or (_is_share(value["score"]) and _is_bool(value["pass"])))
    )


def _is_undecidable(criterion: dict[str, Any]) -> bool:
    return criterion["score"] is None and criterion["pass"] is None


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_reason(reason: Any) -> bool:
    """Tell whether an abstain that comes without criteria can have this reason."""
    kind, colon, detail = str(reason).partition(":")
    return {
        "verdict-missing": not colon,
        "missing-item": not colon,
        "item-mismatch": not colon,
        "malformed": detail in ("abstain", "criteria"),
        "judge": _is_text(detail),
        "malformed-criterion": re.fullmatch("0|[1-9][0-9]*", detail) is not None,
        "unknown-criterion": bool(colon),
        "duplicate-criterion": _is_id(detail),
        "bad-score": _is_id(detail),
        "bad-pass": _is_id(detail),
        "bad-evidence": _is_id(detail),
        "missing-criterion": _is_id(detail),
    }.get(kind, False)


def read_answers(
    path: str, cases: list[dict[str, Any]], of: list[dict[str, Any]], rubric: Any
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows for the cases `of` a set, by item: {"verdict": ..., "output": ...}.

    Raises Unusable for a verdict that the contract did not make, an item that is in no case, and
    when none is for this set: then nobody was asked.
    """
    known = {case["item"] for case in cases}
    answers: dict[str, list[dict[str, Any]]] = {case["item"]: [] for case in of}
    for at, row in _read_rows(path):
        verdict, output = row.get("verdict", row), row.get("output")
        wrong = fault(verdict, rubric)
        _demand(wrong is None, f"{at}: {wrong}")
        _demand(verdict["item"] in known, f"{at}: item {verdict['item']!r}: no such case")
        costs = output is None or (_is_number(output) and 0 <= output < math.inf)
        _demand(costs, f"{at}: output: not a number of 0 or more")
        if verdict["item"] in answers:
            answers[verdict["item"]].append({"verdict": verdict, "output": output})
    _demand(any(answers.values()), f"{path}: no verdict on any of these cases")
    return answers


def _read_single(
    path: str, cases: list[dict[str, Any]], of: list[dict[str, Any]], rubric: Any
) -> dict[str, list[dict[str, Any]]]:
    answers = read_answers(path, cases, of, rubric)
    for item, rows in answers.items():
        _demand(len(rows) < 2, f"{path}: item {item!r}: two verdicts")  # noqa: PLR2004 - one or none
    return answers


# --- measuring ---


def measure(
    cases: list[dict[str, Any]], answers: dict[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    """Return how the answers compare with the keys; a case without an answer is an abstain."""
    table = {key: dict.fromkeys(OUTCOMES, 0) for key in OUTCOMES}
    families: dict[str, list[bool]] = {}
    for case in cases:
        (answer,) = _outcomes(answers[case["item"]])
        table[case["expected"]][answer] += 1
        if case["family"]:
            families.setdefault(case["family"], []).append(answer == case["expected"])
    answered = {key: sum(row[key] for row in table.values()) for key in OUTCOMES}
    expected = {key: sum(row.values()) for key, row in table.items()}
    n, right = len(cases), sum(table[key][key] for key in OUTCOMES)
    figures = [
        _figure("overall agreement", right, n),
        *(
            _figure(f"recall of {key}", table[key][key], expected[key])
            if expected[key]
            else _no_figure(f"recall of {key}", f"no case expects {key}")
            for key in OUTCOMES
        ),
        *(_figure(f"precision of {key}", table[key][key], answered[key]) for key in KEYS),
    ]
    weakest = min(
        (figure for figure in figures if figure["value"] is not None),
        key=lambda figure: float(figure["value"]),
    )
    wrong = {key: answered[key] - table[key][key] for key in KEYS}
    return {
        "cases": n,
        "missing": sum(not rows for rows in answers.values()),
        "overall": figures[0]["value"],
        "weakest": weakest["value"],
        "weakest_figure": weakest["name"],
        "false_passes": wrong["pass"],
        "false_fails": wrong["fail"],
        "confusion": table,
        "figures": figures,
        "rates": [
            _figure(name, wrong[key], n - expected[key])
            for key, name in (("pass", "false passes"), ("fail", "false fails"))
        ],
        "families": [
            _figure(family, sum(families[family]), len(families[family]))
            for family in sorted(families)
        ],
    }


def _outcomes(rows: list[dict[str, Any]]) -> list[str]:
    return [row["verdict"]["outcome"] for row in rows] or ["abstain"]


def _figure(name: str, k: int, n: int) -> dict[str, Any]:
    """Return k of n with its bounds; 0 where n is 0: a judge that never answers so has no merit."""
    lower, upper = interval(k, n)
    value = k / n if n else 0.0
    return {"name": name, "agreed": k, "of": n, "value": value, "lower": lower, "upper": upper,
            "reason": None if n else "the judge never answered so"}  # fmt: skip


def _no_figure(name: str, reason: str) -> dict[str, Any]:
    return {"name": name, "agreed": 0, "of": 0, "value": None, "lower": None, "upper": None,
            "reason": reason}  # fmt: skip


# --- receipts ---


@contextlib.contextmanager
def receipts(
    path: str, mode: str
) -> Iterator[tuple[list[dict[str, Any]], Callable[[dict[str, Any]], None]]]:
    """Lend the events of the log and the way to append one, while nobody else can."""
    try:
        import fcntl  # noqa: PLC0415 - Windows has none, and only the log needs it
    except ImportError as error:
        raise Unusable(f"{path}: cannot be locked here: this system has no fcntl") from error
    with open(path, mode, buffering=0) as file:
        _demand(stat.S_ISREG(os.fstat(file.fileno()).st_mode), f"{path}: not a regular file")
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        data = file.read()
        events = log_events(path, data)

        def append(event: dict[str, Any]) -> None:
            torn = b"\n" if data and not data.endswith(b"\n") else b""
            file.write(torn + json.dumps(event).encode() + b"\n")

        yield events, append


def log_events(path: str, data: bytes) -> list[dict[str, Any]]:
    """Return the events of a log. Raises Unusable where it cannot be one of ours."""
    events = _rows(path, data)
    for at, event in events:
        _demand(_is_event(event), f"{at}: no receipt; an edited log proves nothing")
    return [event for _, event in events]


def _is_event(event: dict[str, Any]) -> bool:
    return (
        isinstance(event.get("event"), str)
        and isinstance(event.get("hashes"), dict)
        and isinstance(event.get("items", []), list)
        and (event["event"] != "freeze" or _is_bar(event.get("floor")))
    )


def _those(events: list[dict[str, Any]], kind: str, hashes: dict[str, str]) -> list[dict[str, Any]]:
    """Return the events of a kind that are about these hashes."""
    return [
        event
        for event in events
        if event["event"] == kind and all(event["hashes"].get(key) == hashes[key] for key in hashes)
    ]


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def rubric_digest(rubric: Any) -> str:
    """Return the sha256 of a rubric without its calibration, which is written afterwards."""
    return digest({key: value for key, value in rubric.items() if key != "calibration"})


def model_digest(model: str) -> str:
    """Return the sha256 of a model's name: another model is another judge."""
    return digest(model.encode("utf-8", "surrogateescape"))


# --- commands: each returns its exit, the document and the lines for people ---


def _split(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    cases = read_cases(args.cases)
    sets, lines = {}, []
    for split in ("tuning", "sealed"):
        of = of_split(cases, split)
        expected = {key: sum(case["expected"] == key for case in of) for key in OUTCOMES}
        families = sorted(Counter(case["family"] for case in of if case["family"]).items())
        bare = sum(not case["evidence"] for case in of)
        sets[split] = {
            "cases": len(of),
            "expected": expected,
            "families": dict(families),
            "without_evidence": bare,
            "items": [case["item"] for case in of],
        }
        counts = ", ".join(f"{count} expected {key}" for key, count in expected.items())
        lines.append(f"{split}: {len(of)} cases, {counts}")
        lines += [f"  family {family}: {count}" for family, count in families]
        if bare:
            lines.append(f"  {bare} without evidence: an answer that nobody can check")
    return 0, {"sets": sets, "sealed_sha256": cases_digest(of)}, lines


def _score(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    cases = read_cases(args.cases)
    of = _open_set(cases)
    measured = measure(of, _read_single(args.verdicts, cases, of, None))
    clears = _clears(measured, args)
    first, *_ = of
    facts = {"set": first["split"] or "all", "floor": args.floor, "family_floor": args.family_floor}
    head = f"{_status(clears)}: {facts['set']} cases"
    return int(not clears), {"status": _status(clears), **facts, **measured}, [
        head, *_picture(measured, args.floor, args.family_floor)
    ]  # fmt: skip


def _status(clears: bool) -> str:  # noqa: FBT001 - it is what is told
    return "clears the floor" if clears else "below the floor"


def _clears(measured: dict[str, Any], args: argparse.Namespace) -> bool:
    families = all(family["value"] >= args.family_floor for family in measured["families"])
    return families and bool(measured["weakest"] >= args.floor)


def _tune(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    cases = read_cases(args.cases)
    of = of_split(cases, "tuning")
    answers = _read_single(args.verdicts, cases, of, None)
    measured = measure(of, answers)
    clears = _clears(measured, args)
    wrong = [
        _lesson(case, answers[case["item"]])
        for case in of
        if _outcomes(answers[case["item"]]) != [case["expected"]]
    ]
    hashes = {"tuning": cases_digest(of), "model": model_digest(args.model)}
    verdicts = digest(answers)
    with receipts(args.receipts, "a+b") as (events, append):
        rounds = _those(events, "tune", hashes)
        told = [event.get("verdicts") for event in rounds]
        number = 1 + (told.index(verdicts) if verdicts in told else len(told))
        _demand(
            number <= ROUNDS,
            f"{ROUNDS} rounds are recorded for these cases and this model: what comes next would be"
            " fitted to them; ask smaller questions, or a command",
        )
        if verdicts not in told:
            facts = {"round": number, "verdicts": verdicts, "date": _today()}
            figures = {"overall": measured["overall"], "weakest": measured["weakest"]}
            append({"event": "tune", "hashes": hashes, "model": args.model, **facts, **figures})
    lines = [f"{_status(clears)}: round {number} of {ROUNDS}"]
    for row in wrong:
        family = f" ({row['family']})" if row["family"] else ""
        lines.append(f"  {row['kind']}{family}: {row['item']}: {row['answered']}"
                     f" where the answer is {row['expected']}: {row['evidence']}")  # fmt: skip
    facts = {"round": number, "rounds": ROUNDS, "floor": args.floor}
    lines += _picture(measured, args.floor, args.family_floor)
    document = {"status": _status(clears), **facts, "family_floor": args.family_floor}
    return int(not clears), {**document, **measured, "disagreements": wrong}, lines


ROUNDS = 3


def _lesson(case: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what is to be learnt from a case that was answered otherwise."""
    (answered,), expected = _outcomes(rows), case["expected"]
    (row,) = rows or [{"verdict": None}]
    return {
        "kind": {"fail": "miss"}.get(expected, "false alarm" if answered == "fail" else "other"),
        **{key: case[key] for key in ("item", "family", "expected", "evidence")},
        "answered": answered,
        "verdict": row["verdict"],
    }


def _bound(
    args: argparse.Namespace,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], Any, dict[str, str]]:
    """Return the cases, the sealed ones, the rubric, and the hashes of what will be measured.

    A measurement is bound to these; when one of them changes, it is stale.
    """
    cases = read_cases(args.cases)
    sealed, rubric = of_split(cases, "sealed"), read_rubric(args.rubric)
    hashes = {
        "prompt": digest(_read_bytes(args.prompt)),
        "rubric": rubric_digest(rubric),
        "sealed": cases_digest(sealed),
        "model": model_digest(args.model),
    }
    return cases, sealed, rubric, hashes


def _freeze(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    _, sealed, rubric, hashes = _bound(args)
    facts = {"rubric": rubric["id"], "model": args.model, "floor": args.floor, "hashes": hashes}
    receipt = {"receipt": digest(facts), **facts, "date": _today(), "cases": len(sealed)}
    with receipts(args.receipts, "a+b") as (_, append):
        append({"event": "freeze", **receipt})
    name, count = receipt["receipt"][:12], len(sealed)
    line = f"frozen: receipt {name}, {count} sealed cases, floor {args.floor:g}"
    return 0, receipt, [line, *(f"  {name} {value}" for name, value in hashes.items())]


def _sealed(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    cases, sealed, rubric, hashes = _bound(args)
    answers = _read_single(args.verdicts, cases, sealed, rubric)
    _demand(args.again == (args.why is not None), "--again goes with --why")
    taken = args.record is not None and os.path.lexists(args.record)
    _demand(not taken, f"{args.record}: already there; a record is never overwritten")
    with receipts(args.receipts, "r+b") as (events, append):
        frozen = _those(events, "freeze", hashes)
        if not frozen:
            raise Unusable(_unfrozen(events, hashes))
        same = {key: hashes[key] for key in ("sealed", "model")}
        earlier = _those(events, "sealed", same)
        _demand(
            args.again or not earlier,
            f"this model met these sealed cases before (attempt {len(earlier)}): a second look is"
            " no measurement; --again --why TEXT records one that calibrates nothing",
        )
        met = {
            item
            for event in _those(events, "sealed", {"model": hashes["model"]})
            for item in event.get("items", [])
        }
        receipt, measured = frozen[-1], measure(sealed, answers)
        floor = receipt["floor"]
        calibrated = not earlier and measured["weakest"] >= floor
        record = {
            "sealed": 0 if earlier else len(sealed),
            "agreement": measured["weakest"],
            "floor": floor,
            "calibrated": calibrated,
            "rubric": rubric["id"],
            "model": args.model,
            "attempt": len(earlier) + 1,
            "why": args.why,
            "date": _today(),
            "receipt": receipt.get("receipt"),
            "hashes": hashes,
            "files": {key: getattr(args, key) for key in ("prompt", "rubric", "cases")},
            "seen_before": sum(case["item"] in met for case in sealed),
            **measured,
        }
        append({"event": "sealed", "items": [case["item"] for case in sealed], **record})
    if args.record is not None:
        with open(args.record, "x") as file:
            file.write(_json("sealed", record))
    status = "calibrated" if calibrated else "not calibrated"
    weakest = f"weakest figure {down(measured['weakest'])} at floor {floor:g}"
    lines = [f"{status}: attempt {record['attempt']}, {weakest}"]
    if earlier:
        lines.append("  only a first attempt calibrates: nothing here is unseen any more")
    elif record["seen_before"]:
        lines.append(
            f"  {record['seen_before']} of these items were measured before, in another set"
        )
    return int(not calibrated), record, [*lines, *_picture(measured, floor, None)]


def _unfrozen(events: list[dict[str, Any]], hashes: dict[str, str]) -> str:
    frozen = [event["hashes"] for event in events if event["event"] == "freeze"]
    if not frozen:
        return "nothing is frozen: run freeze before the judge meets the sealed cases"
    changed = [key for key in hashes if frozen[-1].get(key) != hashes[key]]
    return f"changed since the last freeze: {', '.join(changed)}; freeze again, then measure"


def _kappa(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    labelled: dict[str, dict[str, dict[str, tuple[str, str]]]] = {}
    for at, row in _read_rows(args.labels):
        for key in ("item", "category", "judge", "label", "label_source"):
            _demand(_is_text(row.get(key)), f"{at}: {key}: not a non-blank string")
        source, item = row["label_source"], row["item"]
        _demand(source in SOURCES, f"{at}: label_source: not {', '.join(SOURCES)}")
        pairs = labelled.setdefault(row["category"], {key: {} for key in SOURCES})[source]
        _demand(item not in pairs, f"{at}: item {item!r}: labelled twice")
        pairs[item] = row["judge"], row["label"]
    categories, lines = {}, []
    for category, rows in sorted(labelled.items()):
        facts = kappa([*rows["human"].values()])
        evidence = e_value(facts["agreed"], facts["n"], args.floor)
        left_out = {key: len(rows[key]) for key in SOURCES if key != "human"}
        categories[category] = {**facts, "e_value": evidence, "left_out": left_out}
        measured = facts["reason"] or (
            f"kappa {down(facts['kappa'])}, at least {down(facts['lower'])} (approximate)"
        )
        agreed = f"agreed {facts['agreed']} of {facts['n']}, e-value {down(evidence)}"
        lines.append(f"{category}: {measured}; {agreed}")
        lines += [
            f"  left out, not a person's label of an unseen item: {count} ({name})"
            for name, count in left_out.items()
            if count
        ]
    lowers = [facts["lower"] for facts in categories.values()]
    code = 2 if None in lowers else 0
    if any(lower is not None and lower < args.bar for lower in lowers):
        code = 1
    status = ("clears the bar", "below the bar", "undecided")[code]
    document = {"status": status, "bar": args.bar, "floor": args.floor, "minimum": LABELS}
    return code, {**document, "categories": categories}, [status, *lines]


SOURCES = ("human", "model", "tuning")


def _e_value(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    agreed, n = args.agreed, args.of
    _demand(0 <= agreed <= n <= MOST, f"--agreed, --of: not 0 <= agreed <= of <= {MOST}")
    value = e_value(agreed, n, args.floor)
    enough = value >= ENOUGH
    status = "enough" if enough else "not enough yet"
    facts = {"agreed": agreed, "of": n, "floor": args.floor, "e_value": value, "enough_at": ENOUGH}
    line = f"{status}: e-value {down(value)} for {agreed} of {n} against {args.floor:g}"
    return 0 if enough else 2, {"status": status, **facts}, [line]


MOST = 10**6  # labels; nobody has more
ENOUGH = 20  # a judge at the floor gets there by at most one chance in 20


def _rule(path: str) -> Any:
    rule = read_json(path)
    _demand_author(isinstance(rule, dict), f"{path}: not an object")
    alpha = rule.get("alpha")
    _demand_author(_is_bar(alpha) and alpha < 1, f"{path}: alpha: not above 0 and below 1")
    _demand_author(_is_share(rule.get("margin")), f"{path}: margin: not from 0 to 1")
    ratio = rule.get("max_cost_ratio")
    fits = ratio is None or (_is_number(ratio) and ratio > 0)
    _demand_author(fits, f"{path}: max_cost_ratio: not null or above 0")
    return rule


def _declare(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    sha, today = digest(_rule(args.rule)), _today()
    with receipts(args.receipts, "a+b") as (_, append):
        append({"event": "declare", "hashes": {"rule": sha}, "date": today})
    return 0, {"rule_sha256": sha, "date": today}, [f"declared: rule {sha[:12]}"]


def _paired(args: argparse.Namespace) -> tuple[int, dict[str, Any], list[str]]:
    rule, cases = _rule(args.rule), read_cases(args.cases)
    of = _open_set(cases)
    arms = [read_answers(path, cases, of, None) for path in (args.baseline, args.candidate)]
    errata = _errata(args.errata, of) if args.errata else []
    declared = None
    if os.path.exists(args.receipts):
        with receipts(args.receipts, "r+b") as (events, _):
            found = _those(events, "declare", {"rule": digest(rule)})
            declared = found[0].get("date") if found else None
    original = compare(of, arms)
    adopt = "adopt", "the candidate is better, as the rule asked"
    decision, reason = next(_objections(rule, original, declared), adopt)
    document = {
        "decision": decision,
        "reason": reason,
        "rule": rule,
        "rule_sha256": digest(rule),
        "declared": declared,
        **original,
        "errata": errata,
        "corrected": compare(_corrected(of, errata), arms) if errata else None,
    }
    lines = [f"{decision}: {reason}", *_table(original)]
    if errata:
        lines += [f"beside it, with {len(errata)} errata:", *_table(document["corrected"])]
    return {"adopt": 0, "keep": 1, "undecided": 2}[decision], document, lines


def compare(
    cases: list[dict[str, Any]], arms: list[dict[str, list[dict[str, Any]]]]
) -> dict[str, Any]:
    """Return how the candidate (second arm) does beside the baseline (first) on the same items."""
    pairs = {
        case["item"]: tuple(_is_right(case, arm[case["item"]]) for arm in arms) for case in cases
    }
    count = Counter(pairs.values())
    lost, won = count[True, False], count[False, True]
    n = count[True, True] + lost + won + count[False, False]
    costs: list[Any] = [_cost(cases, arm) for arm in arms]
    ratio = None if None in costs or not costs[0] else float(costs[1]) / costs[0]
    return {
        "items": n,
        "ties": len(cases) - n,
        "both_right": count[True, True],
        "baseline_only": lost,
        "candidate_only": won,
        "both_wrong": count[False, False],
        "discordant": [
            {"item": item, "right": "candidate" if pair[1] else "baseline"}
            for item, pair in pairs.items()
            if pair in ((True, False), (False, True))
        ],
        "margin": (won - lost) / n if n else None,
        "p": mcnemar(lost, won),
        "p_reason": None if lost + won else "no item tells the arms apart",
        "output": dict(zip(("baseline", "candidate"), costs)),  # noqa: B905 - two and two
        "cost_ratio": ratio,
        "cost_reason": None
        if ratio is not None
        else ("a verdict that does not say its output, or a baseline that has none"),
    }


def _is_right(case: dict[str, Any], rows: list[dict[str, Any]]) -> bool | None:
    """Return what most of the repeats come to; None when they are evenly split."""
    outcomes = _outcomes(rows)
    right = outcomes.count(case["expected"])
    wrong = len(outcomes) - right
    return right > wrong or (None if right == wrong else False)


def _cost(cases: list[dict[str, Any]], arm: dict[str, list[dict[str, Any]]]) -> float | None:
    costs = [row["output"] for case in cases for row in arm[case["item"]]]
    return None if None in costs else sum(costs)


def _objections(rule: Any, found: dict[str, Any], declared: Any) -> Iterator[tuple[str, str]]:
    """Yield what speaks against the candidate: undecided or keep (the baseline), and why."""
    limit, ratio = rule.get("max_cost_ratio"), found["cost_ratio"]
    if declared is None:
        yield "undecided", "the rule was not declared before"
    if not found["items"]:
        yield "undecided", "every item is a tie"
    if limit and ratio is None:
        yield "undecided", "the rule asks for the cost, and that is not known"
    if found["p_reason"]:
        yield "keep", found["p_reason"]
    if found["p"] > rule["alpha"]:
        yield "keep", "chance may explain the difference"
    if found["margin"] < rule["margin"]:
        yield "keep", "the margin is below the rule's"
    if limit and ratio > limit:
        yield "keep", "the candidate costs more than the rule allows"


def _errata(path: str, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what was found wrong after the run: of a key, or of the instrument."""
    known = [case["item"] for case in cases]
    errata = []
    for at, row in _read_rows(path):
        _demand(row.get("item") in known, f"{at}: item: no such case")
        _demand(row.get("kind") in ("key", "instrument"), f"{at}: kind: not key or instrument")
        _demand(_is_text(row.get("why")), f"{at}: why: not a non-blank string")
        keyed = row["kind"] == "instrument" or row.get("expected") in OUTCOMES
        _demand(keyed, f"{at}: expected: not pass, fail or abstain")
        errata.append({key: row.get(key) for key in ("item", "kind", "expected", "why")})
    return errata


def _corrected(cases: list[dict[str, Any]], errata: list[dict[str, Any]]) -> list[dict[str, Any]]:
    broken = [row["item"] for row in errata if row["kind"] == "instrument"]
    keys = {row["item"]: row["expected"] for row in errata}
    return [
        {**case, "expected": keys.get(case["item"], case["expected"])}
        for case in cases
        if case["item"] not in broken
    ]


# --- what is told ---


def _json(subcommand: str, facts: dict[str, Any]) -> str:
    head = {"gate": "judge-calibration", "kind": "calibration", "subcommand": subcommand}
    return json.dumps({**head, **facts}, indent=2) + "\n"


def down(value: Any) -> str:
    """Return a number to three places, never rounded up: what is below the bar looks below it."""
    places = decimal.Decimal("0.001")
    return str(decimal.Decimal(str(value)).quantize(places, decimal.ROUND_FLOOR))


def up(value: float) -> str:
    """Return a number that is not below 0 to three places, never rounded down: an upper bound."""
    return down(-value).replace("-", "")


def _picture(measured: dict[str, Any], floor: float, family_floor: float | None) -> list[str]:
    table = measured["confusion"]
    lines = [f"  {'':<20}{'pass':>8}{'fail':>8}{'abstain':>9}  was answered"]
    for key in OUTCOMES:
        row = table[key]
        lines.append(f"  expected {key:<11}{row['pass']:>8}{row['fail']:>8}{row['abstain']:>9}")
    lines += [_line_of(figure, floor) for figure in measured["figures"]]
    lines += [_line_of(rate, None) for rate in measured["rates"]]
    for family in measured["families"]:
        lines.append(_line_of({**family, "name": f"family {family['name']}"}, family_floor))
    if measured["missing"]:
        lines.append(f"  {measured['missing']} without a verdict, taken as abstains")
    return lines


def _line_of(figure: dict[str, Any], floor: float | None) -> str:
    name = f"  {figure['name']:<20}"
    if figure["value"] is None:
        return f"{name}     none: {figure['reason']}"
    below = "" if floor is None or figure["value"] >= floor else "  below"
    bounds = f"{down(figure['lower'])} to {up(figure['upper'])}"
    return (
        f"{name}{figure['agreed']:>5} of {figure['of']:<5}{down(figure['value'])}"
        f"  ({bounds}){below}"
    )


def _table(found: dict[str, Any]) -> list[str]:
    counts = (
        ("both right", "both_right"),
        ("only the baseline", "baseline_only"),
        ("only the candidate", "candidate_only"),
        ("neither", "both_wrong"),
        ("tied", "ties"),
    )
    ratio, margin = (
        "unknown" if found[key] is None else down(found[key]) for key in ("cost_ratio", "margin")
    )
    p = found["p_reason"] or f"p {up(found['p'])} (McNemar, exact)"
    return [
        "  " + ", ".join(f"{name} {found[key]}" for name, key in counts),
        f"  margin {margin}, {p}, output {ratio} times the baseline's",
    ]


# --- the command line ---


def share(value: str) -> float:
    """Return a flag's value, above 0 and at most 1; argparse names it by this function."""
    bar = float(value)
    if not _is_bar(bar):
        raise argparse.ArgumentTypeError("not above 0 and at most 1")
    return bar


def _text(value: str) -> str:
    if not _is_text(value):
        raise argparse.ArgumentTypeError("blank")
    return value


FLAGS: dict[str, dict[str, Any]] = {
    "--floor": {"type": share, "default": 0.8},
    "--family-floor": {"type": share, "default": 0.6},
    "--bar": {"type": share, "default": 0.6},
    "--receipts": {"default": "calibration-receipts.jsonl"},
    "--model": {"type": _text},
    "--why": {"type": _text},
    "--again": {"action": "store_true"},
    "--agreed": {"type": int},
    "--of": {"type": int},
}
COMMANDS: dict[
    str, tuple[Callable[..., Any], str, str]
] = {  # what it does, the flags it needs, the others
    "split": (_split, "--cases", ""),
    "tune": (_tune, "--cases --verdicts --model", "--floor --family-floor --receipts"),
    "freeze": (_freeze, "--cases --prompt --rubric --model", "--floor --receipts"),
    "sealed": (
        _sealed,
        "--cases --verdicts --prompt --rubric --model",
        "--receipts --record --again --why",
    ),
    "score": (_score, "--cases --verdicts", "--floor --family-floor"),
    "kappa": (_kappa, "--labels", "--bar --floor"),
    "e-value": (_e_value, "--agreed --of", "--floor"),
    "declare": (_declare, "--rule", "--receipts"),
    "paired": (_paired, "--cases --baseline --candidate --rule", "--errata --receipts"),
}


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
    parser = _Parser(prog="judge_calibration.py")
    parser.add_argument("--version", action="version", version=f"judge_calibration.py {VERSION}")
    parser.add_argument(
        "--selftest", "--self-test", action="store_const", dest="act", const=selftest
    )
    commands = parser.add_subparsers(dest="subcommand")
    for name, (facts, needed, other) in COMMANDS.items():
        command = commands.add_parser(name)
        command.set_defaults(act=_tell, facts=facts)
        command.add_argument("--json", action="store_true")
        for flag in needed.split():
            command.add_argument(flag, required=True, **FLAGS.get(flag, {}))
        for flag in other.split():
            command.add_argument(flag, **FLAGS.get(flag, {}))
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.act is None:
        parser.error("no command")
    try:
        return int(args.act(args))
    except (Unusable, Refused, OSError) as error:
        sys.stderr.write(_line(f"judge_calibration.py: {error}"))
        return 3 if isinstance(error, Refused) else 2


def _tell(args: argparse.Namespace) -> int:
    """Print what a command came to, and return its exit."""
    code, document, lines = args.facts(args)
    told = [_json(args.subcommand, document)] if args.json else map(_line, lines)
    sys.stdout.writelines(told)
    sys.stdout.flush()  # a reader who went away is told of here, not at the very end
    return int(code)


# --- the self-test ---

Step = tuple[str, int, Any]  # a command line, its exit, and what it tells


def selftest(_: object = None) -> int:
    """Try planted inputs through the command line; 0 when each comes out as planned, else 1."""
    wrong, count = [*_misread()], 0
    for files, steps in _planted():
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name, content in files.items():
                _plant(Path(name), content)
            for command, expected, text in steps:
                count += 1
                code, output = _try(command)
                if code != expected or not _tells(output, text):
                    wrong.append(f"{command}: exit {code}, {output}, not {expected}, {text}")
    flags = ["--selftest", "--self-test"]
    wrong += [flag for flag in flags if _parser().parse_args([flag]).act is not selftest]
    sys.stderr.writelines(map(_line, wrong))
    print(f"judge_calibration.py: {count} planted cases, {len(wrong)} wrong")
    return int(bool(wrong))


def _plant(path: Path, content: Any) -> None:
    """Write bytes, the rows of JSON Lines, or one JSON value; or link to a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Path):
        path.symlink_to(content)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        rows = content if isinstance(content, list) else [content]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _try(command: str) -> tuple[object, str]:
    """Run one command; return its exit and output. The words after < are standard input."""
    output, stdin, argv, listdir = io.StringIO(), sys.stdin, sys.argv, os.listdir
    command, _, given = command.partition(" < ")
    sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()))
    if given == "&-":  # as a shell writes that it is closed
        sys.stdin = None
    if given == "windows":  # where there is no such module
        sys.modules["fcntl"] = None  # type: ignore[assignment]
    if given == "gone":  # whoever was reading
        output.flush = _gone  # type: ignore[method-assign]
    if given == "backwards":  # a file system lists a folder in any order
        os.listdir = lambda path: sorted(listdir(path), reverse=True)  # type: ignore[assignment]
    code: object = 0
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            words = shlex.split(command)
            if words[:1] == ["cat"]:
                print(Path(words[1]).read_text(), end="")
            elif words[:1] == ["last"]:
                print(Path(words[1]).read_text().splitlines()[-1])
            else:
                sys.argv = ["judge_calibration.py", *words]
                code = main()
    except SystemExit as stopped:
        code = stopped.code
    finally:
        sys.stdin, sys.argv, os.listdir = stdin, argv, listdir
        sys.modules.pop("fcntl", None)  # imported again where it is asked for
    return code, re.sub('(?<=")20[0-9-]{8}(?=")', "TODAY", output.getvalue())


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


def _gone() -> NoReturn:
    raise BrokenPipeError(32, "Broken pipe")


def _tells(output: str, text: Any) -> bool:
    """Tell whether the output is these lines, has a line like this, or JSON with these entries.

    Behind three dots: whether it ends in these lines, or holds these words.
    """
    if isinstance(text, str):
        part, lines = text.removeprefix("..."), text.endswith("\n")
        if part == text:
            return output == text if lines else f"\n{text}" in f"\n{output}"
        return output.endswith(part) if lines else part in output
    document = json.loads(output) if output[:1] == "{" else {}
    return all(document.get(key, ...) == value for key, value in text.items())


def _key(item: str, expected: str, **more: Any) -> dict[str, Any]:
    return {"item": item, "expected": expected, "evidence": f"seen in {item}", **more}


def _verdict(item: str, outcome: str, **changed: Any) -> dict[str, Any]:
    score = {"pass": 0.5, "fail": 0.4}.get(outcome)
    entry = {"id": "a", "score": score, "pass": score and True, "evidence": "line 1"}
    return {
        "item": item,
        "rubric": "self-test@10",
        "decidedBy": "judge",
        "criteria": [entry],
        "abstain": outcome == "abstain",
        "abstainReason": "undecidable:a" if outcome == "abstain" else None,
        "threshold": 0.5,
        "score": score or 0,
        "outcome": outcome,
        "calibrated": False,
        **changed,
    }


RUBRIC: dict[str, Any] = {
    "id": "self-test@10",
    "threshold": 0.5,
    "criteria": [{"id": "a", "question": "Is it?"}],
}
TUNING = [
    _key("a", "pass", split="tuning", family="links"),
    _key("b", "fail", split="tuning", family="links"),
    _key("c", "abstain", split="tuning"),
]
SEALED = [
    _key("d", "pass", split="sealed"),
    _key("e", "fail", split="sealed", family="links"),
]
RIGHT = [_verdict(case["item"], case["expected"]) for case in TUNING + SEALED]
FILES: dict[str, Any] = {
    "cases": [*SEALED, *TUNING],
    "verdicts": RIGHT,
    "prompt": b"Is it?",
    "rubric": RUBRIC,
}


# The tables below are laid out by hand: a row is a case.
# fmt: off
WORDS = {"p": "pass", "f": "fail", "a": "abstain"}
Planted = Iterator[tuple[dict[str, Any], list[Step]]]


def _planted() -> Planted:
    yield from _sets()
    yield from _scores()
    yield from _verdicts()
    yield from _inputs()
    yield from _spellings()
    yield from _rounds()
    yield from _attempts()
    yield from _labels()
    yield from _arms()
    yield from _pairs()
    yield from _flags()


def _sets() -> Planted:
    tuning = "tuning: 3 cases, 1 expected pass, 1 expected fail, 1 expected abstain\n"
    sealed = "sealed: 2 cases, 1 expected pass, 1 expected fail, 0 expected abstain\n"
    told = f"{tuning}  family links: 2\n{sealed}  family links: 1\n"
    facts = {
        "gate": "judge-calibration",
        "kind": "calibration",
        "subcommand": "split",
        "sets": {
            "tuning": {
                "cases": 3,
                "expected": {"pass": 1, "fail": 1, "abstain": 1},
                "families": {"links": 2},
                "without_evidence": 0,
                "items": ["a", "b", "c"],
            },
            "sealed": {
                "cases": 2,
                "expected": {"pass": 1, "fail": 1, "abstain": 0},
                "families": {"links": 1},
                "without_evidence": 0,
                "items": ["d", "e"],
            },
        },
        "sealed_sha256": "4842edbbb1902aa40e0181b0c873cfacb38851580149f8ba75f79001274fb0c5",
    }
    document = json.dumps(facts, indent=2) + "\n"
    rows = "\n\n".join(map(json.dumps, FILES["cases"]))
    steps: list[Step] = [
        ("split --cases cases", 0, told),
        ("split --cases cases --json", 0, document),
        ("split --cases cases < gone", 2, f"{told}judge_calibration.py: [Errno 32] Broken pipe\n"),
        (f"split --cases - < {rows}", 0, told),
        (f"split --cases - < {json.dumps(FILES['cases'])}", 0, told),
        (f"score --cases - --verdicts - < {rows}", 2,
         "judge_calibration.py: standard input: closed\n"),
    ]
    yield FILES, steps
    folders: dict[str, Any] = {
        f"cases/{'sealed_' if case['split'] == 'sealed' else ''}{case['item']}/case.json": {
            **case, "split": "the folder says"
        }
        for case in TUNING + SEALED
    }
    apart = {
        "cases/sealed_d/page.md": b"x",
        "cases/sealed_d/more/case.json": b"y",
        "cases/sealed_d/more/still/page.md": b"y",
        "cases/notes.md": b"z",
    }
    digest_ = {"sealed_sha256": "1037483fbba6dfdb461b852e18363c0f19a5e0820c274a9b847671e100e34ed5"}
    yield {**folders, **apart}, [
        ("split --cases cases", 0, told),
        ("split --cases cases --json", 0, digest_),
        ("split --cases cases --json < backwards", 0, digest_),
    ]
    unsplit = {f"cases/{case['item']}/case.json": case for case in TUNING}
    yield {**unsplit, "verdicts": RIGHT[:3]}, [
        ("score --cases cases --verdicts verdicts", 0, "clears the floor: all cases\n   "),
    ]
    yield {"cases/a/x.md": b"", "cases/b/x.md": b""}, [
        ("split --cases cases < backwards", 2, "judge_calibration.py: cases/a/case.json: "),
    ]
    alike = [{**case, "family": "links"} for case in SEALED]
    yield {"cases": [*TUNING, *alike]}, [("split --cases cases", 0, "tuning: 3 cases, ")]
    mixed = [*SEALED, *TUNING, _key("f", "pass", split="tuning", family="a")]
    mixed += [_key("g", "pass", split="sealed", family="a")]
    yield {"cases": mixed[::-1], "same": mixed}, [
        ("split --cases cases", 0, "...abstain\n  family a: 1\n  family links: 2\nsealed: "),
        ("split --cases cases --json", 0, MIXED),
        ("split --cases same --json", 0, MIXED),
    ]
    none = {"evidence": None}
    bare = [TUNING[0], {**TUNING[1], **none}, *TUNING[2:], {**SEALED[0], **none}, SEALED[1]]
    bare_ = "  1 without evidence: an answer that nobody can check\n"
    told = f"{tuning}  family links: 2\n{bare_}{sealed}  family links: 1\n{bare_}"
    yield {"cases": bare}, [("split --cases cases", 0, told)]
    one, other = TUNING[:2], SEALED[:2]
    family = {"split": "sealed", "family": "new"}
    for cases, text in [
        ([], "cases: nothing in it\n"),
        (one, "no sealed case\n"),
        (other, "no tuning case\n"),
        ([_key("a", "pass"), _key("b", "fail")], "no tuning case\n"),
        (
            [_key("g", "pass", **{**family, "family": "g"}), *TUNING, *SEALED,
             _key("f", "pass", **family)],
            "family 'new': no tuning case\n",
        ),
        ([_key("a", "pass", split="tuning"), SEALED[1]], "cases: no sealed case expects pass\n"),
        (
            [*TUNING, SEALED[0], _key("f", "fail", split="sealed")],
            "family 'links': no sealed case\n",
        ),
        ([*TUNING, *SEALED, SEALED[0]], "cases: item 'd' is there 2 times\n"),
        ([*TUNING, *SEALED, _key("f", "pass")], "cases: some cases have no split\n"),
        ([*one, *SEALED[1:]], "cases: no sealed case expects pass\n"),
        ([*one, *SEALED[:1]], "cases: no sealed case expects fail\n"),
        ([_key("a", "pass")], "cases: no such case expects fail\n"),
        ([_key("a", "fail")], "cases: no such case expects pass\n"),
        ([TUNING[0], *SEALED], "cases: no tuning case expects fail\n"),
        ([_key(" ", "pass")], "cases:1: item: not a non-blank string\n"),
        ([_key("a", "yes")], "cases:1: expected: not pass, fail or abstain\n"),
        ([_key("a", "pass", split="test")], "cases:1: split: neither tuning nor sealed\n"),
        ([_key("a", "pass", evidence="")], "cases:1: evidence: blank, or no string\n"),
        ([_key("a", "pass", family=1)], "cases:1: family: blank, or no string\n"),
        ([_key("a", "pass", input=[])], "cases:1: input: blank, or no string\n"),
        ([_key("a", "pass"), 7], "cases:2: not an object\n"),
        (b"\n[]", "cases: nothing in it\n"),
        (b"[1]", "cases[0]: not an object\n"),
        (b"[1", "cases: not JSON: Expecting ',' delimiter: line 1 column 3 (char 2)\n"),
        (b'{}\n\n{"a": 1, "a": 2}', "cases:3: not JSON: duplicate key 'a'\n"),
        (b"NaN", "cases:1: not JSON: NaN is not JSON\n"),
        (b"\xff", "cases:1: not JSON: 'utf-8' codec can't decode byte 0xff in position 0: "),
        (b'{"a":' * 100_000, "cases:1: nested too deeply\n"),
    ]:
        yield {"cases": cases}, [("split --cases cases", 2, f"judge_calibration.py: {text}")]
    bad: list[tuple[dict[str, Any], str]] = [
        ({"cases/notes.md": b""}, "cases: no case in it\n"),
        (
            {"cases/a/page.md": b""},
            "cases/a/case.json: cannot be read: No such file or directory\n",
        ),
        ({"cases/a/case.json": 7}, "cases/a/case.json: not an object\n"),
        ({**folders, "cases/a/page.md": Path("notes")}, "cases/a/page.md: a link; a case holds"),
        (
            {**folders, "cases/a/more": Path("/")},
            "cases/a/more: a link; a case holds its own files\n",
        ),
    ]
    for files, text in bad:
        yield files, [("split --cases cases", 2, f"judge_calibration.py: {text}")]
    yield {}, [
        ("split --cases none", 2,
         "judge_calibration.py: [Errno 2] No such file or directory: 'none'\n"),
        ("split --cases /dev/null", 2,
         "judge_calibration.py: /dev/null: not a regular file (use - for standard input)\n"),
        ("split --cases - < &-", 2, "judge_calibration.py: standard input: closed\n"),
    ]


def _scores() -> Planted:
    score = "score --cases cases --verdicts verdicts"
    told = """clears the floor: tuning cases
                          pass    fail  abstain  was answered
  expected pass              1       0        0
  expected fail              0       1        0
  expected abstain           0       0        1
  overall agreement       3 of 3    1.000  (0.292 to 1.000)
  recall of pass          1 of 1    1.000  (0.025 to 1.000)
  recall of fail          1 of 1    1.000  (0.025 to 1.000)
  recall of abstain       1 of 1    1.000  (0.025 to 1.000)
  precision of pass       1 of 1    1.000  (0.025 to 1.000)
  precision of fail       1 of 1    1.000  (0.025 to 1.000)
  false passes            0 of 2    0.000  (0.000 to 0.842)
  false fails             0 of 2    0.000  (0.000 to 0.842)
  family links            2 of 2    1.000  (0.158 to 1.000)
"""
    yield FILES, [(score, 0, told)]
    # a judge that passes everything, one item of it without an answer
    cases = [_key("i0", "fail"), *(_key(f"i{i}", "pass", family="f") for i in range(1, 10))]
    passes = [{"verdict": _verdict(f"i{i}", "pass"), "output": 0} for i in range(9)]
    told = """below the floor: all cases
                          pass    fail  abstain  was answered
  expected pass              8       0        1
  expected fail              1       0        0
  expected abstain           0       0        0
  overall agreement       8 of 10   0.800  (0.443 to 0.975)
  recall of pass          8 of 9    0.888  (0.517 to 0.998)
  recall of fail          0 of 1    0.000  (0.000 to 0.975)  below
  recall of abstain        none: no case expects abstain
  precision of pass       8 of 9    0.888  (0.517 to 0.998)
  precision of fail       0 of 0    0.000  (0.000 to 1.000)  below
  false passes            1 of 1    1.000  (0.025 to 1.000)
  false fails             0 of 9    0.000  (0.000 to 0.337)
  family f                8 of 9    0.888  (0.517 to 0.998)
  1 without a verdict, taken as abstains
"""
    facts = {
        "status": "below the floor",
        "set": "all",
        "floor": 0.8,
        "family_floor": 0.6,
        "cases": 10,
        "missing": 1,
        "overall": 0.8,
        "weakest": 0,
        "weakest_figure": "recall of fail",
        "false_passes": 1,
        "false_fails": 0,
        "confusion": {
            "pass": {"pass": 8, "fail": 0, "abstain": 1},
            "fail": {"pass": 1, "fail": 0, "abstain": 0},
            "abstain": {"pass": 0, "fail": 0, "abstain": 0},
        },
        "figures": [
            _told("overall agreement", 8, 10, 0.8, 0.443904537693, 0.974789273673),
            _told("recall of pass", 8, 9, 8 / 9, 0.517503485083, 0.997190863253),
            _told("recall of fail", 0, 1, 0, 0, 0.975),
            _told("recall of abstain", 0, 0, None, None, None, "no case expects abstain"),
            _told("precision of pass", 8, 9, 8 / 9, 0.517503485083, 0.997190863253),
            _told("precision of fail", 0, 0, 0, 0, 1, "the judge never answered so"),
        ],
        "rates": [
            _told("false passes", 1, 1, 1, 0.025, 1),
            _told("false fails", 0, 9, 0, 0, 0.336267116879),
        ],
        "families": [_told("f", 8, 9, 8 / 9, 0.517503485083, 0.997190863253)],
    }
    yield {"cases": cases, "verdicts": passes}, [(score, 1, told), (f"{score} --json", 1, facts)]
    # at the floors: 3 of 4 passes are right, and 1 of 2 in the family
    cases = [*(_key(f"i{i}", "pass") for i in range(3)), _key("i3", "fail", family="g")]
    cases += [_key("i4", "fail", family="g"), _key("i5", "fail", family="a")]
    answers = [_verdict(f"i{i}", "fail" if i > 3 else "pass") for i in range(6)]  # noqa: PLR2004
    steps: list[Step] = [
        (f"{score} --floor {floor} --family-floor {family}", code, f"{word} the floor: all cases")
        for floor, family, code, word in (
            (0.6, 0.5, 0, "clears"),
            (0.66, 0.5, 0, "clears"),
            (0.67, 0.5, 1, "below"),
            (0.66, 0.51, 1, "below"),
        )
    ]
    below = "...to 1.000)\n  family g                1 of 2    0.500  (0.012 to 0.988)  below"
    steps += [(score, 1, below), (f"{score} --json", 1, {"weakest_figure": "recall of fail"})]
    yield {"cases": cases, "verdicts": answers}, steps


def _told(name: str, k: int, n: int, *told: Any) -> dict[str, Any]:
    keys = ("value", "lower", "upper", "reason")
    facts = {**dict.fromkeys(keys), **dict(zip(keys, told, strict=False))}
    return {"name": name, "agreed": k, "of": n, **facts}


def _verdicts() -> Planted:
    one: Any = _verdict("a", "pass")
    entry = one["criteria"][0]
    ended: Any = {"criteria": [], "score": 0, "outcome": "abstain", "abstain": True}
    malformed: list[tuple[str, list[Any]]] = [
        ("item", [None, "", "\u2064 \ufeff\r"]),
        ("rubric", [7, "self-test@0", "selftest@1", "self-test@1\n"]),
        ("decidedBy", ["me"]),
        ("abstain", [0]),
        ("threshold", [0, 1.1, True, "1"]),
        ("score", [-0.1, 1.1, False, None]),
        ("calibrated", [0]),
        ("criteria", [{}, [7], [{**entry, "more": 1}], [{**entry, "id": "a,b"}]]),
        ("criteria", [[{**entry, "id": " "}], [{**entry, "evidence": "\u00ad"}]]),
        ("criteria", [[{**entry, "score": None}], [{**entry, "pass": None}]]),
        ("criteria", [[{**entry, "score": 2}], [{**entry, "pass": 1}]]),
    ]
    keys = "not the ten keys of a verdict"
    wrong: list[tuple[Any, str]] = [([one], keys), ({"item": "a"}, keys)]
    for key, values in malformed:
        wrong += [({**one, key: value}, f"{key}: malformed") for value in values]
    wrong += [
        ({**one, "criteria": [entry, entry]}, "criteria: one is there twice"),
        ({**one, "outcome": "fail"}, "outcome: not what the criteria come to"),
        ({**one, "outcome": "abstain"}, "outcome: not what the criteria come to"),
        ({**one, "abstain": True}, "abstain: not what the criteria come to"),
        ({**one, "abstainReason": "judge:x"}, "abstainReason: not what the criteria come to"),
        ({**one, "score": 0.6}, "score: not what the criteria come to"),
        ({**one, "threshold": 0.51}, "outcome: not what the criteria come to"),
        ({**one, "criteria": [{**entry, "pass": False}]}, "outcome: not what the criteria come to"),
        (
            {**one, "criteria": [entry, {**entry, "id": "b", "score": None, "pass": None}]},
            "outcome: not what the criteria come to",
        ),
        (
            {**_verdict("a", "fail"), **ended, "criteria": one["criteria"]},
            "outcome: not what the criteria come to",
        ),
        ({**one, **ended, "abstainReason": "x"}, "abstainReason: not what the criteria come to"),
        ({**one, **ended, "abstainReason": ""}, "abstainReason: not what the criteria come to"),
    ]
    reasons = (
        "verdict-missing: missing-item: item-mismatch: malformed:x judge: malformed-criterion:01"
        " malformed-criterion:: malformed-criterion:1/ malformed-criterion:1: unknown-criterion"
        " duplicate-criterion: bad-score:a,b bad-pass: bad-evidence:"
        " missing-criterion: undecidable:a"
    )
    wrong += [
        ({**one, **ended, "abstainReason": reason}, "abstainReason: not what the criteria come to")
        for reason in [None, *reasons.split()]
    ]
    for verdict, text in wrong:
        told = f"judge_calibration.py: verdicts:1: {text}\n"
        files = {**FILES, "verdicts": [{"verdict": verdict}]}
        yield files, [("score --cases cases --verdicts verdicts", 2, told)]
    good = (
        "verdict-missing missing-item item-mismatch malformed:abstain malformed:criteria judge:x"
        " malformed-criterion:0 malformed-criterion:109 malformed-criterion:9 unknown-criterion:"
        " duplicate-criterion:a"
        " bad-score:a bad-pass:a bad-evidence:a missing-criterion:a"
    )
    held = [{**entry, "id": "b", "score": None, "pass": None}, entry]
    also = {**_verdict("a", "abstain"), "criteria": [*held, {**held[0], "id": "c"}]}
    abstains = [{**also, "abstainReason": "undecidable:b,c", "decidedBy": "command"}]
    abstains += [{**one, **ended, "abstainReason": reason} for reason in good.split()]
    wrong_one = {**entry, "score": 0, "id": "c", "pass": False}
    both = [{**entry, "score": 1, "id": "d"}, wrong_one, held[0]]
    fails = [{**_verdict("a", "fail"), "criteria": both, "score": 0}]
    passes: Any = [{**one, "criteria": [{**entry, "score": 1, "id": "b"}, entry]}]
    for outcome, verdicts in {"abstain": abstains, "fail": fails, "pass": passes}.items():
        for verdict in verdicts:
            row = {key: int(key == outcome) for key in OUTCOMES}
            yield (
                {**FILES, "verdicts": [verdict, *RIGHT[1:]]},
                [("score --cases cases --verdicts verdicts --json", 0 if outcome == "pass" else 1, {
                    "confusion": {"pass": row, "fail": {"pass": 0, "fail": 1, "abstain": 0},
                                  "abstain": {"pass": 0, "fail": 0, "abstain": 1}}})],
            )


def _inputs() -> Planted:
    score = "score --cases cases --verdicts verdicts"
    odd = "verdicts:1: output: not a number of 0 or more\n"
    for verdicts, text in [
        ([], "verdicts: nothing in it\n"),
        (RIGHT[3:], "verdicts: no verdict on any of these cases\n"),
        ([*RIGHT, _verdict("x", "pass")], "verdicts:6: item 'x': no such case\n"),
        ([*RIGHT, RIGHT[1]], "verdicts: item 'b': two verdicts\n"),
        ([{"verdict": RIGHT[0], "output": -1}], odd),
        ([{"verdict": RIGHT[0], "output": True}], odd),
        ([{"verdict": RIGHT[0], "output": "1"}], odd),
        (b'{"output": 1e999, "verdict": ' + json.dumps(RIGHT[0]).encode() + b"}", odd),
    ]:
        yield {**FILES, "verdicts": verdicts}, [(score, 2, f"judge_calibration.py: {text}")]
    freeze = "freeze --cases cases --prompt prompt --rubric rubric --model m"
    criteria = "criteria: not a list of one or more, each with an id of its own and a question"
    asked: Any = RUBRIC["criteria"]
    changes: list[tuple[dict[str, Any], str]] = [
        ({"id": 1}, "id: not of the form <plugin>-<name>@<number>"),
        ({"id": "self-test@0"}, "id: not of the form <plugin>-<name>@<number>"),
        ({"threshold": 0}, "threshold: not above 0 and at most 1"),
        ({"criteria": []}, criteria),
        ({"criteria": {"a": 1}}, criteria),
        ({"criteria": [7]}, criteria),
        ({"criteria": 7}, criteria),
        ({"criteria": [*asked, 7]}, criteria),
        ({"criteria": [{"id": "a"}]}, criteria),
        ({"criteria": [{"id": "a,b", "question": "Is it?"}]}, criteria),
        ({"criteria": [*asked, *asked]}, criteria),
    ]
    for change, text in changes:
        files = {**FILES, "rubric": {**RUBRIC, **change}}
        yield files, [(freeze, 3, f"judge_calibration.py: rubric: {text}\n")]
    yield {**FILES, "rubric": b"[]"}, [(freeze, 3, "judge_calibration.py: rubric: not an object\n")]
    for log, text in [
        (b"x", "log:1: not JSON: Expecting value: line 1 column 1 (char 0)\n"),
        ([{"event": "x", "hashes": {}}, {}], "log:2: no receipt; an edited log proves nothing\n"),
        ([{"event": "freeze", "hashes": {}}], "log:1: no receipt; an edited log proves nothing\n"),
        ([{"event": 1, "hashes": {}}], "log:1: no receipt; an edited log proves nothing\n"),
        ([{"event": "sealed", "hashes": 1}], "log:1: no receipt; an edited log proves nothing\n"),
        ([{"event": "x", "hashes": {}, "items": {}}], "log:1: no receipt; an edited log"),
        ([{"event": "freeze", "hashes": {}, "floor": 0}], "log:1: no receipt; an edited log"),
        (Path("/dev/null"), "log: not a regular file\n"),
    ]:
        yield {**FILES, "log": log}, [(f"{freeze} --receipts log", 2,
         f"judge_calibration.py: {text}")]


def _spellings() -> Planted:
    """Plant what is blank, what is a rubric's id, and which numbers are the same."""
    blank = "judge_calibration.py: cases:1: item: not a non-blank string\n"
    for char in "\t\r\x1c \x85\xa0\xad\u1680\u180e\u2000\u200f\u2028\u202f\u205f\u2064\u3000\ufeff":
        yield {"cases": [_key(char, "pass")]}, [("split --cases cases", 2, blank)]
    beside = "\x08\x0e\x1b!\x84\x86\x9f\xa1\xac\xae\u167f\u1681\u180d\u180f\u1fff\u2010\u2027\u2030"
    beside += "\u205e\u2065\u2fff\u3001\ufefe\uff00"
    cases = [_key("a", "fail"), *(_key(char, "pass") for char in beside)]
    yield {"cases": cases, "verdicts": [_verdict("a", "fail")]}, [
        ("score --cases cases --verdicts verdicts --json", 1, {"missing": len(beside)}),
    ]
    freeze = "freeze --cases cases --prompt prompt --model m --rubric"
    wrong = "judge_calibration.py: rubric: id: not of the form <plugin>-<name>@<number>\n"
    for name in ("az09-az09-b@190", "a-b@9"):
        files = {**FILES, "rubric": {**RUBRIC, "id": name}}
        yield files, [(f"{freeze} rubric --json", 0, {"rubric": name})]
    odd = "`-b@1 {-b@1 /-b@1 :-b@1 a-`@1 a-{@1 a-/@1 a-:@1 a-b@: a-b@1/ a-b@1: -b@1"
    for name in odd.split():
        yield {**FILES, "rubric": {**RUBRIC, "id": name}}, [(f"{freeze} rubric", 3, wrong)]
    one: Any = {**RUBRIC, "threshold": 1, "note": [2, {"n": 9007199254740992}], "small": 0.5}
    same: Any = {**one, "threshold": 1.0, "note": [2.0, {"n": 9007199254740993}]}
    for rubric in (one, same):
        yield {**FILES, "rubric": rubric}, [(f"{freeze} rubric", 0, f"  rubric {SPELLED}")]


SPELLED = "7828062bc0da9e4aa9dd9b92b306eef37b0c6e98eacf485bf13b6b2a63a2af92"
MIXED = {"sealed_sha256": "9381eb832b57e6298f173828051df229475848b6a6ff97c60e033db7f4fc4bf4"}


def _rounds() -> Planted:
    tune = "tune --cases cases --verdicts"
    files: dict[str, Any] = {**FILES, "other": [_key("z", "pass", split="tuning"), *FILES["cases"]]}
    for number, outcomes in enumerate(["aaa", "pfa", "pff", "ppp"], 1):
        words = zip("abc", map(WORDS.get, outcomes), strict=True)
        files[f"v{number}"] = [_verdict(item, str(word)) for item, word in words]
    files["v1"] = files["v1"][:1]
    told = """below the floor: round 1 of 3
  other (links): a: abstain where the answer is pass: seen in a
  miss (links): b: abstain where the answer is fail: seen in b
                          pass    fail  abstain  was answered
  expected pass              0       0        1
  expected fail              0       0        1
  expected abstain           0       0        1
  overall agreement       1 of 3    0.333  (0.008 to 0.906)  below
"""
    first: Any = {"date": "TODAY", "event": "tune", "model": "m", "round": 1, "weakest": 0}
    lines = told.rstrip("\n")
    spent = (
        "judge_calibration.py: 3 rounds are recorded for these cases and this model: what comes"
        " next would be fitted to them; ask smaller questions, or a command\n"
    )
    yield files, [
        (f"{tune} v1 --model m", 1, lines),
        (f"{tune} v1 --model m --json", 1, {
            "status": "below the floor", "round": 1, "rounds": 3, "floor": 0.8, "family_floor": 0.6,
            "overall": 1 / 3, "disagreements": [
                {"kind": "other", "item": "a", "family": "links", "expected": "pass",
                 "evidence": "seen in a", "answered": "abstain", "verdict": files["v1"][0]},
                {"kind": "miss", "item": "b", "family": "links", "expected": "fail",
                 "evidence": "seen in b", "answered": "abstain", "verdict": None}]}),
        ("last calibration-receipts.jsonl", 0, {
            **first, "overall": 1 / 3, "hashes": {"tuning": TUNING_SHA, "model": M_SHA},
            "verdicts": "1a729c44302df913433a64c02eeba5fe5e9d7d7580f0363789f4ed26661a26ae"}),
        (f"{tune} v2 --model m", 0,
         "clears the floor: round 2 of 3\n                          pass"),
        (f"{tune} v3 --model m", 1,
         "below the floor: round 3 of 3\n  false alarm: c: fail where the answer is abst"),
        (f"{tune} v4 --model n", 1, "below the floor: round 1 of 3\n  miss (links): b: pass where"),
        (f"{tune} v4 --model m", 2, spent),
        (f"{tune} v3 --model m", 1, "below the floor: round 3 of 3"),
        ("tune --cases other --verdicts v4 --model m", 1, "below the floor: round 1 of 3"),
        (f"{tune} v4 --model m --receipts log", 1, "below the floor: round 1 of 3"),
        (f"{tune} v2 --model m --receipts log --floor 1", 0, "clears the floor: round 2 of 3"),
        (f"{tune} v3 --model m --receipts log --floor 0.1", 1, "below the floor: round 3 of 3"),
    ]


TUNING_SHA = "c7cc3360c5cac22ea77a13a7b5ffd67bcc893dbb5b755b4f71a41b0c3fdabcb3"
SEALED_SHA = "4842edbbb1902aa40e0181b0c873cfacb38851580149f8ba75f79001274fb0c5"
M_SHA = "62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a"
HASHES = {
    "prompt": "ecde693842a989f46eb781bc51b5f9f393bdd974f5bfb989e0dd5c5a1d1541bc",
    "rubric": "5452e409874552738f517288088b54e30be00fbe7561b5897b68bcfbfdd6cc56",
    "sealed": SEALED_SHA,
    "model": M_SHA,
}


def _attempts() -> Planted:
    bound = "--cases cases --prompt prompt --rubric rubric"
    freeze, sealed = f"freeze {bound} --model m", f"sealed {bound} --verdicts verdicts --model m"
    same = {**RUBRIC, "threshold": 0.50, "calibration": {"sealed": 2.0}}
    other = {**RUBRIC, "id": "a-b@1"}
    asked = {**RUBRIC, "criteria": [{"id": "b", "question": "Is it?"}]}
    files = {**FILES, "same": same, "p2": b"Is it so?", "r2": other}
    files["r3"] = {**RUBRIC, "threshold": 0.6}
    files["wrong"] = [*RIGHT[:4], _verdict("e", "pass")]
    files["r4"] = asked
    files["c2"] = [*FILES["cases"], _key("f", "pass", split="sealed")]
    files["v2"] = [*RIGHT, _verdict("f", "pass")]
    files["v3"] = [{**_verdict("d", "abstain"), "criteria": [], "abstainReason": "judge:x"}]
    files["c3"] = [*TUNING, _key("f", "pass", split="sealed"), {**SEALED[1], "item": "g"}]
    files["v4"] = [_verdict("f", "pass"), _verdict("g", "fail")]
    me = "judge_calibration.py: "
    unfrozen = f"{me}changed since the last freeze: "
    another = f"{me}verdicts:1: a verdict of another rubric\n"
    again = (
        "calibrated: attempt 1, weakest figure 1.000 at floor 1\n  2 of these items were measured"
        " before, in another set\n            "
    )
    second = (
        f"{me}this model met these sealed cases before (attempt 1): a second look is no"
        " measurement; --again --why TEXT records one that calibrates nothing\n"
    )
    third = (
        "not calibrated: attempt 3, weakest figure 1.000 at floor 0.8\n  only a first attempt"
        " calibrates: nothing here is unseen any more\n            "
    )
    receipt = "4c81f3e9bbcfbc5a9a12681df401eedca8aaf43b124af8f02167c2a2eeb42e07"
    frozen = {"rubric": "self-test@10", "model": "m", "hashes": HASHES, "date": "TODAY", "cases": 2}
    told = "\n".join(f"  {name} {value}" for name, value in HASHES.items())
    record = {
        "gate": "judge-calibration", "kind": "calibration", "subcommand": "sealed", "sealed": 2,
        "agreement": 1, "floor": 0.8, "calibrated": True, "rubric": "self-test@10", "model": "m",
        "attempt": 1, "why": None, "date": "TODAY", "hashes": HASHES, "seen_before": 0,
        "files": {"prompt": "prompt", "rubric": "same", "cases": "cases"},
        "receipt": "8c108640e62b4ccc9e45c68deb4c2c58d45c29732581de28172e8d60bf1cfa56", "cases": 2,
    }
    yield files, [
        (sealed, 2, f"{me}[Errno 2] No such file or directory: 'calibration-receipts.jsonl'\n"),
        ("tune --cases cases --verdicts verdicts --model m", 0, "clears"),
        (sealed, 2, f"{me}nothing is frozen: run freeze before the judge meets the sealed cases\n"),
        (freeze, 0, f"frozen: receipt 8c108640e62b, 2 sealed cases, floor 0.8\n{told}\n"),
        (f"{freeze} --json --floor 0.75 --receipts log", 0, {**frozen, "receipt": receipt}),
        ("last log", 0, {**frozen, "event": "freeze", "receipt": receipt, "floor": 0.75}),
        (sealed.replace("cases cases", "cases c2").replace("verdicts verdicts", "verdicts v2"), 2,
         f"{unfrozen}sealed; freeze again, then measure\n"),
        (sealed.replace("prompt prompt", "prompt p2").replace("--model m", "--model n"), 2,
         f"{unfrozen}prompt, model; freeze again, then measure\n"),
        (sealed.replace("rubric rubric", "rubric r2"), 2, another),
        (sealed.replace("rubric rubric", "rubric r3"), 2, another),
        (sealed.replace("rubric rubric", "rubric r4"), 2, another),
        (f"{sealed} --why x", 2, f"{me}--again goes with --why\n"),
        (f"{sealed} --again", 2, f"{me}--again goes with --why\n"),
        (f"{sealed} --record prompt", 2,
         f"{me}prompt: already there; a record is never overwritten\n"),
        (f"{sealed} --record record".replace("rubric rubric", "rubric same"), 0,
         "calibrated: attempt 1, weakest figure 1.000 at floor 0.8\n                 "),
        ("cat record", 0, record),
        ("last calibration-receipts.jsonl", 0, {
            **{key: record[key] for key in list(record)[3:]}, "event": "sealed",
            "items": ["d", "e"]}),
        (sealed, 2, second),
        (f"{sealed} --again --why typo --json".replace("verdicts verdicts", "verdicts wrong"), 1,
         {"sealed": 0, "agreement": 0, "calibrated": False, "attempt": 2, "why": "typo",
          "seen_before": 2, "weakest_figure": "recall of fail", "floor": 0.8}),
        (f"{sealed} --again --why typo", 1, third),
        (f"{freeze} --floor 0.1", 0, "frozen: receipt "),
        (sealed, 2, f"{me}this model met these sealed cases before (attempt 3): "),
        (freeze.replace("--model m", "--model n"), 0, "frozen: receipt "),
        (freeze.replace("cases cases", "cases c2"), 0, "frozen: receipt "),
        (f"{freeze} --floor 1".replace("cases cases", "cases c2"), 0, "frozen: receipt "),
        (sealed.replace("cases cases", "cases c2").replace("verdicts verdicts", "verdicts v2"), 0,
         again),
        (f"{freeze}".replace("cases cases", "cases c3"), 0, "frozen: receipt "),
        (sealed.replace("cases cases", "cases c3").replace("prompt prompt", "prompt p2")
         .replace("verdicts verdicts", "verdicts v4"), 2,
         f"{unfrozen}prompt; freeze again, then measure\n"),
        (sealed.replace("cases cases", "cases c3").replace("verdicts verdicts", "verdicts v4"), 0,
         "...floor 0.8\n  1 of these items were measured before, in another set\n"[:-1]),
        (f"{sealed} --again --why typo".replace("verdicts verdicts", "verdicts wrong"), 1,
         "...  family links            0 of 1    0.000  (0.000 to 0.975)\n"),
        (freeze.replace("--model m", "--model \udcff"), 0,
         "  model a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89"),
        (sealed.replace("--model m", "--model n").replace("verdicts verdicts", "verdicts v3"), 1,
         "not calibrated: attempt 1, weakest figure 0.000 at floor 0.8\n                   "),
        (f"{freeze} --receipts /", 2, f"{me}[Errno 21] Is a directory: '/'\n"),
        (f"{freeze} --receipts new < windows", 2,
         f"{me}new: cannot be locked here: this system has no fcntl\n"),
        (f"{sealed} --record no/record --receipts log", 2,
         f"{me}[Errno 2] No such file or directory: 'no/record'\n"),
    ]
    two = {**RUBRIC, "criteria": [*RUBRIC["criteria"], {"id": "b", "question": "Is it?"}]}
    both: list[Any] = [_verdict(case["item"], case["expected"]) for case in SEALED]
    for verdict in both:
        verdict["criteria"].append({**verdict["criteria"][0], "id": "b"})
    yield {**FILES, "rubric": two, "verdicts": both}, [
        (freeze, 0, "frozen: receipt "), (sealed, 0, "calibrated: attempt 1"),
    ]
    torn = b'{"event": "x", "hashes": {}}'
    event = {"event": "declare", "hashes": {"rule": A_RULE}, "date": "TODAY"}
    yield {"log": torn, "rule": {"alpha": 0.5, "margin": 0}}, [
        ("declare --rule rule --receipts log", 0, f"declared: rule {A_RULE[:12]}\n"),
        ("cat log", 0, f"{torn.decode()}\n{json.dumps(event)}\n"),
    ]


BIG = 9007199254740993  # no double: it is read as the one below it
PAIRED_RULE = "a954b855d75c03bf91e08a0e6b62c17ac928e08b9b2a9928bdb6dbd5a0801c65"
A_RULE = "29c23e60bfc9d4177e545a5b4c8bc33af98c4a339afe920d54e8a95776a0bab0"


def _labels() -> Planted:
    def row(item: int, judge: str, label: str, **more: Any) -> dict[str, Any]:
        facts = {"item": f"i{item}", "category": "c", "judge": judge, "label": label}
        return {**facts, "label_source": "human", **more}

    half = [row(i, "pass" if i % 2 else "fail", "pass" if i % 2 else "fail") for i in range(30)]
    other = [{**entry, "category": "d"} for entry in half]
    facts = {
        "n": 30, "agreed": 30, "kappa": 1, "lower": 0.7685933835559999, "reason": None,
        "e_value": 4770.556006705693, "left_out": {"model": 0, "tuning": 0},
    }
    whole = {
        "status": "clears the bar", "bar": 0.6, "floor": 0.7, "minimum": 30,
        "categories": {"c": facts},
    }
    mixed = [*half[:26], *(row(i, "pass", "fail") for i in range(26, 30))]
    left = [row(1, "a", "b", label_source="model"), row(1, "a", "b", label_source="tuning")]
    alike = [row(i, "pass", "pass") for i in range(30)]
    good = "c: kappa 1.000, at least 0.768 (approximate); agreed 30 of 30, e-value 130.160\n"
    poor = "c: kappa 0.737, at least 0.396 (approximate); agreed 26 of 30, e-value "
    few = "INSUFFICIENT LABELS (n=3); agreed 3 of 3, e-value 1.441\n"
    note = "  left out, not a person's label of an unseen item: 1 ({})\n"
    notes = note.format("model") + note.format("tuning")
    kappa_, bad = "kappa --labels labels", "judge_calibration.py: labels:"
    for labels, code, told in [
        (half, 0, f"clears the bar\n{good}"),
        (mixed, 1, f"below the bar\n{poor}"),
        (half[:29], 2,
         "undecided\nc: INSUFFICIENT LABELS (n=29); agreed 29 of 29, e-value 107.572"),
        ([*half, *left, *other[:3]], 2, f"undecided\n{good}{notes}d: {few}"),
        ([*other, *half], 0, f"clears the bar\n{good}d{good[1:]}"),
        ([*mixed, *other[:3]], 1, f"below the bar\n{poor}"),
        (alike, 2, "undecided\nc: both raters gave every item the same label; agreed 30 of 30, e"),
        ([row(1, " ", "a")], 2, f"{bad}1: judge: not a non-blank string\n"),
        ([row(1, "a", "")], 2, f"{bad}1: label: not a non-blank string\n"),
        ([row(1, "a", "a", label_source="me")], 2,
         f"{bad}1: label_source: not human, model, tuning\n"),
        ([row(1, "a", "a", label_source=1)], 2, f"{bad}1: label_source: not a non-blank string\n"),
        (half[:1] * 2, 2, f"{bad}2: item 'i0': labelled twice\n"),
        ([{"item": "a"}], 2, f"{bad}1: category: not a non-blank string\n"),
        ([{"category": "c"}], 2, f"{bad}1: item: not a non-blank string\n"),
    ]:
        yield {"labels": labels}, [(kappa_, code, told)]
    yield {"labels": [*other[:3], *mixed]}, [
        (kappa_, 1, "below the bar\nc: kappa "),
        (f"{kappa_} --json", 1, {"categories": {
            "c": {**facts, "agreed": 26, "kappa": 0.7379912663755459,
                  "lower": 0.3962958182349345, "e_value": 0.9386982192927817},
            "d": {**facts, "n": 3, "agreed": 3, "kappa": None, "lower": None,
                  "reason": "INSUFFICIENT LABELS (n=3)", "e_value": 1.4414062499999987}}}),
    ]
    yield {"labels": [*half, *({**entry, "category": "d"} for entry in mixed)]}, [
        (kappa_, 1, "below the bar\nc: kappa "),
    ]
    yield {"labels": half}, [
        (f"{kappa_} --json --floor 0.7", 0, whole),
        (f"{kappa_} --bar 0.7685933835559999", 0, "clears the bar"),
        (f"{kappa_} --bar 0.768593383556", 1, "below the bar"),
        ("kappa --labels labels --floor 1", 2,
         "judge_calibration.py: --floor: 1 leaves nothing above it\n"),
    ]
    wrong = "judge_calibration.py: --agreed, --of: not 0 <= agreed <= of <= 1000000\n"
    evidence = {"status": "not enough yet", "agreed": 10, "of": 10, "floor": 0.8}
    yield {}, [
        ("e-value --agreed 10 --of 10", 2,
         "not enough yet: e-value 3.869 for 10 of 10 against 0.8\n"),
        ("e-value --agreed 10 --of 10 --json", 2,
         {**evidence, "e_value": 3.869648066433999, "enough_at": 20}),
        ("e-value --agreed 22 --of 22", 0, "enough: e-value 29.288 for 22 of 22 against 0.8\n"),
        ("e-value --agreed 3 --of 5 --floor 0.5", 2,
         "not enough yet: e-value 0.700 for 3 of 5 against 0.5\n"),
        ("e-value --agreed 0 --of 0", 2, "not enough yet: e-value 1.000 for 0 of 0 against 0.8\n"),
        ("e-value --agreed 500 --of 500", 0,
         "enough: e-value 1000000000.000 for 500 of 500 against 0.8\n"),
        ("e-value --agreed 0 --of 1000000", 2,
         "not enough yet: e-value 0.000 for 0 of 1000000 against 0.8\n"),
        *((f"e-value --agreed {k} --of {n}", 2, wrong) for k, n in ((-1, 5), (6, 5), (0, 1000001))),
    ]


def _arm(outcomes: str, cost: Any = 3) -> list[dict[str, Any]]:
    """Return what a judge answered about a to h, repeats and all, by the first letters."""
    return [
        {"verdict": _verdict(name, WORDS[letter]), "output": cost}
        for name, letters in zip("abcdefgh", outcomes.split(), strict=False)
        for letter in letters
    ]


PAIRED: dict[str, Any] = {
    "cases": [_key(name, "fail" if name == "a" else "pass") for name in "abcdefgh"],
    "base": _arm("f f f a pf p p f"),
    "rule": {"alpha": 0.5, "margin": 0.25, "max_cost_ratio": 2},
}


def _arms() -> Planted:
    paired = "paired --cases cases --baseline base --candidate new --rule rule"
    undeclared = "undecided: the rule was not declared before"
    lost = [{"item": item, "right": "candidate"} for item in "bcd"]
    yield {**PAIRED, "new": _arm("p p p p p p p f")}, [
        (f"{paired} --json", 2, {"p": 0.625, "p_reason": None, "discordant": [
            {"item": "a", "right": "baseline"}, *lost]}),
    ]
    yield {**PAIRED, "new": _arm("f f f a p p p f")}, [
        (f"{paired} --json", 2, {
            "p": None, "p_reason": "no item tells the arms apart", "discordant": []}),
    ]
    odd = {"base": _arm("f p f f f f p p", BIG), "new": _arm("p f p p p p p p", BIG)}
    earlier = {"event": "declare", "hashes": {"rule": PAIRED_RULE}, "date": "1999-01-02"}
    yield {**PAIRED, **odd, "log": [earlier], "other": [
        {**earlier, "hashes": {"rule": A_RULE}}]}, [
        ("declare --rule rule --receipts log", 0, "declared: rule "),
        (f"{paired} --receipts log --json", 1, {
            "p": 0.6875, "declared": "1999-01-02", "output": {"baseline": 8 * (BIG - 1),
                                                             "candidate": 8 * (BIG - 1)}}),
        (f"{paired} --receipts other", 2, undeclared),
    ]


def _pairs() -> Planted:
    cases, rule = PAIRED["cases"], PAIRED["rule"]

    base, declared = PAIRED["base"], ("declare --rule rule", 0, "declared: rule ")
    paired = "paired --cases cases --baseline base --candidate new --rule rule"
    better = "f ppf p p p p p"
    table = "both right {}, only the baseline {}, only the candidate {}, neither {}, tied {}\n"
    three, same = table.format(3, 0, 3, 1, 1), "keep: no item tells the arms apart"
    margin = "  margin 0.428, p 0.250 (McNemar, exact), output 1.000 times the baseline's\n"
    adopt = "adopt: the candidate is better, as the rule asked"
    chance = "keep: chance may explain the difference"
    mixed = f"{chance}\n  {table.format(2, 1, 3, 1, 1)}  margin 0.285, p 0.625 (McNemar"
    even = f"{chance}\n  {table.format(2, 1, 1, 3, 1)}  margin 0.000, p 1.000 (McNemar"
    alike = f"{same}\n  {table.format(3, 0, 0, 4, 1)}  margin 0.000, no item tells the arms apart"
    tied = f"undecided: every item is a tie\n  {table.format(0, 0, 0, 0, 8)}  margin unknown, "
    tries: list[tuple[str, dict[str, Any], int, str]] = [
        (better, {}, 0, f"{adopt}\n  {three}{margin}"),
        (better, {"alpha": 0.25, "margin": 3 / 7, "max_cost_ratio": 1}, 0, adopt),
        (better, {"alpha": 0.24}, 1, chance),
        (better, {"margin": 0.43}, 1, "keep: the margin is below the rule's"),
        (better, {"max_cost_ratio": 0.99}, 1,
         "keep: the candidate costs more than the rule allows"),
        (better, {"max_cost_ratio": None}, 0, adopt),
        ("p p p p p p p f", {"max_cost_ratio": None}, 1, mixed),
        ("p p p a p p p f", {}, 1, f"{chance}\n  {table.format(2, 1, 2, 2, 1)}  margin"),
        ("p p f a p p p f", {"alpha": 0.9}, 1, even),
        ("f f f a p p p f", {}, 1, alike),
        ("pf pf pf pf pf pf pf pf", {}, 2, tied),
    ]
    for new, change, code, told in tries:
        files = {"cases": cases, "base": base, "new": _arm(new), "rule": {**rule, **change}}
        yield files, [declared, (paired, code, told)]
    errata: Any = [{"item": "a", "kind": "key", "expected": "pass", "why": "misread"},
              {"item": "b", "kind": "instrument", "why": "cut off", "more": 1}]
    more: Any = {"cases": cases, "base": base, "new": _arm(better), "rule": rule, "errata": errata}
    more["more"] = [*errata, {**errata[0], "item": "h", "expected": "fail"}]
    more["more"].append({**errata[1], "item": "d"})
    second = {key: errata[1].get(key) for key in ("item", "kind", "expected", "why")}
    corrected = {
        "items": 6, "ties": 1, "both_right": 2, "baseline_only": 0, "candidate_only": 2,
        "both_wrong": 2, "discordant": [{"item": item, "right": "candidate"} for item in "cd"],
        "margin": 1 / 3, "p": 0.5, "p_reason": None, "output": {"baseline": 24, "candidate": 18},
        "cost_ratio": 0.75, "cost_reason": None,
    }
    beside = f"beside it, with 2 errata:\n  {table.format(2, 0, 2, 2, 1)}  margin 0.333, p 0.500"
    undeclared = "undecided: the rule was not declared before"
    facts: Any = {
        "decision": "undecided", "reason": "the rule was not declared before", "rule": rule,
        "rule_sha256": PAIRED_RULE, "declared": None, "items": 7, "ties": 1, "both_right": 3,
        "baseline_only": 0, "candidate_only": 3, "both_wrong": 1, "margin": 3 / 7, "p": 0.25,
        "discordant": [{"item": item, "right": "candidate"} for item in "bcd"], "p_reason": None,
        "output": {"baseline": 27, "candidate": 27}, "cost_ratio": 1, "cost_reason": None,
        "errata": [errata[0], second], "corrected": corrected,
    }
    yield more, [
        (paired, 2, f"{undeclared}\n  {three}{margin}"),
        (f"{paired} --json", 2, {**facts, "errata": [], "corrected": None}),
        (f"{paired} --json --errata errata", 2, facts),
        ("declare --rule rule --receipts log --json", 0,
         {"rule_sha256": PAIRED_RULE, "date": "TODAY"}),
        (paired, 2, undeclared),
        (f"{paired} --receipts log --json", 0, {"decision": "adopt", "declared": "TODAY"}),
        (f"{paired} --receipts log --errata more --json", 0, {"corrected": {
            **corrected, "items": 5, "baseline_only": 1, "candidate_only": 1, "both_wrong": 1,
            "discordant": [{"item": "c", "right": "candidate"}, {"item": "h", "right": "baseline"}],
            "margin": 0, "p": 1,
            "output": {"baseline": 21, "candidate": 15}, "cost_ratio": 15 / 21}}),
        (f"{paired} --receipts log --errata errata", 0,
         f"{adopt}\n  {three}{margin}{beside}"),
        ("declare --rule errata --receipts log", 2,
         "judge_calibration.py: errata: not JSON: Extra data"),
        (f"{paired.replace('rule rule', 'rule cases')} --receipts log", 2,
         "judge_calibration.py: cases: "),
    ]
    unknown = "output unknown times the baseline's\n"
    unpriced = "a verdict that does not say its output, or a baseline that has none"
    for old, cost in ((None, 1), (0, 1), (1, None)):
        arms = {"base": _arm("f", old), "new": _arm("f p p p p p p f", cost)}
        yield {"cases": cases, **arms, "rule": rule}, [
            declared,
            (paired, 2, "undecided: the rule asks for the cost, and that is not known"),
            (f"{paired} --json", 2, {"cost_ratio": None, "cost_reason": unpriced}),
        ]
        yield {"cases": cases, **arms, "rule": {**rule, "max_cost_ratio": None}}, [
            declared, (paired, 0, f"...p 0.032 (McNemar, exact), {unknown}")
        ]
    yield {**FILES, "base": RIGHT, "new": RIGHT, "rule": {"alpha": 0.1, "margin": 0}}, [
        declared,
        (paired, 1, "keep: no item tells the arms apart\n  both right 3"),
    ]
    alpha, margin = "alpha: not above 0 and below 1", "margin: not from 0 to 1"
    ratio = "max_cost_ratio: not null or above 0"
    values: list[tuple[str, Any, str]] = [("alpha", value, alpha) for value in (0, 1, "x")]
    values += [("margin", -0.1, margin), ("margin", 1.1, margin)]
    values += [("max_cost_ratio", value, ratio) for value in (0, True, "1")]
    for key, value, text in values:
        told = f"judge_calibration.py: rule: {text}\n"
        yield {"rule": {**rule, key: value}}, [("declare --rule rule", 3, told)]
    yield {"rule": b"[]"}, [("declare --rule rule", 3,
     "judge_calibration.py: rule: not an object\n")]
    for key, value, text in [
        ("item", "x", "no such case"),
        ("kind", "x", "not key or instrument"),
        ("why", " ", "not a non-blank string"),
        ("expected", None, "not pass, fail or abstain"),
    ]:
        told = f"judge_calibration.py: errata:1: {key}: {text}\n"
        rows = [{**errata[0], key: value}]
        yield {**more, "errata": rows}, [(f"{paired} --errata errata", 2, told)]


def _flags() -> Planted:
    need, see = "the following arguments are required:", "(see --help)\n"
    paired = "judge_calibration.py paired: "
    yield {}, [
        ("", 2, f"judge_calibration.py: no command {see}"),
        ("--version", 0, "judge_calibration.py 0.2.0\n"),
        ("--self-test --version", 0, "judge_calibration.py 0.2.0\n"),
        ("--selftest --version", 0, "judge_calibration.py 0.2.0\n"),
        ("score --help", 0, "\nIs a judge to be trusted? "),
        ("split", 2, f"judge_calibration.py split: {need} --cases {see}"),
        ("score", 2, f"judge_calibration.py score: {need} --cases, --verdicts {see}"),
        ("tune", 2, f"judge_calibration.py tune: {need} --cases, --verdicts, --model {see}"),
        ("freeze", 2,
         f"judge_calibration.py freeze: {need} --cases, --prompt, --rubric, --model {see}"),
        ("sealed", 2, f"...sealed: {need} --cases, --verdicts, --prompt, --rubric, --model {see}"),
        ("kappa", 2, f"judge_calibration.py kappa: {need} --labels {see}"),
        ("e-value", 2, f"judge_calibration.py e-value: {need} --agreed, --of {see}"),
        ("declare", 2, f"judge_calibration.py declare: {need} --rule {see}"),
        ("paired", 2, f"{paired}{need} --cases, --baseline, --candidate, --rule {see}"),
        ("score --floor 0", 2, f"...argument --floor: not above 0 and at most 1 {see}"),
        ("score --floor 1.1", 2, f"...argument --floor: not above 0 and at most 1 {see}"),
        ("score --family-floor nan", 2,
         f"...argument --family-floor: not above 0 and at most 1 {see}"),
        ("kappa --bar 0", 2, f"...argument --bar: not above 0 and at most 1 {see}"),
        ("kappa --bar x", 2, f"...argument --bar: invalid share value: 'x' {see}"),
        ("e-value --agreed 1.5", 2, f"...argument --agreed: invalid int value: '1.5' {see}"),
        ("e-value --of 1.5", 2, f"...argument --of: invalid int value: '1.5' {see}"),
        ("tune --model ' '", 2, f"...argument --model: blank {see}"),
        ("sealed --why ''", 2, f"...argument --why: blank {see}"),
        ("score --cases c --verdict v", 2, f"...{need} --verdicts {see}"),
    ]


# fmt: on
if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
