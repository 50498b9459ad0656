"""`--format` and `--report` on real trees: the exit stays, and a report is whole or not there."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.output.reading import check, commands

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main
from judge_conformance.engine import base_context, context_for, run
from judge_conformance.findings import Finding
from judge_conformance.output import FORMATS, render
from judge_conformance.planted.proofs import TODAY
from judge_conformance.planted.trees import plant
from judge_conformance.rule import Change, Edit, Write
from judge_conformance.rules import all_rules
from judge_conformance.tree import open_tree

Adopted = Callable[..., Path]
Captured = pytest.CaptureFixture[str]
PY = "plugins/acme/scripts/judge_contract.py"
DRIFT: dict[str, Change] = {PY: Edit(old="The verdict", new="A verdict")}
NAMES = ["new\nline", "::error::x", "]]>", "a|b`c`", "\x1b[31m\x07", "\u202eevil", "%0A##[error]"]
EVERY = [word for name in FORMATS for word in ("--report", f"{name}=out/report.{name}")]


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_names_hold_in_every_format(adopted: Adopted, capfd: Captured, name: str) -> None:
    root = adopted({f"plugins/acme/{n}/judge_contract.py": Write(text="x\n") for n in NAMES})
    folder = os.fsencode(root) + b"/plugins/acme/\xff\xfe"
    os.mkdir(folder)  # noqa: PTH102 - its name is no text
    Path(os.fsdecode(folder), "judge_contract.py").write_text("x\n")
    assert main(["check", "--format", name]) == 1
    text = capfd.readouterr().out
    check(name, text)
    if name == "json":
        paths = {row["path"].split("/")[2] for row in json.loads(text)["findings"]}
        assert paths == {*NAMES, r"\udcff\udcfe"}
    if name == "github":
        files = {named["file"].split("/")[2] for _, named, _ in commands(text)}
        assert files == {*NAMES, r"\udcff\udcfe"}
    if name == "sarif":
        assert "plugins/acme/%FF%FE/judge_contract.py" in text


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(("changes", "code"), [({}, 0), (DRIFT, 1)], ids=["clean", "drift"])
def test_no_format_changes_the_exit(
    adopted: Adopted, capfd: Captured, name: str, changes: dict[str, Change], code: int
) -> None:
    adopted(changes)
    assert main(["check", "--format", name]) == code
    check(name, capfd.readouterr().out)


def test_reports_are_written_beside_the_text(adopted: Adopted, capfd: Captured) -> None:
    root = adopted(DRIFT)
    (root / "out").mkdir()
    (root / "out/report.json").write_text("old")
    assert main(["check", *EVERY]) == 1
    assert "JC-PY-DRIFT" in capfd.readouterr().out
    for name in FORMATS:
        check(name, (root / f"out/report.{name}").read_text("utf-8"))
    assert len(list((root / "out").iterdir())) == len(FORMATS)


@pytest.mark.parametrize(
    "value",
    ["json", "json=", "=x", "xml=x", "json=missing/x", "json=plugins", "json=" + "x" * 300],
)
def test_a_report_that_cannot_be_written_is_one_line(
    adopted: Adopted, capfd: Captured, value: str
) -> None:
    root = adopted()
    before = sorted(root.rglob("*"))
    assert main(["check", "--report", value]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("judge-contract: --report")
    assert sorted(root.rglob("*")) == before


def test_a_report_asked_for_twice_is_refused(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    assert main(["check", "--report", "json=x", "--report", "sarif=./x"]) == 2
    assert capfd.readouterr().err == "judge-contract: --report: ./x is asked for twice\n"
    assert not (root / "x").exists()


def test_a_full_disk_leaves_the_old_report(adopted: Adopted) -> None:
    root = adopted(DRIFT)
    (root / "r.sarif").write_text("old")
    done = subprocess.run(
        [sys.executable, "-m", "judge_conformance", "check", "--report", "sarif=r.sarif"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000)),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert re.fullmatch(r"judge-contract: --report: r\.sarif: File too large\n", done.stderr)
    assert (root / "r.sarif").read_text() == "old"
    assert not list(root.glob(".*judge-contract-new"))


def test_a_report_goes_through_a_pipe_and_a_link(adopted: Adopted) -> None:
    root = adopted(DRIFT)
    (root / "link.json").symlink_to("target.json")
    argv = ["check", "--format", "json", "--report", "json=/dev/stderr"]
    done = subprocess.run(
        [sys.executable, "-m", "judge_conformance", *argv, "--report", "json=link.json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == done.stderr == (root / "target.json").read_text()
    assert (root / "link.json").is_symlink()


def test_every_rule_fits_every_format(catalog: Catalog, tmp_path: Path) -> None:
    """One report with a real finding of every rule, its example planted and checked."""
    rules = all_rules()
    found: list[Finding] = []
    for rule in rules:
        example = next(example for example in rule.examples if example.at is not None)
        root = tmp_path / rule.code
        root.mkdir()
        plant(root, catalog, example)
        before = None
        if example.base is not None:
            before = base_context(root, "HEAD", catalog, today=TODAY)
        context = context_for(open_tree(root), catalog, today=TODAY, base=before)
        report = run(rules, context)
        found += report.findings
    assert {finding.code for finding in found} == {rule.code for rule in rules}
    report = replace(report, findings=tuple(found))
    for name in FORMATS:
        text = render(report, name)
        check(name, text)
        assert all(finding.code in text for finding in found)
