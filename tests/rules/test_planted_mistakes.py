"""Mistakes as people make them, in small scripts built like real reviews: each told at its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.shapes import in_script

from judge_conformance.catalog import Catalog
from judge_conformance.rules import all_rules

JUDGED = """\
const findings = (await parallel(LENSES.map((lens) => () => agent(lens.brief, { schema: FOUND }))))
  .filter(Boolean).flatMap((r) => r.findings ?? [])
const replies = await parallel(findings.map((f) => () =>
  agent(`Refute ${f.title}`, { label: `verify:${f.title}`, schema: JUDGE_VERDICT_SCHEMA })))
const judged = findings.map((f, i) => ({ f, v: decideVerdict(replies[i], RUBRIC, { item: f.title }) }))
log(`sample: ${JSON.stringify(spotCheck(judged.map(({ v }) => v)))}`)
"""
LOOP = "const confirmed = []\nfor (const { f, v } of judged) {\n"
SKIP = "for (const { f, r } of asked) {\n"
ASKED = """\
const asked = await parallel(items.map((f) => () => agent(f.title).then((r) => ({ f, r }))))
const verdicts = []
"""
END = "return { verdicts, sample: spotCheck(verdicts) }\n"

PLANTED = {
    "none": ("", JUDGED + "return judged.filter(({ v }) => v.outcome === 'pass')\n"),
    "only fails turned away": ("JC-FAIL-OPEN", JUDGED + LOOP + "  if («v.outcome === 'fail') continue\n  confirmed.push(f)\n}\nreturn confirmed\n"),
    "else accepts": ("JC-FAIL-OPEN", JUDGED + LOOP + "  if («v.outcome === 'fail') refuted.push(f)\n  else confirmed.push(f)\n}\nreturn confirmed\n"),
    "survivors": ("JC-FAIL-OPEN", JUDGED + "const survivors = judged.filter(({ v }) => «v.outcome !== 'fail').map(({ f }) => f)\nreturn survivors\n"),
    "nothing refuted": ("JC-FAIL-OPEN", JUDGED + "return { approved: «!judged.some(({ v }) => v.outcome === 'fail') }\n"),
    "a default that accepts": ("JC-FAIL-OPEN", JUDGED + LOOP + "  switch («v.outcome) {\n    case 'fail': break\n    default: confirmed.push(f)\n  }\n}\nreturn confirmed\n"),
    "a status": ("JC-FAIL-OPEN", JUDGED + "return judged.map(({ f, v }) => ({ ...f, status: «v.outcome === 'fail' ? 'refuted' : 'confirmed' }))\n"),
    "a missing one": ("JC-FAIL-OPEN", JUDGED + LOOP + "  if («v && v.outcome !== 'pass') continue\n  confirmed.push(f)\n}\nreturn confirmed\n"),
    "a list of outcomes": ("JC-FAIL-OPEN", JUDGED + "const OK = ['pass', 'abstain']\nconst kept = judged.filter(({ v }) => «OK.includes(v.outcome))\nreturn kept\n"),
    "why it failed": ("JC-NULL-PASS", JUDGED + "return judged.map(({ v }) => v.criteria.filter((c) => «!c.pass).map((c) => c.evidence))\n"),
    "what is met": ("JC-NULL-PASS", JUDGED + "return { met: judged.flatMap(({ v }) => v.criteria.filter((c) => «c.pass !== false)) }\n"),
    "records filtered": ("JC-NULL-DROP", ASKED + "for (const { f, r } of asked.«filter(Boolean)) {\n  verdicts.push(decideVerdict(r, RUBRIC, { item: f.title }))\n}\n" + END),
    "the dead skipped": ("JC-NULL-DROP", ASKED + SKIP + "  if («!r) continue // referee died\n  verdicts.push(decideVerdict(r, RUBRIC, { item: f.title }))\n}\n" + END),
    "the dead logged": ("JC-NULL-DROP", ASKED + SKIP + "  if («!r) {\n    log(`no verdict for ${f.title}`)\n    continue\n  }\n  verdicts.push(decideVerdict(r, RUBRIC, { item: f.title }))\n}\n" + END),
    "thunks filtered": ("JC-NULL-DROP", "const verdicts = (await parallel(items.map((f) => async () =>\n  decideVerdict(await agent(f.title), RUBRIC, { item: f.title })))).«filter(Boolean)\n" + END),
    "decided and forgotten": ("JC-UNCALLED", "items.forEach((f, i) => «decideVerdict(replies[i], RUBRIC, { item: f }))\nreturn replies\n"),
    "a mock left in": ("JC-SHADOW", JUDGED + "«decideVerdict = () => ({ outcome: 'pass' })\nreturn judged\n"),
    "a parameter": ("JC-SHADOW", JUDGED + "const rejudge = («decideVerdict) => decideVerdict(replies[0])\nreturn { judged, rejudge }\n"),
    "the schema loosened": ("JC-SHADOW", JUDGED + "«JUDGE_VERDICT_SCHEMA.required = []\nreturn judged\n"),
    "a shadow in a block": ("JC-SHADOW", JUDGED + "{ const «spotCheck = (v) => v.slice(0, 1); log(spotCheck(judged)) }\nreturn judged\n"),
    "a catch": ("JC-SHADOW", JUDGED + "try { log(judged) } catch («decideVerdict) { log('no') }\nreturn judged\n"),
}  # fmt: skip
USE = {"JC-FAIL-OPEN", "JC-NULL-DROP", "JC-NULL-PASS", "JC-SHADOW", "JC-UNCALLED"}
RULES = [rule for rule in all_rules() if rule.code in USE]


@pytest.mark.parametrize(("code", "shape"), PLANTED.values(), ids=PLANTED)
def test_one_mistake_gives_one_finding(
    tmp_path: Path, catalog: Catalog, code: str, shape: str
) -> None:
    for rule in RULES:
        lines, marked = in_script(rule, tmp_path / rule.code, catalog, shape)
        assert lines == (marked if rule.code == code else [])
    assert "«" in shape or not code
