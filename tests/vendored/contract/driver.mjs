// Answers calls of a verdict block, one JSON line each: node driver.mjs BLOCK [strict]
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const block = readFileSync(process.argv[2], "utf8");
const start = new Function(`${block}
return { JUDGE_VERDICT_SCHEMA, decideVerdict, spotCheck, evaluate: (text) => eval(text) };`);
const contract = start();

const escaped = (text) => text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return escaped(JSON.stringify(value) ?? "undefined");
  return `{${Object.keys(value).sort().map((key) => `${escaped(JSON.stringify(key))}:${canonical(value[key])}`).join(",")}}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { call, texts } = JSON.parse(line);
  let answer;
  try {
    answer = canonical(contract[call](...texts.map((text) => JSON.parse(text))));
  } catch (error) {
    answer = `refused: ${escaped(error.message)}`;
  }
  process.stdout.write(`${answer}\n`);
}
