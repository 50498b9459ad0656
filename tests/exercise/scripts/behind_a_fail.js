export const meta = { name: 'behind-a-fail', description: 'A planted script', phases: [{ title: 'Judge' }] }
const VERDICT = { type: 'object', required: ['real'], properties: { real: { type: 'boolean' } } }
const VERDICTS = {
  type: 'object',
  required: ['verdicts'],
  properties: {
    verdicts: {
      type: 'array',
      items: { type: 'object', required: ['id', 'real'], properties: { id: { type: 'string' }, real: { type: 'boolean' } } },
    },
  },
}
const first = await agent(`Judge ${args.id}`, { label: 'first', schema: VERDICTS }).catch(() => null)
if (!first) return { unjudged: args.id }
const doubtful = first.verdicts.filter((v) => !v.real)
const appeals = await parallel(
  doubtful.map((v) => () => agent(`Appeal ${v.id}`, { label: `appeal:${v.id}`, schema: VERDICT })), // expect JX-FAIL-OPEN
)
const gone = doubtful.filter((v, i) => appeals[i]?.real === false)
return { item: args.id, seen: first.verdicts.map((v) => v.id), gone: gone.map((v) => v.id) }
