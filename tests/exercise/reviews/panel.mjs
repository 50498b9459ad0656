export const meta = { name: 'panel', description: 'Three seats look at each claim of each file.' }

// {{verdict.inline.js}}

const RUBRIC = {
  id: 'acme-claim@1',
  threshold: 0.7,
  criteria: [{ id: 'holds', question: 'Does the file bear the claim out?' }],
}
const CLAIMS = {
  type: 'object',
  required: ['claims'],
  properties: {
    claims: { type: 'array', items: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } } },
  },
}
const SEATS = 3
const QUORUM = Math.floor(SEATS / 2) + 1 // a strict majority

let files = Array.isArray(args?.files) ? args.files.filter(Boolean) : []
if (!files.length) files = ['README.md']
log(`${files.length} file(s)`)

const perFile = await pipeline(
  files,
  (file) => agent(`List the claims of ${file}.`, { label: `claims:${file}`, schema: CLAIMS }),
  (listed, file) =>
    parallel(
      (listed?.claims ?? []).map((claim) => () =>
        parallel(
          Array.from({ length: SEATS }, (_unused, seat) => () =>
            agent(`Seat ${seat}: does ${file} bear out ${claim.title}?`, {
              label: `seat:${file}#${seat}`,
              phase: 'Judge',
              schema: JUDGE_VERDICT_SCHEMA,
            }),
          ),
        ).then((votes) => {
          const verdicts = votes.map((vote) => decideVerdict(vote, RUBRIC, { item: claim.title }))
          const count = (outcome) => verdicts.filter((v) => v.outcome === outcome).length
          const passes = count('pass')
          return { ...claim, file, verdicts, survived: passes >= QUORUM, passes, fails: count('fail'), silent: count('abstain') }
        }),
      ),
    ),
)

const judged = perFile.filter(Boolean).flat().filter(Boolean)
const surviving = judged.filter((claim) => claim.survived)
const unsettled = judged.filter((claim) => !claim.survived && claim.silent > 0)
log(`${surviving.length} survived; look at ${JSON.stringify(spotCheck(judged.flatMap((claim) => claim.verdicts)))}`)
if (!surviving.length) return { claims: [], unsettled }
return { claims: surviving.map((claim) => claim.title), unsettled }
