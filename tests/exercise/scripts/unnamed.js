export const meta = { name: 'unnamed', description: 'A planted script', phases: [{ title: 'Judge' }] }
const CHOICE = {
  type: 'object',
  required: ['lane'],
  properties: { lane: { type: 'string', enum: ['fast', 'slow'] } },
}
const choice = await agent(`Which lane for ${args.item}?`, { label: 'lane', schema: CHOICE }).catch(() => null) // expect JX-UNSURE
const fast = choice?.lane !== 'slow'
return fast ? { merged: args.item } : { queued: args.item }
