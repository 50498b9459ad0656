export const meta = { name: 'behind-a-mode', description: 'A planted script', phases: [{ title: 'Judge' }] }
const VERDICT = {
  type: 'object',
  required: ['real', 'reason'],
  properties: { real: { type: 'boolean' }, reason: { type: 'string' } },
}
const mode = args.mode || 'quick'
if (mode !== 'quick' && mode !== 'thorough') throw new Error('mode is quick or thorough')
if (!Array.isArray(args.claims) || args.claims.length < 3) throw new Error('at least three claims')
const out = []
for (const c of args.claims) {
  if (mode === 'quick') {
    out.push({ id: c.id, outcome: 'unjudged' })
    continue
  }
  const v = await agent(`Check ${c.id}`, { label: `check:${c.id}`, schema: VERDICT }).catch(() => null) // expect JX-FAIL-OPEN
  out.push({ id: c.id, outcome: v?.real === false ? 'fail' : 'pass' })
}
return out
