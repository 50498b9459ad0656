"""What only JavaScript can be handed, and where the block must stand."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.vendored.contract.conftest import VENDORED, InNode

BLOCKS = [VENDORED / "verdict.inline.js", VENDORED / "releases/0.1.0/verdict.inline.js"]
BOTH = pytest.mark.parametrize("block", BLOCKS, ids=["0.2.0", "0.1.0"])

PRELUDE = Path(__file__).with_name("hostile.js").read_text("ascii")

REASONS = [
    # What no JSON holds.
    ("reason()", "verdict-missing"),
    ("reason(undefined)", "verdict-missing"),
    ("reason(() => REPORT)", "verdict-missing"),
    ("reason(Symbol('x'))", "verdict-missing"),
    ("reason(1n)", "verdict-missing"),
    ("reason(Promise.resolve(REPORT))", "missing-item"),
    ("reason(new Map(Object.entries(REPORT)))", "missing-item"),
    ("reason(new String('x'))", "missing-item"),
    ("criterion({score: 1n})", "bad-score:a"),
    ("criterion({score: NaN})", "bad-score:a"),
    ("criterion({score: Infinity})", "bad-score:a"),
    ("criterion({score: new Number(1)})", "bad-score:a"),
    ("criterion({score: {valueOf: () => 1}})", "bad-score:a"),
    ("criterion({score: undefined, pass: undefined})", "bad-score:a"),
    ("criterion({score: null, pass: undefined})", "bad-score:a"),
    ("criterion({score: undefined, pass: null})", "bad-score:a"),
    ("criterion({pass: new Boolean(true)})", "bad-pass:a"),
    ("criterion({evidence: new String('x')})", "bad-evidence:a"),
    ("criterion({id: new String('a')})", "malformed-criterion:0"),
    ("reason({...REPORT, item: new String('i')})", "missing-item"),
    ("reason({...REPORT, abstain: new Boolean(false)})", "malformed:abstain"),
    ("reason({...REPORT, abstain: true, abstainReason: new String('x')})", "judge:unstated"),
    ("reason({...REPORT, criteria: new Set([A])})", "malformed:criteria"),
    ("reason({...REPORT, criteria: {length: 1, 0: A}})", "malformed:criteria"),
    ("reason({...REPORT, criteria: [, A]})", "malformed-criterion:0"),
    ("reason({...REPORT, criteria: new Array(4294967295)})", "malformed-criterion:0"),
    ("reason({...REPORT, criteria: [A, () => A]})", "malformed-criterion:1"),
    # Own properties only.
    ("reason(Object.create(REPORT))", "missing-item"),
    ("reason({...REPORT, criteria: [Object.create(A)]})", "malformed-criterion:0"),
    ("reason(bare({...REPORT, criteria: [bare(A)]}))", None),
    ("reason(JSON.parse('{\"__proto__\": ' + JSON.stringify(REPORT) + '}'))", "missing-item"),
    ("reason({...REPORT, toJSON: () => null})", None),
    ("reason({...REPORT, hasOwnProperty: () => false})", None),
    ("reason(REPORT, Object.create({item: 'j'}))", None),
    ("reason(REPORT, {item: 'j'})", "item-mismatch"),
    ("reason(REPORT, {item: undefined, decidedBy: undefined})", None),
    ("reason(REPORT, {item: null})", None),
    ("reason(REPORT, null)", None),
    # Accessors and proxies: read, and what throws is a judge that threw.
    ("reason(getter(REPORT, 'item', () => 'i'))", None),
    ("reason(getter(REPORT, 'item', boom))", "verdict-missing"),
    ("reason(getter(REPORT, 'criteria', boom))", "verdict-missing"),
    ("reason(getter({...REPORT, abstain: true}, 'criteria', boom))", "judge:unstated"),
    ("reason({...REPORT, criteria: [getter(A, 'score', boom)]})", "verdict-missing"),
    ("reason(getter(REPORT, 'item', function again() { return again(); }))", "verdict-missing"),
    ("reason(new Proxy(REPORT, {}))", None),
    ("reason(new Proxy(REPORT, {get: boom}))", "verdict-missing"),
    ("reason(new Proxy(REPORT, {getOwnPropertyDescriptor: boom}))", "verdict-missing"),
    ("reason(revoked(REPORT))", "verdict-missing"),
    ("reason(revoked([]))", "verdict-missing"),
    ("reason({...REPORT, criteria: revoked([A])})", "verdict-missing"),
    ("reason({...REPORT, criteria: new Proxy([A], {})})", None),
    # The block changes nothing and reads what is frozen.
    ("reason(frozen({...REPORT, criteria: [{...A}]}))", None),
    (
        "decideVerdict(frozen(copy(REPORT)), frozen(copy(RUBRIC))).abstainReason",
        None,
    ),
]


@pytest.mark.parametrize(("expression", "reason"), REASONS, ids=[row[0] for row in REASONS])
def test_a_hostile_report(node: InNode, expression: str, reason: str | None) -> None:
    assert json.loads(node.evaluate(PRELUDE + expression)) == reason


FACTS = {
    "a thrown report names the expected item": (
        "decideVerdict(revoked({}), RUBRIC, {item: 'i'}).item === 'i'"
    ),
    "an item that could be read is not kept of a report that throws": (
        "decideVerdict(getter(REPORT, 'criteria', boom), RUBRIC).item === null"
    ),
    "the verdict shares nothing with the report": (
        "(() => { const r = structuredClone(REPORT); const v = decideVerdict(r, RUBRIC);"
        " v.criteria[0].score = 0; v.criteria.pop();"
        " return JSON.stringify(r) === JSON.stringify(REPORT) })()"
    ),
    "negative zero is zero": (
        "(() => { const v = decideVerdict({...REPORT, criteria: [{...A, score: -0}]}, RUBRIC);"
        " return Object.is(v.score, 0) && Object.is(v.criteria[0].score, 0) })()"
    ),
    "a polluted prototype decides nothing": (
        "(() => { Object.prototype.item = 'j'; Object.prototype.decidedBy = 'command';"
        " Array.prototype[0] = A;"
        " try { const v = decideVerdict({...REPORT, criteria: new Array(1)}, RUBRIC);"
        " return v.abstainReason === 'malformed-criterion:0' && v.decidedBy === 'judge' }"
        " finally { delete Object.prototype.item; delete Object.prototype.decidedBy;"
        " delete Array.prototype[0] } })()"
    ),
    "spotCheck leaves the list as it was": (
        "(() => { const v = [{item: 'b'}, {item: 'a'}]; const s = spotCheck(v);"
        " return s !== v && s[0] === v[1] && v[0].item === 'b' })()"
    ),
    "spotCheck reads a hole, undefined and an inherited item as none": (
        "JSON.stringify(spotCheck([{item: 'a'}, , undefined, Object.create({item: 'z'})], 9))"
        ' === \'[null,null,{},{"item":"a"}]\''
    ),
    "spotCheck counts three by default": "spotCheck([1, 2, 3, 4], undefined).length === 3",
}


@pytest.mark.parametrize("expression", FACTS.values(), ids=FACTS.keys())
def test_a_fact(node: InNode, expression: str) -> None:
    assert node.evaluate(PRELUDE + expression) == "true"


REFUSALS = [
    ("decideVerdict(REPORT)", "rubric: not an object"),
    (
        "decideVerdict(REPORT, Object.create(RUBRIC))",
        "rubric.id: not of the form <plugin>-<name>@<number>",
    ),
    (
        "decideVerdict(REPORT, {...RUBRIC, id: new String(RUBRIC.id)})",
        "rubric.id: not of the form <plugin>-<name>@<number>",
    ),
    ("decideVerdict(REPORT, {...RUBRIC, criteria: [, A]})", "rubric.criteria[0]: not an object"),
    (
        "decideVerdict(REPORT, {...RUBRIC, criteria: new Array(4294967295)})",
        "rubric.criteria[0]: not an object",
    ),
    (
        "decideVerdict(REPORT, {...RUBRIC, threshold: 1n})",
        "rubric.threshold: not a number above 0 and at most 1",
    ),
    (
        "decideVerdict(REPORT, {...RUBRIC, threshold: NaN})",
        "rubric.threshold: not a number above 0 and at most 1",
    ),
    (
        (
            "decideVerdict(REPORT, {...RUBRIC, "
            "calibration: {sealed: Infinity, agreement: 1, floor: 1}})"
        ),
        "rubric.calibration.sealed: not an integer of 0 or more",
    ),
    ("decideVerdict(REPORT, RUBRIC, {decidedBy: null})", "decidedBy: neither judge nor command"),
    ("decideVerdict(REPORT, RUBRIC, {item: 7})", "item: not a non-blank string"),
    ("decideVerdict(REPORT, RUBRIC, {item: new String('i')})", "item: not a non-blank string"),
    ("spotCheck()", "verdicts: not a list"),
    ("spotCheck([], null)", "k: not an integer"),
    ("spotCheck([], Infinity)", "k: not an integer"),
]


@pytest.mark.parametrize(("expression", "message"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_an_authors_mistake_throws(node: InNode, expression: str, message: str) -> None:
    assert node.evaluate(PRELUDE + expression) == f"refused: {message}"


@BOTH
def test_the_block_runs_wherever_a_script_may_hold_it(block: Path) -> None:
    text = block.read_text("utf-8")
    host = f"""
    const AsyncFunction = (async () => {{}}).constructor;
    const use = "const {{ outcome }} = decideVerdict(null, RUBRIC);"
      + "return [typeof JUDGE_VERDICT_SCHEMA, outcome, spotCheck([]).length].join()";
    const rubric = {{id: "a-b@1", threshold: 1, criteria: [{{id: "a", question: "q"}}]}};
    const block = {json.dumps(text)};
    for (const head of ["", "'use strict';\\n"]) {{
      console.log(await new AsyncFunction("RUBRIC", head + block + "\\n" + use)(rubric));
      console.log(new Function("RUBRIC", head + block + "\\n" + use)(rubric));
    }}
    """
    done = subprocess.run(
        ["node", "--input-type=module", "-"], input=host, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["object,abstain,0"] * 4


@BOTH
def test_node_accepts_the_block_as_a_module_and_as_a_script(block: Path, tmp_path: Path) -> None:
    for name, head in [("a.mjs", ""), ("b.cjs", ""), ("c.cjs", "'use strict';\n")]:
        copy = tmp_path / name
        copy.write_text(head + block.read_text("utf-8"), "utf-8")
        subprocess.run(["node", "--check", str(copy)], check=True)


@BOTH
def test_the_block_is_exactly_the_block(block: Path) -> None:
    data = block.read_bytes()
    release = block.parent.name if "releases" in block.parts else "0.2.0"
    version = {"0.2.0": 2, "0.1.0": 1}[release]
    first, second, *_, last = data.split(b"\n")
    assert first == b"// judge-contract:start verdict@%d" % version
    assert second.startswith(b"// judge-contract %s: " % release.encode())
    assert last == b"// judge-contract:end"
    assert data.isascii()
    assert b"\r" not in data


@BOTH
def test_the_block_declares_three_names_and_asks_for_no_chance_and_no_clock(block: Path) -> None:
    text = block.read_text("ascii")
    top = re.findall(
        r"^(?:export |async )*(const|let|var|function|class) *(\w+)", text, re.MULTILINE
    )
    assert top == [
        ("const", "JUDGE_VERDICT_SCHEMA"),
        ("function", "decideVerdict"),
        ("function", "spotCheck"),
    ]
    assert not re.search(
        r"\b(Math\.random|Date|import|require|globalThis|eval|await|process)\b", text
    )


@BOTH
def test_each_statement_tells_formatters_to_leave_it_alone(block: Path) -> None:
    lines = block.read_text("ascii").splitlines()
    for start in [i for i, line in enumerate(lines) if re.match("const|function", line)]:
        assert lines[start - 1] == "// prettier-ignore"
        assert lines[start - 2] == "// biome-ignore format: the bytes are canonical"


def schemas(value: object) -> Iterator[dict[str, Any]]:
    """Yield each schema inside a schema, itself first."""
    assert isinstance(value, dict)
    yield value
    for inner in [*value.get("properties", {}).values(), *value.get("anyOf", [])]:
        yield from schemas(inner)
    if "items" in value:
        yield from schemas(value["items"])


def test_every_strict_mode_takes_the_schema(node: InNode) -> None:
    schema = json.loads(node.evaluate("JUDGE_VERDICT_SCHEMA"))
    Draft202012Validator.check_schema(schema)
    words = {
        "type",
        "anyOf",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "items",
    }
    found = list(schemas(schema))
    assert len(found) == 16
    for part in found:
        assert set(part) <= words
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert sorted(part["required"]) == sorted(part["properties"])
    in_order = node.evaluate(
        "Object.keys(JUDGE_VERDICT_SCHEMA.properties.criteria.items.properties).join()"
    )
    assert in_order == '"id,evidence,score,pass"'
    assert (
        node.evaluate("JUDGE_VERDICT_SCHEMA.properties.criteria.items.required.join()") == in_order
    )


GOOD = {"item": "i", "criteria": [], "abstain": True, "abstainReason": "dark"}
ENTRY = {"id": "a", "evidence": "x", "score": None, "pass": None}


@pytest.mark.parametrize(
    ("report", "valid"),
    [
        (GOOD, True),
        (
            {
                **GOOD,
                "abstainReason": None,
                "criteria": [ENTRY, {**ENTRY, "score": 1, "pass": True}],
            },
            True,
        ),
        ({**GOOD, "criteria": [{**ENTRY, "score": "1"}]}, False),
        ({**GOOD, "criteria": [{**ENTRY, "weight": 1}]}, False),
        ({**GOOD, "outcome": "pass"}, False),
        ({**GOOD, "abstainReason": 1}, False),
        ({"item": "i", "criteria": [], "abstain": True}, False),
    ],
)
def test_the_schema_is_the_reports(node: InNode, report: object, valid: object) -> None:
    schema = json.loads(node.evaluate("JUDGE_VERDICT_SCHEMA"))
    assert Draft202012Validator(schema).is_valid(report) is valid
