export const meta = { name: 'screen', description: 'Look for faults, then let referees look at each.' }

// {{verdict.inline.js}}

const RUBRIC = {
  id: 'acme-fault@1',
  threshold: 0.7,
  criteria: [{ id: 'real', question: 'Does the cited line hold the fault?' }],
}
const FOUND = {
  type: 'object',
  required: ['faults'],
  properties: {
    faults: {
      type: 'array',
      items: {
        type: 'object',
        required: ['title', 'place'],
        properties: { title: { type: 'string' }, place: { type: 'string' } },
      },
    },
  },
}

const { folder } = args || {}
if (!folder) throw new Error('args.folder is required')

const lists = await parallel(
  ['injection', 'secrets'].map(kind => () => agent(`Find ${kind} in ${folder}`, { label: `find:${kind}`, schema: FOUND })),
)
const seen = new Set()
const faults = lists.filter(Boolean).flatMap(list => list.faults).filter(f => !seen.has(f.place) && seen.add(f.place))

const ask = (f, stance, label) =>
  agent(`${stance}: ${f.title} at ${f.place}. Your item is "${f.title}".`, { label, phase: 'Judge', schema: JUDGE_VERDICT_SCHEMA })

const referees = await parallel(faults.map(f => () => ask(f, 'Refute', `refute:${f.place}`)))
const ruled = faults.map((f, i) => ({ f, v: decideVerdict(referees[i], RUBRIC, { item: f.title }) }))
const evidence = v => v.criteria.filter(c => c.pass === false).map(c => c.evidence).join('; ')

const kept = []
const refuted = []
const unjudged = []
for (const { f, v } of ruled) {
  if (v.outcome === 'pass') {
    kept.push({ ...f, severity: 'high' })
  } else if (v.outcome === 'fail') {
    refuted.push({ ...f, because: evidence(v) })
  } else {
    unjudged.push({ ...f, because: v.abstainReason })
  }
}
log(`${kept.length} kept, ${refuted.length} refuted; look at ${JSON.stringify(spotCheck(ruled.map(({ v }) => v)))}`)

const second = await parallel(kept.map(f => () => ask(f, 'Confirm', `confirm:${f.place}`)))
kept.forEach((f, i) => {
  const v = decideVerdict(second[i], RUBRIC, { item: f.title })
  if (v.outcome === 'pass') return
  if (v.abstain) {
    f.severity = 'unconfirmed'
    f.note = v.abstainReason
    return
  }
  f.severity = 'low'
  f.note = evidence(v)
})

return { folder, kept, refuted, unjudged }
