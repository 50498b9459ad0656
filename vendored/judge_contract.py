# judge-contract: judge_contract.py 0.2.0
r"""The verdict contract: a judge reports evidence, this code decides.

    judge_contract.py decide --rubric RUBRIC [--item ITEM] REPORT     what a judge returned
    judge_contract.py run --rubric RUBRIC --item ITEM --check ID=COMMAND ...     commands first
    judge_contract.py validate [--rubric RUBRIC] VERDICT     was it decided by this rule?
    judge_contract.py spot-check [-k 3] VERDICTS     some of them for a person to look at
    judge_contract.py check-rubric RUBRIC

Each reads JSON from a file or from standard input (-) and prints one JSON document. Exit 0: pass,
valid. 1: fail, invalid. 2: abstain, or input or flags that cannot be used; never a pass. 3: a
rubric that is JSON and breaks the rule. In code: decide(report, rubric, item="the item's id").
The JavaScript twin is verdict.inline.js: the same steps, names and answers.
"""

from __future__ import annotations

import argparse
import contextlib
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
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write("judge_contract.py: needs Python 3.11 or later, this is %d.%d\n" % sys.version_info[:2])
    sys.exit(2)

# --- the same lines in every judge-contract script: reading JSON strictly ---
LIMIT = 16 * 1024 * 1024  # bytes; more is refused before it is parsed
DEPTH = 100  # levels of nesting; more is refused


class Unusable(Exception):  # noqa: N818 - it names the state of the input, not a fault of the code
    """Input that cannot be used: one line on stderr, and never a go."""


def read_json(path: str) -> Any:
    """Return the one JSON value in the file at `path` (`-`: standard input), read strictly.

    UTF-8 without a byte order mark, no duplicate keys, no NaN or Infinity, at most LIMIT bytes
    and DEPTH levels. Integers too long to be exact as doubles become doubles. Raises Unusable.
    """
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            data = sys.stdin.buffer.read(LIMIT + 1)
        elif not stat.S_ISREG(os.stat(path).st_mode):
            raise Unusable(f"{name}: not a regular file (use - for standard input)")
        else:
            with open(path, "rb") as file:
                data = file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        raise Unusable(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > LIMIT:
        raise Unusable(f"{name}: more than {LIMIT} bytes")
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


def _children(node: Any) -> Iterable[Any]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"duplicate key {ascii(twice)}")
    return value


def _integer(text: str) -> float:
    return int(text) if len(text) < 16 else float(text)  # noqa: PLR2004 - 15 digits are exact


def _refuse(literal: str) -> Any:
    raise ValueError(f"{literal} is not JSON")


# --- end of the same lines ---


class RubricError(ValueError):
    """A rubric, or another argument of decide(), that its author must mend."""


# Blank code points are listed, since strip(), \s and their kin differ between languages.
NOT_BLANK = re.compile(
    r"[^\u0009-\u000d\u001c-\u0020\u0085\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]"
)


def is_text(value: Any) -> bool:
    """Tell whether the value is a string with something in it that is not blank."""
    return isinstance(value, str) and NOT_BLANK.search(value) is not None


def number(value: Any) -> float:
    """Return the value as a double; NaN where it is no number, which a boolean is not."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value) + 0.0  # -0.0 + 0.0 is 0.0
    except OverflowError:
        return math.inf


def is_share(value: Any) -> bool:
    """Tell whether the value is a number from 0 to 1."""
    return 0 <= number(value) <= 1


def is_bar(value: Any) -> bool:
    """Tell whether the value is a number above 0 and at most 1."""
    return is_share(value) and value > 0


def demand(holds: object, message: str) -> None:
    """Raise RubricError unless it holds."""
    if not holds:
        raise RubricError(message)


def check_rubric(rubric: Any) -> None:
    """Raise RubricError at the first thing wrong: its author's bug, never an abstain."""
    demand(isinstance(rubric, dict), "rubric: not an object")
    name = rubric.get("id")
    demand(is_text(name) and re.fullmatch("[a-z0-9]+(-[a-z0-9]+)+@[1-9][0-9]*", name), "rubric.id: not of the form <plugin>-<name>@<number>")
    demand(is_bar(rubric.get("threshold")), "rubric.threshold: not a number above 0 and at most 1")
    asked = rubric.get("criteria")
    demand(isinstance(asked, list) and asked, "rubric.criteria: not a list of at least one criterion")
    ids: set[str] = set()
    for i, criterion in enumerate(asked):
        demand(isinstance(criterion, dict), f"rubric.criteria[{i}]: not an object")
        id_ = criterion.get("id")
        demand(is_text(id_) and "," not in id_, f"rubric.criteria[{i}].id: not a non-blank string without a comma")
        demand(id_ not in ids, f"rubric.criteria[{i}].id: the same as an earlier one")
        demand(is_text(criterion.get("question")), f"rubric.criteria[{i}].question: not a non-blank string")
        ids.add(id_)
    if "calibration" in rubric:
        calibration = rubric["calibration"]
        demand(isinstance(calibration, dict), "rubric.calibration: not an object")
        sealed = number(calibration.get("sealed"))
        demand(sealed.is_integer() and sealed >= 0, "rubric.calibration.sealed: not an integer of at least 0")
        demand(is_share(calibration.get("agreement")), "rubric.calibration.agreement: not a number from 0 to 1")
        demand(is_bar(calibration.get("floor")), "rubric.calibration.floor: not a number above 0 and at most 1")


def is_calibrated(rubric: Any) -> bool:
    """Tell whether the judge agreed with enough sealed answers. Raises RubricError."""
    check_rubric(rubric)
    if "calibration" not in rubric:
        return False
    calibration = rubric["calibration"]
    return calibration["sealed"] > 0 and calibration["agreement"] >= calibration["floor"]


def decide(  # noqa: PLR0911 - the rows of the table, each a return
    report: Any, rubric: Any, *, item: str | None = None, decided_by: str = "judge"
) -> dict[str, Any]:
    """Return the verdict (ten keys) on what a judge returned; the first row that applies decides.

    `report` may be anything at all; `item` is the item that was asked about, where the caller
    knows it. Raises RubricError for a broken rubric, item or decided_by.
    """
    calibrated = is_calibrated(rubric)
    demand(decided_by in ("judge", "command"), "decidedBy: neither judge nor command")
    demand(item is None or is_text(item), "item: not a non-blank string")
    threshold = number(rubric["threshold"])

    def verdict(outcome: str, score: float, reason: str | None, criteria: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "item": item,
            "rubric": rubric["id"],
            "decidedBy": decided_by,
            "criteria": criteria,
            "abstain": outcome == "abstain",
            "abstainReason": reason,
            "threshold": threshold,
            "score": score,
            "outcome": outcome,
            "calibrated": calibrated,
        }

    def abstain(reason: str, criteria: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        return verdict("abstain", 0.0, reason, criteria or [])

    # Rows 1 to 6: the report as a whole. Rows 9 to 11: what its criteria come to.
    if not isinstance(report, dict):
        return abstain("verdict-missing")
    named = report.get("item")
    if not is_text(named):
        return abstain("missing-item")
    item = named if item is None else item
    if named != item:
        return abstain("item-mismatch")
    abstains = report.get("abstain")
    if not isinstance(abstains, bool):
        return abstain("malformed:abstain")
    if abstains:
        why = report.get("abstainReason")
        return abstain(f"judge:{why}" if is_text(why) else "judge:unstated")
    reported = report.get("criteria")
    if not isinstance(reported, list):
        return abstain("malformed:criteria")
    ids = [criterion["id"] for criterion in rubric["criteria"]]
    found: dict[str, dict[str, Any]] = {}
    fault = read_criteria(reported, ids, found)
    if fault is not None:
        return abstain(fault)
    criteria = [found[id_] for id_ in ids]
    undecided = [criterion["id"] for criterion in criteria if criterion["score"] is None]
    lowest = min(1.0 if criterion["score"] is None else criterion["score"] for criterion in criteria)
    if lowest < threshold or any(criterion["pass"] is False for criterion in criteria):
        return verdict("fail", lowest, None, criteria)
    if undecided:
        return abstain("undecidable:" + ",".join(undecided), criteria)
    return verdict("pass", lowest, None, criteria)


def read_criteria(reported: list[Any], ids: list[str], found: dict[str, dict[str, Any]]) -> str | None:
    """Rows 7 and 8: put each well-reported criterion into `found`; return the first fault."""
    for i, criterion in enumerate(reported):
        id_ = criterion.get("id") if isinstance(criterion, dict) else None
        if not isinstance(id_, str):
            return f"malformed-criterion:{i}"
        if id_ in found:
            return f"duplicate-criterion:{id_}"
        if id_ not in ids:
            return f"unknown-criterion:{id_}"
        score, passed = criterion.get("score", ...), criterion.get("pass", ...)  # ...: not there
        undecidable = score is None and passed is None
        if not undecidable and not is_share(score):
            return f"bad-score:{id_}"
        if not undecidable and not isinstance(passed, bool):
            return f"bad-pass:{id_}"
        evidence = criterion.get("evidence")
        if not is_text(evidence):
            return f"bad-evidence:{id_}"
        found[id_] = {"id": id_, "score": None if undecidable else number(score), "pass": passed, "evidence": evidence}
    missing = next((id_ for id_ in ids if id_ not in found), None)
    return None if missing is None else f"missing-criterion:{missing}"
