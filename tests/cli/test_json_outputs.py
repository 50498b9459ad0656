"""Whatever a command prints as JSON is what a shipped schema says; a new command goes red here.

The commands are read off the command line itself. Each is listed: with lines to run and the schema
of what the last one prints, or as one that prints no JSON.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.vendored.calibration.conftest import RUBRIC, right, split_cases, verdict, write_rows
from tests.vendored.gates.test_judge_advisory import item
from tests.vendored.gates.test_judge_debate import DAY, SPEC, STATE, block

from judge_conformance.cli.app import PROGRAM, app, main

MARKET = Path(__file__).parents[1] / "marketplaces/adopted"
SCRIPT = "market/plugins/acme/workflows/review.js"
BOUND = "--cases cases.jsonl --prompt prompt.md --rubric rubric.json --model m"
ARMS = "--cases cases.jsonl --baseline right.jsonl --candidate right.jsonl --rule rule.json"
JUDGES = "--prompt prompt.md --rubric rubric.json --rule rule.json --baseline cat --candidate cat"
ADVISE = "advisory advise --checklist list.json --evidence note.txt --sink sink.jsonl --json"
START = f"debate start --artifact note.txt --task Sound? --date {DAY} --json"
SPECIFY = f"debate spec --state '{STATE}' spec.json --json"
REPLY = f"debate reply --state '{STATE}' --round 0 1.json 2.json 3.json --json"
FREEZE = f"calibrate freeze {BOUND} --json"
METASCHEMA = "the metaschema"

PRINTS: list[tuple[list[str], str]] = [
    ([ADVISE], "judge_advisory.output"),
    (["advisory cite --file note.txt --json"], "judge_advisory.output"),
    ([ADVISE, "advisory verify before.json --sink sink.jsonl --json"], "judge_advisory.output"),
    (["calibrate declare --rule rule.json --json"], "judge_calibration.output"),
    (["calibrate e-value --agreed 3 --of 4 --json"], "judge_calibration.output"),
    ([FREEZE], "judge_calibration.output"),
    (["calibrate kappa --labels labels.jsonl --json"], "judge_calibration.output"),
    (
        ["calibrate declare --rule rule.json", f"calibrate paired {ARMS} --json"],
        "judge_calibration.output",
    ),
    (
        [f"calibrate paired run --cases cases.jsonl {JUDGES} --out arms --json"],
        "judge_calibration.output",
    ),
    (["calibrate rubric rubric.js"], "rubric"),
    (
        ["calibrate score --cases cases.jsonl --verdicts right.jsonl --json"],
        "judge_calibration.output",
    ),
    (
        [FREEZE, f"calibrate sealed {BOUND} --verdicts right.jsonl --json"],
        "judge_calibration.record",
    ),
    (["calibrate split --cases cases.jsonl --json"], "judge_calibration.output"),
    (
        ["calibrate tune --cases cases.jsonl --verdicts right.jsonl --model m --json"],
        "judge_calibration.output",
    ),
    (["check market --format json"], "report"),
    (["check-rubric rubric.json"], "judge_contract.output"),
    ([START, SPECIFY, REPLY, f"debate report --state '{STATE}' --json"], "judge_debate.output"),
    ([START, SPECIFY, REPLY], "judge_debate.output"),
    ([START, SPECIFY], "judge_debate.output"),
    ([START], "judge_debate.output"),
    (["decide --rubric rubric.json --item a report.json"], "verdict"),
    ([f"exercise {SCRIPT} --format json"], "report"),
    (["fanout --in claims.json --json"], "judge_fanout.output"),
    (["goal --check true --cap 2 --json"], "judge_goal_loop.output"),
    (["judges check --root market --format json"], "report"),
    (["parity --no-sabotage --format json"], "report"),
    (["refute --votes refutes.json --json"], "judge_refute.output"),
    (["scan market --format json"], "scan"),
    (["schema scan"], METASCHEMA),
    (["selftest --rule JC-LINK --format json"], "report"),
    (["spot-check verdicts.json"], "judge_contract.output"),
    (["status market --format json"], "status"),
    (["validate verdict.json"], "judge_contract.output"),
    (["validate report.json"], "judge_contract.output"),
    (["vote --votes votes.json --json"], "judge_vote.output"),
]
PRINTS_NONE = {
    *("calibrate record", "calibrate report", "calibrate run", "completion", "diff", "explain"),
    *("init", "judges render", "judges scan", "lock", "pin", "retire", "rules", "upgrade"),
    "vendor",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write what the commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    shutil.copytree(MARKET, folder / "market")
    (folder / "market/judges.toml").write_text(
        '[[judge]]\nplugin = "acme"\njudge = "review"\nshape = "pick"\nstatus = "todo"\n'
        'where = ["plugins/acme/workflows/review.js"]\n'
    )
    cases = split_cases(2)
    refutes = [{"refuted": False}]
    report = {
        "item": "a",
        "criteria": [{"id": "links", "evidence": "x", "score": 1, "pass": True}],
        "abstain": False,
        "abstainReason": None,
    }
    for name, document in {
        "list.json": [item(citation="sha256:" + "0" * 64)],
        "rubric.json": RUBRIC,
        "rule.json": {"alpha": 0.05, "margin": 0.1},
        "spec.json": SPEC,
        "report.json": report,
        "claims.json": {"claims": []},
        "refutes.json": refutes,
        "verdict.json": verdict("a", "pass"),
        "verdicts.json": [verdict("a", "pass"), verdict("b", "abstain")],
        "votes.json": [{"verdict": "pass"}],
        **{f"{judge}.json": block(judge, 0, 4, 4) for judge in (1, 2, 3)},
    }.items():
        (folder / name).write_text(json.dumps(document))
    write_rows(folder / "cases.jsonl", cases)
    write_rows(folder / "right.jsonl", right(cases))
    label = {"category": "c", "judge": "p", "label": "p", "label_source": "human"}
    write_rows(folder / "labels.jsonl", [{**label, "item": str(n)} for n in range(30)])
    (folder / "prompt.md").write_text("Look.")
    (folder / "note.txt").write_text("A note.")
    (folder / "rubric.js").write_text(f"const RUBRIC = {json.dumps(RUBRIC)};\n")
    return folder


@pytest.fixture
def place(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with all inputs."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize(("lines", "schema"), PRINTS, ids=[row[0][-1] for row in PRINTS])
def test_what_is_printed_is_what_its_schema_says(
    place: None, capfd: pytest.CaptureFixture[str], lines: list[str], schema: str
) -> None:
    del place
    printed = ""
    for line in lines:
        Path("before.json").write_text(printed)
        capfd.readouterr()
        main(shlex.split(line))
        printed, said = capfd.readouterr()
        assert printed, said
    document = json.loads(printed)
    holds = validator(schema, capfd)
    holds.validate(document)
    assert not holds.is_valid(7)
    if schema != METASCHEMA:
        assert not holds.is_valid({})
        unknown = {**document, "severty": 1} if isinstance(document, dict) else [*document, 1]
        words = json.dumps(holds.schema)
        open_ended = "Fields may be added" in words or "are ignored" in words
        assert holds.is_valid(unknown) is open_ended


def validator(name: str, capfd: pytest.CaptureFixture[str]) -> Draft202012Validator:
    """Return a schema as `judge-contract schema` prints it, with those that it refers to."""

    def shipped(name: str) -> Any:  # noqa: ANN401 - what JSON holds
        capfd.readouterr()
        assert main(["schema", name]) == 0
        return json.loads(capfd.readouterr().out)

    if name == METASCHEMA:
        return Draft202012Validator(Draft202012Validator.META_SCHEMA)
    known = (shipped(one) for one in ("verdict", "rubric"))
    pairs = [(one["$id"], Resource.from_contents(one)) for one in known]
    registry: Registry[Any] = Registry().with_resources(pairs)
    return Draft202012Validator(shipped(name), registry=registry)


def test_every_command_is_listed_and_those_without_json_have_no_flag_for_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    helps = dict(commands(capfd))
    lines = [f"{row[0][-1]} " for row in PRINTS]
    printing = {name for name in helps if any(line.startswith(f"{name} ") for line in lines)}
    assert printing | PRINTS_NONE == set(helps)
    assert not printing & PRINTS_NONE
    for name, text in helps.items():
        asks = re.search(r"(?m)^ +--json\b|\[(\w+\|)*json[|\]]", text) is not None
        assert asks <= (name in printing), name
    assert [name for name in helps if name.startswith("debate")] == [
        *("debate start", "debate spec", "debate reply", "debate report")
    ]


def commands(capfd: pytest.CaptureFixture[str]) -> Iterator[tuple[str, str]]:
    """Yield each command that can be run, of groups and gates each subcommand, with its help."""

    def told(words: str) -> str:
        capfd.readouterr()
        assert main([*words.split(), "--help"]) == 0
        return capfd.readouterr().out

    context = click.Context(app, info_name=PROGRAM)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        inner = command.commands if isinstance(command, click.Group) else {}
        for words in [f"{name} {one}" for one in inner] or [name]:
            text = told(words)
            choices = re.search(r"(?m)^  \{([\w,-]+)\}", text)
            for one in choices[1].split(",") if choices else [""]:
                whole = f"{words} {one}".strip()
                yield whole, told(whole) if one else text
