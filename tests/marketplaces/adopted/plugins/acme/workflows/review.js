export const meta = { name: 'review' };

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
  // Blank code points, listed since trim(), \s and their kin differ between languages.
  const blanks = [
    [0x9, 0xd], [0x1c, 0x20], [0x85, 0x85], [0xa0, 0xa0], [0xad, 0xad], [0x1680, 0x1680], [0x180e, 0x180e],
    [0x2000, 0x200f], [0x2028, 0x202f], [0x205f, 0x2064], [0x3000, 0x3000], [0xfeff, 0xfeff],
  ];
  const isBlank = (point) => blanks.some(([first, last]) => first <= point && point <= last);
  const rubricId = /^[a-z0-9]+(-[a-z0-9]+)+@[1-9][0-9]*$/;
  const isText = (value) => typeof value === "string" && Array.from(value, (char) => char.codePointAt(0)).some((point) => !isBlank(point));
  const isId = (value) => isText(value) && !value.includes(",");
  const isShare = (value) => typeof value === "number" && value >= 0 && value <= 1;
  const isBar = (value) => isShare(value) && value > 0;
  const demand = (holds, message) => {
    if (!holds) throw new Error(message);
  };

  // The rubric and the options: what is wrong here is the author's bug, never an abstain.
  demand(isObject(rubric), "rubric: not an object");
  const name = own(rubric, "id");
  demand(typeof name === "string" && rubricId.test(name), "rubric.id: not of the form <plugin>-<name>@<number>");
  const threshold = own(rubric, "threshold");
  demand(isBar(threshold), "rubric.threshold: not a number above 0 and at most 1");
  const asked = own(rubric, "criteria");
  demand(Array.isArray(asked) && asked.length > 0, "rubric.criteria: not a list of one or more");
  const ids = [];
  for (let i = 0; i < asked.length; i++) {
    const at = `rubric.criteria[${i}]`;
    const criterion = own(asked, i);
    demand(isObject(criterion), `${at}: not an object`);
    const id = own(criterion, "id");
    demand(isId(id), `${at}.id: not a non-blank string without a comma`);
    demand(!ids.includes(id), `${at}.id: the same as an earlier one`);
    demand(isText(own(criterion, "question")), `${at}.question: not a non-blank string`);
    ids.push(id);
  }
  const calibration = own(rubric, "calibration");
  let calibrated = false;
  if (calibration !== undefined) {
    const at = "rubric.calibration";
    demand(isObject(calibration), `${at}: not an object`);
    const sealed = own(calibration, "sealed");
    demand(Number.isInteger(sealed) && sealed >= 0, `${at}.sealed: not an integer of 0 or more`);
    const agreement = own(calibration, "agreement");
    demand(isShare(agreement), `${at}.agreement: not a number from 0 to 1`);
    const floor = own(calibration, "floor");
    demand(isBar(floor), `${at}.floor: not a number above 0 and at most 1`);
    calibrated = sealed > 0 && agreement >= floor;
  }
  const { item: expected = null, decidedBy = "judge" } = { __proto__: null, ...options };
  demand(decidedBy === "judge" || decidedBy === "command", "decidedBy: neither judge nor command");
  demand(expected === null || isText(expected), "item: not a non-blank string");

  const verdict = (item, outcome, abstainReason, criteria) => {
    const abstain = outcome === "abstain";
    const scores = criteria.map((criterion) => criterion.score).filter((score) => score !== null);
    const score = abstain ? 0 : scores.reduce((low, next) => Math.min(low, next));
    return { item, rubric: name, decidedBy, criteria, abstain, abstainReason, threshold, score, outcome, calibrated };
  };
  const missing = () => verdict(expected, "abstain", "verdict-missing", []);

  const decide = () => {
    // Rows 1 to 6: the report as a whole.
    if (!isObject(report)) return missing();
    const named = own(report, "item");
    if (!isText(named)) return verdict(expected, "abstain", "missing-item", []);
    const item = expected ?? named;
    if (named !== item) return verdict(item, "abstain", "item-mismatch", []);
    const abstains = own(report, "abstain");
    if (typeof abstains !== "boolean") return verdict(item, "abstain", "malformed:abstain", []);
    if (abstains) {
      const why = own(report, "abstainReason");
      return verdict(item, "abstain", `judge:${isText(why) ? why : "unstated"}`, []);
    }
    const reported = own(report, "criteria");
    if (!Array.isArray(reported)) return verdict(item, "abstain", "malformed:criteria", []);
    // Rows 7 and 8: each criterion.
    const criteria = readCriteria(reported);
    if (typeof criteria === "string") return verdict(item, "abstain", criteria, []);
    // Rows 9 to 11: what they come to. A fail dominates.
    const decided = criteria.filter((criterion) => criterion.score !== null);
    if (decided.some(({ score, pass }) => score < threshold || !pass)) return verdict(item, "fail", null, criteria);
    const undecidable = criteria.filter((criterion) => criterion.score === null).map((criterion) => criterion.id);
    if (undecidable.length > 0) return verdict(item, "abstain", `undecidable:${undecidable.join(",")}`, criteria);
    return verdict(item, "pass", null, criteria);
  };

  // The reported criteria in the rubric's order, or the first reason to abstain.
  const readCriteria = (reported) => {
    const found = new Map();
    for (let i = 0; i < reported.length; i++) {
      const criterion = own(reported, i);
      const id = isObject(criterion) ? own(criterion, "id") : null;
      if (typeof id !== "string") return `malformed-criterion:${i}`;
      if (found.has(id)) return `duplicate-criterion:${id}`;
      if (!ids.includes(id)) return `unknown-criterion:${id}`;
      const score = own(criterion, "score");
      const pass = own(criterion, "pass");
      const undecidable = score === null && pass === null;
      if (!undecidable && !isShare(score)) return `bad-score:${id}`;
      if (!undecidable && typeof pass !== "boolean") return `bad-pass:${id}`;
      const evidence = own(criterion, "evidence");
      if (!isText(evidence)) return `bad-evidence:${id}`;
      found.set(id, { id, score: undecidable ? null : score + 0, pass, evidence }); // -0 + 0 is 0
    }
    for (const id of ids) {
      if (!found.has(id)) return `missing-criterion:${id}`;
    }
    return ids.map((id) => found.get(id));
  };

  try {
    return decide();
  } catch {
    return missing();
  }
}

// spotCheck(verdicts, k): k of them for a person to look at, spread evenly over the items in code
// point order; the same ones every time.
// biome-ignore format: the bytes are canonical
// prettier-ignore
function spotCheck(verdicts, k = 3) {
  const demand = (holds, message) => {
    if (!holds) throw new Error(message);
  };
  demand(Array.isArray(verdicts), "verdicts: not a list");
  demand(Number.isInteger(k), "k: not an integer");
  const points = (verdict) => {
    const { item } = { __proto__: null, ...verdict };
    return Array.from(typeof item === "string" ? item : "", (point) => point.codePointAt(0));
  };
  const compare = (a, b) => {
    const at = a.findIndex((point, i) => point !== b[i]);
    return at < 0 ? a.length - b.length : a[at] - (b[at] ?? -1);
  };
  const rows = Array.from(verdicts, (verdict) => ({ verdict, key: points(verdict) }));
  rows.sort((a, b) => compare(a.key, b.key));
  const count = Math.min(k, rows.length);
  return Array.from({ length: count }, (_, i) => rows[Math.floor((i * (rows.length - 1)) / Math.max(count - 1, 1))].verdict);
}
// judge-contract:end

const RUBRIC = { id: 'acme-review@1', threshold: 0.8, criteria: [{ id: 'real', question: 'Is it?' }] };
const items = args.items;
const replies = await parallel(items.map((item) => () =>
  agent(`Judge ${item}`, { schema: JUDGE_VERDICT_SCHEMA })));
const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }));
return { passed: verdicts.filter((v) => v.outcome === 'pass'), sample: spotCheck(verdicts) };
