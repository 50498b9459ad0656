export const meta = { name: 'asked-without-end', description: 'A planted script', phases: [{ title: 'Judge' }] }
const VERDICT = {
  type: 'object',
  required: ['real', 'reason'],
  properties: { real: { type: 'boolean' }, reason: { type: 'string' } },
}
let v = null
while (!v) v = await agent(`Is ${args.item} real?`, { label: 'verify', schema: VERDICT }) // expect JX-CRASH
return { item: args.item, real: v.real }
