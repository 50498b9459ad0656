// judge-contract:start verdict@2
// judge-contract 0.2.0: a judge reports evidence, this code decides. A copy, held byte for byte to
// its original: do not edit it here. The Python twin is judge_contract.py (same steps, same names).

// What a judge returns: pass it as the `schema` of the judge's call.
// biome-ignore format: the bytes are canonical
// prettier-ignore
const JUDGE_VERDICT_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["item", "criteria", "abstain", "abstainReason"],
  properties: {
    item: { type: "string", description: "The item that you judged, spelled as it was given to you." },
    criteria: {
      type: "array",
      description: "Every criterion of the rubric exactly once.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "evidence", "score", "pass"],
        properties: {
          id: { type: "string", description: "The criterion's id, spelled as in the rubric." },
          evidence: { type: "string", description: "What you saw that decides it: a quotation with its place, a command with its output. If nothing within reach decides it: what would. Never blank." },
          score: { anyOf: [{ type: "number" }, { type: "null" }], description: "From 0.0 to 1.0; null (and pass null too) if the evidence within reach cannot decide it." },
          pass: { anyOf: [{ type: "boolean" }, { type: "null" }], description: "Whether the criterion is met; null exactly when score is." },
        },
      },
    },
    abstain: { type: "boolean", description: "true only if you cannot judge this item at all." },
    abstainReason: { anyOf: [{ type: "string" }, { type: "null" }], description: "Why, if abstain is true; otherwise null." },
  },
};

// decideVerdict(report, rubric, {item, decidedBy}): the verdict, decided by the first row that
// applies; a broken rubric throws. Only own properties are read, and a report that throws while it
// is read is a judge that threw.
// biome-ignore format: the bytes are canonical
// prettier-ignore
function decideVerdict(report, rubric, options) {
  const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  // Blank code points are listed, since trim(), \s and their kin differ between languages.
  const isText = (value) => typeof value === "string" &&
    /[^\u0009-\u000d\u001c-\u0020\u0085\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/.test(value);
  const isShare = (value) => typeof value === "number" && value >= 0 && value <= 1;
  const isBar = (value) => isShare(value) && value > 0;
  const demand = (holds, message) => {
    if (!holds) throw new Error(message);
  };

  // The rubric: what is wrong with it is its author's bug, never an abstain.
  demand(isObject(rubric), "rubric: not an object");
  const name = own(rubric, "id");
  demand(isText(name) && /^[a-z0-9]+(-[a-z0-9]+)+@[1-9][0-9]*$/.test(name), "rubric.id: not of the form <plugin>-<name>@<number>");
  const threshold = own(rubric, "threshold");
  demand(isBar(threshold), "rubric.threshold: not a number above 0 and at most 1");
  const asked = own(rubric, "criteria");
  demand(Array.isArray(asked) && asked.length > 0, "rubric.criteria: not a list of at least one criterion");
  const ids = new Set();
  for (let i = 0; i < asked.length; i++) {
    const criterion = own(asked, i);
    demand(isObject(criterion), `rubric.criteria[${i}]: not an object`);
    const id = own(criterion, "id");
    demand(isText(id) && !id.includes(","), `rubric.criteria[${i}].id: not a non-blank string without a comma`);
    demand(!ids.has(id), `rubric.criteria[${i}].id: the same as an earlier one`);
    demand(isText(own(criterion, "question")), `rubric.criteria[${i}].question: not a non-blank string`);
    ids.add(id);
  }
  const calibration = own(rubric, "calibration");
  let calibrated = false;
  if (calibration !== undefined) {
    demand(isObject(calibration), "rubric.calibration: not an object");
    const sealed = own(calibration, "sealed");
    demand(Number.isInteger(sealed) && sealed >= 0, "rubric.calibration.sealed: not an integer of at least 0");
    const agreement = own(calibration, "agreement");
    demand(isShare(agreement), "rubric.calibration.agreement: not a number from 0 to 1");
    const floor = own(calibration, "floor");
    demand(isBar(floor), "rubric.calibration.floor: not a number above 0 and at most 1");
    calibrated = sealed > 0 && agreement >= floor;
  }
  const { item: expected = null, decidedBy = "judge" } = { __proto__: null, ...options };
  demand(decidedBy === "judge" || decidedBy === "command", "decidedBy: neither judge nor command");
  demand(expected === null || isText(expected), "item: not a non-blank string");

  const verdict = (item, outcome, score, abstainReason, criteria) => ({
    item, rubric: name, decidedBy, criteria, abstain: outcome === "abstain", abstainReason, threshold, score, outcome, calibrated,
  });
  const abstain = (item, reason, criteria = []) => verdict(item, "abstain", 0, reason, criteria);

  // Rows 1 to 6: the report as a whole. Rows 9 to 11: what its criteria come to.
  const decide = () => {
    if (!isObject(report)) return abstain(expected, "verdict-missing");
    const named = own(report, "item");
    if (!isText(named)) return abstain(expected, "missing-item");
    const item = expected ?? named;
    if (named !== item) return abstain(item, "item-mismatch");
    const abstains = own(report, "abstain");
    if (typeof abstains !== "boolean") return abstain(item, "malformed:abstain");
    const why = own(report, "abstainReason");
    if (abstains) return abstain(item, isText(why) ? `judge:${why}` : "judge:unstated");
    const reported = own(report, "criteria");
    if (!Array.isArray(reported)) return abstain(item, "malformed:criteria");
    const found = new Map();
    const fault = read(reported, found);
    if (fault !== null) return abstain(item, fault);
    const criteria = [...ids].map((id) => found.get(id));
    const open = criteria.filter((criterion) => criterion.score === null);
    const lowest = criteria.reduce((low, { score }) => Math.min(low, score ?? 1), 1);
    if (lowest < threshold || criteria.some(({ pass }) => pass === false)) return verdict(item, "fail", lowest, null, criteria);
    if (open.length > 0) return abstain(item, `undecidable:${open.map(({ id }) => id).join(",")}`, criteria);
    return verdict(item, "pass", lowest, null, criteria);
  };

  // Rows 7 and 8: put each criterion that is well reported into `found`; return the first fault.
  const read = (reported, found) => {
    for (let i = 0; i < reported.length; i++) {
      const criterion = own(reported, i);
      const id = isObject(criterion) ? own(criterion, "id") : undefined;
      if (typeof id !== "string") return `malformed-criterion:${i}`;
      if (found.has(id)) return `duplicate-criterion:${id}`;
      if (!ids.has(id)) return `unknown-criterion:${id}`;
      const score = own(criterion, "score");
      const pass = own(criterion, "pass");
      const undecidable = score === null && pass === null;
      if (!undecidable && !isShare(score)) return `bad-score:${id}`;
      if (!undecidable && typeof pass !== "boolean") return `bad-pass:${id}`;
      const evidence = own(criterion, "evidence");
      if (!isText(evidence)) return `bad-evidence:${id}`;
      found.set(id, { id, score: undecidable ? null : score + 0, pass, evidence }); // -0 + 0 is 0
    }
    const missing = [...ids].find((id) => !found.has(id));
    return missing === undefined ? null : `missing-criterion:${missing}`;
  };

  try {
    return decide();
  } catch {
    return abstain(expected, "verdict-missing");
  }
}

// spotCheck(verdicts, k): k of them for a person to look at, spread evenly over the items in code
// point order; the same ones every time.
// biome-ignore format: the bytes are canonical
// prettier-ignore
function spotCheck(verdicts, k = 3) {
  if (!Array.isArray(verdicts)) throw new Error("verdicts: not a list");
  if (!Number.isInteger(k)) throw new Error("k: not an integer");
  const points = (verdict) => {
    const { item } = { __proto__: null, ...verdict };
    return Array.from(typeof item === "string" ? item : "", (point) => point.codePointAt(0));
  };
  const compare = (a, b) => {
    const at = a.findIndex((point, i) => point !== b[i]);
    return at < 0 ? a.length - b.length : a[at] - (b[at] ?? -1);
  };
  const rows = Array.from(verdicts, (verdict) => ({ verdict, key: points(verdict) }));
  const sorted = rows.sort((a, b) => compare(a.key, b.key)).map(({ verdict }) => verdict);
  if (k < 1) return [];
  if (sorted.length <= k) return sorted;
  if (k === 1) return [sorted[0]];
  return Array.from({ length: k }, (_, i) => sorted[Math.floor((i * (sorted.length - 1)) / (k - 1))]);
}
// judge-contract:end