export const meta = { name: 'sound', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
const votes = await parallel(
  found.findings.map((f) => () => agent(`Is this real? ${f.title}`, { label: `verify:${f.file}`, schema: VERDICT })),
)
const judged = found.findings.map((f, i) => ({ ...f, outcome: votes[i] ? (votes[i].real ? 'pass' : 'fail') : 'unjudged' }))
return { confirmed: judged.filter((f) => f.outcome === 'pass'), judged }
