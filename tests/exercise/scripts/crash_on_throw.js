export const meta = { name: 'crash-on-throw', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
const out = []
for (const f of found.findings) {
  const v = await agent(`Is this real? ${f.title}`, { label: 'verify', schema: VERDICT }) // expect JX-CRASH
  out.push({ title: f.title, outcome: v ? v.real : 'unjudged' })
}
return out
