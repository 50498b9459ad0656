export const meta = { name: 'effects-only', description: 'A planted script', phases: [{ title: 'Judge' }] }
const VERDICT = {
  type: 'object',
  required: ['approved', 'reason'],
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
}
const v = await agent(`Review ${args.change}`, { label: 'review', schema: VERDICT }).catch(() => null) // expect JX-FAIL-OPEN
if (v && !v.approved) await agent(`Fix ${args.change}: it was rejected`, { label: 'fix' })
await agent(`Summarise ${args.change}`, { label: 'summary' })
