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

from collections.abc import Iterable, Iterator, Mapping

from judge_conformance.findings import Finding, Severity
from judge_conformance.python import criteria, files
from judge_conformance.rule import Context, Edit, Example, Range, Rule, Write
from judge_conformance.workflows.expressions import called_method
from judge_conformance.workflows.facts import CRITERIA
from judge_conformance.workflows.flow import Flow
from judge_conformance.workflows.methods import kept
from judge_conformance.workflows.nodes import nodes_below
from judge_conformance.workflows.outcomes import accepts, blame, cause, holder, is_neutral, leaves
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.places import findings
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.shadowing import Host
from judge_conformance.workflows.traces import kinds
from judge_conformance.workflows.values import Mark
from judge_conformance.workflows.worlds import Worlds

_WORKFLOW = "plugins/acme/workflows/review.js"
_SCRIPT = "plugins/acme/scripts/gate.py"
_FAILING = "an undecidable criterion is listed with the failing ones: pass is null"
_MEETING = "an undecidable criterion counts as met: pass is null"
_TOLD: Mapping[tuple[bool | Mark, ...], str] = {
    (False, True, True): _FAILING,
    (True, False, True): _MEETING,
}


def check(context: Context) -> Iterator[Finding]:
    """Report conditions on criteria that take null for a fail, or for a pass."""
    hint = "write `c.pass === false` for failing, `c.pass === true` for met"
    yield from findings(context, RULE, null_pass, hint)
    hint = 'write `c["pass"] is False` for failing, `c["pass"] is True` for met'
    yield from files.findings(context, RULE, criteria.null_pass, hint)


def null_pass(script: Script) -> Iterator[tuple[Range, str]]:
    """Yield each condition that takes null for a fail or a pass, and what it says."""
    flow = Flow(Host(script))
    for decision in flow.decisions():
        worlds = Worlds(flow, frozenset({id(decision)}))
        for node, told in (*_listed(worlds), *_sorted_out(worlds)):
            yield (node.range[0], node.range[1]), told


def _listed(worlds: Worlds) -> Iterator[tuple[Node, str]]:
    """Yield predicates that list criteria, or hold all of them to something."""
    for call in worlds.flow.methods("filter", "find", "every"):
        if "criterion" not in kinds(worlds.flow.traces(call.callee.object)):
            continue
        told = _told(kept(worlds, call, world) for world in CRITERIA)
        lists = told == _MEETING or called_method(call) != "every"
        if told and lists and not _is_open(holder(worlds.flow, call)):
            yield blame(worlds, call.arguments[0]), told


def _sorted_out(worlds: Worlds) -> Iterator[tuple[Node, str]]:
    """Yield conditions on a criterion behind which something is done."""
    met, unmet, _ = CRITERIA
    for leaf in leaves(worlds.flow):
        told = _told(worlds.reached(leaf, world) for world in CRITERIA)
        if told == _MEETING and accepts(leaf):
            yield cause(worlds, leaf, unmet), told
        lists = leaf.type == "CallExpression" and not _hands_on(worlds.flow, leaf)
        if told == _FAILING and lists and not _is_open(worlds.flow.host.text(leaf.callee)):
            yield cause(worlds, leaf, met), told


def _told(kept: Iterable[bool | Mark]) -> str | None:
    """Return what is wrong where met, unmet and undecidable criteria are kept so."""
    return _TOLD.get(tuple(True if one is Mark.FREE else one for one in kept))


def _is_open(name: str) -> bool:
    """Whether a name says that what it holds is open, or is one of what failed."""
    return is_neutral(name.replace("fail", ""))


def _hands_on(flow: Flow, leaf: Node) -> bool:
    """Whether what is done hands on the criterion's `pass`, or its score, as it is."""
    known = (kinds(flow.traces(node)) for node in nodes_below(leaf))
    return any({"met", "score"} & one for one in known)


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
