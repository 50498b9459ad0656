"""What must hold of each row, and of the judges that no row names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judge_conformance.copies import SCRIPTS
from judge_conformance.errors import UnusableInputError
from judge_conformance.judges.proofs import regex_fault
from judge_conformance.judges.rows import STATUSES, Row
from judge_conformance.paths import REGISTRY
from judge_conformance.records import RECEIPTS, absent, contradicted, read_record, stale_files
from judge_conformance.rule import Context
from judge_conformance.scan.found import Judge
from judge_conformance.scan.tree import scan_tree
from judge_conformance.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What does not hold, where it is told, and what mends it."""

    path: str
    line: int
    message: str
    hint: str | None = None


def faults(context: Context, rows: tuple[Row, ...]) -> Iterator[Fault]:
    """Yield what does not hold of the rows, in their order, then the judges without one."""
    seen: Counter[str] = Counter()
    for row in rows:
        seen[row.name] += 1
        told = [*_row(context, row)]
        if seen[row.name] > 1:
            told.insert(0, "has a row already")
        for message in told:
            yield Fault(path=REGISTRY, line=row.line, message=f"{row.name} {message}")
    for judge in unregistered(context, rows):
        yield Fault(
            path=judge.path,
            line=judge.line,
            message=f"a judge without a row in {REGISTRY}: it {judge.told}",
            hint=f"draft its row with: {context.program} judges scan",
        )


def unregistered(context: Context, rows: tuple[Row, ...]) -> list[Judge]:
    """Return the judges of the tree that no row names by their path."""
    named = {path for row in rows for path in row.where}
    found = scan_tree(context.tree, context.plugins, context.survey.scripts).judges
    return [judge for judge in found if not judge.steers and judge.path not in named]


def _row(context: Context, row: Row) -> Iterator[str]:
    if not any(row.plugin in {p.name, p.path, *p.names} for p in context.plugins.found):
        yield f"names no plugin of this repository: {row.plugin}"
    gone = [path for path in row.where if not _is_file(context.tree, path)]
    if gone:
        yield f"is said to be in {gone[0]}, which does not exist"
    if row.status not in STATUSES:
        yield f"has the status {row.status!r}, which is none of {', '.join(STATUSES)}"
    elif row.status == "collapsed":
        yield from _collapsed(context, row)
    elif row.status == "fixed" and row.proof is None:
        yield "is fixed without a proof"
    elif row.status == "kept-unmeasured" and not row.resolves_if:
        yield "is kept-unmeasured without resolves_if: which paired measurement would settle it"
    elif row.status == "kept-calibrated":
        yield from _calibrated(context, row)
    if row.proof is not None and not row.proof.command:
        story = regex_fault(context.tree, row.proof)
        if story is not None:
            yield story


def _collapsed(context: Context, row: Row) -> Iterator[str]:
    if not row.rubric:
        yield "is collapsed without a rubric"
    elif not _rubric_is_there(context, row):
        yield f"is collapsed into the rubric {row.rubric}, which no file of its plugin holds"
    declared = {required.path for required in context.config.required}
    declared |= set(context.lock.copies) if context.lock else set()
    for path in row.where:
        if not _is_file(context.tree, path):
            continue
        if path.endswith(SCRIPTS):
            copy = context.survey.copies.get(path)
            if copy is None or not copy.present:
                yield f"is collapsed, and {path} does not carry the contract's block"
            elif path not in declared:
                yield f"is collapsed, and neither the lock nor the config requires {path}"
        elif not _calls_a_copy(context, path):
            yield f"is collapsed, and {path} calls no Python copy of its plugin"


def _rubric_is_there(context: Context, row: Row) -> bool:
    if _is_file(context.tree, row.rubric):
        return True
    plugin = next((p for p in context.plugins.found if row.plugin in {p.name, p.path}), None)
    inside = context.tree.paths_under(plugin.path) if plugin else ()
    texts = [p for p in {*inside, *row.where} if p.endswith((".json", ".md", ".py", *SCRIPTS))]
    return any(row.rubric.encode() in _read(context.tree, path) for path in texts)


def _calls_a_copy(context: Context, path: str) -> bool:
    plugin = context.plugins.of(path)
    held = any(
        copy.artifact == "judge_contract.py"
        and copy.present
        and plugin is not None
        and plugin.holds(copy.path)
        for copy in context.survey.copies.values()
    )
    return held and b"judge_contract" in _read(context.tree, path)


def _calibrated(context: Context, row: Row) -> Iterator[str]:
    if not row.record:
        yield "is kept-calibrated without a record"
        return
    try:
        record = read_record(context.tree.read(row.record), path=row.record)
        found = absent(record, context.tree) or stale_files(record, context.tree)
        yield from (f"has the stale record {row.record}: {why}" for why in found)
        yield from _log(context.tree, row.record, record)
    except UnusableInputError as error:
        yield f"has a record that cannot be used: {error.where}{error.message}"
        return
    if not record.get("sealed"):
        yield f"has the record {row.record}, which calibrates nothing (attempt {record['attempt']})"
    elif not record["agreement"] >= record["floor"]:
        yield f"has the record {row.record}, below its floor {record['floor']:g}"


def _log(tree: Tree, path: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the log of receipts beside the record, or at the root, tells another story."""
    folder = path.rpartition("/")[0]
    places = [f"{folder}/{RECEIPTS}" if folder else RECEIPTS, RECEIPTS]
    log = next((place for place in places if _is_file(tree, place)), None)
    if log is not None:
        told = contradicted(record, tree.read(log))
        yield from (f"has the record {path}, and {log} says: {why}" for why in told)


def _is_file(tree: Tree, path: str) -> bool:
    entry = tree.entries.get(path)
    return entry is not None and entry.kind == "file"


def _read(tree: Tree, path: str) -> bytes:
    try:
        return tree.read(path)
    except UnusableInputError:
        return b""
