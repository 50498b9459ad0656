"""Calibration records: what a measurement was bound to, and whether it still holds.

The hashes are made by the canonical `judge_calibration.py` itself, loaded from its own bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from judge_conformance.catalog import Catalog
from judge_conformance.errors import UnusableInputError

CALIBRATION = "judge_calibration.py"
RECEIPTS = "calibration-receipts.jsonl"
BOUND_TO = ("prompt", "rubric", "sealed", "model")


@cache
def canonical_module(name: str) -> ModuleType:
    """Return a canonical Python file, loaded from the catalog's bytes; its `main` is not run.

    Raises BrokenInstrumentError when the bytes are not what the catalog says.
    """
    module = ModuleType(name.removesuffix(".py"))
    module.__file__ = name
    source = Catalog.load().content(name)
    exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - our own bytes, held to their digest
    return module


def stale(
    record: Mapping[str, Any],
    *,
    rubric: Mapping[str, Any] | None = None,
    prompt: bytes | None = None,
    cases: str | None = None,
    model: str | None = None,
) -> list[str]:
    """Return why a record no longer speaks for the judge; empty when it does.

    `record` is what `sealed` wrote, or the `calibration` of a rubric that `calibrate record` wrote.
    Only what is given is compared: the rubric as a value, the prompt's bytes, the path of the
    cases, the model's name. Raises UnusableInputError for cases that cannot be read.
    """
    hashes = record.get("hashes")
    if not isinstance(hashes, Mapping) or not all(name in hashes for name in BOUND_TO):
        return ["the record does not say what was measured: it has no hashes"]
    arithmetic = canonical_module(CALIBRATION)
    now: dict[str, str] = {}
    if rubric is not None:
        now["rubric"] = arithmetic.rubric_digest(rubric)
    if prompt is not None:
        now["prompt"] = arithmetic.digest(prompt)
    if model is not None:
        now["model"] = arithmetic.model_digest(model)
    if cases is not None:
        now["sealed"] = _sealed_digest(arithmetic, cases)
    named = {"sealed": "sealed cases"}
    return [
        f"the {named.get(name, name)} changed since the judge was measured"
        for name in BOUND_TO
        if name in now and now[name] != hashes[name]
    ]


def stale_files(record: Mapping[str, Any], root: Path) -> list[str]:
    """Return why a record is stale, from the files that it names, relative to `root`."""
    files = record.get("files")
    if not isinstance(files, Mapping):
        return ["the record does not name the files that were measured"]
    missing = [
        f"{files.get(name)}: the {name} that was measured is not there"
        for name in ("prompt", "rubric", "cases")
        if not (root / str(files.get(name))).exists()
    ]
    if missing:
        return missing
    arithmetic = canonical_module(CALIBRATION)
    try:
        rubric = arithmetic.read_json(str(root / files["rubric"]))
    except arithmetic.Unusable as error:
        raise UnusableInputError(str(error)) from error
    prompt, cases = (root / files["prompt"]).read_bytes(), str(root / files["cases"])
    return stale(record, rubric=rubric, prompt=prompt, cases=cases, model=record.get("model"))


def contradicted(record: Mapping[str, Any], log: bytes) -> list[str]:
    """Return where the log of receipts tells another story than a record; empty when it agrees.

    A record that was put back to an earlier state does not hide an attempt that the log holds.
    """
    attempts = [
        event
        for event in _events(log)
        if event.get("event") == "sealed"
        and all(event["hashes"].get(key) == record["hashes"][key] for key in ("sealed", "model"))
    ]
    number = record.get("attempt")
    ours = [
        event
        for event in attempts
        if all(event.get(key) == record.get(key) for key in ("attempt", "agreement", "hashes"))
    ]
    if not ours:
        return ["the log of receipts does not hold this measurement"]
    if number != 1 and record.get("sealed"):
        return [f"it calibrates nothing: it was attempt {number}"]
    later = [event.get("attempt") for event in attempts if event.get("attempt") != number]
    return [f"the log holds attempt {attempt} at the same cases too" for attempt in later]


def shortened(before: bytes, after: bytes) -> bool:
    """Whether a log that only grows lost something: `before` is its state on a base commit."""
    return not after.startswith(before.rstrip(b"\n"))


def _events(log: bytes) -> list[dict[str, Any]]:
    arithmetic = canonical_module(CALIBRATION)
    try:
        return [*arithmetic.log_events(RECEIPTS, log)]
    except arithmetic.Unusable as error:
        raise UnusableInputError(str(error)) from error


def _sealed_digest(arithmetic: ModuleType, cases: str) -> str:
    try:
        held = arithmetic.of_split(arithmetic.read_cases(cases), "sealed")
    except (arithmetic.Unusable, OSError) as error:
        raise UnusableInputError(f"the cases cannot be compared: {error}") from error
    return str(arithmetic.cases_digest(held))


def read_record(data: bytes, *, path: str) -> dict[str, Any]:
    """Return the record in a file that `sealed` wrote. Raises UnusableInputError."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnusableInputError(f"not JSON: {error}", path=path) from error
    if not isinstance(record, dict) or record.get("subcommand") != "sealed":
        raise UnusableInputError("not a record of `calibrate sealed`", path=path)
    return record
