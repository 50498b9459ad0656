export const meta = { name: 'ends-by-design', description: 'A planted script', phases: [{ title: 'Judge' }] }
const VERDICT = {
  type: 'object',
  required: ['approved', 'reason'],
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
}
const v = await agent(`Review ${args.change}`, { label: 'review', schema: VERDICT }).catch(() => null)
if (!v?.approved) throw new Error('the change is not approved')
return { merged: args.change }
