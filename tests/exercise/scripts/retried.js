export const meta = { name: 'retried', description: 'A planted script', phases: [{ title: 'Judge' }] }
const VERDICT = {
  type: 'object',
  required: ['real', 'reason'],
  properties: { real: { type: 'boolean' }, reason: { type: 'string' } },
}
let v = null
for (let i = 0; i < 3 && !v; i++) {
  try {
    v = await agent(`Is ${args.item} real?`, { label: i ? `verify:retry${i}` : 'verify', schema: VERDICT })
  } catch {
    log('again')
  }
}
return { item: args.item, outcome: v ? v.real : 'unjudged' }
