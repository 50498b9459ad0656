export const meta = { name: 'batch', description: 'A planted script', phases: [{ title: 'Judge' }] }
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
const VERDICTS = {
  type: 'object',
  required: ['verdicts'],
  properties: {
    verdicts: {
      type: 'array',
      items: { type: 'object', required: ['title', 'real'], properties: { title: { type: 'string' }, real: { type: 'boolean' } } },
    },
  },
}
const found = await agent('Find bugs.', { label: 'find', schema: FINDINGS })
const batch = await agent(`Judge each: ${JSON.stringify(found.findings)}`, { label: 'batch', schema: VERDICTS }).catch(() => null) // expect JX-FAIL-OPEN
const gone = new Set((batch?.verdicts ?? []).filter((v) => !v.real).map((v) => v.title))
return { kept: found.findings.filter((f) => !gone.has(f.title)), gone: [...gone] }
