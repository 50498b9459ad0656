// Read before each expression of test_contract_javascript.py.
const RUBRIC = { id: "acme-review@1", threshold: 0.8, criteria: [{ id: "a", question: "So?" }] };
const A = { id: "a", score: 1, pass: true, evidence: "line 1" };
const REPORT = { item: "i", abstain: false, abstainReason: null, criteria: [A] };
const bare = (value) => Object.assign(Object.create(null), value);
const boom = () => {
  throw new Error("boom");
};
const getter = (object, key, get) => Object.defineProperty({ ...object }, key, { get, enumerable: true });
const revoked = (value) => {
  const made = Proxy.revocable(value, {});
  made.revoke();
  return made.proxy;
};
const copy = (value) => JSON.parse(JSON.stringify(value));
const frozen = (value) => {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
};
const reason = (report, options) => decideVerdict(report, RUBRIC, options).abstainReason;
const criterion = (changes) => reason({ ...REPORT, criteria: [{ ...A, ...changes }] });
