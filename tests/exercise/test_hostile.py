"""Scripts that mean harm, or are merely careless: contained, and never a wrong "fine"."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_conformance.exercise.session import Session
from judge_conformance.exercise.suite import ScriptResult
from judge_conformance.node import Node

ESCAPE = "e.constructor.constructor('return typeof process')()"
JUDGE = """
const V = { type: 'object', required: ['real'], properties: { real: { type: 'boolean' } } }
const v = await agent('Is it real?', { label: 'verify', schema: V })
"""

REACHES: dict[str, str] = {
    "agent": "const e = agent",
    "args": "const e = args",
    "budget": "const e = budget.spent",
    "a reply": "const e = await agent('x', { schema: { properties: { a: { type: 'string' } } } })",
    "an error of agent": "let e; try { while (true) await agent('x') } catch (x) { e = x }",
    "an error of parallel": "let e; try { await parallel(1) } catch (x) { e = x }",
    "an error of Date": "let e; try { Date.now() } catch (x) { e = x }",
    "a deep stack": "let e; const f = () => { try { log(1); f() } catch (x) { e = e ?? x } }; f()",
    "a promise": "const e = agent('x')",
    "a stack's frames": "Error.prepareStackTrace = (_, all) => all\nconst e = new Error().stack",
    "an import": "const e = import('node:fs'); e.catch(() => {})",
    "the global object": "const e = globalThis",
}


@pytest.mark.parametrize("body", REACHES.values(), ids=REACHES)
def test_nothing_leads_out_of_the_context(session: Session, body: str) -> None:
    assert session.load(f"{body}\nreturn {ESCAPE}") is None
    ended = session.run('{"a": 1}', [], made=True).ended
    assert (ended.kind, ended.value) == ("value", '"undefined"'), ended


def test_frames_lead_nowhere(session: Session) -> None:
    body = """
    Error.prepareStackTrace = (_, frames) => frames
    const out = (it) => {
      try { return it.constructor.constructor('return typeof process')() } catch { return '' }
    }
    const seen = []
    const look = () => {
      for (const frame of new Error().stack) {
        seen.push(out(frame.getThis()), out(frame.getFunction()), out(frame))
      }
    }
    await parallel([async () => look()])
    look()
    return [seen.length > 5, seen.filter((found) => found === 'object').length]
    """
    assert session.load(body) is None
    assert session.run(None, [], made=False).ended.value == "[true,0]"


PROBLEMS: dict[str, tuple[str, str]] = {
    "no end": ("while (true) {}", "it does not end"),
    "no end between awaits": ("while (true) await null", "it does not end"),
    "throws whatever its args": ("throw new Error('never')", "Error: never"),
    "never settles": ("await new Promise(() => {})", "waits for something that never comes"),
    "is no script": ("const = 1", "it is no script: Unexpected token"),
    "closes the wrapper": (
        "})\nthrow new Error('out')\n;(async function () {",
        "the script broke its own start",
    ),
    "imports": ("import fs from 'node:fs'", "it is no script: Cannot use import statement"),
}


@pytest.mark.parametrize(("body", "problem"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_script_that_cannot_be_run_is_said(
    exercise: Callable[..., ScriptResult], body: str, problem: str
) -> None:
    result = exercise(f"{body}\nawait agent('x')", timeout=0.2)
    assert result.problem is not None
    assert problem in result.problem
    assert not result.exercised


def test_a_script_that_takes_all_memory_is_said(exercise: Callable[..., ScriptResult]) -> None:
    body = "const a = []; while (true) a.push(new Array(1e6).fill(a.length))"
    result = exercise(body, timeout=60)
    assert result.problem == "it ended the Node process that ran it"


def test_loops_behind_a_dead_judge_are_ended(exercise: Callable[..., ScriptResult]) -> None:
    result = exercise(JUDGE + "while (!v) {}\nreturn { item: 'a', real: v.real }", timeout=0.2)
    (done,) = result.exercised
    assert [(cell.fault, cell.said) for cell in done.cells][:1] == [("null", "crash")]
    assert done.cells[0].detail == "it does not end"


TAMPERED: dict[str, str] = {
    "JSON": "JSON.stringify = () => '{}'; JSON.parse = () => null",
    "arrays": "Array.prototype.map = Array.prototype.push = Array.prototype.filter = () => []",
    "promises": "Promise.prototype.then = function () { throw 1 }; Promise.all = () => null",
    "reflection": "Reflect.apply = Reflect.construct = Object.defineProperty = () => null",
    "objects": "Object.prototype.kind = 'null'; Object.prototype.error = Object.freeze",
    "strings": "String.prototype.includes = () => true; RegExp.prototype.test = () => true",
    "the host": "console.log('secret'); globalThis.process = { exit() {} }; process.exit(0)",
}


@pytest.mark.parametrize("tampering", TAMPERED.values(), ids=TAMPERED)
def test_built_ins_that_are_tampered_with_do_not_hide_a_dead_judge(
    exercise: Callable[..., ScriptResult], tampering: str
) -> None:
    result = exercise(f"{tampering}\n{JUDGE}return {{ item: 'a', real: v.real }}")
    assert result.problem is None
    (done,) = result.exercised
    assert {cell.fault: cell.said for cell in done.cells} == {
        "null": "crash",
        "throw": "crash",
        "garbage": "told",
    }


UNWRITABLE: dict[str, str] = {
    "circular": "const out = { real: v.real }; out.self = out; return out",
    "throwing getter": "return { get a() { throw new Error(String(v.real)) } }",
    "huge": "return 'x'.repeat(5e6) + v.real",
    "endless getter": "return { get a() { while (true) {} } }",
}


@pytest.mark.parametrize("body", UNWRITABLE.values(), ids=UNWRITABLE)
def test_results_that_cannot_be_compared_are_never_fine(
    exercise: Callable[..., ScriptResult], body: str
) -> None:
    result = exercise(JUDGE + body, timeout=0.2 if "while (true)" in body else 10)
    decided = [cell.said for done in result.exercised for cell in done.cells]
    assert result.problem or result.undecided or "as pass" not in decided


def test_a_script_sees_no_file_no_network_tool_and_no_environment(
    node: Node, tmp_path: Path
) -> None:
    """The permission model is the second wall: reached here from the driver's own realm."""
    secret = tmp_path / "secret"
    secret.write_text("s3cret")
    probe = tmp_path / "probe.mjs"
    probe.write_text(
        "import fs from 'node:fs'; import cp from 'node:child_process'\n"
        "const tried = (f) => { try { return String(f()) } catch (e) { return e.code } }\n"
        f"console.log(tried(() => fs.readFileSync({str(secret)!r})))\n"
        f"console.log(tried(() => fs.writeFileSync({str(tmp_path / 'new')!r}, 'x')))\n"
        "console.log(tried(() => cp.execSync('true')))\n"
    )
    import subprocess  # noqa: PLC0415 - only this test runs Node by itself

    ran = subprocess.run(node.confined(probe), capture_output=True, text=True, check=True, env={})
    assert ran.stdout.split() == ["ERR_ACCESS_DENIED"] * 3
    assert not (tmp_path / "new").exists()


def test_node_is_given_no_environment(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "s3cret")
    pid = session._process.pid  # noqa: SLF001 - what the process was given is not told otherwise
    if os.path.exists(f"/proc/{pid}/environ"):  # noqa: PTH110 - one file of the kernel's
        assert b"s3cret" not in Path(f"/proc/{pid}/environ").read_bytes()
        assert Path(f"/proc/{pid}/environ").read_bytes().count(b"=") == 2
