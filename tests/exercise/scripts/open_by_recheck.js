export const meta = { name: 'open-by-recheck', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
const kept = found.findings.map((f) => ({ ...f, severity: 'high' }))
const checks = await parallel(
  kept.map((f) => () => agent(`Confirm: ${f.title}`, { label: `confirm:${f.title}`, schema: VERDICT })), // expect JX-FAIL-OPEN
)
kept.forEach((f, i) => {
  const v = checks[i]
  if (!v) return
  if (!v.real) f.severity = 'low'
})
return { kept }
