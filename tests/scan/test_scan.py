"""What is a judge, what only looks like one, and which defaults look fail-open."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.trees import Planted, git

from judge_conformance.cli.app import main
from judge_conformance.scan.found import Scan
from judge_conformance.scan.tree import scan_tree
from judge_conformance.tree import find_plugins, open_tree

Build = Callable[[Mapping[str, Planted]], Path]

META = "export const meta = { name: 'x' }\n"
MARKET = {
    ".claude-plugin/marketplace.json": json.dumps(
        {"name": "m", "plugins": [{"name": "acme", "source": "./plugins/acme"}]}
    )
}
VERDICT = (
    "const S = { type: 'object', properties: {"
    " real: { type: 'boolean' }, reason: { type: 'string' } } }\n"
)
ASK = "const v = await agent('Judge it', { schema: S })\n"


def scan(root: Path) -> Scan:
    tree = open_tree(root)
    return scan_tree(tree, find_plugins(tree))


def script(text: str, name: str = "workflows/a.js") -> dict[str, Planted]:
    return {**MARKET, f"plugins/acme/{name}": text}


SKIPPED = "for (const v of vs) {\nif (!v) continue\nif (v.real) f()\n}\n"

JUDGES = {
    "a boolean in a condition": (META + VERDICT + ASK + "if (v.real) keep()\n", [(3, ("real",))]),
    "in a filter": (
        META + VERDICT
        + "const vs = await parallel(xs.map((x) => () =>\n  agent('?', {schema: S})))\n"
        "return vs.filter((v) => v.real)\n",
        [(4, ("real",))],
    ),
    "destructured": (
        META + VERDICT + ASK + "const { real } = v\nif (real) f()\n",
        [(3, ("real",))],
    ),
    "an enum in a switch": (
        META + "const S = {properties: {verdict: {enum: ['yes', 'no']}}}\n" + ASK
        + "switch (v.verdict) { case 'yes': f() }\n",
        [(3, ("verdict (yes, no)",))],
    ),
    "a number in a sort": (
        META + "const S = {properties: {score: {type: 'number'}}}\n" + ASK
        + "vs.sort((a, b) => b.score - a.score)\n",
        [(3, ("score",))],
    ),
    "nullable": (
        META + "const S = {properties: {ok: {anyOf: [{type: 'boolean'}, {type: 'null'}]}}}\n" + ASK
        + "if (v.ok) f()\n",
        [(3, ("ok",))],
    ),
    "votes in a list": (
        META + "const V = {properties: {is_real: {type: 'boolean'}}}\n"
        "const S = {properties: {votes: {type: 'array', items: V}}}\n" + ASK
        + "if (v.votes[0].is_real) f()\n",
        [(4, ("is_real",))],
    ),
    "a verdict that is a string": (
        META + "const S = {properties: {verdict: {type: 'string'}}}\n" + ASK
        + "if (v.verdict === 'accept') f()\n",
        [(3, ("verdict",))],
    ),
    "through a wrapper": (
        META + VERDICT + "const ask = async (p, o) => (await agent(p, o)) ?? agent(p, o)\n"
        "const v = await ask('?', { label: 'l', schema: S })\nif (v.real) f()\n",
        [(4, ("real",))],
    ),
    "a job that is asked later": (
        META + VERDICT + "const job = {\n  prompt: 'p', schema: S }\n"
        "const v = await agent(job.prompt, { schema: job.schema })\nif (v.real) f()\n",
        [(3, ("real",))],
    ),
    "spread into a schema": (
        META + "const P = {real: {type: 'boolean'}}\nconst S = {properties: {...P}}\n" + ASK
        + "if (!v.real) f()\n",
        [(4, ("real",))],
    ),
    "by its label alone": (
        META + "const v = await agent('?', { label: `verify:${x}` })\nreturn v\n",
        [(2, ())],
    ),
    "by its phase alone": (
        META + "const v = await agent('?', { phase: 'P0 panel' })\nreturn v\n",
        [(2, ())],
    ),
    "by its label, and by what is read in a list": (
        META + "const V = {properties: {id: {type: 'string'}, grade: {enum: ['A', 'B']}}}\n"
        "const S = {properties: {grades: {type: 'array', items: V}}}\n"
        "const v = await agent('?', { label: 'judge', schema: S })\n"
        "return v.grades.filter((g) => g.grade === 'A')\n",
        [(4, ("grade (A, B)",))],
    ),
    "on one line": (META + VERDICT + f"{ASK.strip()};if(v.real)f()", [(3, ("real",))]),
}  # fmt: skip

NONE = {
    "nothing reads the boolean": META + VERDICT + ASK + "return v\n",
    "the severity of findings": (
        META + "const F = {properties: {severity: {enum: ['high', 'low']}}}\n"
        "const S = {properties: {findings: {type: 'array', items: F}}}\n" + ASK
        + "return v.findings.filter((f) => f.severity === 'high')\n"
    ),
    "the grade of findings": (
        META + "const F = {properties: {grade: {enum: ['P0', 'P1']}}}\n"
        "const S = {properties: {findings: {type: 'array', items: F}}}\n" + ASK
        + "return v.findings.sort((a, b) => (a.grade > b.grade ? 1 : -1))\n"
    ),
    "an answer that nobody keeps": (
        META + VERDICT + "await agent('fix it', { phase: 'Check', schema: S })\n"
        "const v = await agent('look')\nif (v.real) f()\n"
    ),
    "a number with a default": (
        META + "const S = {properties: {count: {type: 'number'}}}\n" + ASK
        + "return n + (v.count || 0)\n"
    ),
    "a writer in a panel's phase": (
        META + "const S = {properties: {body: {type: 'string'}}}\n"
        "const v = await agent('?', { phase: 'panel-write', schema: S })\nreturn v\n"
    ),
    "a word inside a word": META
    + "return agent('?', { label: 'recheckout', phase: 'underscore' })\n",
    "an agent of somebody else": "const agent = (a, b) => b\nf(agent('?', { label: 'verify' }))\n",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), JUDGES.values(), ids=list(JUDGES))
def test_a_judge_is_found(
    repository: Build, text: str, expected: list[tuple[int, tuple[str, ...]]]
) -> None:
    found = scan(repository(script(text)))
    assert [(judge.line, judge.decides) for judge in found.judges] == expected
    assert not found.unread


@pytest.mark.parametrize("text", NONE.values(), ids=list(NONE))
def test_what_is_no_judge(repository: Build, text: str) -> None:
    assert scan(repository(script(text))).judges == ()


OPEN = {
    "?? true": (META + "const ok = v?.confirmed ?? true\n", [2]),
    "|| true": (META + "const ok = v.passed || true\n", [2]),
    "!== false": (META + "const ok = v?.verified !== false\n", [2]),
    "!v || v.real": (META + "const ok = fs.filter((f) => !f.check || f.check.real)\n", [2]),
    "skipped": (META + VERDICT + ASK + SKIPPED, [5]),
    "skipped in a block": (
        META + VERDICT + ASK
        + "for (const i of vs) {\n  if (!i.v) { continue }\n  if (i.v.real) f()\n}\n",
        [5],
    ),
}  # fmt: skip

CLOSED = {
    "a rejection": META + "for (const v of vs) if (!v || v.verdict !== 'pass') continue\n",
    "a rejection that asks for less": META
    + "for (const v of vs) { if (!v || v.refuted) { drop(v); continue } keep(v) }\n",
    "another default": META + "const on = args.verbose ?? true; const conf = verdictOf(x) || 1\n",
    "fail-safe": META + "const unsafe = scout?.hasUnsafe ?? true\n",
    "no verdict is read": META + VERDICT + ASK
    + "for (const v of vs) { if (!v) continue; f(v.name) }\n",
}  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), OPEN.values(), ids=list(OPEN))
def test_a_default_that_looks_fail_open(repository: Build, text: str, lines: list[int]) -> None:
    found = scan(repository(script(text)))
    assert [advice.line for advice in found.advice] == lines
    assert all(advice.code and "\n" not in advice.code for advice in found.advice)


@pytest.mark.parametrize("text", CLOSED.values(), ids=list(CLOSED))
def test_a_default_that_does_not(repository: Build, text: str) -> None:
    assert scan(repository(script(text))).advice == ()


PYTHON_SCHEMA = """\
import anthropic, json
S = {"type": "object", "properties": {"real": {"type": "boolean"}}}
v = json.loads(anthropic.Anthropic().messages.create(schema=S).content)
if not v.get("real"):
    raise SystemExit(1)
"""
OTHERS: dict[str, tuple[str, str, list[tuple[int, tuple[str, ...]]]]] = {
    "python, by schema": ("scripts/a.py", PYTHON_SCHEMA, [(2, ("real",))]),
    "python, by key": (
        "scripts/a.py",
        ('import json, subprocess\nout = subprocess.run(["claude", "-p", "?"])\n'
        'v = json.loads(out.stdout)\nif v["verdict"] == "pass":\n    keep()\n'),
        [(2, ("verdict",))],
    ),
    "python that asks nobody": (
        "scripts/a.py", 'import json\nv = json.load(f)\nif v["verdict"]:\n    pass\n', []),
    "python that reads what it wrote": (
        "scripts/a.py",
        ('import json, subprocess\nsubprocess.run(["claude", "-p", "?"])\nr = {"pass": n > 1}\n'
        'json.loads("1")\nif r["pass"]:\n    pass\n'),
        [],
    ),
    "shell": (
        "scripts/a.sh",
        ('#!/bin/sh\nout=$(claude -p "Review")\n'
        'if echo "$out" | grep -q "VERDICT: PASS"; then\n:\nfi\n'),
        [(2, ("verdict",))],
    ),
    "shell that only prints": ("scripts/a.sh", 'claude -p "Write"\necho PASS\n', []),
    "a prompt hook": (
        "hooks/hooks.json",
        '{"hooks": {"Stop": [{"hooks": [\n  {"type": "prompt", "prompt": "Done?"}]}]}}\n',
        [(2, ("ok",))],
    ),
    "a command hook": (
        "hooks/hooks.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}\n', []),
    "a test of a judge": ("tests/a.py", PYTHON_SCHEMA, []),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), OTHERS.values(), ids=list(OTHERS))
def test_other_languages(
    repository: Build, name: str, text: str, expected: list[tuple[int, tuple[str, ...]]]
) -> None:
    other: dict[str, Planted] = {"plugins/acme/scripts/other.sh": "true\n"}
    found = scan(repository({**script(text, name), **other}))
    assert [(judge.line, judge.decides) for judge in found.judges] == expected


@pytest.mark.parametrize(
    ("line", "is_open"),
    [
        ('ok = f.get("confirmed", True)', True),
        ('ok = getattr(f, "verified", True)', True),
        ('ok = f.get("enabled", True)', False),
        ('ok = f.get("confirmed", False)', False),
        ('ok = f.get("confirmed")', False),
    ],
)
def test_a_default_of_python(repository: Build, line: str, is_open: bool) -> None:  # noqa: FBT001
    found = scan(repository(script(f"import json\n{line}\n", "scripts/a.py")))
    assert [advice.line for advice in found.advice] == ([2] if is_open else [])


LABELS = {
    "'verify'": "verify",
    "`judge:${a}:${b}`": "judge:...:...",
    "'check ' + name": "check ...",
}


@pytest.mark.parametrize(("label", "told"), LABELS.items())
def test_a_label_is_told_as_it_is_written(repository: Build, label: str, told: str) -> None:
    (judge,) = scan(repository(script(META + f"return agent('?', {{ label: {label} }})\n"))).judges
    assert judge.told.startswith(f"named '{told}'; ")


def test_an_answer_without_a_verdict_is_told_and_counted_apart(
    repository: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scout = (
        META + "const S = {properties: {large: {type: 'boolean'}}}\n" + ASK + "if (v.large) f()\n"
    )
    monkeypatch.chdir(repository(script(scout)))
    assert main(["scan"]) == 0
    assert capsys.readouterr().out == (
        "plugins/acme/workflows/a.js\n  3  steers by large: no verdict\n\n"
        "scan: 1 plugin, 1 script: 0 judges, 0 with the contract; 1 answer without a verdict;"
        " 0 places look fail-open\n"
    )
    assert main(["scan", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["judges"][0]["steers"], document["summary"]["judges"]) == (True, 0)


def test_a_repository_that_is_a_plugin_only_from_elsewhere_is_scanned(
    repository: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = {"name": "a", "source": {"source": "github", "repo": "o/a"}}
    market = {".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": [listed]})}
    text = META + VERDICT + ASK + "if (v.real) f()\n"
    monkeypatch.chdir(repository({**market, "workflows/a.js": text}))
    assert main(["scan"]) == 0
    assert "workflows/a.js\n  3  judge: decides by real" in capsys.readouterr().out


def test_what_cannot_be_read_is_said(repository: Build) -> None:
    broken = {"plugins/acme/scripts/b.py": 'f(.get("confirmed", True)\n'}
    found = scan(repository({**script(META + "await agent(\n"), **broken}))
    assert [path for path, _ in found.unread] == [
        "plugins/acme/scripts/b.py",
        "plugins/acme/workflows/a.js",
    ]


def test_text_names_places_and_the_next_command(
    repository: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(
        {
            **script(META + VERDICT + ASK + SKIPPED),
            "plugins/acme/agents/fact-verifier.md": "You verify.\n",
            "plugins/acme/agents/scoreboard.md": "You list.\n",
        }
    )  # fmt: skip
    monkeypatch.chdir(root)
    assert main(["scan"]) == 0
    assert capsys.readouterr().out == (
        "plugins/acme/workflows/a.js\n"
        "  3  judge: decides by real; no contract\n"
        "  5  looks fail-open: a judge that gave no real drops out without a word:"
        " if (!v) continue\n\n"
        "named like judges, and read by a model or by nobody:"
        " plugins/acme/agents/fact-verifier.md\n"
        "scan: 1 plugin, 1 script: 1 judge, 0 with the contract; 1 place looks fail-open\n"
        "next: judge-contract init plugins/acme --workflow plugins/acme/workflows/a.js\n"
    )
    assert git(root, "status", "--porcelain") == ""


def test_a_judge_that_carries_the_contract(
    adopted: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    adopted()
    assert main(["scan", "--format", "json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [(judge["contract"], judge["path"]) for judge in document["judges"]] == [
        (True, "plugins/acme/workflows/review.js")
    ]
    assert document["advice"] == []
    assert main(["scan"]) == 0
    assert capsys.readouterr().out.endswith("\nnext: judge-contract check\n")


def test_nothing_to_look_at(
    repository: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository({"README.md": "no plugin\n"}))
    assert main(["scan"]) == 2
    assert "holds a script" in capsys.readouterr().err
