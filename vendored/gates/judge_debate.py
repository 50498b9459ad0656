# judge-contract: judge_debate.py 0.2.0
r"""A specification, three judges, up to three rounds of debate: has a consensus been reached?

    judge_debate.py start --artifact FILE... --task TEXT [--root DIR] [--date YYYY-MM-DD]
            [--base COMMIT] [--head COMMIT] [--models SLOT=ASKED:GOT...] [--json]
        give out the paths of the reports and of the state file, below DIR/audits/judge
    judge_debate.py spec --state FILE SPEC [--source FILE] [--json]
        check the meta-judge's specification, and freeze it; one retry
    judge_debate.py reply --state FILE --round R [--local N]... BLOCK BLOCK BLOCK [--json]
        take in one round: a reply block from each of the judges 1, 2 and 3; R is 0 to 3
    judge_debate.py report --state FILE [--pass-at X --fail-below Y] [--json]
        write the consensus report, from the reply blocks alone
    judge_debate.py --selftest | --version | --help

This script runs no judge and opens no judge's report. Consensus needs all three: overall scores at
most 0.5 apart, every criterion at most 1.0 apart, and "accept-consensus" from each. A slot of
--models is meta, 1, 2 or 3. --local N: judge N was run locally instead. --source: the file that is
hashed as the specification, when SPEC was made from it.

Exits:
  0  started, accepted, or a consensus
  1  no consensus after round 3
  2  Blocked, or unfinished
  4  another round, or another try, is needed
  2  input or flags that cannot be used: never a go
  130  interrupted
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import itertools
import json
import os
import re
import shlex
import stat
import sys
import tempfile
import time
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

NAME = "judge_debate.py"
VERSION = "0.2.0"

if sys.version_info < (3, 11):  # noqa: UP036 - a missing feature would exit 1, which means stop
    sys.stderr.write(
        "judge_debate.py: needs Python 3.11 or later, this is %d.%d\n"  # noqa: UP031 - any Python 3
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

JUDGES = (1, 2, 3)
SLOTS = ("meta", "1", "2", "3")
LAST = 3  # the last round; there is never a fourth
OVERALL_APART = Fraction("0.5")
CRITERION_APART = Fraction(1)
OFF_MEAN = Fraction("0.05")  # so that a mean that is rounded to one decimal stands
OFF_ONE = Fraction("0.001")
EXITS = {
    "Started": 0,
    "Accepted": 0,
    "Consensus": 0,
    "No Consensus": 1,
    "Blocked": 2,
    "Unfinished": 2,
    "Retry": 4,
    "Another Round": 4,
}


# --- what is kept from one call to the next ---


def _lasting(path: str) -> str:
    """Return a path that is read again later. Raises Unusable for standard input."""
    if path == "-":
        raise Unusable("-: standard input keeps nothing (name a file)")
    return path


def digest(path: str) -> str:
    """Return the sha256 of a regular file's bytes. Raises Unusable."""
    return _record(path)["sha256"]


def _record(path: str) -> dict[str, str]:
    """Return what a file is now: as it was named, where, of when, and its hash."""
    try:
        with opened(_lasting(path)) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            modified = time.gmtime(os.fstat(file.fileno()).st_mtime)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise Unusable(f"{path}: cannot be read: {why}") from error
    return {
        "path": path,
        "at": os.path.abspath(path),
        "modified": time.strftime("%Y-%m-%dT%H:%M:%SZ", modified),
        "sha256": sha256,
    }


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def write(path: str, text: str) -> None:
    """Replace a file as a whole: a kill at any moment leaves the old one or the new one."""
    new = f"{path}.{os.getpid()}"
    try:
        Path(new).write_text(text, "utf-8")
        os.replace(new, path)
    except OSError as error:
        raise Unusable(f"{path}: cannot be written: {error.strerror}") from error


def save(path: str, state: dict[str, Any]) -> None:
    """Keep the state of a debate, with its hash, so that an edited one is seen."""
    kept = {"gate": "judge-debate", "sha256": _hash(state), "state": state}
    write(path, json.dumps(kept, indent=2) + "\n")


def read_state(path: str) -> dict[str, Any]:
    """Return the state of a debate. Raises Unusable for anything but what save() wrote."""
    kept = read_json(_lasting(path))
    state = kept.get("state") if isinstance(kept, dict) else None
    if not isinstance(state, dict) or kept.get("sha256") != _hash(state):
        raise Unusable(f"{path}: no state of this script, or changed by another hand")
    return state


# --- start ---


def start(args: argparse.Namespace) -> int:
    """Give out the paths of a new debate, and keep what it is about."""
    if not _is_text(args.task):
        raise Unusable("--task: blank")
    artifacts = [_record(path) for path in args.artifact]
    folder = os.path.join(args.root, "audits", "judge")
    try:
        os.makedirs(folder, exist_ok=True)
        path, names = _reserve(folder, args.date)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise Unusable(f"{folder}: cannot be written: {why}") from error
    state = {
        "task": _plain(args.task),
        "date": args.date,
        "base": args.base,
        "head": args.head,
        "artifacts": artifacts,
        "models": args.models,
        "names": names,
        "refused": False,
        "specification": None,
        "source": None,
        "rounds": [],
        "blocked": None,
    }
    save(path, state)
    taken = "names of that day are taken, so that these have a number"
    return _tell(args, path, state, "Started", None if path.endswith("state.json") else taken)


def _reserve(folder: str, date: str) -> tuple[str, list[str]]:
    """Return a state file that is now this run's, and the names of its four reports."""
    for n in itertools.count(1):
        suffix = f"-{n}" if n > 1 else ""
        parts = ("judge-1", "judge-2", "judge-3", "consensus")
        names = [f"{date} judge-with-debate {part}{suffix}.md" for part in parts]
        path = os.path.join(folder, f"{date} judge-with-debate state{suffix}.json")
        if not any(os.path.lexists(os.path.join(folder, name)) for name in names):
            with contextlib.suppress(FileExistsError), open(path, "xb"):
                return path, names
    raise AssertionError


# --- spec ---


def spec(args: argparse.Namespace) -> int:
    """Check a specification in three steps; the first that fails is named, and nothing else."""
    state = read_state(args.state)
    if state["blocked"]:
        return _tell(args, args.state, state, "Blocked")
    source = _record(args.spec if args.source is None else args.source)
    if state["source"]:
        if source["sha256"] == state["source"]["sha256"]:
            return _tell(args, args.state, state, "Accepted")
        return _block(args, state, "the specification was accepted before, and this is another one")
    try:
        document = read_json(args.spec)
        fault = _misshapen(document)
    except Unusable as error:
        fault = f"syntax: {error}"
    if fault is None:
        state |= {"specification": _frozen(document), "source": source}
        save(args.state, state)
        return _tell(args, args.state, state, "Accepted")
    if state["refused"]:
        return _block(args, state, f"the specification fails a second time: {fault}")
    state["refused"] = True
    save(args.state, state)
    return _tell(args, args.state, state, "Retry", fault)


def _misshapen(document: Any) -> str | None:
    """Return the first check that a specification fails, and where; None when it holds."""
    if not isinstance(document, dict):
        return "syntax: not an object"
    criteria = document.get("criteria")
    if not isinstance(criteria, list) or not criteria:
        return "weights: no list of criteria"
    weights = [_weight(criterion) for criterion in criteria]
    if None in weights:
        return f"weights: criteria[{weights.index(None)}] has no weight above 0 and at most 1"
    if abs(sum(weights) - 1) > OFF_ONE:
        return f"weights: their sum is {_shown(sum(weights))}, not 1"
    seen: set[str] = set()
    for i, criterion in enumerate(criteria):
        fault = _unlike(criterion)
        if fault is None and criterion["id"] in seen:
            fault = "id: the same as an earlier one"
        if fault is not None:
            return f"shape: criteria[{i}].{fault}"
        seen.add(criterion["id"])
    return None


def _weight(criterion: Any) -> Any:
    weight: Any = criterion.get("weight") if isinstance(criterion, dict) else None
    return Fraction(str(weight)) if type(weight) in (int, float) and 0 < weight <= 1 else None


def _unlike(criterion: dict[str, Any]) -> str | None:
    """Return what of a criterion is not in shape."""
    for key in ("id", "name"):
        if not _is_text(criterion.get(key)):
            return f"{key}: not a non-blank string"
    if criterion["id"] != _plain(criterion["id"]):
        return "id: not one plain line"
    scale, rubric = criterion.get("scale"), criterion.get("rubric")
    scale = [_score(scale.get(end)) for end in ("min", "max")] if isinstance(scale, dict) else []
    if scale != ["1", "5"]:
        return 'scale: not {"min": 1, "max": 5}'
    for anchor in ("1", "3", "5"):
        if not isinstance(rubric, dict) or not _is_text(rubric.get(anchor)):
            return f"rubric: no anchor for {anchor}"
    checklist = criterion.get("checklist")
    return None if isinstance(checklist, list) and checklist else "checklist: no entry"


def _frozen(document: dict[str, Any]) -> dict[str, Any]:
    """Return what the arithmetic needs of a specification: name and weight of each criterion."""
    return {
        criterion["id"]: {"name": _plain(criterion["name"]), "weight": str(_weight(criterion))}
        for criterion in document["criteria"]
    }


# --- reply ---


def reply(args: argparse.Namespace) -> int:
    """Take in one round of replies, and say whether there is a consensus."""
    state = read_state(args.state)
    if state["blocked"]:
        return _tell(args, args.state, state, "Blocked")
    if not state["source"]:
        raise Unusable(f"{args.state}: no specification has been accepted yet")
    blocks = [_block_of(path) for path in args.blocks]
    local = [judge for judge in JUDGES if judge in args.local]
    rounds = state["rounds"]
    changed = digest(state["source"]["at"]) != state["source"]["sha256"]
    sha256 = _hash([sorted(map(_hash, blocks)), local, args.round])
    if rounds and rounds[-1]["sha256"] == sha256 and not changed:  # said again after a kill
        return _tell(args, args.state, state, _standing(state))
    if _standing(state) in ("Consensus", "No Consensus"):
        raise Unusable(f"{args.state}: the debate is over: {_standing(state)}")
    state["blocked"] = (
        "the specification has changed since it was accepted"
        if changed
        else _misplaced(blocks, args.round, len(rounds), local)
    )
    if not state["blocked"]:
        blocks.sort(key=lambda block: int(block["judge"]))
        before = rounds[-1]["entries"] if rounds else [{"kept": None}] * len(JUDGES)
        pairs = zip(blocks, before, strict=True)
        entries = [_entry(one, old["kept"], state["specification"], local) for one, old in pairs]
        rounds.append({"sha256": sha256, "entries": entries})
        state["blocked"] = _hopeless(rounds)
    save(args.state, state)
    return _tell(args, args.state, state, _standing(state))


def _misplaced(blocks: list[dict[str, Any]], number: int, due: int, local: list[int]) -> str | None:
    """Return why these blocks are no round of this debate; None when they are."""
    if number != due:
        return f"round {number} came where round {due} is next"
    told = sorted([json.dumps([block.get("judge"), block.get("round")]) for block in blocks])
    if told != [f"[{judge}, {number}]" for judge in JUDGES]:
        wanted = f"round {number} needs one block of each of the judges 1, 2 and 3"
        return f"{wanted}; [judge, round] of these are {', '.join(told)}"
    missing = {block["judge"] for block in blocks if block.get("status") == "Blocked"}
    gone = sorted(missing.difference(local))
    return f"judge {gone[0]} is missing in round {number}" if gone else None


def _hopeless(rounds: list[dict[str, Any]]) -> str | None:
    """Return which judge was malformed in two rounds; None when none was."""
    for judge in JUDGES:
        if sum("malformed" in taken["entries"][judge - 1]["marks"] for taken in rounds) > 1:
            return f"judge {judge} was malformed in two rounds"
    return None


def _block_of(path: str) -> dict[str, Any]:
    block = read_json(path)
    if not isinstance(block, dict):
        raise Unusable(f"{path}: not an object")
    return block


def _entry(
    block: dict[str, Any], old: dict[str, Any] | None, criteria: dict[str, Any], local: list[int]
) -> dict[str, Any]:
    """Return what a reply comes to; `old` is what is kept of the judge's scores so far."""
    kept, marks = _scores(block, criteria), []
    changes: list[dict[str, Any]] = []
    accepts = kept is not None and block.get("agreement") == "accept-consensus"
    if kept is None:
        kept = old
        marks.append("malformed")
    elif old is not None:
        changes = _changes(block, old["criteria"], kept["criteria"])
        bare = {one["criterion"]: one["old"] for one in changes if one["evidence"] is None}
        if bare:
            scores = kept["criteria"] | bare
            kept = {"criteria": scores, "overall": str(_mean(scores, criteria))}
            accepts = False
            marks.append("unevidenced-revision: " + ", ".join(bare))
    if block.get("status") == "Partial":
        marks.append("partial")
    if block["judge"] in local:
        marks.append("local")
    lists = {}
    for key in ("strengths", "weaknesses"):
        texts = _texts(block.get(key))
        lists[key] = texts[:3]
        if len(texts) > 3:  # noqa: PLR2004 - as many as the page shows
            marks.append(f"{key} cut to 3")
    return {
        "kept": kept,
        "accepts": accepts,
        "marks": marks,
        "changes": changes,
        **lists,
        "risks_and_skips": _texts(block.get("risks_and_skips")),
        "next_step": _texts(block.get("next_step")),
    }


def _scores(block: dict[str, Any], criteria: dict[str, Any]) -> dict[str, Any] | None:
    """Return the scores as sent, exact; None when they are missing or malformed."""
    sent = block.get("scores")
    sent = sent if isinstance(sent, dict) else {}
    given = sent.get("criteria")
    if block.get("status") not in ("Complete", "Partial", "Blocked"):
        return None
    if not isinstance(given, dict) or given.keys() != criteria.keys():
        return None
    scores = {key: _score(given[key]) for key in criteria}
    overall = _score(sent.get("overall"))
    if overall is None or None in scores.values():
        return None
    if abs(Fraction(overall) - _mean(scores, criteria)) > OFF_MEAN:
        return None
    return {"criteria": scores, "overall": overall}


def _score(value: Any) -> str | None:
    """Return a number from 1 to 5 as the text of its exact fraction; else None."""
    return str(Fraction(str(value))) if type(value) in (int, float) and 1 <= value <= 5 else None  # noqa: PLR2004 - the scale


def _mean(scores: dict[str, Any], criteria: dict[str, Any]) -> Fraction:
    weights = {key: Fraction(criterion["weight"]) for key, criterion in criteria.items()}
    total = sum(weights.values(), Fraction(0))
    return sum((weights[key] * Fraction(scores[key]) for key in weights), Fraction(0)) / total


def _changes(block: dict[str, Any], old: Any, new: Any) -> list[dict[str, Any]]:
    """Return each changed score with the evidence that a revision quotes for it, else None."""
    revisions = block.get("revisions")
    changes = []
    for key in old:
        if new[key] != old[key]:
            change = {"criterion": key, "old": old[key], "new": new[key], "evidence": None}
            for revision in revisions if isinstance(revisions, list) else ():
                if _bears_out(revision, change):
                    change["evidence"] = _plain(revision["evidence"])
            changes.append(change)
    return changes


def _bears_out(revision: Any, change: dict[str, Any]) -> bool:
    return (
        isinstance(revision, dict)
        and revision.get("criterion") == change["criterion"]
        and _score(revision.get("old")) == change["old"]
        and _score(revision.get("new")) == change["new"]
        and _is_text(revision.get("evidence"))
    )


# --- where a debate stands ---


def _standing(state: dict[str, Any]) -> str:
    if state["blocked"]:
        return "Blocked"
    if not state["rounds"]:
        return "Unfinished"
    last = state["rounds"][-1]["entries"]
    if not _contested(state, last) and all(entry["accepts"] for entry in last):
        return "Consensus"
    return "No Consensus" if len(state["rounds"]) > LAST else "Another Round"


def _contested(state: dict[str, Any], entries: list[dict[str, Any]]) -> list[str]:
    """Return what the judges are too far apart on: criteria, then overall."""
    names = [*state["specification"], None]
    return [name or "overall" for name in names if _is_apart(entries, name)]


def _contesting(entries: list[dict[str, Any]]) -> list[int]:
    return [judge for judge, entry in enumerate(entries, 1) if not entry["accepts"]]


def _is_apart(entries: list[dict[str, Any]], name: str | None) -> bool:
    gap = _gap(_values(entries, name))
    return gap is None or gap > _limit(name)


def _limit(name: str | None) -> Fraction:
    return OVERALL_APART if name is None else CRITERION_APART


def _values(entries: list[dict[str, Any]], name: str | None) -> list[Fraction | None]:
    """Return the three scores of a criterion (None: overall); None for one that there is not."""
    kept = [entry["kept"] for entry in entries]
    return [
        None if one is None else Fraction(one["overall"] if name is None else one["criteria"][name])
        for one in kept
    ]


def _gap(values: list[Fraction | None]) -> Fraction | None:
    return None if None in values else _span(values)


def _block(args: argparse.Namespace, state: dict[str, Any], reason: str) -> int:
    """End a debate that cannot go on."""
    state["blocked"] = reason
    save(args.state, state)
    return _tell(args, args.state, state, "Blocked")


def _tell(
    args: argparse.Namespace,
    path: str,
    state: dict[str, Any],
    decision: str,
    reason: str | None = None,
) -> int:
    """Print the decision, for people or as one document; return its exit."""
    rounds, folder = state["rounds"], os.path.dirname(path)
    entries = rounds[-1]["entries"] if rounds else []
    reports = [os.path.join(folder, name) for name in state["names"]]
    gap = _gap(_values(entries, None))
    document = {
        "kind": "consensus",
        "gate": "judge-debate",
        "subcommand": args.subcommand,
        "decision": decision,
        "exit": EXITS[decision],
        "round": len(rounds) - 1 if rounds else None,
        "reason": reason or state["blocked"],
        "state": path,
        "reports": reports[:3],
        "consensus_report": reports[3],
        "specification_sha256": state["source"]["sha256"] if state["source"] else None,
        "overall_apart": None if gap is None else float(gap),
        "contested": _contested(state, entries) if entries else [],
        "contesting": _contesting(entries),
        "marks": [{"round": n, "judge": judge, "mark": mark} for n, judge, mark in _marks(state)],
        "diversity": _diversity(state["models"]),
        "recommendation": _recommendation(args, state),
    }
    lines = _summary(document)
    sys.stdout.writelines([json.dumps(document, indent=2) + "\n"] if args.json else lines)
    return EXITS[decision]


def _marks(state: dict[str, Any]) -> list[tuple[int, int, str]]:
    return [
        (n, judge, mark)
        for n, taken in enumerate(state["rounds"])
        for judge, entry in enumerate(taken["entries"], 1)
        for mark in entry["marks"]
    ]


def _summary(document: dict[str, Any]) -> list[str]:
    """Return the decision for people, a line each."""
    decision, reason, number = (document[key] for key in ("decision", "reason", "round"))
    lines = [decision + ("" if number is None else f" after round {number}")]
    lines[0] += f": {reason}" if reason else ""
    if document["subcommand"] == "start":
        lines += [f"state: {document['state']}"]
        lines += [f"judge {n}: {path}" for n, path in enumerate(document["reports"], 1)]
    if document["subcommand"] in ("start", "report"):
        lines += [f"consensus: {document['consensus_report']}", document["diversity"]]
    if document["contested"]:
        lines.append(f"too far apart: {', '.join(document['contested'])}")
    if document["contesting"]:
        lines.append(f"contested by: judge {', '.join(map(str, document['contesting']))}")
    lines += [f"round {m['round']}, judge {m['judge']}: {m['mark']}" for m in document["marks"]]
    return [_line(line) for line in [lines[0], *(f"  {line}" for line in lines[1:])]]


# --- report ---

MEANINGS = {
    "malformed": " (no usable scores: it contests, and its scores from before stand)",
    "unevidenced-revision": " (changed without evidence: it contests, and the old score stands)",
    "partial": " (it did only a part of its work)",
    "local": " (run locally instead)",
}
SCALE = """
Three judges score the target from 1 to 5 by one specification: each alone in round 0, then in at
most three rounds of debate, in which a score is changed on quoted evidence alone. A consensus is
when all three accept it, and their scores are at most 1 apart on each criterion and 0.5 overall."""


def report(args: argparse.Namespace) -> int:
    """Write the consensus report, from what was replied alone."""
    state = read_state(args.state)
    if (args.pass_at is None) != (args.fail_below is None):
        raise Unusable("--pass-at and --fail-below are given together, or neither")
    if args.pass_at is not None and args.pass_at < args.fail_below:
        raise Unusable("--fail-below is above --pass-at")
    standing = _standing(state)
    if standing in ("Another Round", "Unfinished"):
        return _tell(args, args.state, state, "Unfinished", "no report before the debate is over")
    path = os.path.join(os.path.dirname(args.state), state["names"][3])
    write(path, "\n".join(_lines(args, state, standing)) + "\n")
    return _tell(args, args.state, state, standing)


def _recommendation(args: argparse.Namespace, state: dict[str, Any]) -> str | None:
    """Return what is recommended of the artifacts; None while the debate goes on."""
    standing = _standing(state)
    if standing in ("Another Round", "Unfinished"):
        return None
    if standing != "Consensus":
        return "NO CONSENSUS \u2014 human review required"
    pass_at = getattr(args, "pass_at", None)
    if pass_at is None:
        return "left to a person (no thresholds were given)"
    overall = _average(_values(state["rounds"][-1]["entries"], None))
    if overall < pass_at:
        return "Fail" if overall < args.fail_below else "Needs Revision"
    return "Pass"


def _average(values: list[Fraction | None]) -> Fraction:
    return sum(filter(None, values), Fraction(0)) / len(JUDGES)


def _diversity(models: dict[str, list[str]]) -> str:
    """Return which model each slot asked for and got, a fallback first of all."""
    fallen = [slot for slot, (asked, got) in models.items() if asked != got]
    told = [
        f"{slot} asked for {models[slot][0]}, got {models[slot][1]}"
        if slot in fallen
        else f"{slot} {models[slot][1] if slot in models else 'not recorded'}"
        for slot in SLOTS
    ]
    if fallen:
        start = f"DIVERSITY DEGRADED in slot {', '.join(sorted(fallen))}"
    else:
        start = "Models as asked for" if len(models) == len(SLOTS) else "Diversity unknown"
    return f"{start}: {'; '.join(told)}"


def _lines(args: argparse.Namespace, state: dict[str, Any], standing: str) -> Iterable[str]:
    """Yield the lines of the report: what was decided, then by whom and on what."""
    last = state["rounds"][-1]["entries"] if state["rounds"] else []
    yield from [f"# Judge with debate: {standing.lower()}", ""]
    yield from [f"Final Recommendation: {_recommendation(args, state)}", ""]
    yield from [*_account(args, state, standing), SCALE]
    for title, lines in [
        ("Scores", _scored(state, last)),
        ("Rounds", _course(state)),
        ("Disagreements", _disagreements(state)),
        ("Strengths", _common("strengths", last)),
        ("Weaknesses", _common("weaknesses", last)),
        ("Risks and skips", _own("risks_and_skips", last)),
        ("Next steps", _own("next_step", last)),
        ("Judges", _judges(state)),
        ("Freshness", _freshness(state)),
        ("Verification", _checks(state)),
    ]:
        yield from ["", f"## {title}", "", *([*lines] or ["None."])]


def _account(args: argparse.Namespace, state: dict[str, Any], standing: str) -> Iterable[str]:
    """Yield what came of the debate, in short, and what a person has to do now."""
    last = state["rounds"][-1]["entries"] if state["rounds"] else []
    after = f" after round {len(state['rounds']) - 1} of at most {LAST}" if last else ""
    yield f"- Task: {state['task']}"
    yield f"- Target: {', '.join(_plain(one['path']) for one in state['artifacts'])}"
    if standing == "Consensus":
        mean = _shown(_average(_values(last, None)))
        yield f"- Outcome: consensus{after}; overall {mean} on average."
        yield f"- Thresholds: {_thresholds(args)}."
        yield "- Now: a person acts on the recommendation, the weaknesses and the next steps below."
    else:
        why = f": {_plain(state['blocked'])}" if state["blocked"] else ""
        yield f"- Outcome: {standing.lower()}{after}{why}."
        if last:
            yield f"- Too far apart at the end: {_gaps(state, last)}."
            yield f"- Not accepted at the end by: {_named(_contesting(last))}."
        yield "- Now: a person reads the judges' reports and decides; no score here is a verdict."
    yield f"- {_plain(_diversity(state['models']))}"
    marked: dict[tuple[int, str], list[str]] = {}
    for n, judge, mark in _marks(state):
        marked.setdefault((judge, mark), []).append(str(n))
    for (judge, mark), rounds in marked.items():
        meaning = MEANINGS.get(mark.split(":")[0], "")
        yield f"- J{judge}, round {', '.join(rounds)}: {mark}{meaning}"


def _thresholds(args: argparse.Namespace) -> str:
    if args.pass_at is None:
        return "none were given"
    ends = f"Pass from {_shown(args.pass_at)}, Fail below {_shown(args.fail_below)}"
    return f"{ends}, Needs Revision between"


def _named(judges: list[int]) -> str:
    return ", ".join(f"J{judge}" for judge in judges) or "nobody"


def _gaps(state: dict[str, Any], entries: list[dict[str, Any]]) -> str:
    """Return what the judges are too far apart on, and how far; or who has no scores."""
    missing = [judge for judge, entry in enumerate(entries, 1) if entry["kept"] is None]
    if missing:
        return f"not known without scores of {_named(missing)}"
    names = [*state["specification"], None]
    apart = [name for name in names if _is_apart(entries, name)]
    gaps = [f"{name or 'overall'} ({_shown(_gap(_values(entries, name)))})" for name in apart]
    return ", ".join(gaps) or "nothing"


def _scored(state: dict[str, Any], last: list[dict[str, Any]]) -> Iterable[str]:
    if last:
        yield from ["| Criterion | J1 | J2 | J3 | Mean | Apart |", "|---|---|---|---|---|---|"]
        for name, criterion in state["specification"].items():
            weight = _shown(Fraction(criterion["weight"]))
            yield _row(f"{criterion['name']} ({name}, weight {weight})", _values(last, name))
        yield _row("Overall", _values(last, None))


def _row(name: str, values: list[Fraction | None]) -> str:
    gap = _gap(values)
    mean = None if gap is None else _average(values)
    return f"| {' | '.join([name, *map(_shown, [*values, mean, gap])])} |"


def _shown(value: Fraction | None) -> str:
    """Return a score as people write it: exact, or else marked as rounded; `-` for none."""
    if value is None:
        return "-"
    text = f"{float(value):.12g}"
    return text if Fraction(text) == value else f"~{float(value):.3f}"


def _course(state: dict[str, Any]) -> Iterable[str]:
    """Yield the overall scores, round by round, and what kept the judges from a consensus."""
    if state["rounds"]:
        yield "| Round | J1 | J2 | J3 | Apart | Too far apart on | Not accepted by |"
        yield "|---|---|---|---|---|---|---|"
    for n, taken in enumerate(state["rounds"]):
        entries = taken["entries"]
        values = _values(entries, None)
        figures = " | ".join(map(_shown, [*values, _gap(values)]))
        yield f"| {n} | {figures} | {_gaps(state, entries)} | {_named(_contesting(entries))} |"


def _disagreements(state: dict[str, Any]) -> Iterable[str]:
    """Yield the history of all that the judges were ever too far apart on, or changed."""
    rounds = [taken["entries"] for taken in state["rounds"]]
    for name in [*(state["specification"] or ()), None]:
        values = [_values(entries, name) for entries in rounds]
        wide = [_span(three) > _limit(name) for three in values]
        changes = {
            (n, judge): change
            for n, entries in enumerate(rounds)
            for judge, entry in enumerate(entries, 1)
            for change in entry["changes"]
            if change["criterion"] == name
        }
        if True in wide:
            open_ = [_is_apart(entries, name) for entries in rounds]
            end = "never converged" if open_[-1] else f"resolved in round {_settled(open_)}"
            yield f"- {name or 'Overall'}: first too far apart in round {wide.index(True)}; {end}."
        elif changes:
            yield f"- {name}: never too far apart; a change in the debate."
        for n, three in enumerate(values if True in wide or changes else ()):
            gap = _gap(three)
            told = "a score is missing" if gap is None else f"{_shown(gap)} apart"
            yield f"  - Round {n}: {' / '.join(map(_shown, three))}, {told}"
            for judge in JUDGES:
                if (n, judge) in changes:
                    yield f"    - J{judge} {_told(changes[n, judge])}"


def _span(values: list[Fraction | None]) -> Fraction:
    """Return how far apart those scores are that there are."""
    known = [value for value in values if value is not None]
    return max(known, default=Fraction()) - min(known, default=Fraction())


def _told(change: dict[str, Any]) -> str:
    old, new = (_shown(Fraction(change[end])) for end in ("old", "new"))
    if change["evidence"] is None:
        return f"sent {new} without evidence; {old} stands"
    return f"from {old} to {new}, on this evidence: {change['evidence']}"


def _settled(apart: list[bool]) -> int:
    """Return the round from which on the judges were no longer too far apart."""
    return len(apart) - apart[::-1].index(True)


def _common(key: str, entries: list[dict[str, Any]]) -> Iterable[str]:
    """Yield what all three say, in the first one's words; then the rest, judge by judge."""
    said = [{_normal(text): text for text in entry[key]} for entry in entries]
    shared = [text for text in said[0] if all(text in one for one in said)] if said else []
    yield from [f"- All three: {said[0][text]}" for text in shared]
    for judge, one in enumerate(said, 1):
        yield from [f"- J{judge}: {text}" for normal, text in one.items() if normal not in shared]


def _own(key: str, entries: list[dict[str, Any]]) -> Iterable[str]:
    for judge, entry in enumerate(entries, 1):
        yield f"- J{judge}: {'; '.join(entry[key]) or 'nothing said'}"


def _judges(state: dict[str, Any]) -> Iterable[str]:
    """Yield who judged, and where what each wrote for itself is, which this script never reads."""
    yield from ["| Slot | Model asked for | Model got | Report |", "|---|---|---|---|"]
    for slot, name in zip(SLOTS, ["-", *state["names"][:3]], strict=True):
        asked, got = state["models"].get(slot, ("not recorded", "not recorded"))
        yield f"| {slot} | {_plain(asked)} | {_plain(got)} | {name} |"


def _freshness(state: dict[str, Any]) -> Iterable[str]:
    yield f"- Date: {state['date']}"
    for one in state["artifacts"]:
        yield f"- Target: {_dated(one)}"
    yield f"- Specification: {_dated(state['source']) if state['source'] else 'none accepted'}"
    yield f"- Git base: {_plain(state['base'])}; head: {_plain(state['head'])}"


def _dated(record: dict[str, str]) -> str:
    return f"{_plain(record['path'])}, modified {record['modified']}, sha256 {record['sha256']}"


def _checks(state: dict[str, Any]) -> Iterable[str]:
    """Yield the rows of what this script has verified by itself."""
    yield from ["| Deterministic sensor | Result | Skipped, and why |", "|---|---|---|"]
    rounds = len(state["rounds"])
    again = f"accepted; the same in each of {rounds}" if state["source"] else "none accepted"
    yield f"| Specification: syntax, weights, shape; its hash in every round | {again} | - |"
    for one in state["artifacts"]:
        try:
            same = "unchanged" if digest(one["at"]) == one["sha256"] else "CHANGED"
            why = "-"
        except Unusable as error:
            same, why = "skipped", str(error)
        yield f"| Hash of {_plain(one['path'])} since the start | {same} | {_plain(why)} |"
    bare = sum("unevidenced" in mark for _, _, mark in _marks(state))
    kept = f"{bare} without, not taken" if bare else "each has"
    yield f"| Every changed score has a revision that quotes evidence | {kept} | - |"
    yield "| Whether the evidence is true | skipped | this script reads the replies only |"


# --- texts of the judges, as parts of a line ---


def _plain(text: str) -> str:
    """Return a text as one printable line that cannot end a cell of a table."""
    line = " ".join(text.split()).replace("|", "/")
    return "".join(char for char in line if char.isprintable())


def _texts(value: Any) -> list[str]:
    """Return the texts of a list, or of a single text; what is no text is left out."""
    values = value if isinstance(value, list) else [value]
    return [_plain(text) for text in values if _is_text(text)]


def _normal(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and _plain(value) != ""


# --- the command line ---


def score(text: str) -> Fraction:
    """Read a score from 1 to 5."""
    value = Fraction(str(float(text)))
    if not 1 <= value <= 5:  # noqa: PLR2004 - the scale
        raise argparse.ArgumentTypeError("not from 1 to 5")
    return value


def day(text: str) -> str:
    """Read a day as it is written in a file's name."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise argparse.ArgumentTypeError("not YYYY-MM-DD")
    return text


class _Models(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, _: Any = None) -> None:
        models = dict(namespace.models)
        for text in values:
            slot, _, pair = text.partition("=")
            asked, _, got = pair.partition(":")
            if slot not in SLOTS or slot in models or not asked or not got or ":" in got:
                parser.error(f"--models {text}: not SLOT=ASKED:GOT with a slot of its own")
            models[slot] = [asked, got]
        namespace.models = models


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(description=__doc__, formatter_class=form, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        self.exit(2, _line(f"{self.prog}: {message} (see --help)"))


def _line(message: str) -> str:
    """Return the message as one line that every console can show."""
    return message.encode("unicode_escape").decode("ascii") + "\n"


def _missing(_: object) -> int:
    raise Unusable("no command: start, spec, reply or report (see --help)")


def _parser() -> _Parser:
    parser = _Parser(prog=NAME)
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    flags = ["--selftest", "--self-test"]
    parser.add_argument(*flags, action="store_const", dest="act", const=selftest, default=_missing)
    commands = parser.add_subparsers(dest="subcommand")
    for act in (start, spec, reply, report):
        command = commands.add_parser(act.__name__)
        command.set_defaults(act=act)
        command.add_argument("--json", action="store_true")
        if act is start:
            today = time.strftime("%Y-%m-%d", time.gmtime())
            command.add_argument("--artifact", metavar="FILE", nargs="+", required=True)
            command.add_argument("--task", metavar="TEXT", required=True)
            command.add_argument("--root", metavar="DIR", default="")
            command.add_argument("--date", metavar="YYYY-MM-DD", type=day, default=today)
            command.add_argument("--base", metavar="COMMIT", default="not given")
            command.add_argument("--head", metavar="COMMIT", default="not given")
            command.add_argument("--models", nargs="+", action=_Models, default={})
            continue
        command.add_argument("--state", metavar="FILE", required=True)
        if act is spec:
            command.add_argument("spec", metavar="SPEC")
            command.add_argument("--source", metavar="FILE")
        if act is reply:
            command.add_argument("blocks", metavar="BLOCK", nargs="+")
            command.add_argument("--round", metavar="R", type=int, required=True)
            command.add_argument("--local", type=int, choices=JUDGES, action="append", default=[])
        if act is report:
            command.add_argument("--pass-at", metavar="X", type=score)
            command.add_argument("--fail-below", metavar="Y", type=score)
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


STATE = "'audits/judge/2026-01-31 judge-with-debate state.json'"
START = "start --date 2026-01-31 --task 'Is it sound?' --artifact a"
CRITERIA: list[dict[str, Any]] = [
    {
        "id": key,
        "name": name,
        "weight": weight,
        "scale": {"min": 1, "max": 5},
        "rubric": {"1": "bad", "3": "fair", "5": "good"},
        "checklist": ["Look at it."],
    }
    for key, name, weight in [("x", "Truth", 0.6), ("y", "Form | style", 0.4)]
]
SPEC = {"criteria": CRITERIA}


def _says(judge: int, number: int, x: Any, y: Any, **more: Any) -> dict[str, Any]:
    """Return a reply block, with what is different from the usual."""
    overall = round(0.6 * x + 0.4 * y, 2) if type(x) in (int, float) else 3
    return {
        "status": "Complete",
        "judge": judge,
        "round": number,
        "scores": {"overall": overall, "criteria": {"x": x, "y": y}},
        "agreement": "accept-consensus",
        **more,
    }


def _moves(key: str, old: float, new: float, evidence: Any = "line 3 |\n says so") -> Any:
    return {"revisions": [{"criterion": key, "old": old, "new": new, "evidence": evidence}]}


def _round(number: int, *scores: Any, **more: Any) -> list[dict[str, Any]]:
    return [_says(judge, number, *pair, **more) for judge, pair in enumerate(scores, 1)]


def _debate(
    rounds: list[list[Any]], last: str = "", local: str = "", begin: str = START, given: Any = SPEC
) -> tuple[str, dict[str, Any]]:
    """Return the lines of flags of a debate, and the files that they need."""
    files: dict[str, Any] = {"a": b"the artifact", "spec": given}
    lines = [begin, f"spec --state {STATE} spec"]
    for number, blocks in enumerate(rounds):
        names = [f"{number}{i}" for i in range(len(blocks))]
        files |= dict(zip(names, blocks, strict=True))
        lines.append(f"reply --state {STATE} --round {number} {local} {' '.join(names)}")
    return "\n".join([*lines, *filter(None, [last])]), files


GIVEN = "\n".join([
    "Started",
    "  state: audits/judge/2026-01-31 judge-with-debate state.json",
    *(f"  judge {n}: audits/judge/2026-01-31 judge-with-debate judge-{n}.md" for n in JUDGES),
    "  consensus: audits/judge/2026-01-31 judge-with-debate consensus.md",
    "  Diversity unknown: meta not recorded; 1 not recorded; 2 not recorded; 3 not recorded\n",
])  # fmt: skip
TAKEN = "names of that day are taken, so that these have a number"
OPEN = f"{GIVEN}Accepted\n"


def _planted() -> Iterable[Case]:
    yield from _starts()
    yield from _specifications()
    yield from _rounds()
    yield from _refusals()
    yield from _files()
    yield from _flags()
    for fault in _misprinted():
        yield 0, fault, "--version", {}


def _starts() -> Iterable[Case]:
    files = {"a": b"the artifact"}
    yield 0, GIVEN, START, files
    again = GIVEN.replace("Started", f"Started: {TAKEN}")
    two = GIVEN + again.replace(".md", "-2.md").replace("state.json", "state-2.json")
    yield 0, two, f"{START}\n{START}", files
    three = two + again.replace(".md", "-3.md").replace("state.json", "state-3.json")
    yield 0, three, f"{START}\n{START}\n{START}", files
    asked = "meta=k:k 1=d:d 2=m:m 3=g:g"
    fallen = "DIVERSITY DEGRADED in slot 1, 3: meta not recorded; 1 asked for d, got x; "
    fallen += "2 not recorded; 3 asked for g, got h"
    for models, told in [
        (asked, "Models as asked for: meta k; 1 d; 2 m; 3 g"),
        ("1=d:d", "Diversity unknown: meta not recorded; 1 d; 2 not recorded; 3 not recorded"),
        ("3=g:h --models 1=d:x", fallen),
    ]:
        whole = [*GIVEN.splitlines()[:-1], f"  {told}\n"]
        yield 0, "\n".join(whole), f"{START} --models {models}", files
    for flags, text in [
        ("--artifact a none --task x", "none: cannot be read: No such file or directory"),
        ("--artifact a . --task x", ".: not a regular file (use - for standard input)"),
        ("--artifact a --task ' \t'", "--task: blank"),
        ("--artifact a --task x --root a", "a/audits/judge: cannot be written: Not a directory"),
    ]:
        yield 2, f"{NAME}: {text}\n", f"start {flags}", files
    for flags, text in [  # each Python has words of its own for the rest
        ("--artifact a --task x --root \0", "\\x00/audits/judge: cannot be written: "),
        ("--artifact \0 --task x", "\\x00: cannot be read: "),
    ]:
        yield 2, f"{NAME}: {text}", f"start {flags}", files
    for models in ["4=d:d", "1=d", "1=d:", "1=:d", "1=d:d:d", "1=d:d 1=d:d", "=d:d", "x1=d:d"]:
        last = models.split(" ")[-1]
        told = f"--models {last}: not SLOT=ASKED:GOT with a slot of its own (see --help)\n"
        yield 2, f"{NAME} start: {told}", f"{START} --models {models}", files


def _specifications() -> Iterable[Case]:
    def but(**change: Any) -> dict[str, Any]:
        return {"criteria": [CRITERIA[0], {**CRITERIA[1], **change}]}

    no_text = "not a non-blank string"
    no_weight = "weights: criteria[1] has no weight above 0 and at most 1"
    no_scale = 'shape: criteria[1].scale: not {"min": 1, "max": 5}'
    for given, fault in [
        (b"Here it is: {}", "syntax: spec: not JSON: Expecting value: line 1 column 1 (char 0)"),
        ([], "syntax: not an object"),
        ({}, "weights: no list of criteria"),
        ({"criteria": []}, "weights: no list of criteria"),
        ({"criteria": {"x": 1}}, "weights: no list of criteria"),
        ({"criteria": [CRITERIA[0], "y"]}, no_weight),
        *((but(weight=weight), no_weight) for weight in [0, -0.4, 1.1, "0.4", True, None]),
        (but(weight=0.4011), "weights: their sum is 1.0011, not 1"),
        (but(weight=0.3989), "weights: their sum is 0.9989, not 1"),
        ({"criteria": [{"weight": 0.6}, CRITERIA[1]]}, f"shape: criteria[0].id: {no_text}"),
        (but(id="x"), "shape: criteria[1].id: the same as an earlier one"),
        (but(id=" "), f"shape: criteria[1].id: {no_text}"),
        (but(id=7), f"shape: criteria[1].id: {no_text}"),
        (but(id="y\n"), "shape: criteria[1].id: not one plain line"),
        (but(name=""), f"shape: criteria[1].name: {no_text}"),
        (but(scale=5), no_scale),
        (but(scale={"min": 0, "max": 5}), no_scale),
        (but(scale={"min": 1, "max": 4}), no_scale),
        (but(scale={"min": True, "max": 5}), no_scale),
        (but(rubric="good"), "shape: criteria[1].rubric: no anchor for 1"),
        *((but(rubric={key: "x" for key in "135" if key != gone}),
           f"shape: criteria[1].rubric: no anchor for {gone}") for gone in "135"),
        (but(rubric={"1": "x", "3": " ", "5": "x"}), "shape: criteria[1].rubric: no anchor for 3"),
        (but(checklist=[]), "shape: criteria[1].checklist: no entry"),
        (but(checklist="look"), "shape: criteria[1].checklist: no entry"),
    ]:  # fmt: skip
        command, files = _debate([], given=given)
        yield 4, f"{GIVEN}Retry: {fault}\n", command, files
    for weight in (0.401, 0.399):
        command, files = _debate([], given=but(weight=weight))
        yield 0, OPEN, command, files
    tenth = [{**CRITERIA[0], "id": f"c{i}", "weight": 0.1} for i in range(10)]
    command, files = _debate([], given={"criteria": tenth})
    yield 0, OPEN, command, files
    whole = [{**CRITERIA[0], "weight": 1}]
    command, files = _debate([], given={"criteria": whole})
    yield 0, OPEN, command, files
    command, files = _debate([], given={})
    again, fault = f"spec --state {STATE} spec", "weights: no list of criteria"
    blocked = f"Blocked: the specification fails a second time: {fault}\n"
    yield 2, f"{GIVEN}Retry: {fault}\n{blocked}{blocked}", f"{command}\n{again}\n{again}", files
    good = f"spec --state {STATE} good"
    yield 0, f"{GIVEN}Retry: {fault}\nAccepted\n", f"{command}\n{good}", {**files, "good": SPEC}
    command, files = _debate([], last=again)
    yield 0, f"{OPEN}Accepted\n", command, files
    command, files = _debate([], last=f"{good} --source spec")
    yield 0, f"{OPEN}Accepted\n", command, {**files, "good": {}}
    command, files = _debate([], last=f"{good} --source ''")
    nothing = f"{NAME}: : cannot be read: No such file or directory\n"
    yield 2, f"{OPEN}{nothing}", command, {**files, "good": {}}
    command, files = _debate([], last=good)
    other = "Blocked: the specification was accepted before, and this is another one\n"
    yield 2, OPEN + other, command, {**files, "good": {}}
    command, files = _debate([], last=good[:-4] + "none")
    missing = f"{NAME}: none: cannot be read: No such file or directory\n"
    yield 2, OPEN + missing, command, files


THRICE = [(4, 4), (4, 4), (4, 4)]
REACHED = "Consensus after round 0\n"


def _again(number: int, told: str) -> str:
    return f"Another Round after round {number}\n{told}"


def _rounds() -> Iterable[Case]:
    """Yield debates of one round, then of more."""
    half = "  too far apart: overall\n"
    table: list[tuple[list[Any], str]] = [
        (THRICE, REACHED),
        ([(2, 2.5), (2, 2.5), (1.5, 2)], REACHED),
        ([(2, 2.5), (1.5, 2), (1.5, 1.97)], _again(0, half)),
        ([(2, 4), (3, 3), (2.5, 3.5)], REACHED),
        ([(2, 4), (3.01, 3), (3, 3)], _again(0, "  too far apart: x\n")),
        ([(1, 4), (2, 2), (3, 1)], _again(0, "  too far apart: x, y\n")),
        ([(1, 1), (5, 5), (3, 3)], _again(0, "  too far apart: x, y, overall\n")),
    ]
    for scores, told in table:
        for blocks in [_round(0, *scores), _round(0, *scores)[::-1]]:
            command, files = _debate([blocks])
            yield 0 if told[0] == "C" else 4, OPEN + told, command, files
    trap = _round(0, (2, 2.5), (1.5, 2), (1.5, 2))
    for block, overall in zip(trap, (2.2, 1.7, 1.7), strict=True):
        block["scores"]["overall"] = overall
    command, files = _debate([trap])
    yield 0, OPEN + REACHED, command, files
    malformed = "  too far apart: x, y, overall\n  contested by: judge 2\n"
    malformed += "  round 0, judge 2: malformed\n"
    contested = "  contested by: judge 2\n"
    changes: list[tuple[dict[str, Any], str]] = [
        ({"agreement": "contest"}, _again(0, contested)),
        ({"agreement": "accept"}, _again(0, contested)),
        ({"agreement": None}, _again(0, contested)),
        ({"status": "Partial"}, REACHED + "  round 0, judge 2: partial\n"),
        ({"status": "Done"}, _again(0, malformed)),
        ({"strengths": list("abc"), "weaknesses": list("abc")}, REACHED),
        ({"strengths": list("abcd")}, REACHED + "  round 0, judge 2: strengths cut to 3\n"),
        ({"weaknesses": [*"abc", "d"]}, REACHED + "  round 0, judge 2: weaknesses cut to 3\n"),
        ({"scores": None}, _again(0, malformed)),
        ({"scores": {"criteria": {"x": 4, "y": 4}}}, _again(0, malformed)),
        ({"scores": {"overall": 4}}, _again(0, malformed)),
        ({"scores": {"overall": 4, "criteria": [4, 4]}}, _again(0, malformed)),
        ({"scores": {"overall": 4, "criteria": {"x": 4}}}, _again(0, malformed)),
        ({"scores": {"overall": 4, "criteria": {"x": 4, "y": 4, "z": 4}}}, _again(0, malformed)),
        ({"scores": {"overall": True, "criteria": {"x": 1, "y": 1}}}, _again(0, malformed)),
        ({"scores": {"overall": "4", "criteria": {"x": 4, "y": 4}}}, _again(0, malformed)),
        ({"scores": {"overall": 4, "criteria": {"x": "4", "y": 4}}}, _again(0, malformed)),
        ({"scores": {"overall": 5, "criteria": {"x": 5.01, "y": 5}}}, _again(0, malformed)),
        ({"scores": {"overall": 1, "criteria": {"x": 0.99, "y": 1}}}, _again(0, malformed)),
        ({"scores": {"overall": 4.05, "criteria": {"x": 4, "y": 4}}}, REACHED),
        ({"scores": {"overall": 3.95, "criteria": {"x": 4, "y": 4}}}, REACHED),
        ({"scores": {"overall": 4.06, "criteria": {"x": 4, "y": 4}}}, _again(0, malformed)),
        ({"scores": {"overall": 3.94, "criteria": {"x": 4, "y": 4}}}, _again(0, malformed)),
    ]
    for change, told in changes:
        blocks = _round(0, *THRICE)
        blocks[1] |= change
        command, files = _debate([blocks])
        yield 0 if told[0] == "C" else 4, OPEN + told, command, files
    yield from _longer()


def _longer() -> Iterable[Case]:
    first = _round(0, (4, 4), (4, 4), (2, 4))
    start = OPEN + _again(0, "  too far apart: x, overall\n")
    bare = "  contested by: judge 3\n  round 1, judge 3: unevidenced-revision: x\n"
    refused = _again(1, "  too far apart: x, overall\n" + bare)
    reached = "Consensus after round 1\n"
    other = [7, {"criterion": "y", "old": 2, "new": 4, "evidence": "s"}]
    for more, told in [
        (_moves("x", 2, 4), reached),
        ({"revisions": other + _moves("x", 2, 4)["revisions"]}, reached),
        ({}, refused),
        ({"revisions": {"x": 1}}, refused),
        ({"revisions": other}, refused),
        (_moves("x", 2, 4, " "), refused),
        (_moves("x", 2, 4, ["s"]), refused),
        (_moves("x", 3, 4), refused),
        (_moves("x", 2, 3), refused),
    ]:
        blocks = [*_round(1, *THRICE)[:2], _says(3, 1, 4, 4, **more)]
        command, files = _debate([first, blocks])
        yield 0 if told[0] == "C" else 4, start + told, command, files
    both = [*_round(1, *THRICE)[:2], _says(3, 1, 4, 5)]
    yield 4, start + refused.replace(": x\n", ": x, y\n"), *_debate([first, both])
    ends = "report --json --pass-at 4 --fail-below 4 --state"
    moves = [*_round(2, *THRICE)[:2], _says(3, 2, 4, 4, **_moves("x", 2, 4))]
    stays = _round(1, (4, 4), (4, 4), (2, 4))
    passed = _debate([first, stays, moves], f"{ends} {STATE}")
    yield 0, '"recommendation": "Pass"', *passed
    command, files = _debate([first])
    yield 4, '"recommendation": null', f"{command} --json", files
    lines = command.rpartition("\n")[0]
    yield 0, '"recommendation": null', f"{lines} --json", files
    heavy = {"criteria": [CRITERIA[0], {**CRITERIA[1], "weight": 0.401}]}
    high = _round(0, (5, 5), (5, 5), (5, 5))
    high[0]["scores"]["overall"] = 4.95
    yield 0, OPEN + REACHED, *_debate([high], given=heavy)
    partly = [*_round(1, *THRICE)[:2], _says(3, 1, 4, 5, **_moves("x", 2, 4))]
    later = [*_round(2, *THRICE)[:2], _says(3, 2, 4, 4)]
    mark = "  round 1, judge 3: unevidenced-revision: y\n"
    told = _again(1, f"  contested by: judge 3\n{mark}") + f"Consensus after round 2\n{mark}"
    command, files = _debate([first, partly, later])
    yield 0, start + told, command, files
    four = [_round(n, (4, 4), (4, 4), (2, 4)) for n in range(4)]
    told = "".join(_again(n, "  too far apart: x, overall\n") for n in range(3))
    last = "No Consensus after round 3\n  too far apart: x, overall\n"
    command, files = _debate(four)
    yield 1, OPEN + told + last, command, files
    over = f"{NAME}: {shlex.split(STATE)[0]}: the debate is over: "
    more = f"\nreply --state {STATE} --round 4 00"
    yield 2, f"{OPEN}{told}{last}{over}No Consensus\n", command + more, files
    repeat = "\n" + command.splitlines()[-1]
    yield 1, OPEN + told + last + last, command + repeat, files
    command, files = _debate([_round(0, *THRICE)], last=more[1:])
    yield 2, f"{OPEN}{REACHED}{over}Consensus\n", command, files


def _refusals() -> Iterable[Case]:
    """Yield what ends a debate, and what it survives."""
    good = _round(0, *THRICE)
    three = "round 0 needs one block of each of the judges 1, 2 and 3; [judge, round] of these are"
    for blocks, reason in [
        (good[:2], f"{three} [1, 0], [2, 0]"),
        ([*good, good[0]], f"{three} [1, 0], [1, 0], [2, 0], [3, 0]"),
        ([good[0], good[1], good[1]], f"{three} [1, 0], [2, 0], [2, 0]"),
        ([{}, *good[:2]], f"{three} [1, 0], [2, 0], [null, null]"),
        ([{**good[0], "judge": True}, *good[1:]], f"{three} [2, 0], [3, 0], [true, 0]"),
        (_round(1, *THRICE), f"{three} [1, 1], [2, 1], [3, 1]"),
        ([*good[:2], {**good[2], "status": "Blocked"}], "judge 3 is missing in round 0"),
    ]:
        command, files = _debate([blocks])
        again = "\n" + command.splitlines()[-1]
        yield 2, f"{OPEN}Blocked: {reason}\n", command, files
        files |= {f"g{n}": good[n] for n in range(3)}
        better = f"\nreply --state {STATE} --round 0 g0 g1 g2"
        for last in (again, better, f"\nspec --state {STATE} spec"):
            yield 2, f"{OPEN}Blocked: {reason}\nBlocked: {reason}\n", command + last, files
    away = [{**block, "status": "Blocked"} for block in good]
    command, files = _debate([[good[0], away[1], away[2]]], local="--local 3 --local 2 --local 3")
    marks = "  round 0, judge 2: local\n  round 0, judge 3: local\n"
    yield 0, OPEN + REACHED + marks, command, files
    command, files = _debate([good])
    wrong = command.replace("--round 0", "--round 1")
    yield 2, f"{OPEN}Blocked: round 1 came where round 0 is next\n", wrong, files
    again = command.splitlines()[-1]
    yield 0, OPEN + REACHED * 2, f"{command}\n{again}", files
    other = {f"1{n}": dict(reversed(block.items())) for n, block in enumerate(good[::-1])}
    again = again.replace(" 0", " 1").replace("--round 1", "--round 0")
    yield 0, OPEN + REACHED * 2, f"{command}\n{again}", files | other
    over = f"{NAME}: {shlex.split(STATE)[0]}: the debate is over: Consensus\n"
    yield 2, OPEN + REACHED + over, f"{command}\n{command.splitlines()[-1]} --local 3", files
    command, files = _debate([_round(0, (2, 4), (4, 4), (4, 4))])
    told, last = _again(0, "  too far apart: x, overall\n"), command.splitlines()[-1]
    files |= {f"1{n}": block for n, block in enumerate(good)}
    end = "\n  too far apart: x, overall\n"
    for again, why in [
        (last.replace(" 0", " 1").replace("--round 1", "--round 0"),
         "round 0 came where round 1 is next"),
        (last.replace("--round 0", "--round 1"),
         f"{three.replace('0', '1', 1)} [1, 0], [2, 0], [3, 0]"),
    ]:  # fmt: skip
        blocked = f"Blocked after round 0: {why}{end}"
        yield 2, OPEN + told + blocked, f"{command}\n{again}", files
    bad = [_round(n, (4, 4), ("4", 4), (4, 4)) for n in range(2)]
    command, files = _debate(bad)
    told = _again(0, "  too far apart: x, y, overall\n  contested by: judge 2\n"
                     "  round 0, judge 2: malformed\n")  # fmt: skip
    ends = "Blocked after round 1: judge 2 was malformed in two rounds\n"
    ends += "  too far apart: x, y, overall\n  contested by: judge 2\n"
    ends += "  round 0, judge 2: malformed\n  round 1, judge 2: malformed\n"
    yield 2, OPEN + told + ends, command, files
    command, files = _debate([bad[0], _round(1, *THRICE)])
    mend = "Consensus after round 1\n  round 0, judge 2: malformed\n"
    yield 0, OPEN + told + mend, command, files
    lines = _debate([good])[0].splitlines()
    early = f"{NAME}: {shlex.split(STATE)[0]}: no specification has been accepted yet\n"
    yield 2, GIVEN + early, "\n".join([lines[0], lines[2]]), files
    files = _debate([good])[1]
    odd = lines[2].replace(" 02", " a2")
    yield 2, f"{OPEN}{NAME}: a2: not an object\n", "\n".join([*lines[:2], odd]), {**files, "a2": []}
    changed = "Blocked: the specification has changed since it was accepted\n"
    source = f"spec --state {STATE} spec --source {STATE}"
    yield 2, OPEN + changed, "\n".join([lines[0], source, lines[2]]), files


def _files() -> Iterable[Case]:
    """Yield files that cannot be used, or not again."""
    files = {"a": b"the artifact"}
    again = f"{NAME}: -: standard input keeps nothing (name a file)\n"
    yield 2, GIVEN + again, f"{START}\nspec --state {STATE} -", {**files, "-": SPEC}
    yield 2, again, START.replace(" a", " -"), {"-": b"the artifact"}
    yield 2, again, "report --state -", {"-": {}}
    yield 2, "cannot be read: embedded null", START.replace(" a", " '\0'"), files
    yield 2, "cannot be written: embedded null", f"{START} --root '\0'", files
    begun = {"blocked": None, "source": None, "refused": False}
    name, kept = "s" * 255, {"sha256": _hash(begun), "state": begun}
    told = f"{NAME}: {name}: cannot be written: File name too long\n"
    yield 2, told, f"spec --state {name} a", {name: kept, "a": {}}
    sealed = {"gate": "judge-debate", "sha256": _hash({"blocked": None}), "state": {}}
    for content in [[], {}, {"state": []}, sealed]:
        for verb in ("spec --state s a", "reply --state s --round 0 a", "report --state s"):
            text = f"{NAME}: s: no state of this script, or changed by another hand\n"
            yield 2, text, verb, {"s": content, "a": {}}


def _flags() -> Iterable[Case]:
    yield 0, "judge_debate.py 0.2.0\n", "--version", {}
    yield 0, "\n\nA specification, three judges, up to three rounds", "--help", {}
    scale, report_s = "not from 1 to 5 (see --help)", "report --state s"
    for flags, text in [
        ("", ": no command: start, spec, reply or report (see --help)"),
        ("start --artifact a", " start: the following arguments are required: --task (see --help)"),
        ("start --task a",
         " start: the following arguments are required: --artifact (see --help)"),
        ("spec a", " spec: the following arguments are required: --state (see --help)"),
        ("spec --state s", " spec: the following arguments are required: SPEC (see --help)"),
        ("reply --state s a",
         " reply: the following arguments are required: --round (see --help)"),
        ("reply --state s --round 0",
         " reply: the following arguments are required: BLOCK (see --help)"),
        ("report", " report: the following arguments are required: --state (see --help)"),
        ("report --stat s", " report: the following arguments are required: --state (see --help)"),
        ("reply --state s --round x a",
         " reply: argument --round: invalid int value: 'x' (see --help)"),
        ("reply --state s --round 0 --local 4 a",
         " reply: argument --local: invalid choice: 4 (choose from 1, 2, 3) (see --help)"),
        *((f"start --artifact a --task t --date {date}",
           " start: argument --date: not YYYY-MM-DD (see --help)")
          for date in ["2026-1-31", "2026-01-311", "12026-01-31", "\u0662026-01-31"]),
        (f"{report_s} --pass-at 5.1", f" report: argument --pass-at: {scale}"),
        (f"{report_s} --pass-at 0.9", f" report: argument --pass-at: {scale}"),
        (f"{report_s} --fail-below nan",
         " report: argument --fail-below: invalid score value: 'nan' (see --help)"),
    ]:  # fmt: skip
        yield 2, f"{NAME}{text}\n", flags, {}
    last = f"report --state {STATE}"
    paths = "".join(GIVEN.splitlines(keepends=True)[-2:])
    unfinished = f"Unfinished: no report before the debate is over\n{paths}"
    yield 2, f"{OPEN}{unfinished}", *_debate([], last)
    apart = "  too far apart: x, overall\n"
    unfinished = unfinished.replace(":", " after round 0:", 1) + apart
    yield (
        2,
        OPEN + _again(0, apart) + unfinished,
        *_debate([_round(0, (2, 4), (4, 4), (4, 4))], last),
    )
    over = _debate([_round(0, *THRICE)])
    ends = f"\nreport --state {STATE} --pass-at 5 --fail-below 1"
    yield 0, "Consensus after round 0\n  consensus: ", over[0] + ends, over[1]
    both = "--pass-at and --fail-below are given together, or neither"
    for flags, text in [
        ("--pass-at 4", both),
        ("--fail-below 4", both),
        ("--pass-at 3 --fail-below 3.1", "--fail-below is above --pass-at"),
    ]:
        last = f"\nreport --state {STATE} {flags}"
        yield 2, f"{OPEN}{REACHED}{NAME}: {text}\n", over[0] + last, over[1]


def _misprinted() -> Iterable[str]:
    """Yield a fault for each report that is not, byte for byte, as planned."""
    for (command, files), flags, expected in _reports():
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, name) for name in "abc"]
            for path in paths:
                path.write_bytes(b"the artifact")
                os.utime(path, (0, 0))
            named = f"start --root {folder} --artifact {' '.join(map(str, paths))}"
            there = command.replace("start", named, 1).replace("--artifact a", "")
            there = there.replace("audits/judge", f"{folder}/audits/judge")
            played = _try(there, files)
            paths[1].write_bytes(b"another")
            paths[2].unlink()
            last = f"report --state {STATE} {flags}"
            told = _try(last.replace("audits/judge", f"{folder}/audits/judge"), {})
            found = Path(folder, "audits/judge/2026-01-31 judge-with-debate consensus.md")
            kept = Path(found.with_name("2026-01-31 judge-with-debate state.json")).read_text(
                "utf-8"
            )
            whole = f"{played} {told}\n{found.read_text('utf-8')}{kept[:40]}{kept[-3:]}"
            whole = whole.replace(folder, "R")
            whole = re.sub("spec, modified [^,]+", "spec, modified then", whole)
        sha256 = hashlib.sha256(whole.encode()).hexdigest()
        if sha256 != expected:
            yield f"a report whose sha256 is {sha256}: {whole}"


def _reports() -> Iterable[tuple[tuple[str, dict[str, Any]], str, str]]:
    """Yield debates, flags of the report, and the sha256 of all that is said and written."""
    models = "meta=k:k 1=d:d 2=m:m 3=g:h"
    begin = f"{START} --models {models} --base b0 --head 'h|1'"
    said = {"strengths": ["Clear, and short.", "A"], "weaknesses": ["No | tests", "B", "C", "D"]}
    more = {"strengths": ["clear and SHORT"], "risks_and_skips": ["one", " ", 7], "next_step": "go"}
    rounds = [
        [_says(1, 0, 4, 4), _says(2, 0, "4", 4), _says(3, 0, 2, 5)],
        [_says(1, 1, 4, 4), _says(2, 1, 4, 4.5), _says(3, 1, 4, 4, **_moves("x", 2, 4))],
        [_says(1, 2, 4, 4, **said), _says(2, 2, 4, 4.5, status="Partial", **more),
         _says(3, 2, 4, 5, **more)],
    ]  # fmt: skip
    whole = _debate(rounds, begin=begin, local="--local 2")
    yield (
        whole,
        "--pass-at 4.2 --fail-below 4.2",
        "10e611a8ab1fde3a50a5775d3de5b5b72298fd4f1787a14b388e623cb8a19f82",
    )
    yield (
        whole,
        "--pass-at 4.3 --fail-below 4.3 --json",
        "9ddbf63f8caee928d0764d9bff05a066f70a08ea815c8b224d2937db79a77b94",
    )
    yield (
        whole,
        "--pass-at 4.3 --fail-below 4.2",
        "0534e6909eab54edca5b4b8592189f34aa96b788f45a65f20677457aa9168dc2",
    )
    yield whole, "", "0e0d2a1d9f2134db1e4747edd72f2bbf6f9c293a8a5abb0adfb33b606a91488e"
    apart = [_round(n, (4, 4), (4, 2 + n / 3), (2, 4), **more) for n in range(4)]
    yield (
        _debate(apart),
        "--pass-at 1 --fail-below 1",
        "0fbe0e08d1ec71a17dd9794e554fba4c6f1c508ed98751d3e455f548d6836da5",
    )
    yield (
        _debate([apart[0], apart[1][:2]]),
        "",
        "aecbdb14cd46cf56f389bdabdfc1aad86a7f7fc8df1824b1ccd3d48578ff1f2a",
    )
    again = f"spec --state {STATE} spec"
    yield (
        _debate([], last=again, given=[]),
        "",
        "b3a3377abeed2889b916b700112334827832ddb37498283c59a04fbfa3341a44",
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
