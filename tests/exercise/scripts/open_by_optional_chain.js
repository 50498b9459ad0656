export const meta = { name: 'open-by-optional-chain', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
  required: ['refuted', 'reason'],
  properties: { refuted: { type: 'boolean' }, reason: { type: 'string' } },
}
const found = await agent('Find bugs.', { label: 'find', schema: FINDINGS })
const judged = await parallel(
  found.findings.map((f) => async () => {
    const v = await agent(`Refute: ${f.title}`, { label: `refute:${f.title}`, schema: VERDICT }) // expect JX-FAIL-OPEN
      .catch(() => null)
    return { ...f, kept: !v?.refuted }
  }),
)
return { kept: judged.filter((f) => f.kept).map((f) => f.title), gone: judged.filter((f) => !f.kept).map((f) => f.title) }
