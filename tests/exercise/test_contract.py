"""A script with the contract's block: pass, fail and abstain are known, the rubric is heeded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from judge_conformance.exercise.report import report
from judge_conformance.exercise.suite import ScriptResult

BLOCK = (Path(__file__).parents[2] / "vendored/verdict.inline.js").read_text("utf-8")
HEAD = f"""
{BLOCK}

const RUBRIC = {{
  id: 'demo-review@1',
  threshold: 0.7,
  criteria: [{{ id: 'real', question: 'Is it real?' }}, {{ id: '__proto__', question: 'Odd?' }}],
}}
const FINDINGS = {{
  properties: {{
    all: {{ type: 'array', items: {{ properties: {{ title: {{ type: 'string' }} }} }} }},
  }},
}}
const {{ all }} = await agent('Find', {{ label: 'find', schema: FINDINGS }})
const replies = await parallel(
  all.map((f) => () =>
    agent(`Judge ${{f.title}}`, {{ label: `judge:${{f.title}}`, schema: JUDGE_VERDICT_SCHEMA }}),
  ),
)
"""
VERDICTS = (
    "const verdicts = all.map((f, i) => decideVerdict(replies[i], RUBRIC, { item: f.title }))\n"
)
NAMED = "const by = (o) => verdicts.filter((v) => v.outcome === o).map((v) => v.item)\n"
ALL = "return { pass: by('pass'), fail: by('fail'), none: by('abstain') }"

USES: dict[str, tuple[str, str | None]] = {
    "right": (
        VERDICTS + NAMED + "return { pass: by('pass'), fail: by('fail'), none: by('abstain') }",
        None,
    ),
    "the verdicts as they are": (
        VERDICTS + "return { verdicts, sample: spotCheck(verdicts) }",
        None,
    ),
    "without an expected item": (
        "return replies.map((r, i) => ({ ...all[i], ...decideVerdict(r, RUBRIC) }))",
        None,
    ),
    "whatever is no fail": (
        VERDICTS + NAMED + "return { gone: by('fail'), kept: [...by('pass'), ...by('abstain')] }",
        "JX-FAIL-OPEN",
    ),
    "replies dropped before they are decided": (
        "return replies.filter(Boolean).map((r) => decideVerdict(r, RUBRIC))",
        "JX-LOST",
    ),
    "abstentions dropped": (
        VERDICTS + NAMED + "return { pass: by('pass'), fail: by('fail') }",
        "JX-LOST",
    ),
}


@pytest.mark.parametrize(("use", "code"), USES.values(), ids=USES)
def test_uses(exercise: Callable[..., ScriptResult], use: str, code: str | None) -> None:
    result = exercise(HEAD + use)
    assert result.problem is None
    (done,) = result.exercised
    assert done.stance.named
    assert done.worst("abstain") is not None
    found = report([result]).findings
    assert [finding.code for finding in found] == ([code] if code else [])
    if code:
        assert "abstains" in found[0].message or code == "JX-LOST"
