"""Calibration records: what a measurement was bound to, and whether it still holds.

The hashes are made by the canonical `judge_calibration.py` itself, loaded from its own bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, cast

from judge_conformance.catalog import Catalog
from judge_conformance.errors import UnusableInputError
from judge_conformance.tree import Tree

CALIBRATION = "judge_calibration.py"
RECEIPTS = "calibration-receipts.jsonl"
BOUND_TO = ("prompt", "rubric", "sealed", "model")
FILES = ("prompt", "rubric", "cases")


@cache
def canonical_module(name: str) -> ModuleType:
    """Return a canonical Python file, loaded from the catalog's bytes; its `main` is not run.

    Raises BrokenInstrumentError when the bytes are not what the catalog says.
    """
    module = ModuleType(name.removesuffix(".py"))
    module.__file__ = name
    exec(_compiled(Catalog.load(), name), module.__dict__)  # noqa: S102 - our own bytes, held to their digest
    return module


def _compiled(catalog: Catalog, name: str) -> CodeType:
    """Return the code of a canonical file, which Python keeps beside it as of our own modules."""
    source, place = catalog.content(name), catalog.place(name)
    if isinstance(place, Path):
        loader = SourceFileLoader(name, str(place))
        return cast("CodeType", loader.get_code(name))
    return compile(source, name, "exec", dont_inherit=True)


def read_file(path: Path) -> bytes:
    """Return the bytes of a regular file; a pipe or a device is refused, and never waited for.

    Raises UnusableInputError.
    """
    arithmetic = canonical_module(CALIBRATION)
    try:
        with arithmetic.opened(str(path)) as file:
            return bytes(file.read())
    except arithmetic.Unusable as error:
        raise UnusableInputError(str(error)) from error
    except (OSError, ValueError) as error:
        story = getattr(error, "strerror", None) or error
        raise UnusableInputError(f"cannot be read: {story}", path=str(path)) from error


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


def absent(record: Mapping[str, Any], tree: Tree) -> list[str]:
    """Return which of the files that a record was bound to the tree does not hold, in words."""
    files = record.get("files")
    if not isinstance(files, Mapping):
        return ["it does not name the files that were measured"]
    return [
        f"{files.get(name)}: the {name} that was measured is not there"
        for name in FILES
        if not _holds(tree, str(files.get(name)))
    ]


def stale_files(
    record: Mapping[str, Any], tree: Tree, *, rubric: Mapping[str, Any] | None = None
) -> list[str]:
    """Return why a record is stale by the files that it names, as the tree holds them.

    What the tree does not hold is not compared: absent() tells that. `rubric` is the one that the
    record stands in, where that is no file of its own. Raises UnusableInputError.
    """
    files = record.get("files")
    there = {
        name: str(files[name])
        for name in FILES
        if isinstance(files, Mapping) and _holds(tree, str(files.get(name)))
    }
    import tempfile  # noqa: PLC0415 - late: few rubrics were measured

    with tempfile.TemporaryDirectory(prefix="judge-") as folder:
        for path in there.values():
            _lay_out(tree, path, Path(folder))
        try:
            if rubric is None and "rubric" in there:
                rubric = canonical_module(CALIBRATION).read_json(f"{folder}/{there['rubric']}")
            return stale(
                record,
                rubric=rubric,
                prompt=tree.read(there["prompt"]) if "prompt" in there else None,
                cases=f"{folder}/{there['cases']}" if "cases" in there else None,
                model=record.get("model"),
            )
        except (canonical_module(CALIBRATION).Unusable, UnusableInputError) as error:
            raise UnusableInputError(str(error).replace(f"{folder}/", "")) from error


def _holds(tree: Tree, path: str) -> bool:
    entry = tree.entries.get(path)
    return entry.kind == "file" if entry else bool(path and tree.paths_under(path))


def _lay_out(tree: Tree, path: str, folder: Path) -> None:
    """Write a file, or all that a folder holds, as git has it: the disk may hold something else."""
    for held in tree.paths_under(path) or [path]:
        (folder / held).parent.mkdir(parents=True, exist_ok=True)
        (folder / held).write_bytes(tree.read(held))


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


def lost_lines(before: bytes, after: bytes) -> int:
    """Return how many lines of a log, which only grows, are no more there; their order is free."""
    return sum((Counter(before.splitlines()) - Counter(after.splitlines())).values())


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
