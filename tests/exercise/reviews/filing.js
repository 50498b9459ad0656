export const meta = { name: 'filing', description: 'Draft each candidate, and file what a cold reader understands.' }

// {{verdict.inline.js}}

const COLD_RUBRIC = {
  id: 'acme-cold@1',
  threshold: 0.7,
  criteria: [{ id: 'clear', question: 'Can a reader act on this text alone?' }],
}
const DRAFT = { type: 'object', required: ['body'], properties: { body: { type: 'string' } } }
const candidates = ['a-1', 'b-2']
const reads = []

const triaged = await pipeline(
  candidates,
  async (id) => {
    const draft = await agent(`Draft ${id}`, { label: `draft:${id}`, schema: DRAFT })
    return draft ? { id, draft } : { id, disposition: 'draft-failed' }
  },
  async (c) => {
    if (!c.draft) return c
    const coldRead = async (draft) => {
      const report = await agent(`Read: ${draft.body}`, { label: `coldread:${c.id}`, schema: JUDGE_VERDICT_SCHEMA }).catch(() => null)
      return decideVerdict(report, COLD_RUBRIC, { item: c.id })
    }
    const cold = await coldRead(c.draft)
    reads.push(cold)
    if (cold.outcome !== 'pass') {
      return { id: c.id, disposition: cold.abstain ? `not read: ${cold.abstainReason}` : 'unclear' }
    }
    return { id: c.id, disposition: 'file' }
  },
)

const screened = await parallel(candidates.map((id) => () =>
  agent(`Is ${id} a duplicate?`, { label: `screen:${id}`, schema: JUDGE_VERDICT_SCHEMA })
    .catch(() => null)
    .then((report) => ({ id, verdict: decideVerdict(report, COLD_RUBRIC, { item: id }) }))))
const judged = candidates.map((id, i) => screened[i] ?? { id, verdict: decideVerdict(null, COLD_RUBRIC, { item: id }) })
const alone = judged.filter((r) => r.verdict.outcome === 'pass').map((r) => r.id)
const unsure = judged.filter((r) => r.verdict.abstain).map(({ id, verdict }) => ({ id, why: verdict.abstainReason }))
log(`${judged.filter(Boolean).length} screened; look at ${JSON.stringify(spotCheck(reads))}`)
return { filing: triaged.filter(Boolean), alone, unsure }
