export const meta = { name: 'open_by_shrunk_majority', description: 'A planted script', phases: [{ title: 'Judge' }] }
const VERDICT = { type: 'object', required: ['real'], properties: { real: { type: 'boolean' } } }
const judged = await parallel(args.claims.map((claim) => async () => {
  const votes = await parallel([1, 2, 3].map((seat) => () => agent(`Seat ${seat}: ${claim}`, { label: `seat:${claim}#${seat}`, schema: VERDICT }))) // expect JX-FAIL-OPEN
  const given = votes.filter(Boolean)
  const real = given.length > 0 && given.filter((v) => v.real).length > given.length / 2
  return { claim, real }
}))
return { judged }
