// The globals of the Workflow runtime, installed into a fresh context. `install` is taken as text
// and evaluated inside that context, so that no object of ours is ever within a script's reach:
// only strings cross, and what the script does to its built-ins happens after ours are kept.

export function install(host, config) {
  const { apply, construct, ownKeys } = Reflect
  const { parse, stringify } = JSON
  const { isArray } = Array
  const { defineProperty } = Object
  const all = Promise.all.bind(Promise)
  const plainDate = Date
  const MOST_ITEMS = 4096

  // A host call can fail near the end of the stack; its error must never reach the script.
  const tell = (kind, text) => {
    try {
      return host(kind, text)
    } catch {
      throw new Error('the call could not be made')
    }
  }
  const written = (value) => {
    try {
      return stringify(value) ?? 'null'
    } catch {
      return '"[cannot be written as JSON]"'
    }
  }

  async function agent(prompt, options) {
    const { label, phase: group, schema, agentType } = options ?? {}
    const call = { prompt: `${prompt}`, label, phase: group, schema, agentType }
    const answer = parse(tell('agent', stringify(call)))
    await null // whoever asks again from here on knows the answer
    tell('delivered', `${answer.number}`)
    if (answer.error !== null) throw new Error(answer.error)
    return answer.reply
  }

  async function parallel(thunks) {
    const run = async (thunk) => {
      try {
        return await thunk()
      } catch {
        return null
      }
    }
    const started = []
    for (const thunk of listed('parallel', thunks)) {
      if (typeof thunk !== 'function') throw new TypeError('parallel() takes functions, not promises')
      started[started.length] = run(thunk)
    }
    return all(started)
  }

  async function pipeline(items, ...stages) {
    const run = async (item, index) => {
      let value = item
      try {
        for (const stage of stages) value = await stage(value, item, index)
      } catch {
        return null
      }
      return value
    }
    const started = []
    for (const item of listed('pipeline', items)) started[started.length] = run(item, started.length)
    return all(started)
  }

  function listed(name, items) {
    if (!isArray(items)) throw new TypeError(`${name}() takes an array`)
    if (items.length > MOST_ITEMS) throw new Error(`${name}() takes at most ${MOST_ITEMS} items`)
    return items
  }

  const say = (message) => void tell('log', `${message}`)

  async function workflow(reference) {
    throw new Error(`no workflow ${written(reference)} is known here`)
  }

  const refuse = (what) => {
    throw new Error(`${what} is not available in Workflow scripts: it would break resuming`)
  }
  const date = function Date(...parts) {
    if (!new.target || parts.length === 0) refuse('the current time')
    return construct(plainDate, parts, new.target === date ? plainDate : new.target)
  }
  date.prototype = plainDate.prototype
  date.parse = plainDate.parse
  date.UTC = plainDate.UTC
  date.now = () => refuse('Date.now()')
  plainDate.prototype.constructor = date
  Math.random = () => refuse('Math.random()')

  // Arguments that we make: each property that is read and missing is noted, to be made next time.
  const isObject = (value) => typeof value === 'object' && value !== null
  const kept = new WeakMap()
  const recorded = (value, path) => {
    if (!isObject(value)) return value
    if (kept.has(value)) return kept.get(value)
    const seen = new Proxy(value, {
      get(target, key, receiver) {
        if (typeof key === 'string' && !(key in target)) tell('read', stringify([...path, key]))
        const found = apply(Reflect.get, Reflect, [target, key, receiver])
        return typeof key === 'string' && isObject(found) ? recorded(found, [...path, key]) : found
      },
      has(target, key) {
        if (typeof key === 'string' && !(key in target)) tell('read', stringify([...path, key]))
        return key in target
      },
      ownKeys(target) {
        if (ownKeys(target).length === 0) tell('read', stringify([...path, '?']))
        return ownKeys(target)
      },
    })
    kept.set(value, seen)
    return seen
  }

  const given = config.args === undefined ? undefined : parse(config.args)
  const globals = {
    agent,
    parallel,
    pipeline,
    workflow,
    phase: () => undefined,
    log: say,
    args: config.record ? recorded(given, []) : given,
    budget: { total: null, spent: () => 0, remaining: () => Infinity },
    Date: date,
  }
  for (const name of ownKeys(globals)) {
    const value = globals[name]
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  }

  // The contract's own function, watched: which report was held to which rubric and item.
  const watch = (decide) =>
    function decideVerdict(report, rubric, options) {
      const ids = []
      const rows = rubric?.criteria
      for (let i = 0; isArray(rows) && i < rows.length; i++) ids[i] = rows[i]?.id
      const asked = parse(tell('decide', written({ report: report?.item, item: options?.item, ids })))
      return apply(decide, this, [asked ? readAs(report, asked) : report, rubric, options])
    }
  const readAs = (report, { item, ids }) => {
    const criteria = []
    const [first] = isArray(report.criteria) ? report.criteria : []
    for (let i = 0; first && i < ids.length; i++) criteria[i] = { ...first, id: ids[i] }
    return { ...report, item: item ?? report.item, criteria }
  }

  const message = (error) => {
    try {
      return `${error?.name ?? 'Error'}: ${error?.message ?? error}`
    } catch {
      return 'an error that cannot be read'
    }
  }
  const place = (error) => {
    try {
      return `${error.stack}`
    } catch {
      return ''
    }
  }

  const run = async (script) => {
    let value
    try {
      value = await script(watch)
    } catch (error) {
      tell('threw', stringify([message(error), place(error)]))
      return
    }
    try {
      tell('returned', value === undefined ? '' : (stringify(value) ?? ''))
    } catch (error) {
      tell('unwritable', message(error))
    }
  }
  return (script) => () => void run(script)
}
