"""One judge: the same question under another label, and one label for several agent types."""

from __future__ import annotations

from collections.abc import Callable

from judge_conformance.exercise.report import report, table
from judge_conformance.exercise.suite import ScriptResult

RETRIED = """
const OK = { type: 'object', required: ['ok', 'error'],
  properties: { ok: { type: 'boolean' }, error: { type: ['string', 'null'] } } }
for (let i = 0; i < 2; i++) {
  const v = await agent(`Write ${args.item}`, { label: i ? 'scribe-retry' : 'scribe', schema: OK })
    .catch(() => null)
  if (v?.ok) break
}
return 'done'
"""


def test_the_same_question_under_another_label_is_the_same_judge(
    exercise: Callable[..., ScriptResult],
) -> None:
    result = exercise(RETRIED)
    assert result.exercised == ()
    assert {left.role.name for left in result.undecided} == {"scribe", "scribe-retry"}


TYPED = """
const SEEN = { type: 'object', required: ['real'], properties: { real: { type: 'boolean' } } }
const kinds = ['a', 'b', 'c']
const seen = await parallel(kinds.map((agentType) => () =>
  agent(`Is it? ${agentType}`, { label: `see:${agentType}`, agentType, schema: SEEN })))
return seen.every((s) => s?.real !== false) ? 'go' : 'stop'
"""


def test_one_judge_under_several_agent_types_is_told_once(
    exercise: Callable[..., ScriptResult],
) -> None:
    result = exercise(TYPED)
    assert len(result.exercised) == 3
    (finding,) = report([result]).findings
    assert finding.code == "JX-FAIL-OPEN"
    assert len(table([result]).splitlines()) == 2
