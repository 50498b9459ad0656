export const meta = { name: 'told-by-alias', description: 'A planted script', phases: [{ title: 'Judge' }] }
const FINDINGS = {
  type: 'object',
  required: ['findings'],
  properties: {
    findings: { type: 'array', items: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } } },
  },
}
const VERDICT = { type: 'object', required: ['real'], properties: { real: { type: 'boolean' } } }
const found = await agent('Find bugs.', { label: 'find', schema: FINDINGS })
const kept = []
const notes = []
for (const [i, f] of found.findings.entries()) {
  const v = await agent(`Is this real? ${f.title}`, { label: `verify:${f.title}`, schema: VERDICT }).catch(() => null)
  if (!v) notes.push(`F${i + 1}: nobody judged it, so it was dropped`)
  else if (v.real) kept.push(f.title)
}
return { kept, notes }
