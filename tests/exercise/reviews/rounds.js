export const meta = { name: 'rounds', description: 'Collect rules until none is new, and let referees read each.' }

// {{verdict.inline.js}}

const RULE_RUBRIC = {
  id: 'acme-rule@1',
  threshold: 0.7,
  criteria: [{ id: 'written', question: 'Does the cited code do this?' }],
}
const RULES = {
  type: 'object',
  required: ['rules'],
  properties: {
    rules: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
  },
}

const confirmed = []
const rejected = []
const undecided = []
const decided = []
const found = await parallel(['tax', 'dates'].map(topic => () => agent(`Rules about ${topic}`, { label: `find:${topic}`, schema: RULES })))
const fresh = found.filter(Boolean).flatMap(list => list.rules)
const readings = await parallel(
  fresh.map(rule => () =>
    agent(`Is ${rule.name} in the code?`, { label: `verify:${rule.name}`, schema: JUDGE_VERDICT_SCHEMA }).then(v => ({ rule, v })),
  ),
)
for (const [i, rule] of fresh.entries()) {
  const v = decideVerdict(readings[i]?.v ?? null, RULE_RUBRIC, { item: rule.name })
  decided.push(v)
  switch (v.outcome) {
    case 'pass':
      confirmed.push(rule)
      break
    case 'fail':
      rejected.push({ ...rule, because: v.criteria.filter(c => c.pass === false).map(c => c.id) })
      break
    default:
      undecided.push({ ...rule, because: v.abstainReason })
  }
}

const LENSES = ['money', 'law']
const panel = await parallel(
  confirmed.flatMap(rule => LENSES.map(lens => () =>
    agent(`Through ${lens}: ${rule.name}`, { label: `panel:${rule.name}`, schema: JUDGE_VERDICT_SCHEMA }))),
)
confirmed.forEach((rule, i) => {
  const vs = LENSES.map((_, j) => decideVerdict(panel[i * LENSES.length + j], RULE_RUBRIC, { item: rule.name }))
  const isVital = vs.length > 0 && vs.every(v => v.outcome === 'pass')
  if (isVital) {
    rule.priority = 'vital'
    return
  }
  rule.priority = vs.some(v => v.outcome === 'fail') ? 'plain' : 'unclear'
})
log(`look at ${JSON.stringify(spotCheck(decided))}`)
return { confirmed, rejected, undecided }
