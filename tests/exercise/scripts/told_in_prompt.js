export const meta = { name: 'told_in_prompt', description: 'A planted script', phases: [{ title: 'Judge' }] }
const FOUND = {
  type: 'object',
  required: ['findings'],
  properties: { findings: { type: 'array', items: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } } } },
}
const VERDICT = { type: 'object', required: ['refuted', 'reason'], properties: { refuted: { type: 'boolean' }, reason: { type: 'string' } } }
const { findings } = await agent(`Review ${args.file}`, { label: 'review', schema: FOUND }).catch(() => ({ findings: [] })) ?? { findings: [] }
const votes = await parallel(findings.map((f) => () => agent(`Refute: ${f.title}`, { label: `refute:${f.title}`, schema: VERDICT })))
const held = findings.filter((f, i) => !votes[i]?.refuted)
const lines = held.map((f) => {
  const v = votes[findings.indexOf(f)]
  return `${f.title}: ${v ? v.reason : 'nobody answered, so this one is unverified'}`
})
const summary = await agent(`Sum up:\n${lines.join('\n')}`, { label: 'sum-up' }).catch(() => null)
return { held: held.length, summary }
