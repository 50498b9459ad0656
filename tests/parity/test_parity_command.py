"""The command's flags: what does not fit together is one line and exit 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_conformance.cli.app import main


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--gate", "vote", "--fuzz", "3"], "--gate goes with none of"),
        (["--gate", "vote", "--js", "x.js"], "--gate goes with none of"),
        (["--report", "html=x"], "--report html=x: not of the form mutation=FILE"),
        (["--report", "mutation="], "not of the form mutation=FILE"),
        (["--no-sabotage", "--report", "mutation=x"], "--report mutation= needs sabotage"),
        (["--fuzz", "-1"], "--fuzz"),
        (["--jobs", "0"], "--jobs"),
        (["--format", "yaml"], "--format"),
    ],
)
def test_flags_that_do_not_fit(
    argv: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parity", *argv]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


BLOCK = Path(__file__).parents[2] / "vendored/verdict.inline.js"


def marketplace(folder: Path, block: str) -> Path:
    script = folder / "plugins/acme/workflows/review.js"
    script.parent.mkdir(parents=True)
    head = "export const meta = { name: 'acme' };\n\n"
    script.write_text(f"{head}{block}\n\nreturn decideVerdict(1, 2);\n", encoding="utf-8")
    return script


def test_an_edited_copy_runs_only_when_asked_to_and_shows_the_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    block = BLOCK.read_text("utf-8").rstrip("\n")
    script = marketplace(tmp_path, block.replace("score < threshold", "score <= threshold"))
    assert main(["parity", "--no-sabotage", "--js", str(script)]) == 2
    assert "add --run-untrusted where you trust it" in capsys.readouterr().err
    assert main(["parity", "--no-sabotage", "--run-untrusted", "--js", str(script)]) == 1
    told = capsys.readouterr().out
    assert "JP-DIFFERS" in told
    assert (
        "case row-11-at-threshold: javascript returns fail, score 0.8;"
        " expected: returns pass, score 0.8\n"
        '      expected: {"outcome":"pass"}\n'
        '      answered: {"outcome":"fail"}\n'
        "      case (rows.jsonl:"
    ) in told
    assert '"id": "row-11-at-threshold"' in told
    assert "note: javascript differs in 5 cases; of 5 answers the 3 plainest are shown" in told


def test_an_unedited_copy_needs_no_trust_and_two_runs_print_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = marketplace(tmp_path, BLOCK.read_text("utf-8").rstrip("\n"))
    argv = ["parity", "--no-sabotage", "--fuzz", "500", "--seed", "7", "--format", "json"]
    printed = []
    for _ in range(2):
        assert main([*argv, "--js", str(script)]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert '"fuzz inputs": 500' in printed[0]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--node", "/no/such/node"], "/no/such/node"),
        (["--cases", "/no/such/folder"], "the case set cannot be read"),
        (["--js", "/no/such/file.js"], "cannot be read"),
        (["--gate", "nobody"], "no such gate"),
    ],
)
def test_what_cannot_be_used_is_undecided(
    argv: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sabotage = [] if "--gate" in argv else ["--no-sabotage"]
    assert main(["parity", *sabotage, *argv]) == 2
    assert told in capsys.readouterr().err


def test_markers_that_enclose_no_one_block_are_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = marketplace(tmp_path, "\n".join([BLOCK.read_text("utf-8")] * 2))
    assert main(["parity", "--run-untrusted", "--js", str(script)]) == 2
    assert "2 start and 2 end markers do not enclose one block" in capsys.readouterr().err
