"""The pair as it stands: no difference, no survivor without a reason, the same bytes every time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from judge_conformance.catalog import Catalog
from judge_conformance.parity.cases import Case, Language, ready
from judge_conformance.sabotage import mutation_report, proof_report, sources
from judge_conformance.sabotage.pair import Proof, Request, prove
from judge_conformance.sabotage.subjects import Source

VENDORED = Path(__file__).parents[2] / "vendored"
ELEMENTS = Path(__file__).with_name("mutation-testing-report-schema.json")

Edited = Callable[..., Request]


@pytest.fixture(scope="module")
def proof(request_of_pair: Request) -> Proof:
    return prove(replace(request_of_pair, inputs=3_000))


def test_the_canonical_pair_agrees_and_every_sabotage_is_noticed(proof: Proof) -> None:
    report = proof_report.report(proof)
    assert not proof.faults
    assert not report.findings
    assert proof.agreements == len(proof.request.cases) > 700
    assert proof.fuzz is not None
    assert proof.fuzz.inputs == 3_000
    assert proof.fuzz.disagreement is None
    assert {side.subject.language for side in proof.sabotage} == {"python", "javascript"}
    for side in proof.sabotage:
        assert side.count("killed", "hang") + side.count("accepted") == len(side.results) > 500
        assert side.count("accepted") <= 0.03 * len(side.results)


def test_two_runs_report_the_same_bytes(proof: Proof, request_of_pair: Request) -> None:
    again = prove(replace(request_of_pair, inputs=3_000, parallel=1))
    assert proof_report.report(again) == proof_report.report(proof)
    assert json.dumps(mutation_report.document(again.sabotage)) == json.dumps(
        mutation_report.document(proof.sabotage)
    )


def test_the_mutation_report_is_what_viewers_read(proof: Proof) -> None:
    schema = json.loads(ELEMENTS.read_text("utf-8"))
    document = json.loads(json.dumps(mutation_report.document(proof.sabotage)))
    assert not list(Draft202012Validator(schema).iter_errors(document))
    assert set(document["files"]) == {"judge_contract.py", "verdict.inline.js"}


def test_every_case_fits_the_schema(cases: tuple[Case, ...]) -> None:
    schema = json.loads((VENDORED / "parity/cases.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for case in cases:
        value = json.loads(case.text, parse_int=float)
        assert not list(validator.iter_errors(value)), case.id


def test_an_edited_copy_in_a_marketplace_shows_the_case_that_differs(
    tmp_path: Path, request_of_pair: Request
) -> None:
    script = tmp_path / "plugins/acme/workflows/review.js"
    script.parent.mkdir(parents=True)
    block = request_of_pair.sources["javascript"].text.rstrip("\n")
    edited = block.replace("score < threshold", "score <= threshold")
    script.write_text(
        f"export const meta = {{ name: 'review' }};\n\n{edited}\n\nreturn decideVerdict(1, 2);\n",
        encoding="utf-8",
    )
    catalog = Catalog(releases=(), artifacts={}, folder=tmp_path)
    source, released = sources.copy("javascript", str(script), catalog)
    assert not released
    assert source.text.splitlines()[2] == block.splitlines()[0], "lines are those of the file"
    found = prove(
        replace(
            request_of_pair,
            sources={**request_of_pair.sources, "javascript": source},
            sabotage=False,
        )
    )
    report = proof_report.report(found)
    (finding, *_) = [
        one for one in report.findings if "row-11-at-threshold: javascript ret" in one.message
    ]
    assert finding.code == "JP-DIFFERS"
    assert finding.location.path == str(script)
    assert "returns fail, score 0.8" in finding.message
    assert '"outcome":"pass"' in (finding.hint or "")
    assert "rows.jsonl:" in (finding.hint or "")


@pytest.mark.parametrize(
    ("markers", "told"),
    [
        (["start", "start", "end"], "2 start and 1 end markers"),
        (["start"], "1 start and 0 end markers"),
        (["end", "start"], "1 start and 1 end markers"),
    ],
)
def test_markers_that_enclose_no_one_block(markers: list[str], told: str, tmp_path: Path) -> None:
    script = tmp_path / "a.js"
    script.write_text("".join(f"// judge-contract:{m} verdict@2\nx;\n" for m in markers), "utf-8")
    catalog = Catalog(releases=(), artifacts={}, folder=tmp_path)
    with pytest.raises(Exception, match=told) as caught:
        sources.copy("javascript", str(script), catalog)
    assert getattr(caught.value, "exit_code", None) == 2


def test_the_fuzz_finds_and_shrinks_a_difference(edited: Edited) -> None:
    request = edited("javascript", "score < threshold", "score <= threshold")
    one = [case for case in request.cases if case.id == "pass"]
    proofs = [prove(replace(request, cases=one, sabotage=False, inputs=20_000)) for _ in range(2)]
    assert proofs[0].fuzz == proofs[1].fuzz, "the same seed finds the same input"
    assert proofs[0].fuzz is not None
    found = proofs[0].fuzz.disagreement
    assert found is not None
    assert len(found.text) < 250
    name = f"fuzz-0-{proofs[0].fuzz.inputs}"
    text = ready(found.text, name=name, tags=["fuzz"], answer=found.answers["python"])
    line = json.loads(text)
    assert line["expect"]["outcome"] == "pass"
    assert '"outcome":"fail"' in found.answers["javascript"]
    (finding,) = proof_report.report(proofs[0]).findings
    assert finding.code == "JP-FUZZ"
    assert text in (finding.hint or "")


def at_threshold(case: Case) -> bool:
    kind, _, said = case.expected.partition(" ")
    verdict = json.loads(said) if kind == "returns" and '"outcome":"pass"' in said else {}
    return bool(verdict) and any(
        one["score"] == verdict["threshold"] for one in verdict["criteria"]
    )


def test_a_survivor_is_told_with_an_input_that_shows_it(request_of_pair: Request) -> None:
    fewer = [case for case in request_of_pair.cases if not at_threshold(case)]
    source: dict[Language, Source] = {"python": request_of_pair.sources["python"]}
    report = proof_report.report(prove(replace(request_of_pair, cases=fewer, sources=source)))
    bar = [finding for finding in report.findings if '"<" -> "<="' in finding.message]
    assert [finding.code for finding in bar] == ["JP-SURVIVED"]
    case = json.loads((bar[0].hint or "").splitlines()[-1])
    assert case["expect"]["outcome"] == "pass"
    assert bar[0].location.line
