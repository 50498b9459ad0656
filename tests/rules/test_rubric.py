"""Rubrics that are refused, another plugin's, unpublished, stale, or no literal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge_conformance.cli.app import main
from judge_conformance.records import canonical_module
from judge_conformance.rule import Change, Edit, Write

FLOW = "plugins/acme/workflows/review.js"
SKILL = "plugins/acme/skills/review/SKILL.md"
RUBRIC = (
    "const RUBRIC = { id: 'acme-review@1', threshold: 0.8,"
    " criteria: [{ id: 'real', question: 'Is it?' }] };"
)
VALUE: dict[str, Any] = {
    "id": "acme-review@1",
    "threshold": 0.8,
    "criteria": [{"id": "real", "question": "Is it?"}],
}
HELD = {
    "sealed": 20,
    "agreement": 0.9,
    "floor": 0.8,
    "hashes": {
        "prompt": "0" * 64,
        "sealed": "0" * 64,
        "model": "0" * 64,
        "rubric": canonical_module("judge_calibration.py").rubric_digest(VALUE),
    },
}
STALE = {**HELD, "hashes": {**HELD["hashes"], "rubric": "0" * 64}}  # type: ignore[dict-item]


def script(new: str) -> dict[str, Change]:
    return {FLOW: Edit(old=RUBRIC, new=new)}


def published(text: str) -> dict[str, Change]:
    return {SKILL: Edit(old=json.dumps(VALUE), new=text)}


def calibrated(record: object) -> dict[str, Change]:
    return script(f"const RUBRIC = {json.dumps({**VALUE, 'calibration': record})};")


HOLDS: dict[str, dict[str, Change]] = {
    "as it was adopted": {},
    "in another order, over lines, with 0.80": published(
        '{"threshold": 0.80,\n "criteria": [{"question": "Is it?", "id": "real"}],\n'
        ' "id": "acme-review@1"}'
    ),
    "a threshold of 1.0 for 1": {
        **script(RUBRIC.replace("0.8", "1")),
        **published(json.dumps({**VALUE, "threshold": 1.0})),
    },
    "in a JSON file": {
        **published("{}"),
        "plugins/acme/references/review.json": Write(text=json.dumps(VALUE)),
    },
    "frozen": script(RUBRIC.replace("= {", "= Object.freeze({").replace("] };", "] });")),
    "by another name": script("const R = {" + RUBRIC.partition("{")[2] + "\nconst RUBRIC = R;"),
    "published with its record": published(json.dumps({**VALUE, "calibration": HELD})),
    "measured": calibrated(HELD),
    "measured, and only the numbers kept": calibrated(
        {key: HELD[key] for key in ("sealed", "agreement", "floor")}
    ),
    "one that is published wrongly besides": {
        "plugins/acme/references/old.json": Write(text=json.dumps({**VALUE, "threshold": 0.7}))
    },
}
FAULTS: dict[str, tuple[dict[str, Change], str, str]] = {
    "no criteria": (script(RUBRIC.replace("{ id: 'real', question: 'Is it?' }", "")),
                    "error", "this rubric is refused: "),
    "a bad id": (script(RUBRIC.replace("review@1", "review")), "error", "this rubric is refused: "),
    "another plugin's": ({**script(RUBRIC.replace("acme-", "other-")),
                          **published(json.dumps(VALUE).replace("acme-", "other-"))},
                         "error", "does not begin with acme-"),
    "a plugin whose name begins so": ({**script(RUBRIC.replace("acme-", "acmes-")),
                                       **published(json.dumps(VALUE).replace("acme-", "acmes-"))},
                                      "error", "does not begin with acme-"),
    "not published": (published("{}"), "error", "no reference of acme holds"),
    "published in a fence of text": ({SKILL: Edit(old="```json", new="```text")}, "error",
                                     "no reference of acme holds"),
    "published with another threshold": (published(json.dumps({**VALUE, "threshold": 0.7})),
                                         "error", "not the one that acme publishes"),
    "a criterion more": (
        script(RUBRIC.replace("[", "[{ id: 'new', question: 'Is it new?' }, ")),
        "error", "not the one that acme publishes"),
    "stale": (calibrated(STALE), "error", "stale: the rubric changed since"),
    "without all hashes": (calibrated({**HELD, "hashes": {}}), "error", "has no hashes"),
    "not declared": (script(""), "error", "RUBRIC is not declared, so that deciding throws"),
    "computed": (script(RUBRIC.replace("0.8", "args.threshold")), "warning", "is no literal"),
    "given from outside": (script("const RUBRIC = args.rubric;"), "warning", "is no literal"),
    "chosen": (script(RUBRIC.replace("= {", "= args.rubric ?? {")), "warning", "is no literal"),
    "spread": (script(RUBRIC.replace("= {", "= { ...args.more,")), "warning", "is no literal"),
}  # fmt: skip


def found(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str, str]]:
    main(["check", "--format", "json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    return [(f["code"], f["severity"], f["message"]) for f in findings]


@pytest.mark.parametrize("changes", HOLDS.values(), ids=list(HOLDS))
def test_a_rubric_that_holds(
    adopted: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Change],
) -> None:
    adopted(changes)
    assert found(capsys) == []


@pytest.mark.parametrize(("changes", "severity", "told"), FAULTS.values(), ids=list(FAULTS))
def test_a_rubric_that_does_not(
    adopted: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Change],
    severity: str,
    told: str,
) -> None:
    adopted(changes)
    [(code, level, message)] = found(capsys)
    assert (code, level) == ("JC-RUBRIC", severity)
    assert told in message


@pytest.mark.parametrize(
    ("name", "identifier"),
    [("判断", "any-review@1"), ("My Plugin", "my-plugin-review@1"), ("a.b_c", "a-b-c-review@1")],
)
def test_a_plugin_of_any_name_can_have_a_rubric(
    adopted: Callable[..., Path], capsys: pytest.CaptureFixture[str], name: str, identifier: str
) -> None:
    manifests = (".claude-plugin/marketplace.json", "plugins/acme/.claude-plugin/plugin.json")
    rubric = json.dumps({**VALUE, "id": identifier})
    adopted(
        {path: Edit(old='"name": "acme"', new=f'"name": "{name}"') for path in manifests}
        | script(f"const RUBRIC = {rubric};")
        | published(rubric)
    )
    assert found(capsys) == []
