"""`check --fix` and `check --diff`: canonical bytes back into the copies that differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from judge_conformance.cli._vendoring import unified
from judge_conformance.errors import RefusedError, UnusableInputError
from judge_conformance.findings import Report
from judge_conformance.output import printable
from judge_conformance.rule import Context
from judge_conformance.vendoring import Plan, Want, apply, plan

Reach = Literal["safe", "unsafe"]

_DRIFT = {"JC-DRIFT", "JC-PY-DRIFT", "JC-MD-DRIFT"}


def planned(context: Context, report: Report, reach: Reach) -> Plan:
    """Plan the copies that a report finds to differ; `safe`: those alone that nobody edited.

    What is allowed or switched off is in no report, and left as it is.
    """
    paths = sorted({f.location.path for f in report.findings if f.code in _DRIFT})
    copies = context.survey.copies
    wanted = [Want(path=p, artifact=copies[p].artifact) for p in paths if copies[p].declared]
    return plan(context, _writable(context, wanted, reach), force=reach == "unsafe")


def _writable(context: Context, wanted: Sequence[Want], reach: Reach) -> list[Want]:
    """Return what can be written; each of the others stays in the report, with its mend."""
    found = []
    for want in wanted:
        try:
            plan(context, [want], force=reach == "unsafe")
        except (RefusedError, UnusableInputError):
            continue
        found.append(want)
    return found


def write(context: Context, todo: Plan) -> str:
    """Write the plan; return a line a file, and none where there was nothing to write."""
    apply(context.tree.root, todo)
    return "".join(f"fixed    {printable(change.path)}\n" for change in todo.changes)


def shown(todo: Plan) -> str:
    """Return what the plan would write, as a unified diff."""
    return "".join(f"{line}\n" for line in unified(todo))
