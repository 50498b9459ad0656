"""A record goes into its rubric, in a JSON file or a script; every other byte stays."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.calibration.conftest import ASK, RUBRIC, Cli, plant_judge, saying

from judge_conformance.calibration.recording import (
    json_literal,
    script_literals,
    with_calibration,
)
from judge_conformance.errors import AuthorMistakeError, UnusableInputError
from judge_conformance.records import (
    absent,
    canonical_module,
    contradicted,
    lost_lines,
    stale,
    stale_files,
)
from judge_conformance.tree import open_folder

RECORD: dict[str, Any] = {
    "sealed": 24,
    "agreement": 0.875,
    "floor": 0.8,
    "model": 'm, "x": {y}',
    "attempt": 1,
    "hashes": {"prompt": "a", "rubric": "b", "sealed": "c", "model": "d"},
    "weakest": 0.875,
}
KEPT = {key: RECORD[key] for key in RECORD if key != "weakest"}

JSONS = [
    ("two spaces", json.dumps(RUBRIC, indent=2) + "\n"),
    ("tabs", json.dumps(RUBRIC, indent="\t")),
    ("one line", json.dumps(RUBRIC)),
    ("no spaces", json.dumps(RUBRIC, separators=(",", ":"))),
    ("CRLF", json.dumps(RUBRIC, indent=4).replace("\n", "\r\n") + "\r\n"),
    ("blank lines", "\n\n  " + json.dumps(RUBRIC, indent=2) + "\n\n"),
    ("already one", json.dumps({"calibration": {"sealed": 0, "a": [{}]}, **RUBRIC}, indent=2)),
    ("not an object there", json.dumps({**RUBRIC, "calibration": None})),
    ("a trap in a string", json.dumps({"note": '"calibration": {}, \\" }', **RUBRIC})),
]


@pytest.mark.parametrize("text", [row[1] for row in JSONS], ids=[row[0] for row in JSONS])
def test_json_keeps_every_other_byte(text: str) -> None:
    literal = json_literal(text, path="rubric.json")
    after = with_calibration(text, literal, RECORD)
    before = json.loads(text)
    assert json.loads(after) == {**before, "calibration": KEPT}
    start, end = same(text, after)
    if "calibration" not in before:
        assert start + end == len(text)
    again = with_calibration(after, json_literal(after, path="rubric.json"), RECORD)
    assert again == after


def same(before: str, after: str) -> tuple[int, int]:
    """Return how many characters at the start and the end of a text are as they were."""
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    rest = len(before) - start
    end = next(
        (i for i in range(rest) if before[len(before) - 1 - i] != after[len(after) - 1 - i]), rest
    )
    return start, end


CRITERIA = "criteria: [{id: 'links', question: 'Does every link lead somewhere?'}]"
LAID_OUT = """\
export const meta = {name: 'x'};

const RUBRIC = {
  id: 'acme-links@1', // ours
  threshold: 0.50,
  criteria: [
    {id: 'links', question: `Does every link lead somewhere?`},
  ],
};
log(RUBRIC.id);
return RUBRIC;
"""
ONE_LINE = f"""\
export const meta = {{}};
const r = {{ "id": "acme-links@1", threshold: .5, {CRITERIA} }};
"""
REPLACED = f"""\
const r = {{
\tid: 'acme-links@1',
\tcalibration: {{ sealed: 3, agreement: 0, floor: .8 }},
\tthreshold: 0.5,
\t{CRITERIA}
}};
"""
BEYOND = f"""\
// \U0001f600 \u00e9
const o = '\U0001f600';
const r = {{id: 'acme-links@1', threshold: 5e-1, {CRITERIA}}};
await 1;
"""
NESTED = f"""\
async function f() {{
    decide({{
        rubric: {{
            id: 'acme-links@1',
            threshold: 0.5,
            {CRITERIA}, // last
        }},
    }});
}}
"""
SCRIPTS = [
    ("laid out", LAID_OUT),
    ("one line, CRLF", ONE_LINE.replace("\n", "\r\n")),
    ("a calibration there", REPLACED),
    ("after characters beyond the BMP", BEYOND),
    ("nested deeper", NESTED),
]


@pytest.mark.parametrize("text", [row[1] for row in SCRIPTS], ids=[row[0] for row in SCRIPTS])
def test_a_script_keeps_every_other_byte(text: str) -> None:
    read, [literal] = script_literals(text.encode(), path="w.js")
    assert read == text
    rubric = {key: value for key, value in literal.value.items() if key != "calibration"}
    assert rubric == RUBRIC
    after = with_calibration(text, literal, RECORD)
    _, [again] = script_literals(after.encode(), path="w.js")
    assert again.value == {**rubric, "calibration": KEPT}
    start, end = same(text, after)
    if "calibration" not in literal.value:
        assert start + end == len(text)
    assert with_calibration(after, again, RECORD) == after


def test_node_reads_the_same_record(tmp_path: Path) -> None:
    text = SCRIPTS[0][1].replace("export const meta = {name: 'x'};", "")
    _, [literal] = script_literals(text.encode(), path="w.js")
    after = with_calibration(text, literal, RECORD)
    script = tmp_path / "w.js"
    script.write_text(after.replace("log(RUBRIC.id);\nreturn RUBRIC;", "") +
                      "console.log(JSON.stringify(RUBRIC.calibration));")  # fmt: skip
    done = subprocess.run(["node", str(script)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == KEPT
    assert "\n  calibration: {\n    sealed: 24,\n" in after
    assert "// ours\n" in after


NOT_WRITTEN_OUT = [
    ("a call", "const r = {id: id(), threshold: 0.5, criteria: []};"),
    ("a spread", "const r = {...base, id: 'a-b@1', threshold: 0.5, criteria: []};"),
    ("a variable", "const r = {id: 'a-b@1', threshold, criteria: []};"),
    ("a computed key", "const r = {['id']: 'a-b@1', threshold: 0.5, criteria: []};"),
    ("a getter", "const r = {get id() { return 1; }, threshold: 0.5, criteria: []};"),
    ("a template", "const r = {id: `a-${n}@1`, threshold: 0.5, criteria: []};"),
    ("a regular expression", "const r = {id: /x/, threshold: 0.5, criteria: []};"),
    ("a hole", "const r = {id: 'a-b@1', threshold: 0.5, criteria: [,]};"),
    ("a prototype", "const r = {__proto__: 1, id: 'a-b@1', threshold: 0.5, criteria: []};"),
    ("no criteria", "const r = {id: 'a-b@1', threshold: 0.5};"),
]


@pytest.mark.parametrize(
    "text", [row[1] for row in NOT_WRITTEN_OUT], ids=[row[0] for row in NOT_WRITTEN_OUT]
)
def test_what_is_computed_is_no_literal(text: str) -> None:
    assert script_literals(text.encode(), path="w.js") == (text, [])


@pytest.mark.parametrize("text", ["", "[]", "7", "{} {}", '{"a": 1', '{"a": 1,}', "[" * 10**5])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(UnusableInputError):
        json_literal(text, path="rubric.json")


def test_a_script_that_does_not_parse_names_its_line() -> None:
    with pytest.raises(UnusableInputError) as told:
        script_literals(b"const a = 1;\nconst = ;\n", path="w.js")
    assert told.value.line == 2


def test_a_record_without_its_numbers_is_refused() -> None:
    literal = json_literal(json.dumps(RUBRIC), path="r")
    with pytest.raises(AuthorMistakeError, match="no agreement and no floor"):
        with_calibration(json.dumps(RUBRIC), literal, {"sealed": 1})


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    rubric=st.dictionaries(st.text(max_size=12), values, min_size=1, max_size=5),
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    ascii_only=st.booleans(),
)
def test_any_json_object_takes_a_record(
    rubric: dict[str, Any],
    indent: int | str | None,
    ascii_only: bool,  # noqa: FBT001
) -> None:
    text = json.dumps(rubric, indent=indent, ensure_ascii=ascii_only)
    after = with_calibration(text, json_literal(text, path="r"), RECORD)
    assert json.loads(after) == {**rubric, "calibration": KEPT}
    assert list(json.loads(after))[: len(rubric)] == list(rubric)


@pytest.fixture
def measured(tree: Path, cli: Cli) -> Path:
    """A tree in which an honest judge was measured."""
    fail = saying().replace("true", "false").replace('"score": 1', '"score": 0')
    judge = plant_judge(tree, f"case $item in *pass*) {saying()};; *) {fail};; esac")
    assert cli("freeze", *ASK, "--model", "m") == 0
    assert cli("run", *ASK, "--split", "sealed", "--judge", judge, "--out", "out") == 0
    sealed = [*ASK, "--model", "m", "--verdicts", "out/verdicts.jsonl", "--record", "record.json"]
    assert cli("sealed", *sealed) == 0
    return tree


def test_the_record_makes_its_rubric_calibrated(measured: Path, cli: Cli) -> None:
    contract = canonical_module("judge_contract.py")
    path = measured / "rubric.json"
    assert not contract.is_calibrated(json.loads(path.read_text()))
    assert cli("record", "--into", "rubric.json", "--record", "record.json") == 0
    rubric = json.loads(path.read_text())
    assert contract.is_calibrated(rubric)
    assert stale(rubric["calibration"], rubric=rubric) == []
    assert stale_files(rubric["calibration"], open_folder(measured)) == []


def test_the_log_alone_is_enough(measured: Path, cli: Cli) -> None:
    (measured / "record.json").unlink()
    (measured / "w.js").write_text(SCRIPTS[0][1])
    assert cli("record", "--into", "w.js") == 0
    assert "sealed: 4," in (measured / "w.js").read_text()


def test_a_rubric_in_a_script_is_the_same_rubric(
    measured: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    (measured / "w.js").write_text(SCRIPTS[1][1], newline="")
    capsys.readouterr()
    assert cli("rubric", "w.js") == 0
    assert json.loads(capsys.readouterr().out) == RUBRIC
    assert cli("record", "--into", "w.js", "--record", "record.json") == 0
    assert b"\r\n" in (measured / "w.js").read_bytes()


def test_another_rubric_takes_no_record(
    measured: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    path = measured / "rubric.json"
    path.write_text(path.read_text().replace("every", "each"))
    before = path.read_bytes()
    assert cli("record", "--into", "rubric.json", "--record", "record.json") == 2
    assert "is not the one that was measured" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_only_a_record_is_taken(measured: Path, cli: Cli) -> None:
    for text in ("{}", "[]", "x", '{"subcommand": "score"}'):
        (measured / "odd.json").write_text(text)
        assert cli("record", "--into", "rubric.json", "--record", "odd.json") == 2


def test_the_rights_of_the_file_stay(measured: Path, cli: Cli) -> None:
    path = measured / "rubric.json"
    path.chmod(0o640)
    (measured / "link.json").symlink_to("rubric.json")
    assert cli("record", "--into", "link.json", "--record", "record.json") == 0
    assert path.stat().st_mode & 0o777 == 0o640
    assert (measured / "link.json").is_symlink()
    assert "calibration" in path.read_text()


CHANGES = [
    ("rubric", "rubric.json", "every", "each", "the rubric changed since the judge was measured"),
    ("prompt", "prompt.md", "every", "each", "the prompt changed since the judge was measured"),
    (
        "cases",
        "cases.jsonl",
        "known",
        "found",
        "the sealed cases changed since the judge was measured",
    ),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "told"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_a_changed_byte_makes_the_record_stale(
    measured: Path, file: str, old: str, new: str, told: str
) -> None:
    record = json.loads((measured / "record.json").read_text())
    assert stale_files(record, open_folder(measured)) == []
    path = measured / file
    path.write_text(path.read_text().replace(old, new))
    assert stale_files(record, open_folder(measured)) == [told]
    path.unlink()
    name = next(key for key, value in record["files"].items() if value == file)
    told = f"{file}: the {name} that was measured is not there"
    assert absent(record, open_folder(measured)) == [told]


def test_another_model_makes_the_record_stale(measured: Path) -> None:
    record = json.loads((measured / "record.json").read_text())
    assert stale(record, model="m") == []
    assert stale(record, model="m2") == ["the model changed since the judge was measured"]


def test_a_record_by_hand_says_nothing() -> None:
    by_hand = {"sealed": 9, "agreement": 1, "floor": 0.8}
    assert stale(by_hand, rubric=RUBRIC) == [
        "the record does not say what was measured: it has no hashes"
    ]


def test_a_record_that_was_put_back_is_contradicted_by_the_log(measured: Path, cli: Cli) -> None:
    record = json.loads((measured / "record.json").read_text())
    log = measured / "calibration-receipts.jsonl"
    assert contradicted(record, log.read_bytes()) == []
    cli("sealed", *ASK, "--model", "m", "--verdicts", "out/verdicts.jsonl", "--again", "--why", "x")
    assert contradicted(record, log.read_bytes()) == [
        "the log holds attempt 2 at the same cases too"
    ]
    assert contradicted({**record, "agreement": 0.99}, log.read_bytes()) == [
        "the log of receipts does not hold this measurement"
    ]
    assert contradicted(record, b"") == ["the log of receipts does not hold this measurement"]


def test_a_log_only_grows() -> None:
    assert lost_lines(b"a\n", b"a\nb\n") == 0
    assert lost_lines(b"", b"a\n") == 0
    assert lost_lines(b"a\na\nb", b"b\na\n") == 1
