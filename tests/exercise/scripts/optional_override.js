export const meta = { name: 'optional-override', description: 'A planted script', phases: [{ title: 'Judge' }] }
const VERDICT = {
  type: 'object',
  required: ['real'],
  properties: { real: { type: 'boolean' }, override: { type: 'string' } },
}
const v = await agent(`Is ${args.item} real?`, { label: 'verify', schema: VERDICT }).catch(() => null) // expect JX-FAIL-OPEN
if (v?.override) return { overridden: args.item }
return v?.real === false ? { gone: args.item } : { kept: args.item }
