// What a script does when it runs: {"text"} a line in; {"said", "error", "early"} a line out.
//
// `probe(decideVerdict, spotCheck, JUDGE_VERDICT_SCHEMA)` says whether these act as the canonical
// ones; what stands behind `at(n)` is evaluated when `at` is called. `early` are the n that were
// called before the block was reached.
import { createInterface } from "node:readline";
import vm from "node:vm";

const START = "// judge-contract:start verdict@2\n";
const RUBRIC = { id: "acme-review@1", threshold: 0.8, criteria: [{ id: "real", question: "Is it?" }] };
const criterion = (score, pass) => ({ id: "real", score, pass, evidence: "seen" });
const REPORTS = [
  { item: "a", criteria: [criterion(1, true)], abstain: false, abstainReason: null },
  { item: "a", criteria: [criterion(0.5, true)], abstain: false, abstainReason: null },
  { item: "a", criteria: [criterion(null, null)], abstain: false, abstainReason: null },
  { item: "a", criteria: [criterion("1", true)], abstain: false, abstainReason: null },
  null,
];

function told(decide, sample, schema) {
  try {
    const verdicts = REPORTS.map((report) => decide(report, RUBRIC, { item: "a" }));
    const items = ["c", "a", "d", "b"].map((item) => ({ ...verdicts[0], item }));
    return JSON.stringify([verdicts, sample(items, 2), schema]);
  } catch (error) {
    return `throws ${error}`;
  }
}

async function run(text) {
  const said = [];
  const early = [];
  let reached = false;
  let timer;
  let asking = false; // what is probed may probe
  const globals = {
    args: { items: ["a"] },
    probe: (...names) => {
      if (asking) return;
      asking = true;
      said.push(told(...names));
      asking = false;
    },
    at: (n) => reached || early.push(n),
    reached: () => (reached = true),
    agent: async () => null,
    parallel: async (thunks) => Promise.all(thunks.map((thunk) => thunk())),
    log: () => {},
  };
  try {
    const names = Object.keys(globals);
    const body = text.replace(/^export /, "").replace(START, `${START}reached();`);
    const source = `(async function (${names}) {${body}\n})`;
    const script = vm.runInContext(source, vm.createContext({}), { timeout: 5000 });
    const late = new Promise((_, fail) => {
      timer = setTimeout(fail, 1000, new Error("does not end"));
    });
    await Promise.race([script(...Object.values(globals)), late]);
    return { said, early, error: null };
  } catch (error) {
    return { said, early, error: `${error.name}: ${error.message}` };
  } finally {
    clearTimeout(timer);
  }
}

process.on("unhandledRejection", () => {}); // a promise of a script that the script forgot

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line).text))}\n`);
}
