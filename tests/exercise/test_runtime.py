"""The stubs behave as the runtime is documented to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judge_conformance.exercise.session import Answer, Rule, Run, Session
from judge_conformance.node import Node

META = "export const meta = { name: 'a', description: 'a' }\n"
NULL = Answer(kind="null")
THROW = Answer(kind="throw")


def run(session: Session, body: str, *rules: Rule, args: str | None = None) -> Run:
    assert session.load(META + body) is None
    return session.run(args, rules, made=False)


def rule(answer: Answer, *, line: int = 2, column: int = 14, label: str | None = None) -> Rule:
    return Rule(site=(line, column), agent_type=None, label=label, answer=answer)


COUNTED = "return [await pipeline([1, 2], fail, (x) => { n++; return x }), n]"

RESULTS: dict[str, tuple[str, Any]] = {
    "a plain result": ("return { a: 1 }", {"a": 1}),
    "undefined is nothing": ("const a = 1", None),
    "no args are undefined": ("return typeof args", "undefined"),
    "budget without a target": (
        "return [budget.total, budget.spent(), budget.remaining() === Infinity]",
        [None, 0, True],
    ),
    "phase and log give nothing": (
        "return [phase('a') === undefined, log('b') === undefined]",
        [True, True],
    ),
    "parallel keeps the order": ("return await parallel([async () => 1, () => 2])", [1, 2]),
    "a throwing thunk is null": (
        "return await parallel([() => { throw new Error('x') }, async () => { throw 1 }, () => 3])",
        [None, None, 3],
    ),
    "parallel refuses promises": (
        "try { await parallel([Promise.resolve(1)]) } catch (e) { return e.name }",
        "TypeError",
    ),
    "parallel takes an array": (
        "try { await parallel('ab') } catch (e) { return e.name }",
        "TypeError",
    ),
    "parallel has a cap on items": (
        "try { await parallel(Array(4097).fill(1)) } catch (e) { return /4096/.test(e.message) }",
        True,
    ),
    "stages get previous, item, index": (
        "return await pipeline(['a', 'b'], (p, o, i) => [p, o, i], (p, o, i) => [...p, o, i])",
        [["a", "a", 0, "a", 0], ["b", "b", 1, "b", 1]],
    ),
    "a throwing stage drops the item and skips the rest": (
        "let n = 0; const fail = (x) => { if (x === 1) throw 1; return x }\n" + COUNTED,
        [[None, 2], 1],
    ),
    "a null goes on through the pipeline": (
        "return await pipeline([1], () => null, (p) => [p])",
        [[None]],
    ),
    "Date.now throws": ("try { Date.now() } catch (e) { return 'threw' }", "threw"),
    "new Date without arguments throws": (
        "try { new Date() } catch (e) { return 'threw' }",
        "threw",
    ),
    "Date() throws": ("try { Date() } catch (e) { return 'threw' }", "threw"),
    "the clock is not behind the constructor": (
        "try { new (new Date(0).constructor)() } catch (e) { return 'threw' }",
        "threw",
    ),
    "new Date of something works": (
        "const d = new Date('2024-01-31')\nreturn [d.getTime(), d instanceof Date, Date.UTC(2024)]",
        [1706659200000, True, 1704067200000],
    ),
    "Math.random throws": ("try { Math.random() } catch (e) { return 'threw' }", "threw"),
    "the rest of Math is there": ("return Math.max(1, 2)", 2),
    "no Node": (
        "return [typeof process, typeof require, typeof fetch, typeof setTimeout, typeof Buffer]",
        ["undefined"] * 5,
    ),
    "console prints nowhere": ("console.log('x'); console.error('y'); return 1", 1),
    "an unknown workflow throws": (
        "try { await workflow('other') } catch (e) { return /other/.test(e.message) }",
        True,
    ),
    "names of globals may be taken": ("const log = 1, phase = 2\nreturn log + phase", 3),
    "an agent without a schema gives text": ("return typeof (await agent('hello'))", "string"),
    "an agent with a schema gives what fits": (
        "return await agent('x', { schema: { properties: { ok: { type: 'boolean' } } } })",
        {"ok": True},
    ),
}


@pytest.mark.parametrize(("body", "expected"), RESULTS.values(), ids=RESULTS)
def test_results(session: Session, body: str, expected: object) -> None:
    ended = run(session, body).ended
    assert ended.kind == "value", ended
    assert (json.loads(ended.value) if ended.value else None) == expected


ENDS: dict[str, tuple[str, str, str, int | None]] = {
    "a thrown error, with its line": ("\nthrow new Error('no')", "error", "Error: no", 3),
    "something else thrown": ("throw 'text'", "error", "Error: text", None),
    "an error that cannot be read": (
        "throw { get message() { throw 1 }, get name() { throw 2 } }",
        "error",
        "an error that cannot be read",
        None,
    ),
    "a promise that never settles": ("await new Promise(() => {})", "unsettled", "", None),
    "a circular result": ("const a = {}; a.a = a; return a", "unwritable", "", None),
    "a result with a throwing getter": (
        "return { get a() { throw new Error('got') } }",
        "unwritable",
        "Error: got",
        None,
    ),
    "a result that is too big": ("return 'x'.repeat(5e6)", "huge", "", None),
    "import()": ("await import('node:fs')", "error", "import() is not available", None),
    "import() in eval": ("await eval(\"import('node:fs')\")", "error", "import() is not", None),
    "no end": ("while (true) {}", "timeout", "", None),
    "no end between awaits": ("while (true) await null", "timeout", "", None),
    "too many calls": (
        "while (true) await agent('again')",
        "error",
        "Error: the cap on agent() calls",
        2,
    ),
}


@pytest.mark.parametrize(("body", "kind", "message", "line"), ENDS.values(), ids=ENDS)
def test_ends(node: Node, body: str, kind: str, message: str, line: int | None) -> None:
    with Session(node, timeout=0.3) as session:
        ended = run(session, body).ended
        assert (ended.kind, ended.line) == (kind, line)
        assert message in ended.message
        assert run(session, "return 1").ended.value == "1"


def test_an_agent_that_died_is_null(session: Session) -> None:
    ended = run(session, "return [await agent('x')]", rule(NULL, column=15)).ended
    assert ended.value == "[null]"


def test_an_agent_that_throws_is_null_in_parallel(session: Session) -> None:
    body = "return await parallel([() => agent('x')])"
    assert run(session, body, rule(THROW, column=30)).ended.value == "[null]"


def test_a_call_is_known_by_site_label_and_type(session: Session) -> None:
    body = "await agent('x', { label: 'verify:1', agentType: 'judge', phase: 'P' })\nreturn 1"
    (call,) = run(session, body).calls
    assert (call.site, call.label, call.agent_type, call.phase) == (
        (2, 7),
        "verify:1",
        "judge",
        "P",
    )


def test_the_position_holds_on_the_first_line(session: Session) -> None:
    assert session.load("export const meta = {}; await agent('x')") is None
    (call,) = session.run(None, [], made=False).calls
    assert call.site == (1, 31)


def test_a_dead_judge_that_is_asked_again_is_still_dead(session: Session) -> None:
    body = """
    const first = await agent('same', { label: 'a' })
    const second = await agent('same', { label: 'a:retry' })
    return [first, second, await agent('other', { label: 'b' }) !== null]
    """
    ran = run(session, body, rule(NULL, line=3, column=25, label="^a$"))
    assert ran.ended.value == "[null,null,true]"
    assert [call.label for call in ran.calls] == ["a", "a", "b"]


def test_voters_with_one_prompt_die_one_by_one(session: Session) -> None:
    body = (
        "return (await parallel([1, 2, 3].map(() => () => agent('vote')))).map((v) => v === null)"
    )
    first = Rule(site=(2, 50), agent_type=None, label=None, answer=NULL, first_of="run")
    assert run(session, body, first).ended.value == "[true,false,false]"


def test_what_the_arguments_lack_is_noted(session: Session) -> None:
    assert (
        session.load(META + "return [args.a.b, args.list[0].c, 'd' in args, Object.keys(args.e)]")
        is None
    )
    ran = session.run('{"a": {}, "list": [{}], "e": {}}', [], made=True)
    assert ran.reads == (("a", "b"), ("list", "0", "c"), ("d",), ("e", "?"))


def test_a_run_leaves_nothing_behind(session: Session) -> None:
    body = "globalThis.count = (globalThis.count ?? 0) + 1; Array.prototype.extra = 1\n"
    body += "return [count, [].extra]"
    for _ in range(2):
        assert run(session, body).ended.value == "[1,1]"
    assert (
        run(session, "return [typeof count, [].extra ?? null]").ended.value == '["undefined",null]'
    )


def test_log_lines_are_kept(session: Session) -> None:
    assert run(session, "log('a'); log(1)").logs == ("a", "1")


def test_a_script_that_is_none(session: Session) -> None:
    assert session.load(META + "const = 1") == ("Unexpected token '='", 2)
