"""The block's names as a host may use them: each shape alone, beside the canonical block."""

from __future__ import annotations

import pytest

from judge_conformance.catalog import Catalog
from judge_conformance.workflows.early import early_uses
from judge_conformance.workflows.parse import parse
from judge_conformance.workflows.shadowing import Host, shadows

# As small as a block can be that binds the names and reads the globals of the canonical one.
BLOCK = """// judge-contract:start verdict@2
const JUDGE_VERDICT_SCHEMA = {};
function decideVerdict() { return [Object, Array, Number, Math, Map, Error, undefined]; }
function spotCheck() {}
// judge-contract:end"""
HEAD = f"export const meta = {{}};\n\n{BLOCK}\n\n"

# Where the finding stands is between « and ».
SHADOWED = {
    # bound again
    "const in a block": "{ const «decideVerdict» = () => 1 }",
    "let in a function": "function f() { let «spotCheck» }",
    "var in a function": "() => { var «decideVerdict» = 1 }",
    "var at the top": "var «decideVerdict» = 1",
    "function at the top": "function «decideVerdict»() {}",
    "function in a block (Annex B)": "{ function «decideVerdict»() {} }",
    "parameter": "function f(«decideVerdict») { decideVerdict() }",
    "arrow parameter": "items.map((«decideVerdict») => 1)",
    "parameter with a default": "(«spotCheck» = 1) => 1",
    "rest parameter": "(...«spotCheck») => 1",
    "destructured parameter": "({ a: [«spotCheck»] }) => 1",
    "shorthand destructuring": "function f() { const { «decideVerdict» } = lib }",
    "shorthand with a default": "() => { const { «decideVerdict» = 1 } = lib }",
    "array destructuring": "() => { const [, «decideVerdict»] = lib }",
    "object rest": "() => { const { ...«JUDGE_VERDICT_SCHEMA» } = lib }",
    "catch": "try { f() } catch («decideVerdict») {}",
    "destructured catch": "try { f() } catch ({ «decideVerdict» }) {}",
    "function expression name": "f(function «decideVerdict»() {})",
    "class name": "{ class «decideVerdict» {} }",
    "class expression name": "f(class «decideVerdict» {})",
    "loop variable": "for (const «decideVerdict» of f) {}",
    "counting loop": "for (let «spotCheck» = 0; ; ) break",
    "generator name": "{ function* «spotCheck»() {} }",
    "method parameter": "f({ m(«spotCheck») {} })",
    "setter parameter": "class A { set x(«spotCheck») {} }",
    "binding spelled with an escape": r"{ let «\u0064ecideVerdict» }",
    # written
    "assignment": "«decideVerdict» = 1",
    "assignment spelled with an escape": r"«decide\u{56}erdict» = 1",
    "compound assignment": "«spotCheck» += 1",
    "logical assignment": "«spotCheck» ??= 1",
    "update": "«spotCheck»++",
    "pattern target": "[«decideVerdict»] = f",
    "shorthand pattern target": "({ «decideVerdict» } = f)",
    "pattern target with a default": "({ a: «decideVerdict» = 1 } = f)",
    "pattern rest target": "[...«decideVerdict»] = f",
    "loop head": "for («decideVerdict» of f) {}",
    "loop head, in": "for («decideVerdict» in f) {}",
    "delete": "delete «decideVerdict»",
    "written in a function": "const f = () => { «decideVerdict» = 1 }",
    "written above a var of a block": "{ «decideVerdict» = 1; let b }",
    # members
    "member write": "«JUDGE_VERDICT_SCHEMA».type = 1",
    "deep member write": "«JUDGE_VERDICT_SCHEMA».properties.item.type = 1",
    "computed member write": "«JUDGE_VERDICT_SCHEMA»['type'] = 1",
    "member compound": "«JUDGE_VERDICT_SCHEMA».type += 1",
    "member update": "«JUDGE_VERDICT_SCHEMA».type++",
    "member delete": "delete «JUDGE_VERDICT_SCHEMA».type",
    "optional member delete": "delete «JUDGE_VERDICT_SCHEMA»?.type",
    "member as a pattern target": "[«JUDGE_VERDICT_SCHEMA».type] = f",
    "member as an object pattern target": "({ a: «JUDGE_VERDICT_SCHEMA».type } = f)",
    "member as a target with a default": "[«JUDGE_VERDICT_SCHEMA».type = 1] = f",
    "member as a rest target": "[...«JUDGE_VERDICT_SCHEMA».type] = f",
    "member as a loop head": "for («JUDGE_VERDICT_SCHEMA».type of f) {}",
    "member of a function": "«decideVerdict».x = 1",
    "mutating method": "«JUDGE_VERDICT_SCHEMA».required.push('x')",
    "sort": "«JUDGE_VERDICT_SCHEMA».required.sort()",
    "computed method": "«JUDGE_VERDICT_SCHEMA».required[name]()",
    "element of a reading method": "«JUDGE_VERDICT_SCHEMA».required.at(0).x = 1",
    "element in a callback": "«JUDGE_VERDICT_SCHEMA».a.forEach((e) => { e.x = 1 })",
    # handed on
    "argument of call": "f.call(null, «JUDGE_VERDICT_SCHEMA»)",
    "argument of apply": "f.apply(«JUDGE_VERDICT_SCHEMA», [])",
    "argument of bind": "f.bind(«decideVerdict»)",
    "Object.assign": "Object.assign(«JUDGE_VERDICT_SCHEMA», {})",
    "Object.assign of a member": "Object.assign(«JUDGE_VERDICT_SCHEMA».properties, {})",
    "Object, computed": "Object['assign'](«JUDGE_VERDICT_SCHEMA», {})",
    "Object, not to be told": "Object[name](«JUDGE_VERDICT_SCHEMA», {})",
    "Object, optional": "Object?.assign?.(«JUDGE_VERDICT_SCHEMA», {})",
    "Object.freeze": "Object.freeze(«JUDGE_VERDICT_SCHEMA»)",
    "Reflect.set": "Reflect.set(«JUDGE_VERDICT_SCHEMA», 'type', 1)",
    "Object under another name": "const { assign } = Object; assign(«JUDGE_VERDICT_SCHEMA», {})",
    "Object of globalThis": "globalThis.Object.assign(«JUDGE_VERDICT_SCHEMA», {})",
    "an alias of Object": "const O = Object; O.assign(«JUDGE_VERDICT_SCHEMA», {})",
    "spread into Object": "Object.assign(...«JUDGE_VERDICT_SCHEMA».a)",
    "in an array given to Object": "Object.assign([«JUDGE_VERDICT_SCHEMA»], {})",
    "stored in a member": "lib.decide = «decideVerdict»",
    "stored in a global": "decide = «decideVerdict»",
    "returned": "const f = () => «JUDGE_VERDICT_SCHEMA»",
    "returned by a function": "function f() { return «JUDGE_VERDICT_SCHEMA» }",
    "constructed": "new «decideVerdict»()",
    "thrown": "throw «decideVerdict»",
    "extended": "class A extends «decideVerdict» {}",
    "a class's field": "class A { x = «decideVerdict» }",
    "a tag": "«decideVerdict»`a`",
    # aliases
    "alias written": "let d = «decideVerdict»; d = f",
    "alias member written": "const s = «JUDGE_VERDICT_SCHEMA»; s.type = 1",
    "alias of a part": "const p = «JUDGE_VERDICT_SCHEMA».properties; p.item = 1",
    "alias of an alias": "const a = «JUDGE_VERDICT_SCHEMA»; const b = a; b.type = 1",
    "destructured alias": "const { properties } = «JUDGE_VERDICT_SCHEMA»; properties.x = 1",
    "assigned alias": "let s; s = «JUDGE_VERDICT_SCHEMA»; s.type = 1",
    "default alias": "function f(s = «JUDGE_VERDICT_SCHEMA») { s.type = 1 }",
    "loop alias": "for (const p of «JUDGE_VERDICT_SCHEMA».a) p.x = 1",
    "alias through ||": "const s = f || «JUDGE_VERDICT_SCHEMA»; s.type = 1",
    "alias through ?:": "const s = f ? 1 : «JUDGE_VERDICT_SCHEMA»; s.type = 1",
    "alias through a comma": "const s = (1, «JUDGE_VERDICT_SCHEMA»); s.type = 1",
    "alias in an object": "const o = { decide: «decideVerdict» }; o.decide = f",
    "alias in an array": "const a = [«decideVerdict»]; a[0] = f",
    "element of a shallow copy": "const s = { ...«JUDGE_VERDICT_SCHEMA» }; s.a.type = 1",
    "element of a copied array": "const a = [...«JUDGE_VERDICT_SCHEMA».a]; a[0].x = 1",
    "Object.values": "Object.values(«JUDGE_VERDICT_SCHEMA»)[0].type = 1",
    "Object.entries": "for (const [, v] of Object.entries(«JUDGE_VERDICT_SCHEMA»)) v.type = 1",
    # globals
    "global bound by a function in a block": "{ function «Map»() {} }",
    "prototype under another name": "const P = Array.prototype; «P».some = () => false",
    "globalThis under another name": "const g = globalThis; «g.Math» = 1",
    "global bound": "const «Map» = f",
    "global bound by a function": "function «Error»() {}",
    "global bound in a block by var": "{ var «Array» = f }",
    "global written": "«Math» = f",
    "undefined bound": "var «undefined» = 1",
    "member of a global": "«Object».hasOwn = () => true",
    "prototype of a global": "«Array».prototype.some = () => false",
    "prototype of what the block's values are": "«String».prototype.includes = () => false",
    "global of globalThis": "«globalThis.Math» = f",
    "any global of globalThis": "«globalThis[name]» = f",
    "global given to Object": "Object.assign(«Array.prototype», {})",
    "global's own member defined": "Object.defineProperty(«Object», 'hasOwn', {})",
    # what cannot be seen
    "eval": "«eval»('1')",
    "indirect eval": "(0, «eval»)('1')",
    "Function": "new «Function»('1')",
    "constructor": "f.«constructor»('1')()",
    "constructor, kept": "const F = f.«constructor»; F('1')",
    "constructor, destructured": "const { «constructor»: F } = f; F('1')",
    "eval of globalThis": "globalThis.«eval»('1')",
    "constructor, computed": "f[«'constructor'»]('1')()",
    "constructor, new": "new f.«constructor»()",
    "with": "with («f») {}",
    "name of globalThis": "globalThis.«decideVerdict»()",
    "name of this": "this.«decideVerdict» = 1",
    "name of globalThis, computed": "globalThis[«'spotCheck'»]",
    "globalThis given to Object": "Object.assign(«globalThis», {})",
    "this given to Reflect": "Reflect.set(«this», 'a', 1)",
}

LEGAL = {
    "direct call": "return decideVerdict(a, RUBRIC, { item })",
    "optional call": "return decideVerdict?.(a, RUBRIC)",
    "call in parentheses": "return (decideVerdict)(a)",
    "the idiom": "return items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }))",
    "spotCheck": "return spotCheck(verdicts, 2)",
    "schema value": "await agent('x', { schema: JUDGE_VERDICT_SCHEMA })",
    "schema value, quoted key": "await agent('x', { 'schema': JUDGE_VERDICT_SCHEMA })",
    "schema nested in a literal": "await agent('x', { schema: { items: JUDGE_VERDICT_SCHEMA } })",
    "a wider schema": "const s = { items: JUDGE_VERDICT_SCHEMA }; await agent('x', { schema: s })",
    "schema member written": "options.schema = JUDGE_VERDICT_SCHEMA",
    "plain argument": "run(JUDGE_VERDICT_SCHEMA, decideVerdict)",
    "argument of a method": "lib.run(JUDGE_VERDICT_SCHEMA)",
    "argument of new": "new Run(JUDGE_VERDICT_SCHEMA)",
    "callback": "return replies.map(decideVerdict)",
    "JSON.stringify": "log(JSON.stringify(JUDGE_VERDICT_SCHEMA))",
    "read": "log(JUDGE_VERDICT_SCHEMA.properties.item.description)",
    "computed read": "log(JUDGE_VERDICT_SCHEMA['required'][0])",
    "read a name": "log(decideVerdict.name + spotCheck.length)",
    "spread": "const s = { ...JUDGE_VERDICT_SCHEMA, extra: 1 }; run(s)",
    "spread arguments": "run(...JUDGE_VERDICT_SCHEMA.required)",
    "spread in an array": "const r = [...JUDGE_VERDICT_SCHEMA.required, 'x']; r.push('y')",
    "comparison": "if (JUDGE_VERDICT_SCHEMA === other) log(1)",
    "typeof": "if (typeof decideVerdict === 'function') log(1)",
    "negation": "if (!decideVerdict) log(1)",
    "template": "log(`${JUDGE_VERDICT_SCHEMA.type}`)",
    "in": "log('a' in JUDGE_VERDICT_SCHEMA)",
    "void": "void spotCheck",
    "condition": "log(decideVerdict ? 1 : 2)",
    "switch": "switch (JUDGE_VERDICT_SCHEMA.type) { case 'object': log(1) }",
    "reading method": "log(JUDGE_VERDICT_SCHEMA.required.includes('item'))",
    "reading chain": "log(JUDGE_VERDICT_SCHEMA.required.slice(1).join())",
    "reading callback": "log(JUDGE_VERDICT_SCHEMA.required.map((name) => name.length))",
    "Object.keys": "log(Object.keys(JUDGE_VERDICT_SCHEMA.properties))",
    "Object.entries": "for (const [k, v] of Object.entries(JUDGE_VERDICT_SCHEMA)) log(k, v)",
    "Object.values renamed": "const { values } = Object; log(values(JUDGE_VERDICT_SCHEMA))",
    "for in": "for (const k in JUDGE_VERDICT_SCHEMA.properties) log(k)",
    "for of": "for (const name of JUDGE_VERDICT_SCHEMA.required) log(name)",
    "alias called": "const d = decideVerdict; return d(a)",
    "alias read": "const s = JUDGE_VERDICT_SCHEMA; await agent('x', { schema: s })",
    "shorthand schema alias": "const schema = JUDGE_VERDICT_SCHEMA; await agent('x', { schema })",
    "let assigned once": "let s; s = JUDGE_VERDICT_SCHEMA; log(s.type)",
    "alias destructured": "const { required } = JUDGE_VERDICT_SCHEMA; log(required.length)",
    "an alias's name elsewhere": "const s = decideVerdict; { let s = 1; s = 2 } s(a)",
    "default value": "function f(s = JUDGE_VERDICT_SCHEMA) { return s.type }",
    "a copy changed": "const s = { ...JUDGE_VERDICT_SCHEMA }; s.type = 1; run(s.properties.item)",
    "called as a member": "const api = { decideVerdict }; return api.decideVerdict(a)",
    "in an object that is called": "run({ decide: decideVerdict, schema: JUDGE_VERDICT_SCHEMA })",
    "property key": "log({ decideVerdict: 1, 'spotCheck': 2 })",
    "method name": "log({ decideVerdict() {} }); class A { spotCheck() {} }",
    "getter name": "log({ get decideVerdict() { return 1 } })",
    "destructured key": "const { decideVerdict: d } = lib; log(d)",
    "member of another": "log(lib.decideVerdict); lib.spotCheck = 1",
    "label": "decideVerdict: for (;;) break decideVerdict",
    "private name": "class A { #decideVerdict = 1; x() { return this.#decideVerdict } }",
    "class field name": "class A { decideVerdict = 1 }",
    "string and comment": "log('decideVerdict = 1') // decideVerdict = 1",
    "regular expression": "log(/decideVerdict = 1/)",
    "a longer name": "let decideVerdictTwice = 1; decideVerdictTwice = 2",
    "call with this": "return decideVerdict.call(null, a, RUBRIC)",
    "global bound in a function": "function f(Map) { return (Error) => Error + Map }",
    "global bound in a block": "{ const Map = 1; log(Map) } for (const Error of f) log(Error)",
    "a global that the block does not read": "const Set = 1; log(Set); Promise.x = 1",
    "a local that is named like a global": "function f(Math) { Math = 1; Math.x = 2 }",
    "globals read": "log(new Map(), Object.keys(a), Math.max(1), new Error('x'))",
    "Object.assign of others": "log(Object.assign({}, a), Object.freeze(b))",
    "constructor read": "log(a.constructor.name)",
    "a class's constructor": "class A { constructor() { this.x = 1 } }",
    "instanceof Function": "log(a instanceof Function, typeof eval)",
    "globalThis read": "log(globalThis.Math, this)",
    "this of others": "class A { m() { this.x = 1; this[name] = 2 } }",
    "call of others": "f.call(this, 1)",
    "catch without a binding": "try { f() } catch { log(1) }",
    "eval of one's own": "function f(eval) { return eval(1) }",
}


def _marked(text: str) -> tuple[str, str]:
    before, rest = text.split("«")
    return before + rest.replace("»", ""), rest.split("»", maxsplit=1)[0]


@pytest.mark.parametrize("text", SHADOWED.values(), ids=SHADOWED)
def test_what_takes_a_name_is_found_at_its_token(text: str) -> None:
    code, name = _marked(text)
    script = parse("a.js", f"{HEAD}{code}\n".encode())
    start = len(HEAD) + text.index("«")
    ((found, end, message, hint),) = shadows(script)
    assert (found, end) == (start, start + len(name))
    assert message
    assert hint


@pytest.mark.parametrize("text", LEGAL.values(), ids=LEGAL)
def test_what_leaves_the_names_alone_is_none(text: str) -> None:
    assert shadows(parse("a.js", f"{HEAD}{text}\n".encode())) == []


def test_a_script_without_a_block_is_somebody_elses() -> None:
    script = parse("a.js", b"let decideVerdict = 1; decideVerdict = eval('2')\n")
    assert (shadows(script), early_uses(script)) == ([], [])


def test_depth_is_no_obstacle() -> None:
    code = "(" * 300 + "decideVerdict = 1" + ")" * 300
    assert len(shadows(parse("a.js", f"{HEAD}{code}\n".encode()))) == 1


EARLY = {
    "schema": ("const s = «JUDGE_VERDICT_SCHEMA»", ""),
    "call": ("const v = «decideVerdict»(a)", ""),
    "typeof": ("log(typeof «JUDGE_VERDICT_SCHEMA»)", ""),
    "in a block": ("if (a) { log(«spotCheck») }", ""),
    "called at once": ("(() => log(«JUDGE_VERDICT_SCHEMA»))()", ""),
    "function called at once": ("(function () { log(«JUDGE_VERDICT_SCHEMA») }).call(null)", ""),
    "callback of map": ("const v = a.map((b) => «decideVerdict»(b))", ""),
    "function called above": ("function f() { log(«JUDGE_VERDICT_SCHEMA») }\nf()", ""),
    "arrow called above": ("const f = () => log(«JUDGE_VERDICT_SCHEMA»)\nf()", ""),
    "function handed to map above": ("const f = () => «spotCheck»\na.map(f)", ""),
    "function declared below, called above": (
        "f()",
        "function f() { log(«JUDGE_VERDICT_SCHEMA») }",
    ),
    "through two functions": ("const f = () => «spotCheck»()\nconst g = () => f()\ng()", ""),
    "static field": ("class A { static s = «JUDGE_VERDICT_SCHEMA» }", ""),
    "static block": ("class A { static { log(«JUDGE_VERDICT_SCHEMA») } }", ""),
    "computed method name": ("class A { [«JUDGE_VERDICT_SCHEMA».type]() {} }", ""),
    "handed to a call, which may run it": ("f(() => «decideVerdict»(a))", ""),
}
LATER = {
    "below": ("", "log(JUDGE_VERDICT_SCHEMA)"),
    "function": ("function f() { return decideVerdict(a) }", "f()"),
    "arrow": ("const f = (a) => decideVerdict(a)", "f()"),
    "method": ("const o = { m() { log(JUDGE_VERDICT_SCHEMA) } }", "o.m()"),
    "field": ("class A { s = JUDGE_VERDICT_SCHEMA }", "new A()"),
    "default value": ("function f(s = JUDGE_VERDICT_SCHEMA) {}", "f()"),
    "recursion": ("function f() { f(); log(JUDGE_VERDICT_SCHEMA) }", "f()"),
    "key": ("log({ decideVerdict: 1 }, a.spotCheck)", ""),
    "somebody else's": ("{ const decideVerdict = 1; log(decideVerdict) }", ""),
    "method of an instance made above": (
        "class A { m() { log(JUDGE_VERDICT_SCHEMA) } }\nconst a = new A()",
        "a.m()",
    ),
}


@pytest.mark.parametrize(("above", "below"), EARLY.values(), ids=EARLY)
def test_what_is_evaluated_above_the_block_is_found(above: str, below: str) -> None:
    text = f"{above}\n{BLOCK}\n{below}\n"
    code, name = _marked(text)
    script = parse("a.js", code.encode())
    start = text.index("«")
    assert [place[:2] for place in early_uses(script)] == [(start, start + len(name))]


@pytest.mark.parametrize(("above", "below"), LATER.values(), ids=LATER)
def test_what_runs_later_may_stand_above(above: str, below: str) -> None:
    assert early_uses(parse("a.js", f"{above}\n{BLOCK}\n{below}\n".encode())) == []


def test_the_canonical_block_is_clean_and_reads_these_globals() -> None:
    canonical = Catalog.load().content("verdict.inline.js")
    script = parse("a.js", canonical + b"\nreturn spotCheck([decideVerdict(args.a, args.b)])\n")
    assert (shadows(script), early_uses(script)) == ([], [])
    small = parse("a.js", HEAD.encode())
    assert Host(script).globals() == Host(small).globals() != set()
