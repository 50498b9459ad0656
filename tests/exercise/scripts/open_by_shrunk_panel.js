export const meta = { name: 'open-by-shrunk-panel', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
  const votes = (await parallel(
    ['a', 'b'].map((lens) => () => agent(`Judge ${f.title} through lens ${lens}`, { label: `panel:${lens}`, schema: VERDICT })), // expect JX-FAIL-OPEN
  )).filter(Boolean)
  out.push({ title: f.title, accepted: votes.length > 0 && votes.every((v) => v.real) })
}
return out
