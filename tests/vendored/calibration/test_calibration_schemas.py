"""The schemas take what the script writes, and what it reads; they refuse what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.vendored.calibration.conftest import (
    RUBRIC,
    VENDORED,
    Run,
    key,
    right,
    split_cases,
    verdict,
    write_rows,
)

LOG = "calibration-receipts.jsonl"
KINDS = ["case", "verdict-line", "label", "rule", "erratum", "receipt", "record", "output"]
BOUND = ["--cases", "cases", "--prompt", "prompt", "--rubric", "rubric", "--model", "m"]


def schema(kind: str) -> Draft202012Validator:
    path = VENDORED / f"schemas/judge_calibration.{kind}.schema.json"
    found = json.loads((VENDORED / "verdict.schema.json").read_text("utf-8"))
    registry: Registry[Any] = Registry().with_resource(found["$id"], Resource.from_contents(found))
    return Draft202012Validator(json.loads(path.read_text("ascii")), registry=registry)


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_a_schema(kind: str) -> None:
    found: Any = schema(kind).schema
    Draft202012Validator.check_schema(found)
    assert found["$id"] == f"urn:judge-contract:judge-calibration:{kind}:1"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    cases = [{**case, "family": "f"} for case in split_cases(2)]
    write_rows(tmp_path / "cases", cases)
    write_rows(tmp_path / "verdicts", right(cases)[:-1])
    write_rows(tmp_path / "poor", [verdict(case["item"], "pass") for case in cases])
    (tmp_path / "prompt").write_text("Look.")
    (tmp_path / "rubric").write_text(json.dumps(RUBRIC))
    (tmp_path / "rule").write_text('{"alpha": 0.05, "margin": 0.1}')
    labels = [
        {"item": f"i{n}", "category": c, "judge": "pf"[n % 2], "label": "pf"[n % 2]}
        for c, size in (("many", 30), ("few", 2))
        for n in range(size)
    ]
    labels = [{**row, "label_source": "human"} for row in labels]
    write_rows(tmp_path / "labels", labels)
    write_rows(tmp_path / "errata", [{"item": cases[0]["item"], "kind": "instrument", "why": "x"}])
    return tmp_path


def test_every_output_and_every_receipt_fits(tree: Path, run: Run) -> None:
    arms = ["--baseline", "verdicts", "--candidate", "poor", "--rule", "rule"]
    told = {}
    for words in (
        ["split", "--cases", "cases"],
        ["tune", "--cases", "cases", "--verdicts", "poor", "--model", "m"],
        ["score", "--cases", "cases", "--verdicts", "verdicts"],
        ["freeze", *BOUND],
        ["sealed", *BOUND, "--verdicts", "verdicts", "--record", "record"],
        ["sealed", *BOUND, "--verdicts", "poor", "--again", "--why", "x"],
        ["kappa", "--labels", "labels"],
        ["e-value", "--agreed", "3", "--of", "4"],
        ["paired", "--cases", "cases", *arms],
        ["declare", "--rule", "rule"],
        ["paired", "--cases", "cases", *arms, "--errata", "errata"],
    ):
        done = run(*words, "--json")
        document = json.loads(done.stdout)
        kind = "record" if words[0] == "sealed" else "output"
        schema(kind).validate(document)
        told[words[0]] = document
        head = ["gate", "kind", "subcommand"]
        assert list(document)[:3] == head
        assert not schema(kind).is_valid({**document, "more": 1})
        lesser = {name: value for name, value in document.items() if name != list(document)[-1]}
        assert not schema(kind).is_valid(lesser)
    assert len(told) == 9
    schema("record").validate(json.loads((tree / "record").read_text()))
    events = [json.loads(line) for line in (tree / LOG).read_text().splitlines()]
    assert {event["event"] for event in events} == {"tune", "freeze", "sealed", "declare"}
    for event in events:
        schema("receipt").validate(event)


def test_the_committed_receipts_fit() -> None:
    home = VENDORED.parent / "tests/marketplaces/calibrated/plugins/example/calibration"
    for line in (home / "calibration-receipts.jsonl").read_text().splitlines():
        schema("receipt").validate(json.loads(line))
    schema("record").validate(json.loads((home / "record.json").read_text()))


GOOD = [
    ("case", key("a", "pass")),
    ("case", {"item": "a", "expected": "fail", "split": "sealed", "family": "f", "input": "x"}),
    ("verdict-line", verdict("a", "pass")),
    ("verdict-line", {"verdict": verdict("a", "abstain"), "output": 0}),
    ("label", {"item": "a", "category": "c", "judge": "x", "label": "y", "label_source": "model"}),
    ("rule", {"alpha": 0.05, "margin": 0, "max_cost_ratio": None, "note": "ours"}),
    ("erratum", {"item": "a", "kind": "key", "expected": "pass", "why": "misread"}),
    ("erratum", {"item": "a", "kind": "instrument", "why": "cut off"}),
]
BAD = [
    ("case", {"item": " ", "expected": "pass"}),
    ("case", {"item": "a", "expected": "yes"}),
    ("case", {"item": "a", "expected": "pass", "split": "test"}),
    ("case", {"item": "a", "expected": "pass", "evidence": ""}),
    ("verdict-line", {**verdict("a", "pass"), "score": 2}),
    ("verdict-line", {"verdict": verdict("a", "pass"), "output": -1}),
    ("label", {"item": "a", "category": "c", "judge": "x", "label": "y", "label_source": "me"}),
    ("rule", {"alpha": 1, "margin": 0}),
    ("rule", {"alpha": 0.05, "margin": 0, "max_cost_ratio": 0}),
    ("erratum", {"item": "a", "kind": "key", "why": "misread"}),
    ("erratum", {"item": "a", "kind": "key", "expected": None, "why": "misread"}),
]


@pytest.mark.parametrize(("kind", "value"), GOOD)
def test_good_input_fits(kind: str, value: dict[str, Any]) -> None:
    schema(kind).validate(value)


@pytest.mark.parametrize(("kind", "value"), BAD)
def test_bad_input_does_not(kind: str, value: dict[str, Any]) -> None:
    assert not schema(kind).is_valid(value)
