export const meta = { name: 'score', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
const SCORE = {
  type: 'object',
  required: ['score'],
  properties: { score: { type: 'number', minimum: 0, maximum: 1 } },
}
const found = await agent('Find bugs.', { label: 'find', schema: FINDINGS })
const kept = []
const dropped = []
for (const f of found.findings) {
  const v = await agent(`Score ${f.title}`, { label: 'score', schema: SCORE }).catch(() => null) // expect JX-FAIL-OPEN
  if ((v?.score ?? 1) < 0.5) dropped.push(f.title)
  else kept.push(f.title)
}
return { kept, dropped }
