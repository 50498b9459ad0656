export const meta = {
  name: 'review',
  description: 'Check each finding with a second model, report what stands',
};

const CHECKED = {
  type: 'object',
  required: ['real', 'why'],
  properties: { real: { type: 'boolean' }, why: { type: 'string' } },
};

const findings = args.findings ?? [
  { title: 'unescaped query', file: 'db.js' },
  { title: 'secret in log', file: 'log.js' },
];

const checks = await parallel(
  findings.map((finding) => () =>
    agent(`Is this finding real? ${finding.title} in ${finding.file}`, { schema: CHECKED })),
);

const confirmed = [];
const refuted = [];
for (const [i, check] of checks.entries()) {
  if (!check) continue;
  (check.real ? confirmed : refuted).push(findings[i]);
}
return { confirmed, refuted };
