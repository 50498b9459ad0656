// Replies made from a call's JSON Schema. What is free in a string carries a token, so that an item
// can be traced from the reply that named it to the result; nothing here is random.

const TOKEN = /q[0-9a-z]{6}z/g
const DEEPEST = 12
const IDENTITY = /^(id|key|name|item|slug|ref|unit|service|file|path|title|source)$|(Id|Key|Name|Ref|_id|_key|_name|_ref)$/
const UNHEEDED = ['not', 'if', 'contains', 'propertyNames', 'dependentSchemas', 'dependentRequired',
  'unevaluatedProperties', 'unevaluatedItems', 'patternProperties', '$dynamicRef']
const SAMPLES = ['F1', 'ABC-123', 'abc-123', 'abc', 'ABC', '1', '12', '123', '1.2.3', 'v1.2.3', '2024-01-31',
  '2024-01-31T12:00:00Z', '12:00', 'a1b2c3d', '0123456789abcdef0123456789abcdef01234567', 'CWE-79', 'P1', '#123',
  '#aabbcc', 'a/b', 'a.b', 'a_b', 'A', 'a', 'R-1', 'https://example.com/a', 'a@example.com', 'src/a.js:1',
  'src/a.js', '/a', 'file.js:1', '10%', 'high', 'yes']
const FORMATS = {
  'date-time': '2024-01-31T12:00:00Z', date: '2024-01-31', time: '12:00:00Z', duration: 'P1D',
  email: 'a@example.com', 'idn-email': 'a@example.com', hostname: 'example.com', 'idn-hostname': 'example.com',
  ipv4: '192.0.2.1', ipv6: '2001:db8::1', uuid: '00000000-0000-4000-8000-000000000000', uri: 'https://example.com/a',
  iri: 'https://example.com/a', 'uri-reference': '/a', 'iri-reference': '/a', 'uri-template': '/{a}',
  'json-pointer': '/a', 'relative-json-pointer': '0', regex: '^a$',
}

export class Unmakeable extends Error {}

export const tokensIn = (text) => text.match(TOKEN) ?? []

export function token(...seed) {
  return `q${hash(JSON.stringify(seed)).toString(36).padStart(10, '0').slice(-6)}z`
}

// 53 bits of cyrb53: fast, and enough to tell a run's few thousand strings apart.
export function hash(text) {
  let one = 0xdeadbeef
  let two = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    one = Math.imul(one ^ code, 2654435761)
    two = Math.imul(two ^ code, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909)
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return 4294967296 * (2097151 & two) + (one >>> 0)
}

// A string that a script may slice, lower-case or put into a path, and that can still be traced.
export function named(property, mark, description = '') {
  const word = property.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 20)
  if (/path:line|file:line/i.test(description)) return `src/${mark}.js:7`
  if (/^(file|path|filename|filepath|file_path|filePath)$/.test(property)) return `src/${mark}.js`
  if (/^(url|uri|link)$/i.test(property)) return `https://example.com/${mark}`
  return word ? `${word}-${mark}` : mark
}

// `seed` tells one call's strings from another's; `choices` sets values by pointer ('/list/*/verdict');
// `count` is how many elements a list gets where the schema leaves it open; `optional` whether
// properties that may be missing are there; `known` the named values that the prompt shows, in order.
export function reply(schema, { seed = [], choices = {}, count = 2, optional = true, known = [] } = {}) {
  const made = []
  const unheeded = new Set()
  const options = { root: schema, seed, choices, count, optional, known, made, unheeded }
  const value = make(schema, { ...options, path: '', trail: [], property: '', depth: 0 })
  return { value, made, unheeded: [...unheeded] }
}

function make(given, at) {
  if (given === true || given === undefined) return text({}, at)
  if (given === false) throw new Unmakeable(`${at.path || 'the reply'}: the schema allows no value`)
  if (at.depth > DEEPEST) throw new Unmakeable(`${at.path}: the schema has no end`)
  if (Object.hasOwn(at.choices, at.path)) return structuredClone(at.choices[at.path])
  if (typeof given !== 'object' || given === null) throw new Unmakeable(`${at.path || 'the reply'}: no schema`)
  const schema = flattened(given, at)
  for (const key of UNHEEDED) if (Object.hasOwn(schema, key)) at.unheeded.add(key)
  if (Object.hasOwn(schema, 'const')) return structuredClone(schema.const)
  if (schema.enum) return structuredClone(pick(schema.enum, at))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternative(schema, alternatives, at)
  const type = [schema.type].flat().find((name) => name !== 'null' && name !== undefined) ?? [schema.type].flat()[0]
  switch (type ?? implied(schema)) {
    case 'object':
      return object(schema, at)
    case 'array':
      return list(schema, at)
    case 'string':
      return text(schema, at)
    case 'integer':
      return number(schema, 1, at)
    case 'number':
      return number(schema, 0, at)
    case 'boolean':
      return true
    case 'null':
      return null
  }
  throw new Unmakeable(`${at.path || 'the reply'}: type ${JSON.stringify(type)} is unknown`)
}

function implied(schema) {
  if (schema.properties || schema.required || schema.additionalProperties !== undefined) return 'object'
  if (schema.items || schema.prefixItems || schema.minItems !== undefined) return 'array'
  const numeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
  return numeric.some((key) => schema[key] !== undefined) ? 'number' : 'string'
}

// References and allOf are folded into the schema that carries them.
export function flattened(schema, at, depth = 0) {
  if (depth > DEEPEST) throw new Unmakeable(`${at.path}: $ref leads round in a circle`)
  let flat = schema
  if (typeof schema.$ref === 'string') {
    const { $ref, ...rest } = schema
    flat = merged(flattened(resolved($ref, at), at, depth + 1), rest)
  }
  if (Array.isArray(flat.allOf)) {
    const { allOf, ...rest } = flat
    flat = allOf.reduce((sum, part) => merged(sum, flattened(part === true ? {} : part, at, depth + 1)), rest)
  }
  return flat
}

function resolved(reference, at) {
  if (!reference.startsWith('#')) throw new Unmakeable(`${at.path}: ${reference} is not in the schema`)
  const steps = reference.slice(1).split('/').slice(1)
  const found = steps.reduce(
    (node, step) => node?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
    at.root,
  )
  if (found === undefined) throw new Unmakeable(`${at.path}: ${reference} is not in the schema`)
  return found === true ? {} : found
}

const TIGHTER = {
  minimum: Math.max, exclusiveMinimum: Math.max, minLength: Math.max, minItems: Math.max, minProperties: Math.max,
  maximum: Math.min, exclusiveMaximum: Math.min, maxLength: Math.min, maxItems: Math.min, maxProperties: Math.min,
}

function merged(one, other) {
  const sum = { ...one }
  for (const [key, value] of Object.entries(other)) {
    if (!Object.hasOwn(sum, key)) sum[key] = value
    else if (key === 'required') sum.required = [...new Set([...sum.required, ...value])]
    else if (key === 'properties') sum.properties = mergedProperties(sum.properties, value)
    else if (key === 'enum') sum.enum = sum.enum.filter((item) => value.some((same) => equal(item, same)))
    else if (key in TIGHTER) sum[key] = TIGHTER[key](sum[key], value)
    else if (key === 'type') sum.type = [sum.type].flat().filter((name) => [value].flat().includes(name))
    else sum[key] = value
  }
  return sum
}

function mergedProperties(one, other) {
  const sum = { ...one }
  for (const [key, value] of Object.entries(other)) {
    sum[key] = Object.hasOwn(sum, key) ? { allOf: [sum[key], value] } : value
  }
  return sum
}

const equal = (one, other) => JSON.stringify(one) === JSON.stringify(other)

function pick(values, at) {
  if (values.length === 0) throw new Unmakeable(`${at.path || 'the reply'}: an empty enum allows no value`)
  return values[(at.index ?? 0) % values.length]
}

function alternative(schema, alternatives, at) {
  const { anyOf, oneOf, ...rest } = schema
  const isNull = (option) => option?.type === 'null' || option?.const === null
  let reason
  for (const option of [...alternatives].sort((a, b) => isNull(a) - isNull(b))) {
    try {
      if (option === true) return make(rest, at)
      return make(merged(rest, option), { ...at, depth: at.depth + 1 })
    } catch (error) {
      if (!(error instanceof Unmakeable)) throw error
      reason = error
    }
  }
  throw reason ?? new Unmakeable(`${at.path || 'the reply'}: no alternative allows a value`)
}

function object(schema, at) {
  const properties = schema.properties ?? {}
  const required = new Set(schema.required ?? [])
  const value = {}
  const put = (key) => {
    const inner = Object.hasOwn(properties, key) ? properties[key] : (schema.additionalProperties ?? true)
    const step = key.replaceAll('~', '~0').replaceAll('/', '~1')
    const path = `${at.path}/${step}`
    const made = make(inner, { ...at, path, trail: [...at.trail, key], property: key, depth: at.depth + 1 })
    Object.defineProperty(value, key, { value: made, enumerable: true, writable: true, configurable: true })
  }
  const wanted = (key) => required.has(key) || at.optional || reaches(at.choices, `${at.path}/${key}`)
  for (const key of Object.keys(properties)) {
    if (!wanted(key)) continue
    try {
      put(key)
    } catch (error) {
      if (required.has(key) || !(error instanceof Unmakeable)) throw error
    }
  }
  for (const key of required) if (!Object.hasOwn(value, key)) put(key)
  for (const key of Object.keys(properties)) {
    if (Object.keys(value).length >= (schema.minProperties ?? 0)) break
    if (!Object.hasOwn(value, key)) put(key)
  }
  for (let i = 1; Object.keys(value).length < (schema.minProperties ?? 0); i++) put(`more${i}`)
  return value
}

const reaches = (choices, path) => Object.keys(choices).some((key) => key === path || key.startsWith(`${path}/`))

function list(schema, at) {
  const first = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : [])
  const rest = Array.isArray(schema.items) ? (schema.additionalItems ?? true) : (schema.items ?? true)
  const least = schema.minItems ?? 0
  const most = schema.maxItems ?? Infinity
  const shown = rest?.properties ? shownItems(Object.keys(rest.properties), at) : 0
  const open = rest === false ? first.length : Math.max(at.count, shown, first.length)
  const size = Math.max(least, Math.min(most, open))
  const value = []
  for (let i = 0; i < size; i++) {
    const inner = i < first.length ? first[i] : rest
    const index = schema.uniqueItems ? i : undefined
    const made = make(inner, { ...at, path: `${at.path}/*`, trail: [...at.trail, i], depth: at.depth + 1, index, place: i })
    if (!schema.uniqueItems || !value.some((same) => equal(same, made))) value.push(made)
  }
  if (value.length < least) throw new Unmakeable(`${at.path || 'the reply'}: not ${least} distinct elements`)
  return value
}

function shownItems(properties, at) {
  return Math.max(0, ...properties.map((name) => shownAs(name, at).length))
}

// Values of the same property that the prompt shows: what a judge of several items would name.
const shownAs = (property, at) => at.known.filter((entry) => entry.property === property).map((entry) => entry.value)

function text(schema, at) {
  if (schema.pattern !== undefined) return patterned(schema, at)
  if (schema.format !== undefined && Object.hasOwn(FORMATS, schema.format)) return fitted(FORMATS[schema.format], schema, at)
  const mark = token(at.seed, at.trail)
  const echoed = fitting(echo(at), schema)
  if (echoed !== undefined) return echoed
  const value = fitted(named(at.property, mark, schema.description), schema, at, mark)
  if (value.includes(mark)) at.made.push({ property: at.property, value, token: mark, group: groupOf(at) })
  return value
}

// The strings of one element of the outermost list name one item.
function groupOf(at) {
  const first = at.trail.findIndex((step) => typeof step === 'number')
  return token(at.seed, 'group', first < 0 ? [] : at.trail.slice(0, first + 1))
}

function echo(at) {
  const same = shownAs(at.property, at)
  if (same.length) return same[at.place ?? 0]
  if (!IDENTITY.test(at.property) || at.place !== undefined) return undefined
  return at.known.find((entry) => IDENTITY.test(entry.property))?.value
}

const lengthOf = (value) => [...value].length

function fitting(value, schema) {
  if (value === undefined) return undefined
  const long = lengthOf(value)
  return long >= (schema.minLength ?? 0) && long <= (schema.maxLength ?? Infinity) ? value : undefined
}

function fitted(value, schema, at, mark) {
  const most = schema.maxLength ?? Infinity
  const least = schema.minLength ?? 0
  if (least > most) throw new Unmakeable(`${at.path || 'the reply'}: minLength exceeds maxLength`)
  let fit = lengthOf(value) <= most ? value : (mark ?? value)
  if (lengthOf(fit) > most) fit = [...fit].slice(0, most).join('')
  return fit.padEnd(least, 'x')
}

function patterned(schema, at) {
  let expression
  try {
    expression = new RegExp(schema.pattern, 'u')
  } catch {
    throw new Unmakeable(`${at.path || 'the reply'}: the pattern is no regular expression`)
  }
  const mark = token(at.seed, at.trail)
  const candidates = [echo(at), named(at.property, mark, schema.description), mark, ...SAMPLES]
  const found = candidates.find((value) => fitting(value, schema) !== undefined && expression.test(value))
  if (found === undefined) throw new Unmakeable(`${at.path || 'the reply'}: nothing that we know matches ${schema.pattern}`)
  if (found.includes(mark)) at.made.push({ property: at.property, value: found, token: mark, group: groupOf(at) })
  return found
}

function number(schema, whole, at) {
  const step = schema.multipleOf ?? whole
  const low = lowest(schema, step)
  const high = highest(schema, step)
  const preferred = [1, 0, low, high, (low + high) / 2, step, -step]
  const numbers = at.index ? [Math.max(Number.isFinite(low) ? low : 0, 0) + at.index * (step || 1)] : preferred
  const fits = (value) =>
    Number.isFinite(value) &&
    value >= (schema.minimum ?? -Infinity) &&
    value <= (schema.maximum ?? Infinity) &&
    value > (schema.exclusiveMinimum ?? -Infinity) &&
    value < (schema.exclusiveMaximum ?? Infinity) &&
    (!step || Number.isInteger(value / step)) &&
    (!whole || Number.isInteger(value))
  const found = [...numbers, ...preferred].find(fits)
  if (found === undefined) throw new Unmakeable(`${at.path || 'the reply'}: no number lies in its bounds`)
  return found
}

function lowest(schema, step) {
  const bound = Math.max(schema.minimum ?? -Infinity, schema.exclusiveMinimum ?? -Infinity)
  const stepped = step ? Math.ceil(bound / step) * step : bound
  return stepped === schema.exclusiveMinimum ? stepped + (step || 0.5) : stepped
}

function highest(schema, step) {
  const bound = Math.min(schema.maximum ?? Infinity, schema.exclusiveMaximum ?? Infinity)
  const stepped = step ? Math.floor(bound / step) * step : bound
  return stepped === schema.exclusiveMaximum ? stepped - (step || 0.5) : stepped
}
