"""Scripts around the block, made of small parts by a fixed seed: what they do, Node tells."""

from __future__ import annotations

import random
from collections.abc import Iterator

PROBE = "probe(decideVerdict, spotCheck, JUDGE_VERDICT_SCHEMA)"
NAMES = ("decideVerdict", "spotCheck", "JUDGE_VERDICT_SCHEMA")
ESCAPED = {
    "decideVerdict": r"\u0064ecideVerdict",
    "spotCheck": r"s\u{70}otCheck",
    "JUDGE_VERDICT_SCHEMA": r"JUDGE_VERDICT_SCHEM\u0041",
}

# NAME is bound, written or patched; PROBE looks at it where it then means something else, if so.
BINDINGS = (
    "const NAME = () => 1; PROBE",
    "let NAME; PROBE",
    "var NAME = () => 1; PROBE",
    "function NAME() { return 1 } PROBE",
    "{ function NAME() { return 1 } PROBE } PROBE",
    "if (1) { function NAME() { return 1 } } PROBE",
    "switch (1) { default: function NAME() { return 1 } } PROBE",
    "async function NAME() {} PROBE",
    "function* NAME() {} PROBE",
    "class NAME {} PROBE",
    "const [NAME] = [1]; PROBE",
    "const { NAME } = { NAME: 1 }; PROBE",
    "const { a: { NAME } } = { a: { NAME: 1 } }; PROBE",
    "const { NAME = 1 } = {}; PROBE",
    "const { ...NAME } = { a: 1 }; PROBE",
    "let [, ...NAME] = [1, 2]; PROBE",
    "((NAME) => { PROBE })(1)",
    "(({ NAME }) => { PROBE })({})",
    "((a, NAME = 1) => { PROBE })()",
    "(function (...NAME) { PROBE })()",
    "(function NAME() { PROBE })()",
    "new (class NAME { m = PROBE })()",
    "({ m(NAME) { PROBE } }).m(1)",
    "({ set x(NAME) { PROBE } }).x = 1",
    "class K { static { var NAME = 1; PROBE } }",
    "try { throw 1 } catch (NAME) { PROBE }",
    "try { throw [1] } catch ([NAME]) { PROBE }",
    "for (const NAME of [1]) PROBE",
    "for (const NAME in { a: 1 }) { PROBE }",
    "for (let NAME = 0; NAME < 1; NAME++) PROBE",
    "for (var NAME of [1]) PROBE",
    "NAME = () => 1; PROBE",
    "NAME ||= 1; NAME &&= () => 1; PROBE",
    "NAME += 1; PROBE",
    "NAME++; PROBE",
    "[NAME] = [1]; PROBE",
    "({ NAME } = { NAME: 1 }); PROBE",
    "({ a: NAME = 1 } = {}); PROBE",
    "[...NAME] = [1]; PROBE",
    "for (NAME of [1]); PROBE",
    "for (NAME in { a: 1 }); PROBE",
    "for ([NAME] of [[1]]); PROBE",
    "(() => { NAME = () => 1 })(); PROBE",
    "arguments; ((f) => f())(() => { NAME = 1 }); PROBE",
    "eval('var NAME = 1'); PROBE",
    "eval('NAME = () => 1'); PROBE",
    "with ({ NAME: 1 }) { PROBE }",
    "label: { let NAME = 1; PROBE; break label }",
    "((a = () => { PROBE }, NAME) => { a() })()",
    "((a = (NAME) => { PROBE }) => { a() })()",
    "(() => { PROBE; var NAME = 1 })()",
    "(() => { { function NAME() {} } PROBE })()",
    "(() => { if (0) { function NAME() {} } PROBE })()",
    "{ PROBE; function NAME() {} }",
    "await (async (NAME) => { PROBE })(1)",
    "[...(function* (NAME) { PROBE })(1)]",
)

# A way to change what the names do, from any place: each is followed by a probe at the end.
PATCHES = (
    "Array.isArray = () => false",
    "Object.hasOwn = () => false",
    "Array.prototype.some = () => false",
    "Array.prototype.includes = function () { return false }",
    "const P = Array.prototype; P.map = () => []",
    "Object.defineProperty(Array.prototype, 'some', { value: () => false })",
    "Object.assign(Object, { hasOwn: () => false })",
    "Reflect.set(Array, 'isArray', () => false)",
    "globalThis.Array = { isArray: () => false, from: () => [] }",
    "const g = globalThis; g.Object = {}",
    "Array = { isArray: () => false, from: () => [] }",
    "var Array = { isArray: () => false, from: () => [] }",
    "function Object() {}",
    "String.prototype.codePointAt = () => 32",
    "RegExp.prototype.test = () => false",
    "const { prototype: Q } = RegExp; Q.test = () => false",
    "Array.prototype['some'] = () => false",
    "Array.prototype.at.constructor('this.Array = {}').call(globalThis)",
    "new Function('Array.isArray = () => false')()",
    "(() => {}).constructor('Array.isArray = () => false')()",
    "[].__proto__.some = () => false",
    "''.__proto__.codePointAt = () => 32",
    "Object.getPrototypeOf([]).some = () => false",
    "(/x/).__proto__.test = () => false",
    "Object.setPrototypeOf(Array, { from: () => [] }); delete Array.from",
    "delete Array.isArray",
    "for (Array.isArray of [() => false]);",
    "[Array.isArray] = [() => false]",
    "const { isArray, ...rest } = Array; Object.entries(rest); Array['isArray'] &&= () => false",
)

# Ways from the schema to what it holds, and what is done there.
ROADS = (
    "const V = X;",
    "let V; V = X;",
    "const V = X.properties ?? X;",
    "const { properties: V = X } = X;",
    "const [V] = [X];",
    "const V = { X }.X ?? X;".replace("{ X }.X", "{ y: X }.y"),
    "const V = (0, X);",
    "const V = [X].find((y) => y);",
    "const V = Object.values({ y: X })[0];",
    "const V = ((y) => y)(X);",
    "function give(y) { return y } const V = give(X);",
    "const V = [X].map((y) => y)[0];",
    "for (var V of [X]) {}",
    "const V = args.items ? X : null;",
    "const box = { y: X }; const V = box.y;",
    "const box = {}; box.y = X; const V = box.y;",
    "class Box { y = X } const V = new Box().y;",
    "const V = (() => X)();",
    "const V = await X;",
    "const V = Object(X);",
    "const V = structuredCloneOf(X); function structuredCloneOf(y) { return y }",
)
DEEDS = (
    "V.type = 1;",
    "V.properties = {};",
    "V['required'] = [];",
    "delete V.type; delete V.item;",
    "V.type ??= 1; V.type += 'x'; V.item = 1;",
    "Object.assign(V, { type: 1 });",
    "Object.defineProperty(V, 'type', { value: 1 });",
    "Reflect.deleteProperty(V, 'type'); Reflect.deleteProperty(V, 'item');",
    "(V.required ?? V.item.required ?? []).push('x'); V.item = 1;",
    "V.type &&= 'x'; [V.item] = [1];",
    "({ a: V.type } = { a: 1 });",
    "for (V.type of ['x']);",
    "mutate(V); function mutate(y) { y.type = 1 }",
    "const mutate = (y) => { y.type = 1 }; mutate(V);",
    "((y) => { y.type = 1 })(V);",
    "((y) => { y.type = 1 }).call(null, V);",
    "[V].forEach((y) => { y.type = 1 });",
    "with (V) { type = 1; properties = 1; item = 1 }",
    "class M { constructor(y) { y.type = 1 } } new M(V);",
    "({ m(y) { y.type = 1 } }).m(V);",
    "(function () { arguments[0].type = 1 })(V);",
    "V?.required?.splice(0); V.item = 1;",
)

# What leaves the names alone, wherever it stands.
HARMLESS = (
    (
        "const v = decideVerdict(null, { id: 'a-b@1', threshold: 1,"
        " criteria: [{ id: 'x', question: 'x' }] });"
    ),
    "agent('x', { schema: JUDGE_VERDICT_SCHEMA });",
    "log(JSON.stringify(JUDGE_VERDICT_SCHEMA), spotCheck([]));",
    "const o = { decideVerdict: 1, spotCheck() {} }; o.decideVerdict = 2;",
    "const s = { ...JUDGE_VERDICT_SCHEMA, title: 'x' }; s.type = 'x';",
    "const mine = { type: 'object' }; mine.type = 1; mine.required = [];",
    "function f(schema) { return agent('x', { schema }) } f(JUDGE_VERDICT_SCHEMA);",
    "const ask = (p, options) => agent(p, options); ask('x', { schema: JUDGE_VERDICT_SCHEMA });",
    "decideVerdict: for (;;) break decideVerdict;",
    "{ const Map = 1; log(Map) }",
    "log('decideVerdict = 1', `${spotCheck.name}`, /spotCheck = 1/);",
    "for (const name of JUDGE_VERDICT_SCHEMA.required) log(name);",
    "const { required } = JUDGE_VERDICT_SCHEMA; log(required.join());",
    "const longer = [...JUDGE_VERDICT_SCHEMA.required, 'x']; longer.push('y');",
    "log(typeof decideVerdict, decideVerdict.name, [].constructor.name);",
    "class K { decideVerdict() {} #spotCheck = 1; static spotCheck = 2 }",
    "try { log(1) } catch {}",
    "log(Object.keys(JUDGE_VERDICT_SCHEMA.properties).map((k) => k.length));",
)

AROUND = (
    "HERE",
    "{ HERE }",
    "(() => { HERE })();",
    "await (async () => { HERE })();",
    "if (1) { HERE } else { log(0) }",
    "for (const i of [1]) { HERE }",
    "try { HERE } finally { log(0) }",
    "try { throw 0 } catch { HERE }",
    "switch (1) { case 1: { HERE } }",
    "(function () { HERE })();",
    "new (class { static { HERE } })();",
    "({ get g() { HERE; return 1 } }).g;",
    "[1].forEach(() => { HERE });",
    "do { HERE } while (0);",
    "{ const later = () => { HERE }; later() }",
    "await parallel([async () => { HERE }]);",
)


def shadowing(seed: int) -> Iterator[tuple[str, str]]:
    """Yield what stands above the block and below it, where something may undo the names."""
    chance = random.Random(seed)  # noqa: S311 - the same scripts every time
    for part in BINDINGS:
        for name in NAMES:
            spelled = chance.choice((name, name, ESCAPED[name]))
            host = part.replace("NAME", spelled).replace("PROBE", PROBE)
            yield "", f"{_around(chance, host)}\n{PROBE}"
            yield "", f"{host}\n{PROBE}"
            yield f"function earlier() {{ {host} }}", f"earlier();\n{PROBE}"
    for part in PATCHES:
        yield "", f"{_around(chance, part)}\n{PROBE}"
        yield "", f"{part}\n{PROBE}"
        yield part, PROBE
    for road in ROADS:
        for deed in DEEDS:
            source = chance.choice(("JUDGE_VERDICT_SCHEMA", "JUDGE_VERDICT_SCHEMA.properties"))
            host = f"{road.replace('X', source)} {deed}".replace("V", "view")
            host = host.replace("JUDGE_viewERDICT", "JUDGE_VERDICT")
            yield "", f"{_around(chance, host)}\n{PROBE}"


def harmless(seed: int) -> Iterator[tuple[str, str]]:
    """Yield what stands above the block and below it, where nothing undoes the names."""
    chance = random.Random(seed)  # noqa: S311 - likewise
    for _ in range(300):
        parts = chance.sample(HARMLESS, 3)
        hosts = (_around(chance, f"{{ {part} }}", times=chance.randrange(3)) for part in parts)
        yield "", "\n".join([*(f"{{ {host} }}" for host in hosts), PROBE])


def _around(chance: random.Random, host: str, times: int = 1) -> str:
    for _ in range(times):
        ways = [way for way in AROUND if not ("await" in host and "await" not in way)]
        host = chance.choice(ways).replace("HERE", host)
    return host


# A use of a name, USE, that runs where the part stands or when something of it is called.
DEFERRED = {
    "function F() { USE }": "F()",
    "const F = () => { USE }": "F()",
    "const F = () => () => { USE }": "F()()",
    "const F = async () => { await 0; USE }": "await F()",
    "const F = function () { USE }": "F.call(null)",
    "const F = { m() { USE } }": "F.m()",
    "const F = { a: [() => { USE }] }": "F.a[0]()",
    "const F = { get g() { USE; return 1 } }": "F.g",
    "const F = { set g(v) { USE } }": "F.g = 1",
    "class F { m() { USE } }": "new F().m()",
    "class F { static m() { USE } }": "F.m()",
    "class F { constructor() { USE } }": "new F()",
    "class F { x = (() => { USE })() }": "new F()",
    "class F { get g() { USE; return 1 } }": "new F().g",
    "class B { constructor() { USE } } class F extends B {}": "new F()",
    "function* F() { USE }": "[...F()]",
    "const F = (a = (() => { USE })()) => a": "F()",
    "function F() { return { m: () => { USE } } }": "F().m()",
    "const G = () => { USE }; const F = G": "F()",
    "let F; F = () => { USE }": "F()",
    "const [F] = [() => { USE }]": "F()",
    "const { F } = { F: () => { USE } }": "F()",
    "function G() { USE } const F = () => G()": "F()",
    "const F = () => { USE }; const H = F.bind(null)": "H()",
    "const F = (x) => { USE; return x }": "F`a`",
    "const F = { [Symbol.iterator]: function* () { USE } }": "for (const i of F);",
    "const F = { then(done) { USE; done() } }": "await F",
    "const F = () => { USE }; const run = (f) => f()": "run(F)",
    "const F = [() => { USE }]": "for (const f of F) f()",
    "const F = () => { USE; }; const O = { F }": "O.F()",
    "const F = true ? () => { USE } : null": "F?.()",
}
AT_ONCE = (
    "USE",
    "(() => { USE })()",
    "await (async () => { USE })()",
    "await parallel([() => { USE }])",
    "await parallel([1].map((i) => () => { USE }))",
    "[1].map(() => { USE })",
    "await Promise.resolve().then(() => { USE })",
    "new Promise(() => { USE })",
    "class K { static { USE } }",
    "class K { static x = (() => { USE })() }",
    "class K { [(() => { USE })()]() {} }",
    "try { throw () => { USE } } catch (f) { f() }",
    "const { x = (() => { USE })() } = {}",
    "[2, 1].sort(() => { USE; return 0 })",
    "'a'.replace(/a/, () => { USE; return '' })",
    "JSON.stringify({ toJSON() { USE; return 1 } })",
    "Array.from([1], () => { USE })",
)


def ordering(seed: int) -> Iterator[tuple[str, str]]:
    """Yield what stands above the block and below it; `at(0)` stands before each use of a name."""
    chance = random.Random(seed)  # noqa: S311 - likewise
    for name in NAMES:
        use = f"(at(0), {name});"
        for part in AT_ONCE:
            host = part.replace("USE", use) + ";"
            yield host, ""
            yield "", host
            yield _around(chance, host), ""
        for part, call in DEFERRED.items():
            host = part.replace("USE", use) + ";"
            yield f"{host} {call};", ""
            yield host, f"{call};"
            yield "", f"{host} {call};"
            yield f"{host} function outer() {{ {call} }}".replace("await ", ""), "outer();"
            if host.startswith(("function F", "function* F")):
                yield f"{call};", host
            yield _around(chance, f"{host}\n{call};"), ""
