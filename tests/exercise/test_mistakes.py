"""Mistakes in reviews of the usual make, one at a time: rules, exercise or both find each.

The scripts of `reviews/` decide with the vendored block, and are right as they stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.rules.shapes import context

from judge_conformance.catalog import Catalog
from judge_conformance.exercise.report import report
from judge_conformance.exercise.suite import exercise_script
from judge_conformance.findings import Severity
from judge_conformance.node import Node
from judge_conformance.rules import all_rules

REVIEWS = Path(__file__).with_name("reviews")
NAMES = sorted(path.name for path in REVIEWS.iterdir())
USE = {"FAIL-OPEN", "NULL-DROP", "NULL-PASS", "ORDER", "PARSE", "SHADOW", "UNCALLED", "UNUSED"}
RULES = [rule for rule in all_rules() if rule.code.removeprefix("JC-") in USE]
OPEN, DROP, NULL, SHADOW = "JC-FAIL-OPEN", "JC-NULL-DROP", "JC-NULL-PASS", "JC-SHADOW"
RUN_OPEN, RUN_LOST = "JX-FAIL-OPEN", "JX-LOST"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A replacement in one script; `«` is where the rule stands, and what exercise says of it."""

    script: str
    old: str
    new: str
    rule: str | None = None
    run: str | None = None


MISTAKES = {
    "whatever is no fail is kept": Mistake(script="screen.js", old="  if (v.outcome === 'pass') {\n    kept", new="  if («v.outcome !== 'fail') {\n    kept", rule=OPEN, run=RUN_OPEN),
    "an abstain falls into the else": Mistake(script="screen.js", old="  if (v.outcome === 'pass') {\n    kept.push({ ...f, severity: 'high' })\n  } else if (v.outcome === 'fail') {\n    refuted.push({ ...f, because: evidence(v) })\n  } else {\n    unjudged.push({ ...f, because: v.abstainReason })\n  }", new="  if («v.outcome === 'fail') {\n    refuted.push({ ...f, because: evidence(v) })\n  } else {\n    kept.push({ ...f, severity: 'high' })\n  }", rule=OPEN, run=RUN_OPEN),
    "a confirmation that only a fail withholds": Mistake(script="screen.js", old="  if (v.outcome === 'pass') return\n", new="  if (v.outcome !== 'fail') return\n", run=RUN_OPEN),
    "a default that confirms": Mistake(script="rounds.js", old="undecided.push({ ...rule, because: v.abstainReason })", new="confirmed.push(rule)", run=RUN_OPEN),
    "nobody objected": Mistake(script="rounds.js", old="vs.length > 0 && vs.every(v => v.outcome === 'pass')", new="«!vs.some(v => v.outcome === 'fail')", rule=OPEN, run=RUN_OPEN),
    "fewer fails than a quorum": Mistake(script="panel.mjs", old="survived: passes >= QUORUM", new="survived: «count('fail') < QUORUM", rule=OPEN, run=RUN_OPEN),
    "passes are what did not fail": Mistake(script="panel.mjs", old="const passes = count('pass')", new="const passes = verdicts.filter((v) => «v.outcome !== 'fail').length", rule=OPEN, run=RUN_OPEN),
    "only a fail keeps it from being filed": Mistake(script="filing.js", old="    if (cold.outcome !== 'pass') {", new="    if (cold.outcome === 'fail') {", run=RUN_OPEN),
    "an abstain is accepted too": Mistake(script="filing.js", old="r.verdict.outcome === 'pass')", new="«['pass', 'abstain'].includes(r.verdict.outcome))", rule=OPEN),
    "decided, and forgotten": Mistake(script="panel.mjs", old="const verdicts = votes.map((vote) => decideVerdict(vote, RUBRIC, { item: claim.title }))", new="votes.forEach((vote) => «decideVerdict(vote, RUBRIC, { item: claim.title }))\n          const verdicts = votes", rule="JC-UNCALLED"),
    "a parameter of the name": Mistake(script="screen.js", old="const ask = (f, stance, label) =>", new="const ask = (f, stance, label, «decideVerdict) =>", rule=SHADOW),
    "a stub left in": Mistake(script="filing.js", old="const judged = candidates", new="if (args?.dry) «decideVerdict = () => ({ outcome: 'pass', criteria: [] })\nconst judged = candidates", rule=SHADOW),
    "the schema loosened": Mistake(script="rounds.js", old="const confirmed = []", new="«JUDGE_VERDICT_SCHEMA.properties.criteria.items.required = ['id']\nconst confirmed = []", rule=SHADOW),
    "a local of the name": Mistake(script="filing.js", old="    const coldRead =", new="    const «spotCheck = (list) => list.slice(0, 3)\n    const coldRead =", rule=SHADOW),
    "a global replaced": Mistake(script="screen.js", old="const kept = []", new="const «Object = { hasOwn: () => true }\nconst kept = []", rule=SHADOW),
    "referees filtered before they are decided": Mistake(script="screen.js", old="decideVerdict(referees[i], RUBRIC", new="decideVerdict(referees.«filter(Boolean)[i], RUBRIC", rule=DROP),
    "the dead skipped": Mistake(script="rounds.js", old="  const v = decideVerdict(readings[i]?.v ?? null,", new="  if («!readings[i]?.v) continue\n  const v = decideVerdict(readings[i].v,", rule=DROP, run=RUN_LOST),
    "votes filtered": Mistake(script="panel.mjs", old="const verdicts = votes.map", new="const verdicts = votes.«filter(Boolean).map", rule=DROP, run=RUN_LOST),
    "verdicts of thunks filtered": Mistake(script="filing.js", old="    .catch(() => null)\n    .then((report) => ({ id, verdict: decideVerdict(report, COLD_RUBRIC, { item: id }) }))))\nconst judged = candidates.map((id, i) => screened[i] ?? { id, verdict: decideVerdict(null, COLD_RUBRIC, { item: id }) })", new="    .then((report) => ({ id, verdict: decideVerdict(report, COLD_RUBRIC, { item: id }) }))))\nconst judged = screened.«filter(Boolean)", rule=DROP),
    "an undecidable criterion refutes": Mistake(script="screen.js", old="c => c.pass === false).map(c => c.evidence)", new="c => «!c.pass).map(c => c.evidence)", rule=NULL),
    "a passing report for a dead referee": Mistake(script="screen.js", old="decideVerdict(referees[i], RUBRIC", new="decideVerdict(referees[i] || «{ item: f.title, criteria: [{ id: 'real', evidence: 'none', score: 1, pass: true }], abstain: false, abstainReason: null }, RUBRIC", rule=OPEN, run=RUN_OPEN),
    "a catch that gives a pass": Mistake(script="filing.js", old=".catch(() => null)\n      return decide", new=".catch(() => («{ item: c.id, criteria: [{ id: 'clear', evidence: '-', score: 1, pass: true }], abstain: false }))\n      return decide", rule=OPEN, run=RUN_OPEN),
    "the field of the old reply": Mistake(script="screen.js", old="  if (v.outcome === 'pass') {\n    kept", new="  if (!«v.refuted) {\n    kept", rule=OPEN),
    "the field of another workflow's reply": Mistake(script="filing.js", old="r.verdict.outcome === 'pass')", new="«r.verdict.verdict !== 'needs-revision')", rule=OPEN),
    "an outcome that there is none of": Mistake(script="rounds.js", old="    case 'fail':\n", new="    case «'failed':\n", rule=OPEN),
    "whoever settled": Mistake(script="screen.js", old="const referees = await parallel(faults.map(f => () => ask(f, 'Refute', `refute:${f.place}`)))\nconst ruled = faults.map((f, i) => ({ f, v: decideVerdict(referees[i], RUBRIC, { item: f.title }) }))", new="const settled = await Promise.allSettled(faults.map(f => ask(f, 'Refute', `refute:${f.place}`)))\nconst referees = settled.filter(s => s.status === 'fulfilled').map(s => s.value)\nconst ruled = referees.map((r, i) => ({ f: faults[i], v: decideVerdict(r, RUBRIC, { item: faults[i].title }) }))", run=RUN_LOST),
    "an early return when nobody answered": Mistake(script="screen.js", old="kept.forEach((f, i) => {", new="if (!second.some(Boolean)) return { folder, kept, refuted, unjudged }\nkept.forEach((f, i) => {", run=RUN_OPEN),
    "a reduce over what did not fail": Mistake(script="rounds.js", old="vs.length > 0 && vs.every(v => v.outcome === 'pass')", new="vs.reduce((all, v) => all && v.outcome !== 'fail', true)", run=RUN_OPEN),
    "a ternary that raises": Mistake(script="screen.js", old="  if (v.outcome === 'pass') return\n  if (v.abstain) {", new="  f.severity = «v.outcome === 'fail' ? 'low' : 'high'\n  if (f) return\n  if (v.abstain) {", rule=OPEN, run=RUN_OPEN),
    "a try that goes on": Mistake(script="rounds.js", old="  const v = decideVerdict(readings[i]?.v ?? null, RULE_RUBRIC, { item: rule.name })", new="  let v\n  try {\n    v = decideVerdict(readings[i].v.criteria && readings[i].v, RULE_RUBRIC, { item: rule.name })\n  } catch {\n    continue\n  }", run=RUN_LOST),
    "a table of actions": Mistake(script="screen.js", old="  if (v.outcome === 'pass') {\n    kept", new="  if (({ fail: 'drop' }[v.outcome] ?? 'keep') === 'keep') {\n    kept", run=RUN_OPEN),
    "most of those who answered": Mistake(script="panel.mjs", old="survived: passes >= QUORUM", new="survived: passes > votes.filter(Boolean).length / 2", run=RUN_OPEN),
}  # fmt: skip


def text_of(name: str, catalog: Catalog) -> str:
    block = catalog.content("verdict.inline.js").decode()
    return (REVIEWS / name).read_text("utf-8").replace("// {{verdict.inline.js}}", block)


def checked(root: Path, catalog: Catalog, name: str, text: str) -> set[tuple[str, int | None]]:
    looked = context(root, catalog, {f"plugins/acme/workflows/{name}": text})
    return {(f.code, f.location.line) for rule in RULES for f in rule.check(looked)}


def exercised(name: str, text: str, node: Node) -> set[str]:
    found = report([exercise_script(name, text, node)]).findings
    return {finding.code for finding in found if finding.severity is Severity.ERROR}


@pytest.mark.parametrize("name", NAMES)
def test_a_review_that_is_right(tmp_path: Path, catalog: Catalog, node: Node, name: str) -> None:
    text = text_of(name, catalog)
    assert checked(tmp_path, catalog, name, text) == set()
    assert exercised(name, text, node) == set()


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_each_mistake_is_found(
    tmp_path: Path, catalog: Catalog, node: Node, mistake: Mistake
) -> None:
    text = text_of(mistake.script, catalog)
    assert text.count(mistake.old) == 1
    text = text.replace(mistake.old, mistake.new)
    line = text[: text.index("«")].count("\n") + 1 if "«" in text else None
    text = text.replace("«", "")
    assert checked(tmp_path, catalog, mistake.script, text) == (
        {(mistake.rule, line)} if mistake.rule else set()
    )
    assert mistake.rule or mistake.run
    if mistake.run:
        assert exercised(mistake.script, text, node) == {mistake.run}


def test_there_are_thirty_two() -> None:
    assert len(MISTAKES) >= 32
