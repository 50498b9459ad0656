export const meta = { name: 'open-on-abstain', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
  required: ['verdict'],
  properties: { verdict: { type: 'string', enum: ['confirmed', 'refuted', 'uncertain'] } },
}
const found = await agent('Find bugs.', { label: 'find', schema: FINDINGS })
const votes = await parallel(
  found.findings.map((f) => () => agent(`Is this real? ${f.title}`, { label: `verify:${f.title}`, schema: VERDICT })), // expect JX-FAIL-OPEN
)
return found.findings.map((f, i) => ({ title: f.title, kept: votes[i] != null && votes[i].verdict !== 'refuted', unjudged: votes[i] == null }))
