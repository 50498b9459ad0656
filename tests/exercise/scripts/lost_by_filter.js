export const meta = { name: 'lost-by-filter', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
const judged = await parallel(
  found.findings.map((f) => () =>
    agent(`Is this real? ${f.title}`, { label: `verify:${f.file}`, schema: VERDICT }).then((v) => ({ f, v })), // expect JX-LOST
  ),
)
const confirmed = []
const rejected = []
for (const { f, v } of judged.filter(Boolean)) {
  if (!v) continue
  if (v.real) confirmed.push(f)
  else rejected.push({ ...f, why: v.reason })
}
return { confirmed, rejected }
