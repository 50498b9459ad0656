"""Whatever is wrong with the instrument itself ends in exit 2, never in a pass or a finding."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge_conformance.errors import JudgeContractError
from judge_conformance.parity.cases import load
from judge_conformance.parity.protocol import Worker
from judge_conformance.sabotage import accepted, session
from judge_conformance.sabotage.mutants import Edit, Mutant, apply
from judge_conformance.sabotage.pair import Request, prove
from judge_conformance.sabotage.proof_report import report
from judge_conformance.sabotage.subjects import (
    Source,
    Trial,
    in_process,
    in_worker,
    python_launcher,
)

VENDORED = Path(__file__).parents[2] / "vendored"
Ending = Callable[[Request], tuple[int, str]]
Edited = Callable[..., Request]

HEADER = '{"judge-parity-cases": 1, "cases": 1}\n'
CASE = '{"id": "x", "tags": [], "report": null, "rubric": null, "error": "rubric: not an object"}\n'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "the case set is empty: no *.jsonl"),
        ("", "the first line declares no"),
        (CASE, "the first line declares no"),
        (HEADER, "0 cases, 1 declared"),
        (HEADER + CASE + CASE, "2 cases, 1 declared"),
        (HEADER + '{"id": "x"', "a.jsonl:2: not JSON"),
        (HEADER + "[]\n", "a.jsonl:2: not an object"),
        (HEADER + '{"id": "x", "tags": []}\n', "neither expect nor error, or both"),
        (HEADER + CASE.replace('"x"', '""'), "no id"),
        (HEADER + CASE.replace("report", "repot"), "unknown keys: ['repot']"),
        (HEADER + CASE.replace('"x"', '"\u00e9"'), "not ASCII at byte"),
        (HEADER + CASE.replace('"tags"', '"only": "ruby", "tags"'), "only: no language"),
        (HEADER + CASE.replace('"tags"', '"call": "guess", "tags"'), "call: not one of"),
    ],
)
def test_a_case_set_that_cannot_be_used(content: str | None, told: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "a.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(JudgeContractError) as caught:
        load(tmp_path)
    assert caught.value.exit_code == 2
    assert told in caught.value.where + caught.value.message


def test_a_case_set_that_is_not_there_or_holds_an_id_twice(tmp_path: Path) -> None:
    with pytest.raises(JudgeContractError, match="cannot be read"):
        load(tmp_path / "nowhere")
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(HEADER + CASE, encoding="utf-8")
    with pytest.raises(JudgeContractError, match=r"the id 'x' is taken by a.jsonl:2"):
        load(tmp_path)


def test_no_cases_are_no_pass(request_of_pair: Request, ending: Ending) -> None:
    assert ending(replace(request_of_pair, cases=())) == (2, "the case set is empty")


def test_no_node(request_of_pair: Request, ending: Ending) -> None:
    code, said = ending(replace(request_of_pair, sabotage=False, node="/no/such/node"))
    assert code == 2
    assert "/no/such/node" in said


def test_an_adapter_that_is_gone(request_of_pair: Request, ending: Ending, tmp_path: Path) -> None:
    code, said = ending(replace(request_of_pair, sabotage=False, adapter=tmp_path / "adapter.mjs"))
    assert code == 2
    assert "javascript died in 'start'" in said


def test_an_adapter_of_another_version(
    request_of_pair: Request, ending: Ending, tmp_path: Path
) -> None:
    adapter = tmp_path / "adapter.mjs"
    text = (VENDORED / "parity/adapter.mjs").read_text("utf-8")
    adapter.write_text(text.replace("const PROTOCOL = 1", "const PROTOCOL = 2"), encoding="utf-8")
    code, said = ending(replace(request_of_pair, sabotage=False, adapter=adapter))
    assert (code, said) == (2, "verdict.inline.js: javascript speaks version 2, this is 1")


def test_a_difference_beside_a_broken_instrument_is_undecided(
    edited: Edited, ending: Ending, tmp_path: Path
) -> None:
    request = edited(
        "python", "min(scores)", "max(scores)", sabotage=False, adapter=tmp_path / "none.mjs"
    )
    code, _ = ending(request)
    assert code == 2
    proof = prove(request)
    assert proof.agreements == 0, "what one side could not be asked agrees with nothing"
    assert [note[:30] for note in report(proof).notes[-1:]] == ["undecided: verdict.inline.js: "]


def test_a_worker_that_cannot_start() -> None:
    with pytest.raises(JudgeContractError, match="cannot be started"):
        Worker("twin", ["/no/such/program"])


def test_an_id_asked_for_twice() -> None:
    with (
        Worker("twin", [sys.executable, "-c", "input()"]) as worker,
        pytest.raises(JudgeContractError, match="asked for twice"),
    ):
        list(worker.ask("answers", ["a", "a"]))


SOURCE = Source(
    name="small.py",
    path="small.py",
    language="python",
    text="def small(n):\n    return n < 3\n\n\ndef selftest():\n    return 0\n",
)


def green(module: object) -> bool:
    return module.small(2) is True and module.small(3) is False  # type: ignore[attr-defined]


def test_no_site_found() -> None:
    subject = in_process(SOURCE, {"small": green}, roots=("small",))
    with pytest.raises(JudgeContractError, match="no site found"):
        session.run(replace(subject, mutants=()))


def test_a_root_that_the_source_does_not_have() -> None:
    with pytest.raises(JudgeContractError, match="the source has no large"):
        in_process(SOURCE, {"small": green}, roots=("large",))


def test_a_check_that_is_red_before_any_sabotage() -> None:
    subject = in_process(SOURCE, {"small": lambda _: False}, roots=("small",))
    with pytest.raises(JudgeContractError, match="small is red before any sabotage"):
        session.run(subject)


def test_a_forced_failure_that_goes_unnoticed() -> None:
    subject = in_process(SOURCE, {"small": green, "blind": lambda _: True}, roots=("small",))
    with pytest.raises(JudgeContractError, match=r"unnoticed by blind \(1 of 2 checks\)"):
        session.run(subject)


def test_no_check_at_all() -> None:
    with pytest.raises(JudgeContractError, match="there is no check to notice anything"):
        session.run(in_process(SOURCE, {}, roots=("small",)))


def test_a_self_test_that_calls_nothing_is_no_self_test() -> None:
    launcher = python_launcher(SOURCE)
    with pytest.raises(JudgeContractError, match="unnoticed by --selftest"):
        session.run(in_worker(launcher, Trial(selftest=True), roots=("small",)))


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (Edit(start=0, end=0, text=""), "changes nothing"),
        (Edit(start=18, end=24, text="return"), "changes nothing"),
        (Edit(start=18, end=24, text="returns"), "does not parse"),
        (Edit(start=10_000, end=10_001, text=""), "no statement holds"),
    ],
)
def test_a_mutant_that_is_none(edit: Edit, told: str) -> None:
    subject = in_process(SOURCE, {"small": green}, roots=("small",))
    mutant = Mutant(id="m", function="small", operator="by-hand", edits=(edit,))
    with pytest.raises(JudgeContractError, match=told):
        session.run(replace(subject, mutants=(mutant,)))


def test_edits_that_overlap() -> None:
    with pytest.raises(JudgeContractError, match="does not fit"):
        apply("abcdef", [Edit(start=0, end=3, text="x"), Edit(start=2, end=4, text="y")])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("small:by-hand:1:00000000", "is accepted and is no mutant"),
        ("small:comparison-moved:1:", "is accepted as equivalent and dies"),
    ],
)
def test_an_acceptance_that_is_stale(name: str, told: str) -> None:
    subject = in_process(SOURCE, {"small": green}, roots=("small",))
    ids = [mutant.id for mutant in subject.mutants if mutant.id.startswith(name)]
    rows = {(ids or [name])[0]: "a reason that would do"}
    report = session.run(replace(subject, accepted=rows))
    assert any(told in fault for fault in report.faults)


def test_too_many_acceptances() -> None:
    loose = {"small": lambda module: module.small(2) is True}
    subject = in_process(SOURCE, loose, roots=("small",))
    survivors = [result.mutant.id for result in session.run(subject).survivors]
    assert survivors
    report = session.run(replace(subject, accepted=dict.fromkeys(survivors, "a reason")))
    assert not report.survivors
    assert any("more than 3%" in fault for fault in report.faults)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[mutant]]\nid = 'a'\n", "a row without source, id and reason"),
        ("[[mutant]]\nsource='s'\nid='a'\nreason='same'\n", "the reason says too little"),
        ("[[mutant]\n", "cannot be read"),
        (2 * "[[mutant]]\nsource='s'\nid='a'\nreason='it is quite the same'\n", "accepted twice"),
    ],
)
def test_a_table_of_acceptances_that_cannot_be_used(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "equivalent.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(JudgeContractError) as caught:
        accepted.load(file)
    assert told in caught.value.message


def test_a_case_cut_short_in_the_canonical_set(tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    shutil.copytree(VENDORED / "parity/cases", folder)
    rows = folder / "rows.jsonl"
    declared = json.loads(rows.read_text("ascii").splitlines()[0])["cases"]
    rows.write_text("\n".join(rows.read_text("ascii").splitlines()[:-1]) + "\n", encoding="ascii")
    with pytest.raises(JudgeContractError, match=f"{declared - 1} cases, {declared} declared"):
        load(folder)
