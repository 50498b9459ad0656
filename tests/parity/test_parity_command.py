"""The command's flags: what does not fit together is one line and exit 2."""

from __future__ import annotations

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
