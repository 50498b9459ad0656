"""A registry of 32 rows in twelve plugins holds; each way of breaking a row is found."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from jsonschema import Draft202012Validator
from tests.judges.market import HOME, MEASURED, PLUGINS, plant_market
from tests.trees import git

from judge_conformance.cli.app import main
from judge_conformance.errors import AuthorMistakeError
from judge_conformance.judges import STATUSES, parse_registry

RECORD = f"{HOME}/calibration/record.json"


@pytest.fixture
def market(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = plant_market(tmp_path / "market")
    monkeypatch.chdir(root)
    return root


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["judges", "check", "--format", "json", *words])
    printed = capsys.readouterr()
    return code, json.loads(printed.out)["findings"] if printed.out else [{"message": printed.err}]


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text("utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new, 1), "utf-8")


def test_32_rows_in_twelve_plugins_with_all_statuses_hold(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = parse_registry((market / "judges.toml").read_bytes())
    assert (len(rows), len({row.plugin for row in rows})) == (32, 12)
    assert {row.status for row in rows} == set(STATUSES)
    assert check(capsys) == (0, [])


JC = "judges.toml"
HOOK = "plugins/p03/scripts/hook.sh"
FLOW = "plugins/p03/workflows/review.js"
BREAKS: dict[str, tuple[str, str, str, str]] = {
    "an unknown status": (JC, '"conforms"', '"fine"', "'fine', which is none of conforms"),
    "a path that is gone": (JC, "p02/agents/taste.md", "p02/agents/tast.md", "tast.md, which does"),
    "a path outside": (JC, "plugins/p02/agents/taste.md", "../x", "../x, which does not exist"),
    "no such plugin": (JC, 'plugin = "p00"', 'plugin = "p99"', "names no plugin"),
    "a second row": (JC, 'judge = "tests"', 'judge = "taste"', "p00/taste has a row already"),
    "collapsed, no rubric": (JC, 'rubric = "p00-review@1"\n', "", "collapsed without a rubric"),
    "collapsed, no such rubric": (JC, '"p00-review@1"', '"p00-review@2"', "no file of its plugin"),
    "collapsed, not required": ("judge-contract.toml", f'"{FLOW}", ', "", "requires plugins/p03"),
    "collapsed, no block": (FLOW, "// judge-contract:start", "// judge", "carry the contract's b"),
    "collapsed, no call": (
        JC, "plugins/p03/workflows/review.js", HOOK, "hook.sh calls no Python copy"),
    "fixed, no proof": (
        JC, 'proof = {absent = "fail.open", in = ["plugins/p00/scripts/*.sh"]}\n', "",
        "fixed without a proof"),
    "fixed, open again": (HOOK, "exit 2", "fail open", "holds 'fail.open'"),
    "fixed, absent where there is nothing": (JC, "plugins/p03/scripts/*.sh", "nowhere/*.sh",
                                             "matches nothing"),
    "fixed, a regex that never ends": (
        JC, 'absent = "fail.open", in = ["plugins/p03/scripts/*.sh"]',
        'absent = "(a+)+$", in = ["plugins/p03/agents/long.txt"]', "took more than"),
    "fixed, not present": (JC, 'absent = "fail.open"', 'present = "exit 3"', "does not hold 'exit"),
    "unmeasured, nothing would settle it": (
        JC, 'resolves_if = "a paired run on 40 items"\n', "", "without resolves_if"),
    "calibrated, no record": (JC, f'record = "{RECORD}"\n', "", "without a record"),
    "calibrated, record gone": (JC, "record.json", "recor.json", "cannot be used"),
    "calibrated, not a record": (
        JC, "calibration/record.json", "references/rubric.json", "not a record"),
    "calibrated, prompt changed": (f"{HOME}/references/prompt.md", "e", "E", "the prompt changed"),
    "calibrated, rubric changed": (f"{HOME}/references/rubric.json", "Is the file", "Is a file",
                                   "the rubric changed"),
    "calibrated, a sealed case changed": (
        f"{HOME}/calibration/cases/sealed-heading-once/page.md", "#", "##",
        "the sealed cases changed"),
    "calibrated, model changed": (RECORD, '"model": "check', '"model": "Check',
                                  "the model changed"),
    "calibrated, below its floor": (RECORD, '"floor": 0.8', '"floor": 0.9',
                                    "below its floor 0.9"),
    "calibrated, no attempt in the log": (RECORD, '"attempt": 1', '"attempt": 2',
                                          "does not hold this measurement"),
}  # fmt: skip


@pytest.mark.parametrize("case", BREAKS.values(), ids=list(BREAKS))
def test_a_broken_row_is_found(
    market: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, str, str, str],
) -> None:
    path, old, new, told = case
    (market / "plugins/p03/agents/long.txt").write_text("a" * 40 + "b\n")
    monkeypatch.setattr("judge_conformance.judges.proofs.regex_fault.__kwdefaults__",
                        {"seconds": 1.0})  # fmt: skip
    edit(market, path, old, new)
    code, found = check(capsys)
    assert code == 1
    assert any(told in finding["message"] for finding in found), found
    uncovered = {FLOW} if new == HOOK else set()
    assert {finding["path"] for finding in found} == {JC} | uncovered


def test_a_second_attempt_that_the_log_holds_is_told(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Putting the record back by git does not take the attempt out of the log."""
    log = market / HOME / "calibration/calibration-receipts.jsonl"
    last = json.loads(log.read_text().splitlines()[-1])
    with log.open("a") as file:
        file.write(json.dumps({**last, "attempt": 2, "agreement": 1.0}) + "\n")
    code, found = check(capsys)
    assert code == 1
    assert ["the log holds attempt 2" in finding["message"] for finding in found] == [True]


def test_what_is_staged_is_held_by_what_is_staged(
    market: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The disk may hold another prompt, rubric or case than the commit that is made."""
    git(market, "add", "-A")
    git(market, "commit", "-qm", "all")
    told = [
        f"{HOME}/references/prompt.md",
        f"{HOME}/references/rubric.json",
        f"{HOME}/calibration/cases/sealed-heading-once/page.md",
    ]
    for path in told:
        (market / path).write_text((market / path).read_text().replace("e", "E", 1))
    for words, stale in ((["--staged"], 0), ([], 3)):
        main(["check", "--format", "json", *words])
        found = json.loads(capfd.readouterr().out)["findings"]
        messages = [one["message"] for one in found if one["code"] == "JC-REGISTRY"]
        assert len(messages) == stale, messages
    git(market, "add", "-A")
    for path in told:
        (market / path).write_text((MEASURED / path).read_text())
    main(["check", "--format", "json", "--staged"])
    found = json.loads(capfd.readouterr().out)["findings"]
    assert [one["code"] for one in found].count("JC-REGISTRY") == 3


def test_a_judge_without_a_row_is_found_and_drafted(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = "export const meta = {};\n\nreturn await agent('?', { label: 'verify', schema: S });\n"
    (market / "plugins/p03/workflows/new.js").write_text(new)
    code, found = check(capsys)
    assert (code, [(f["path"], f["line"]) for f in found]) == (
        1,
        [("plugins/p03/workflows/new.js", 3)],
    )
    assert main(["judges", "scan"]) == 0
    with (market / JC).open("a") as file:
        file.write("\n" + capsys.readouterr().out)
    assert check(capsys) == (0, [])


def test_drafts_of_a_whole_tree_hold(market: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (market / JC).unlink()
    assert main(["judges", "scan"]) == 0
    drafted = capsys.readouterr().out
    (market / JC).write_text(drafted)
    rows = parse_registry(drafted.encode())
    assert [row.plugin for row in rows] == PLUGINS
    assert {row.judge for row in rows} == {"review-verify"}
    assert {row.status for row in rows} == {"conforms"}
    assert check(capsys) == (0, [])


def test_tables_go_between_their_markers_and_nowhere_else(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = market / "JUDGES.md"
    page.write_bytes(b"# Judges\r\n<!-- judges:start -->\r\n<!-- judges:end -->\r\nThe end")
    assert main(["judges", "render", "--into", "JUDGES.md", "--check"]) == 1
    assert main(["judges", "render", "--into", "JUDGES.md"]) == 0
    assert main(["judges", "render", "--into", "JUDGES.md", "--check"]) == 0
    text = page.read_bytes().decode()
    assert text.startswith("# Judges\r\n<!-- judges:start -->\r\n\r\n| status | judges | means |")
    assert text.endswith("\r\n<!-- judges:end -->\r\nThe end")
    assert text.count("\n") == text.count("\r\n")
    assert text.count("\r\n### ") == 12
    assert "| collapsed | 11 | replaced by one contract judge |" in text
    links = f"| links |  | kept-calibrated | `{HOME}/scripts/check_links.py` | record `{RECORD}` |"
    assert links in text
    edit(market, JC, '"conforms"', '"conforms"\nnote = "a | b"')
    assert main(["judges", "render", "--into", "JUDGES.md", "--check"]) == 1
    capsys.readouterr()
    assert main(["judges", "render"]) == 0
    assert "a \\| b" in capsys.readouterr().out


def test_a_page_without_markers_is_not_written(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (market / "JUDGES.md").write_text("<!-- judges:end -->\n<!-- judges:start -->\n")
    assert main(["judges", "render", "--into", "JUDGES.md"]) == 3
    assert "JUDGES.md:2: not one start and one end" in capsys.readouterr().err


SAY = "import sys; print(3); sys.exit(1)"
PROOFS = {
    "holds": (["-c", SAY], "expect_exit = 1, expect_stdout = '3'", None),
    "another exit": (["-c", SAY], "expect_exit = 0", "exits 1, not 0"),
    "another output": (["-c", SAY], "expect_exit = 1, expect_stdout = '0'", "prints '3', not '0'"),
}


@pytest.mark.parametrize(("words", "more", "told"), PROOFS.values(), ids=list(PROOFS))
def test_commands_run_only_where_asked(
    market: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    more: str,
    told: str | None,
) -> None:
    command = f"proof = {{command = {json.dumps([sys.executable, *words])}, {more}}}"
    edit(market, JC, 'proof = {absent = "fail.open", in = ["plugins/p00/scripts/*.sh"]}', command)
    assert check(capsys) == (0, [])
    code, found = check(capsys, "--run-proofs")
    assert code == (0 if told is None else 1)
    assert [told in finding["message"] for finding in found] == ([] if told is None else [True])


def test_a_command_that_is_not_there_is_a_finding(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = 'proof = {command = ["no-such-program"]}'
    edit(market, JC, 'proof = {absent = "fail.open", in = ["plugins/p00/scripts/*.sh"]}', command)
    code, found = check(capsys, "--run-proofs")
    assert code == 1
    assert "cannot be run: no-such-program" in found[0]["message"]


HEAD = '[[judge]]\nplugin = "p"\njudge = "j"\nwhere = ["a"]\nstatus = "conforms"\n'
FORMS: dict[str, tuple[str, str | None]] = {
    "whole": (HEAD, None),
    "none": ("", None),
    "a command": (HEAD + 'proof = {command = ["true"], expect_exit = 0}\n', None),
    "a regex": (HEAD + 'proof = {present = "x", in = ["a"]}\n', None),
    "no where": (HEAD.replace('where = ["a"]\n', ""), "without where"),
    "where is empty": (HEAD.replace('["a"]', "[]"), "without where"),
    "where is a text": (HEAD.replace('["a"]', '"a"'), "list of texts"),
    "an unknown key": (HEAD + "state = 1\n", "unknown key 'state'"),
    "a note that is no text": (HEAD + "note = 1\n", "note must be a text"),
    "another table": ("[[judges]]\n", "no part of a registry"),
    "one table": ("[judge]\n", "no part of a registry"),
    "a proof without anything": (HEAD + "proof = {}\n", "needs a command"),
    "a proof of two kinds": (HEAD + 'proof = {absent = "x", present = "y", in = ["a"]}\n', "one"),
    "a regex without paths": (HEAD + 'proof = {absent = "x"}\n', "in = "),
    "a command in a shell": (HEAD + 'proof = {command = "true"}\n', "command must be a list"),
    "a command with paths": (HEAD + 'proof = {command = ["a"], in = ["b"]}\n', "a command's proof"),
    "an exit that is no number": (
        HEAD + 'proof = {command = ["a"], expect_exit = "0"}\n', "a command's proof"),
}  # fmt: skip


WRONG = {
    "plugin": "a", "judge": "a", "shape": "a", "status": "a", "note": "a", "rubric": "a",
    "resolves_if": "a", "record": "a", "where": ["a"], "proof": {"present": "x", "in": ["a"]},
}  # fmt: skip
"""A value that each key may have; every other type is refused."""

for key, right in WRONG.items():
    plain = {"plugin": "p", "judge": "j", "where": ["a"], "status": "conforms", key: right}
    wrong: Any
    for wrong in ("a", 1, True, 1.5, ["a"], [1], {"a": 1}, [[]], [""]):
        if type(wrong) is not type(right) or wrong in ([1], [[]], [""]) or key == "proof":
            text = tomli_w.dumps({"judge": [{**plain, key: wrong}]})
            FORMS[f"{key} = {wrong!r}"] = text, key
    if key in ("plugin", "judge", "where", "status"):
        text = tomli_w.dumps({"judge": [{k: v for k, v in plain.items() if k != key}]})
        FORMS[f"without {key}"] = text, f"without {key}"


@pytest.mark.parametrize(("text", "told"), FORMS.values(), ids=list(FORMS))
def test_a_registry_is_read_strictly_and_as_its_schema_says(text: str, told: str | None) -> None:
    folder = files("judge_conformance").joinpath("schemas")
    schema = json.loads(folder.joinpath("judges.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    assert validator.is_valid(tomllib.loads(text)) == (told is None)
    if told is None:
        parse_registry(text.encode())
        return
    with pytest.raises(AuthorMistakeError) as raised:
        parse_registry(text.encode())
    assert told in f"{raised.value.path} {raised.value.message} {raised.value.hint}"
    assert (raised.value.path, raised.value.line) == ("judges.toml", 1)


def test_what_is_no_regex_is_the_authors_mistake() -> None:
    with pytest.raises(AuthorMistakeError, match="absent: not a regex"):
        parse_registry((HEAD + 'proof = {absent = "(", in = ["a"]}\n').encode())


def test_no_registry_is_nothing_to_check(
    adopted: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    adopted()
    assert main(["judges", "check"]) == 2
    assert main(["judges", "render"]) == 2
    assert "there is no judges.toml" in capsys.readouterr().err


def test_a_tree_without_judges_is_nothing_to_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["judges", "scan"]) == 2
    assert capsys.readouterr().err == f"judge-contract: no judge was found under {tmp_path}\n"


def test_a_page_that_cannot_be_written_is_one_line(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = market / "page.md"
    page.write_text("<!-- judges:start -->\n<!-- judges:end -->\n")
    aside = market / ".page.md.judge-contract-new"
    aside.mkdir()  # nobody can write there, whoever runs the tests
    assert main(["judges", "render", "--into", str(page)]) == 2
    told = capsys.readouterr().err
    assert told == f"judge-contract: {page}: cannot be written: Is a directory\n"
    assert page.read_text() == "<!-- judges:start -->\n<!-- judges:end -->\n"
