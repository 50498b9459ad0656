// The Node side of `judge-contract parity`: answers requests of JSON lines on standard input.
// It loads a verdict block, says what the block does with a case in one line of text, and runs
// mutants of the block against cases. The Python side gives the same answers in the same words.
import fs from 'node:fs'
import vm from 'node:vm'
import { createHash } from 'node:crypto'

const PROTOCOL = 1
const NAMES = ['JUDGE_VERDICT_SCHEMA', 'decideVerdict', 'spotCheck']
const SPARE = 10_000 // ticks beyond ten times what the clean block takes
const PLENTY = 1e9
const AT_LOAD = 1e6 // ticks: the contract needs none
const RECENT = 4

// --- fuel: every loop round and call of the block draws a tick, so that a runaway ends by count

const OUT_OF_FUEL = { outOfFuel: true }
let fuel = PLENTY
globalThis.__tick__ = () => {
  fuel -= 1
  if (fuel < 0) throw OUT_OF_FUEL
}

// --- what a block says on the side is part of its answer; what it could reach is taken away

const { stringify } = JSON
const node = process.versions.node
let said = []
const say = (...words) => void said.push(words.map(String).join(' '))
globalThis.console = { log: say, error: say, warn: say, info: say, debug: say }
const gone = ['process', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'navigator', 'Buffer',
  'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'require', 'BroadcastChannel']
for (const name of gone) delete globalThis[name]

// --- typed canonical text: equal exactly when the values are

const escaped = (text) => stringify(text).replace(/[\x7f-\uffff]/g, (unit) =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const points = (text) => Array.from(text, (point) => point.codePointAt(0))
const byCodePoint = (a, b) => {
  const [left, right] = [points(a), points(b)]
  const at = left.findIndex((point, i) => point !== right[i])
  return at < 0 ? left.length - right.length : left[at] - (right[at] ?? -1)
}
const sorted = (keys) => (keys.every((key) => /^[\0-\ud7ff]*$/.test(key)) ? keys.sort() : keys.sort(byCodePoint))

function canonical(value) {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `!${value}`
    return Object.is(value, -0) ? '-0' : String(value)
  }
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join(',')}]`
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    const keys = sorted(Object.keys(value))
    return `{${keys.map((key) => `${escaped(key)}:${canonical(value[key])}`).join(',')}}`
  }
  return `!${typeof value}`
}

// --- cases: what JSON text cannot say is made by name

const nested = (levels) => {
  let value = []
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}
const frozen = (value) => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}
const getters = (value) => {
  const made = {}
  for (const key of Object.keys(value)) Object.defineProperty(made, key, { enumerable: true, get: () => value[key] })
  return made
}
// A property that answers its values in turn, and the last one from then on.
const turning = ({ key, values, of }) => {
  let turn = 0
  const get = () => values[Math.min(turn++, values.length - 1)]
  return Object.defineProperty({ ...of }, key, { enumerable: true, get })
}
const throwing = ({ key, of }) => {
  const get = () => { throw new TypeError('a getter that throws') }
  return Object.defineProperty({ ...of }, key, { enumerable: true, get })
}
const sparse = (value) => {
  const made = [...value]
  value.forEach((element, i) => { if (element === null) delete made[i] })
  return made
}
const inherited = (value) => Object.create(value)
const revoked = () => {
  const pair = Proxy.revocable({}, {})
  pair.revoke()
  return pair.proxy
}
const parseElsewhere = vm.runInNewContext('JSON.parse')
const MAKERS = {
  nan: () => NaN,
  infinity: () => Infinity,
  '-infinity': () => -Infinity,
  big: ({ digits }) => Number(digits),
  deep: ({ levels }) => nested(levels),
  repeat: ({ text, times }) => text.repeat(times),
  frozen: ({ of }) => frozen(built(of)),
  shared: ({ of, times }) => Array(times).fill(built(of)),
  undefined: () => undefined,
  bigint: ({ digits }) => BigInt(digits),
  symbol: () => Symbol('symbol'),
  function: () => () => null,
  boxed: ({ of }) => Object(built(of)),
  'null-prototype': ({ of }) => Object.assign(Object.create(null), built(of)),
  inherited: ({ of }) => inherited(built(of)),
  getters: ({ of }) => getters(built(of)),
  turning: (spec) => turning({ ...spec, of: built(spec.of) }),
  throwing: (spec) => throwing({ ...spec, of: built(spec.of) }),
  proxy: ({ of }) => new Proxy(built(of), {}),
  revoked,
  sparse: ({ of }) => sparse(built(of)),
  date: () => new Date(0),
  toJSON: ({ of, as }) => Object.defineProperty(built(of), 'toJSON', { value: () => as }),
  'other-realm': ({ of }) => parseElsewhere(stringify(of)),
}

function built(value) {
  if (Array.isArray(value)) return value.map(built)
  if (typeof value !== 'object' || value === null) return value
  if (Object.hasOwn(value, '$make')) return MAKERS[value.$make](value)
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, built(element)]))
}

function question(text) {
  const plain = !text.includes('"$make"')
  const read = () => (plain ? JSON.parse(text) : built(JSON.parse(text)))
  const fresh = () => {
    const given = read()
    return { given, before: plain ? stringify(given) : '' }
  }
  return { plain, lasting: !text.includes('"turning"'), fresh, ...fresh() }
}

const CALLS = {
  decide: (block, given) => {
    const options = {}
    for (const key of ['item', 'decidedBy']) if (Object.hasOwn(given, key)) options[key] = given[key]
    if (Object.hasOwn(given, 'options')) return block.decideVerdict(given.report, given.rubric, given.options)
    if (Object.keys(options).length === 0) return block.decideVerdict(given.report, given.rubric)
    return block.decideVerdict(given.report, given.rubric, options)
  },
  spotCheck: (block, given) =>
    Object.hasOwn(given, 'k') ? block.spotCheck(given.verdicts, given.k) : block.spotCheck(given.verdicts),
  schema: (block) => stringify(block.JUDGE_VERDICT_SCHEMA),
}

function containers(values) {
  const found = new Set()
  const pending = [...values]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null || found.has(value)) continue
    found.add(value)
    pending.push(...Object.values(value))
  }
  return found
}

function answer(block, asked, ticks) {
  const { given, plain } = asked
  const call = given.call ?? 'decide'
  fuel = ticks
  said = []
  let value
  let text
  try {
    Object.assign(Object.prototype, given.pollute) // what somebody else's script may have done
    value = CALLS[call](block, given)
  } catch (error) {
    text = raised(error)
  }
  for (const key of Object.keys(given.pollute ?? {})) delete Object.prototype[key]
  try {
    text ??= `returns ${canonical(value)}`
  } catch (error) {
    text = raised(error) // nested without end, or a getter that throws
  }
  if (fuel < 0) text = 'hangs'
  if (said.length > 0) text = `prints ${escaped(said.join('\n').slice(0, 80))} and ${text}`
  if (!asked.lasting) Object.assign(asked, asked.fresh())
  if (!plain) return text
  if (stringify(given) !== asked.before) {
    Object.assign(asked, asked.fresh())
    return `changes its input and ${text}`
  }
  if (call === 'decide') {
    const handed = containers([given.report, given.rubric])
    for (const part of containers([value])) if (handed.has(part)) return `shares its input and ${text}`
  }
  return text
}

function raised(error) {
  if (error instanceof Error && error.constructor === Error) return `raises ${escaped(error.message)}`
  if (error instanceof Error) return `crashes ${error.name}: ${escaped(error.message.slice(0, 200))}`
  return `crashes: threw ${typeof error}`
}

// --- the block: loaded in the main realm, whole

let subject = null // { source, ticks, block, patience }
let questions = [] // { id, expected, fuel, ...question }
let known = new Map()
let recent = [] // positions of the last killers

// The last killers first, then outwards from the last one: cases stand in the order of what they
// are about, and so do mutants.
function* order() {
  yield* recent
  const seen = new Set(recent)
  const last = recent[0] ?? 0
  for (let far = 0; far < questions.length; far += 1) {
    for (const position of [last + far, last - far]) {
      if (position < 0 || position >= questions.length || seen.has(position)) continue
      seen.add(position)
      yield position
    }
  }
}

// Edits and ticks are [start, end, text]; a tick inside an edited span goes with it.
function edited(source, edits, ticks) {
  const kept = ticks.filter(([at]) => !edits.some(([start, end]) => start < at && at < end))
  const all = [...kept.map((tick, i) => [tick, 1, i]), ...edits.map((edit, i) => [edit, 0, i])]
  all.sort(([a, kindA, iA], [b, kindB, iB]) => a[0] - b[0] || kindA - kindB || iA - iB)
  let text = ''
  let position = 0
  for (const [[start, end, put]] of all) {
    text += source.slice(position, start) + put
    position = Math.max(position, end)
  }
  return text + source.slice(position)
}

function load(source, strict = false) {
  const members = NAMES.map((name) => `${name}: typeof ${name} === 'undefined' ? undefined : ${name}`)
  const head = strict ? '"use strict"; ' : ''
  const wrapped = `(function () { ${head}${source}\nreturn { ${members.join(', ')} } })`
  const script = new vm.Script(wrapped, { filename: 'verdict.inline.js' })
  fuel = AT_LOAD
  return script.runInThisContext()()
}

// Run within the watchdog's time; what it ends is `stuck`, which never counts as a verdict.
const guard = new vm.Script('__job__()')
function guarded(job) {
  let result
  globalThis.__job__ = () => { result = job() }
  try {
    guard.runInThisContext({ timeout: subject.patience })
  } catch (error) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { status: 'stuck' }
    throw error
  }
  return result
}

const expectation = (asked, block, ticks = asked.fuel) => answer(block, asked, ticks) === asked.expected

function attempt({ edits }) {
  const plain = edited(subject.source, edits, [])
  if (plain === subject.source) throw new Error('a mutant changes nothing')
  if (known.has(plain)) return { status: 'duplicate', check: known.get(plain) }
  return guarded(() => {
    let block
    const text = edited(subject.source, edits, subject.ticks)
    try {
      block = load(text)
    } catch (error) {
      if (error instanceof SyntaxError) throw new Error(`a mutant does not parse: ${error.message}`)
      return { status: fuel < 0 ? 'hang' : 'red', check: 'load' }
    }
    for (const position of order()) {
      const asked = questions[position]
      if (expectation(asked, block)) continue
      recent = [position, ...recent.filter((other) => other !== position)].slice(0, RECENT)
      return { status: fuel < 0 ? 'hang' : 'red', check: asked.id }
    }
    return { status: 'green' }
  })
}

// --- requests

const texts = (request) => request.texts.map((text) => answer(subject.block, question(text), PLENTY))

const COMMANDS = {
  start({ source, ticks, strict, patience }) {
    subject = { source, ticks, patience }
    known = new Map()
    questions = []
    recent = []
    said = []
    try {
      subject.block = load(edited(source, [], ticks), strict)
    } catch (error) {
      return { broken: fuel < 0 ? 'the block hangs at load' : `the block throws at load: ${raised(error)}` }
    }
    if (said.length) return { broken: `the block prints at load: ${stringify(said.join(' ').slice(0, 80))}` }
    return { node }
  },
  answers({ cases, fuel: ticks }, reply) {
    for (const { id, text } of cases) {
      const result = guarded(() => ({ answer: answer(subject.block, question(text), ticks) }))
      reply(id, result)
    }
  },
  digest(request) {
    return guarded(() => ({ digest: createHash('sha256').update(texts(request).join('\n')).digest('hex') }))
  },
  texts: (request) => guarded(() => ({ answers: texts(request) })),
  hold({ cases }) {
    questions = cases.map(({ id, text, expected }) => ({ id, expected, ...question(text) }))
    if (questions.length === 0) return { broken: 'there is no case to notice anything' }
    for (const asked of questions) {
      if (!expectation(asked, subject.block, PLENTY)) return { broken: `${asked.id} is red before any sabotage` }
      asked.fuel = 10 * (PLENTY - fuel) + SPARE
    }
    return { checks: questions.length }
  },
  unmoved({ edits }) {
    let block
    try {
      block = load(edited(subject.source, edits, subject.ticks))
    } catch {
      return { unmoved: [] }
    }
    return { unmoved: questions.filter((asked) => expectation(asked, block)).map(({ id }) => id) }
  },
  sabotage({ mutants }, reply) {
    for (const mutant of mutants) {
      const outcome = attempt(mutant)
      known.set(edited(subject.source, mutant.edits, []), mutant.id)
      reply(mutant.id, outcome)
    }
  },
  distinguish({ edits, texts: inputs }) {
    const block = load(edited(subject.source, edits, subject.ticks))
    return guarded(() => {
      for (const [index, text] of inputs.entries()) {
        const clean = answer(subject.block, question(text), PLENTY)
        if (answer(block, question(text), SPARE) !== clean) return { index, clean }
      }
      return {}
    })
  },
}

// --- the wire

const write = (message) => {
  const data = new TextEncoder().encode(`${escapedLine(message)}\n`)
  for (let done = 0; done < data.length;) done += fs.writeSync(1, data, done)
}
const escapedLine = (message) => stringify(message).replace(/[\x7f-\uffff]/g, (unit) =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

function* lines() {
  const chunk = new Uint8Array(1 << 16)
  let pending = []
  for (;;) {
    const count = fs.readSync(0, chunk)
    if (count === 0) return
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0 && end < count; end = chunk.indexOf(10, start)) {
      pending.push(chunk.slice(start, end))
      yield pending.map((part) => new TextDecoder().decode(part)).join('')
      pending = []
      start = end + 1
    }
    if (start < count) pending.push(chunk.slice(start, count))
  }
}

for (const line of lines()) {
  const request = JSON.parse(line)
  const head = { 'judge-parity': PROTOCOL, seq: request.seq }
  if (request['judge-parity'] !== PROTOCOL) {
    write({ ...head, broken: `version ${request['judge-parity']} is not ${PROTOCOL}` })
    continue
  }
  if (request.command === 'stop') break
  try {
    const result = COMMANDS[request.command](request, (id, reply) => write({ ...head, id, ...reply }))
    write({ ...head, done: true, ...result })
  } catch (error) {
    write({ ...head, broken: String(error?.message ?? error) })
  }
}
