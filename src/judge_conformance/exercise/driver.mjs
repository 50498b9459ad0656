// Runs one Workflow script again and again, each time in a fresh context, and tells what came out.
// Requests come as JSON lines on standard input; each answer is one line that begins with the secret
// of the first request, so that nothing a script prints can pass for an answer.
//
// Every stub answers at once and nothing waits for the outside, so a whole run, its promises
// included, happens inside one evaluation under one deadline; what has not settled then never will.

import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import vm from 'node:vm'
import { install } from './globals.mjs'
import { Unmakeable, hash, reply, token, tokensIn } from './replies.mjs'

const FILE = 'workflow.js'
const LARGEST = 4 * 1024 * 1024 // characters of a result; more is not compared
const SHORTEST = 4 // characters of a given argument that can be traced
const LONGEST = 20_000 // characters of a prompt that are kept
const MOST_PROMPTS = 4096
const CAP = 'the cap on agent() calls is reached'
const DEAD = 'subagent completed without calling StructuredOutput'

process.on('unhandledRejection', () => {}) // a promise that a script forgot is the script's own affair
Error.stackTraceLimit = 20

const state = { secret: '', script: undefined, sent: new Set(), replies: new Map(), prompts: new Map() }

function load({ source }) {
  // `export` goes, nothing moves: positions stay those of the file
  const plain = source.replace(/(^|[;\r\n])([ \t\uFEFF]*)export(?=\s+const\s+meta\b)/, '$1$2      ')
  const watched = /^\/\/ judge-contract:start /m.test(plain) && /^function decideVerdict\(/m.test(plain)
  const head = `(async function (watch$) {${watched ? 'decideVerdict = watch$(decideVerdict);' : ''}`
  const importModuleDynamically = () => {
    state.imported = true
    throw undefined
  }
  try {
    state.script = new vm.Script(`${head}${plain}\n})`, {
      filename: FILE,
      columnOffset: -head.length,
      importModuleDynamically,
    })
  } catch (error) {
    const line = Number(/^workflow\.js:(\d+)/.exec(error.stack)?.[1] ?? 0)
    return { refused: String(error.message), line: line || null }
  }
  return {}
}

function run(request) {
  const calls = []
  const logs = []
  const reads = new Map()
  const known = request.args === null ? [] : argued(JSON.parse(request.args), request.made)
  const marks = new Map(known.map((entry) => [entry.token, entry]))
  const given = known.filter((entry) => entry.token === entry.value)
  const schemas = {}
  const dead = new Map() // by number of the call: what it asked, and whether its death is known
  let ended = { kind: 'unsettled' }
  state.imported = false

  const hear = {
    agent: (text) => ({ number: calls.length, reply: null, error: null, ...answer(JSON.parse(text)) }),
    delivered: (text) => void dead.get(Number(text))?.delivered(),
    log: (text) => void (logs.length < 1000 && logs.push(text)),
    read: (text) => void (reads.size < 1000 && reads.set(text, JSON.parse(text))),
    decide: (text) => corrected(JSON.parse(text)),
    threw: (text) => {
      const [message, stack] = JSON.parse(text)
      const [, line, column] = /workflow\.js:(\d+):(\d+)/.exec(stack) ?? []
      ended = { kind: 'error', message, line: line ? Number(line) : null, column: column ? Number(column) : null }
    },
    returned: (text) => {
      ended = text.length > LARGEST ? { kind: 'huge', size: text.length } : { kind: 'value', value: text }
    },
    unwritable: (message) => {
      ended = { kind: 'unwritable', message }
    },
  }

  function answer(call) {
    const [site, ...outer] = frames()
    const shown = [...new Set(tokensIn(`${call.prompt}\n${call.label ?? ''}`))].filter((mark) => marks.has(mark))
    shown.push(...given.filter(({ value }) => call.prompt.includes(value)).map((entry) => entry.token))
    const record = {
      at: site ?? [0, 0],
      site: site ?? [0, 0],
      outer: outer[0] ?? null,
      label: typeof call.label === 'string' ? call.label : null,
      agent_type: typeof call.agentType === 'string' ? call.agentType : null,
      phase: typeof call.phase === 'string' ? call.phase : null,
      schema: null,
      rule: null,
      names: shown,
      made: [],
      unheeded: [],
      unmade: null,
      prompt: kept(call.prompt.replace(/q[0-9a-z]{6}z/g, '*')),
    }
    calls.push(record)
    if (calls.length > request.most_calls) return { error: CAP }
    if (call.schema !== undefined) {
      const text = JSON.stringify(call.schema)
      record.schema = digest(text)
      if (!state.sent.has(record.schema)) schemas[record.schema] = call.schema
    }
    // a dead judge that is asked again, whatever the label now, is the same judge, and still dead
    const again = (one) =>
      one.known && one.prompt === call.prompt && one.schema === record.schema && one.agent_type === record.agent_type
    const before = [...dead.values()].find(again)
    if (before) Object.assign(record, { site: before.site, label: before.label })
    record.rule = before ? before.rule : matching(record)
    const order = record.rule === null ? { kind: 'reply' } : request.rules[record.rule].answer
    if (order.kind !== 'reply') {
      const one = { ...record, prompt: call.prompt, known: false, delivered: () => (one.known = true) }
      dead.set(calls.length - 1, one)
    }
    if (order.kind === 'null') return { reply: null }
    if (order.kind === 'throw') return { error: DEAD }
    if (order.kind === 'garbage') return { reply: order.value }
    return made(call, record, order)
  }

  function matching(record) {
    const nth = request.rules.findIndex(
      (rule) =>
        rule.site[0] === record.site[0] &&
        rule.site[1] === record.site[1] &&
        rule.agent_type === record.agent_type &&
        (rule.label === null ? record.label === null : record.label !== null && new RegExp(rule.label, 'su').test(record.label)) &&
        (rule.first_of === null || !calls.some((other) => other !== record && other.rule === request.rules.indexOf(rule) && (rule.first_of === 'run' || other.names.join() === record.names.join()))),
    )
    return nth < 0 ? null : nth
  }

  function made(call, record, order) {
    const masked = (text) => text.replace(/q[0-9a-z]{6}z|\d+/g, (part) => (part[0] === 'q' ? part : '#'))
    const seed = [record.site, record.agent_type, record.label === null ? masked(call.prompt).slice(0, 160) : masked(record.label)]
    if (call.schema === undefined) {
      const mark = token(seed)
      note(record, [{ property: 'text', value: order.text ?? `text-${mark}`, token: mark, group: mark }])
      return { reply: order.text ?? `text-${mark}` }
    }
    try {
      const shown = record.names.map((mark) => marks.get(mark))
      const { choices, count, optional } = order
      const key = JSON.stringify([record.schema, seed, choices, count, optional, shown.map((entry) => entry.value)])
      const result = state.replies.get(key) ?? reply(call.schema, { seed, choices, count, optional, known: shown })
      state.replies.set(key, result)
      record.unheeded = result.unheeded
      note(record, result.made)
      return { reply: result.value }
    } catch (error) {
      if (!(error instanceof Unmakeable || error instanceof RangeError || error instanceof TypeError)) throw error
      record.unmade = error.message
      return { error: error.message }
    }
  }

  function note(record, entries) {
    for (const entry of entries) {
      record.made.push(entry.token)
      if (!marks.has(entry.token)) marks.set(entry.token, entry)
    }
  }

  // A judge that read its prompt names the item and the criteria that it was asked about.
  function corrected({ report, item, ids }) {
    const ours = typeof report === 'string' && tokensIn(report).some((mark) => marks.has(mark))
    return ours ? { item, ids } : null
  }

  const host = (kind, text) => JSON.stringify(hear[kind](text) ?? null)
  const context = vm.createContext(Object.create(null), { microtaskMode: 'afterEvaluate' })
  try {
    const start = vm.runInContext(`(${install})`, context)(host, { args: request.args ?? undefined, record: request.made })
    context.go$ = start(state.script.runInContext(context, { timeout: request.timeout_ms }))
    vm.runInContext('{ const go = go$; delete globalThis.go$; go() }', context, { timeout: request.timeout_ms })
  } catch (error) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') ended = { kind: 'timeout' }
    else if (ended.kind === 'unsettled') ended = { kind: 'error', message: 'the script broke its own start', line: null, column: null }
  }
  if (ended.kind === 'unsettled' && state.imported) ended = { kind: 'error', message: 'import() is not available in Workflow scripts', line: null, column: null }
  for (const id of Object.keys(schemas)) state.sent.add(id)
  return { ended, calls, logs, reads: [...reads.values()], schemas, items: Object.fromEntries([...marks].map(([mark, entry]) => [mark, entry.group])) }
}

// Every string of the arguments can be looked for in prompts and results.
function argued(value, made, property = '', trail = []) {
  if (typeof value === 'string') {
    const [mark] = made ? tokensIn(value) : value.length >= SHORTEST ? [value] : []
    const first = trail.findIndex((step) => typeof step === 'number')
    const group = JSON.stringify(first < 0 ? trail : trail.slice(0, first + 1))
    return mark === undefined ? [] : [{ property, value, token: mark, group }]
  }
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((inner, i) => argued(inner, made, property, [...trail, i]))
  return Object.entries(value).flatMap(([key, inner]) => argued(inner, made, key, [...trail, key]))
}

// Where in the script the call was made, innermost first: read in our realm, out of its reach.
function frames() {
  const holder = {}
  const plain = Error.prepareStackTrace
  Error.prepareStackTrace = (_, sites) => sites.filter((site) => site.getFileName() === FILE)
  Error.captureStackTrace(holder)
  const sites = holder.stack
  Error.prepareStackTrace = plain
  return sites.map((site) => [site.getLineNumber(), site.getColumnNumber()])
}

const digest = (text) => hash(text).toString(36)

// What a prompt says is asked for seldom: it is kept here, and only its digest is sent.
function kept(prompt) {
  const name = digest(prompt)
  if (state.prompts.size < MOST_PROMPTS) state.prompts.set(name, prompt.slice(0, LONGEST))
  return name
}

const verbs = {
  load,
  run,
  reply: ({ schema, options }) => replied(schema, options),
  prompts: ({ names }) => names.map((name) => state.prompts.get(name) ?? ''),
}

function replied(schema, options) {
  try {
    return reply(schema, options)
  } catch (error) {
    if (!(error instanceof Unmakeable)) throw error
    return { unmade: error.message }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  state.secret ||= request.secret
  const told = Buffer.from(`${state.secret}${JSON.stringify(verbs[request.verb](request))}\n`)
  for (let at = 0; at < told.length; ) {
    try {
      at += writeSync(1, told, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}
