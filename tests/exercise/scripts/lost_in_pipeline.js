export const meta = { name: 'lost-in-pipeline', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
const judged = await pipeline(
  found.findings,
  (f) => agent(`Is this real? ${f.title}`, { label: `verify:${f.title}`, schema: VERDICT }), // expect JX-LOST
  (v, f) => ({ title: f.title, real: v.real }),
)
return judged.filter(Boolean)
