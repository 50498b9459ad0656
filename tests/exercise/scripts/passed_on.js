export const meta = { name: 'passed-on', description: 'A planted script', phases: [{ title: 'Judge' }] }
const NOTE = {
  type: 'object',
  required: ['tone', 'size', 'text'],
  properties: { tone: { enum: ['dry', 'warm'] }, size: { type: 'number' }, text: { type: 'string' } },
}
const VERDICT = { type: 'object', required: ['real'], properties: { real: { type: 'boolean' } } }
const note = await agent(`Describe ${args.item}`, { label: 'describe', schema: NOTE }).catch(() => null)
const v = await agent(`Is ${args.item} real?`, { label: 'verify', schema: VERDICT }).catch(() => null)
return { item: args.item, tone: note?.tone, size: note?.size, outcome: v ? v.real : 'unjudged' }
