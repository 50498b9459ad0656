export const meta = { name: 'helper', description: 'A planted script', phases: [{ title: 'Judge' }] }
const FINDINGS = {
  type: 'object',
  required: ['findings'],
  properties: {
    findings: {
      type: 'array',
      items: { type: 'object', required: ['title'], properties: { title: { type: 'string' }, file: { type: 'string' } } },
    },
  },
}
const VERDICT = {
  type: 'object',
  required: ['real', 'reason'],
  properties: { real: { type: 'boolean' }, reason: { type: 'string' } },
}
const found = await agent('Find bugs.', { label: 'find', schema: FINDINGS })
const ask = (prompt, label) => agent(prompt, { label, schema: VERDICT, agentType: 'reviewer' })
const kept = []
for (const f of found.findings) {
  const first = await ask(`Refute ${f.title}`, `refute:${f.title}`).catch(() => null)
  const second = await ask(`Confirm ${f.title}`, `confirm:${f.title}`).catch(() => null) // expect JX-FAIL-OPEN
  if (!first) kept.push({ title: f.title, outcome: 'unjudged' })
  else if (!first.real || second?.real === false) kept.push({ title: f.title, outcome: 'fail' })
  else kept.push({ title: f.title, outcome: 'pass' })
}
return kept
