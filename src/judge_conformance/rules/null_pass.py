"""A criterion that could not be decided is listed neither as failing nor as met.

`pass` of a criterion is true, false, or null: `!c.pass` is true of null too, and `c.pass !== false`
as well. A list of failing criteria then names what nobody could see, and a list of met ones
vouches for it. In Python, where `pass` is `None`, the same holds of `not c["pass"]` and
`c["pass"] is not False`.

List failing criteria by `c.pass === false` (`is False`), met ones by `c.pass === true` (`is True`),
and the rest apart.

Not seen: criteria that another file lists, and a list that is made by a function chosen while the
script runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.python import criteria
from judge_conformance.python.files import places
from judge_conformance.rule import Context, Edit, Example, Rule, Write
from judge_conformance.workflows.expressions import called_method
from judge_conformance.workflows.flow import Flow, nodes_below
from judge_conformance.workflows.outcomes import accepts, blame, cause, holder, is_neutral, leaves
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.shadowing import Host
from judge_conformance.workflows.worlds import CRITERIA, Mark, Worlds

_WORKFLOW = "plugins/acme/workflows/review.js"
_SCRIPT = "plugins/acme/scripts/gate.py"
_LISTING = frozenset({"filter", "find", "findLast", "partition"})
_FAILING = "an undecidable criterion is listed with the failing ones: pass is null"
_MEETING = "an undecidable criterion counts as met: pass is null"


def check(context: Context) -> Iterator[Finding]:
    """Report conditions on criteria that take null for a fail, or for a pass."""
    yield from _in_workflows(context)
    for (path, line, column, end_line, end_column), message in places(context, criteria.null_pass):
        yield RULE.finding(
            path,
            message,
            line=line,
            column=column,
            end=(end_line, end_column),
            hint='write `c["pass"] is False` for failing, `c["pass"] is True` for met',
        )


def _in_workflows(context: Context) -> Iterator[Finding]:
    for script in context.survey.carriers:
        found: dict[tuple[int, int], str] = {}
        for node, message in null_pass(script):
            found.setdefault((node.range[0], node.range[1]), message)
        for (start, end), message in sorted(found.items()):
            line, column = script.position(start)
            yield RULE.finding(
                script.path,
                message,
                line=line,
                column=column,
                end=script.position(end),
                hint="write `c.pass === false` for failing, `c.pass === true` for met",
            )


def null_pass(script: Script) -> Iterator[tuple[Node, str]]:
    """Yield each condition that takes null for a fail or a pass, and what it says."""
    flow = Flow(Host(script))
    for decision in flow.decisions():
        worlds = Worlds(flow, frozenset({id(decision)}))
        yield from _listed(worlds)
        yield from _sorted_out(worlds)


def _listed(worlds: Worlds) -> Iterator[tuple[Node, str]]:
    """Yield predicates that list criteria, or hold all of them to something."""
    flow = worlds.flow
    for node in flow.host.outside():
        method = called_method(node) if node.type == "CallExpression" else None
        if method not in {*_LISTING, "every"} or not node.arguments:
            continue
        if not any(one.kind == "criterion" for one in flow.traces(node.callee.object)):
            continue
        told = _told([worlds.accepts(node.arguments[0], world) for world in CRITERIA])
        is_failing = told == _FAILING and method in _LISTING
        named = holder(flow, node).replace("fail", "")
        if told and (is_failing or told == _MEETING) and not is_neutral(named):
            yield blame(worlds, node.arguments[0]), told


def _sorted_out(worlds: Worlds) -> Iterator[tuple[Node, str]]:
    """Yield conditions on a criterion behind which something is done."""
    met, unmet, undecidable = CRITERIA
    for leaf in leaves(worlds.flow):
        told = _told([worlds.reached(leaf, world) for world in CRITERIA])
        if told is None or _hands_on(worlds.flow, leaf):
            continue
        acts = leaf.type == "CallExpression" if told == _FAILING else accepts(leaf)
        if acts:
            yield cause(worlds, leaf, met if told == _FAILING else unmet, (undecidable,)), told


def _told(truths: list[bool | Mark]) -> str | None:
    """Return what is wrong where met, unmet and undecidable criteria are kept so."""
    kept = [True if one is Mark.FREE else False if one is Mark.THROWS else one for one in truths]
    return (
        _FAILING
        if kept == [False, True, True]
        else _MEETING
        if kept == [True, False, True]
        else None
    )


def _hands_on(flow: Flow, leaf: Node) -> bool:
    """Whether what is done hands on the criterion, or its `pass`, as it is."""
    return any(
        one.kind in {"met", "score"} and not one.path
        for node in nodes_below(leaf)
        for one in flow.traces(node)
    )


RULE = Rule(
    code="JC-NULL-PASS",
    title="an undecidable criterion is listed as failing or met",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(
            title="failing criteria by false",
            changes={
                _WORKFLOW: Edit(
                    old="sample: spotCheck",
                    new="failing: verdicts.flatMap((v) => v.criteria.filter((c) =>"
                    " c.pass === false)), sample: spotCheck",
                )
            },
        ),
        Example(
            title="failing criteria by what is not true",
            changes={
                _WORKFLOW: Edit(
                    old="sample: spotCheck",
                    new="\n  failing: verdicts.flatMap((v) => v.criteria.filter((c) => !c.pass)),"
                    "\n  sample: spotCheck",
                )
            },
            at=f"{_WORKFLOW}:!c.pass",
            mended={
                _WORKFLOW: Edit(
                    old="sample: spotCheck",
                    new="\n  failing: verdicts.flatMap((v) => v.criteria.filter((c) =>"
                    " c.pass === false)),\n  sample: spotCheck",
                )
            },
        ),
        Example(
            title="in Python, failing criteria by what is not true",
            changes={
                _SCRIPT: Write(
                    text="import sys\n"
                    "\n"
                    "from judge_contract import decide\n"
                    "\n"
                    "verdict = decide(ask(sys.argv[1]), RUBRIC)\n"
                    "failing = [c['id'] for c in verdict['criteria'] if not c['pass']]\n"
                )
            },
            at=f"{_SCRIPT}:if not c['pass']",
        ),
    ),
)
