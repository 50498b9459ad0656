"""`check --fix`, `--unsafe-fixes`, `--diff` and `--statistics`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.changes import CONFIG, JS, LOCK, MD, PY, check, edit

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main

Adopted = Callable[..., Path]
Captured = pytest.CaptureFixture[str]
Make = Callable[[Path, Catalog], None]


def crlf(root: Path, catalog: Catalog) -> None:
    (root / PY).write_bytes(catalog.content("judge_contract.py").replace(b"\n", b"\r\n"))


def bom(root: Path, catalog: Catalog) -> None:
    (root / MD).write_bytes(b"\xef\xbb\xbf" + catalog.content("judge-contract.md"))


def no_end(root: Path, catalog: Catalog) -> None:
    (root / MD).write_bytes(catalog.content("judge-contract.md").rstrip(b"\n"))


def older(root: Path, catalog: Catalog) -> None:
    (root / MD).write_bytes(catalog.content("judge-contract.md", "0.1.0"))


def older_block(root: Path, catalog: Catalog) -> None:
    old, new = (catalog.content("verdict.inline.js", r) for r in ("0.1.0", "0.2.0"))
    (root / JS).write_bytes((root / JS).read_bytes().replace(new, old))


def reformatted(root: Path, catalog: Catalog) -> None:
    text = catalog.content("judge_contract.py").decode()
    lines = text.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if line.startswith("import "))
    (root / PY).write_text("".join([*lines[:at], "\n", "\n", *lines[at:]]))


def python_edited(root: Path, catalog: Catalog) -> None:
    del catalog
    edit(root, PY, "The verdict", "A verdict")


def block_edited(root: Path, catalog: Catalog) -> None:
    del catalog
    edit(root, JS, "A copy, held", "A copy, hEld")


SAFE: dict[str, Make] = {
    "line endings": crlf,
    "a byte order mark": bom,
    "no final newline": no_end,
    "another release": older,
    "a block of another release": older_block,
    "formatting only": reformatted,
}
UNSAFE: dict[str, Make] = {"an edited file": python_edited, "an edited block": block_edited}


def state(root: Path) -> dict[str, bytes]:
    return {path: (root / path).read_bytes() for path in (PY, MD, JS, LOCK)}


@pytest.mark.parametrize("name", SAFE)
def test_what_nobody_edited_is_written_back(
    adopted: Adopted, capfd: Captured, catalog: Catalog, name: str
) -> None:
    root = adopted()
    whole = state(root)
    SAFE[name](root, catalog)
    broken = state(root)
    assert main(["check"]) == 1
    capfd.readouterr()
    assert main(["check", "--diff"]) == 1
    assert state(root) == broken
    (path,) = (path for path in whole if whole[path] != broken[path])
    assert path in capfd.readouterr().out.splitlines()[0]
    assert main(["check", "--fix"]) == 0
    assert state(root) == whole
    assert capfd.readouterr() == (
        "check: 1 plugin, 3 copies, 1 script: no finding\n",
        f"fixed    {path}\n",
    )


@pytest.mark.parametrize("name", UNSAFE)
def test_an_edit_is_written_over_only_when_asked(
    adopted: Adopted, capfd: Captured, catalog: Catalog, name: str
) -> None:
    root = adopted()
    whole = state(root)
    UNSAFE[name](root, catalog)
    bom(root, catalog)
    broken = state(root)
    assert main(["check", "--fix"]) == 1
    assert state(root) == {**broken, MD: whole[MD]}
    out = capfd.readouterr().out
    assert out.count("error JC-") == 1
    assert main(["check", "--diff", "--unsafe-fixes"]) == 1
    assert state(root) == {**broken, MD: whole[MD]}
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0
    assert state(root) == whole


def test_what_cannot_be_written_stays_in_the_report(
    adopted: Adopted, capfd: Captured, catalog: Catalog
) -> None:
    """A script with CRLF throughout is refused; the file beside it is mended all the same."""
    root = adopted()
    whole = state(root)
    (root / JS).write_bytes(whole[JS].replace(b"\n", b"\r\n"))
    bom(root, catalog)
    assert main(["check", "--fix"]) == 1
    assert (root / MD).read_bytes() == whole[MD]
    told = capfd.readouterr()
    assert told.err == f"fixed    {MD}\n"
    assert "JC-DRIFT" in told.out


def test_what_is_allowed_or_left_out_is_not_touched(
    adopted: Adopted, capfd: Captured, catalog: Catalog
) -> None:
    root = adopted()
    (root / CONFIG).write_text(f'[[allow]]\nrule = "JC-MD-DRIFT"\npath = "{MD}"\nwhy = "later"\n')
    bom(root, catalog)
    crlf(root, catalog)
    broken = state(root)
    assert main(["check", "--fix", "--ignore", "JC-PY-DRIFT"]) == 0
    assert state(root) == broken
    assert "1 allowed" in capfd.readouterr().out


def test_fixing_goes_with_a_base(change: Path, capfd: Captured, catalog: Catalog) -> None:
    bom(change, catalog)
    code, found = check(change, capfd, "--fix")
    assert (code, found) == (0, [])


def test_statistics_count_each_rule(adopted: Adopted, capfd: Captured, catalog: Catalog) -> None:
    root = adopted()
    python_edited(root, catalog)
    (root / "plugins/acme/lib").mkdir()
    for name in ("judge_contract.py", "judge-contract.md"):
        (root / "plugins/acme/lib" / name).write_bytes(catalog.content(name))
    assert main(["check", "--statistics", "--select", "JC-STRAY", "--select", "JC-PY-DRIFT"]) == 1
    assert capfd.readouterr().out == (
        "     2  JC-STRAY       a copy that the lock does not know\n"
        "     1  JC-PY-DRIFT    a vendored Python file differs from its release\n"
        "check: 1 plugin, 5 copies, 1 script: 1 error, 2 warnings\n"
    )


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--unsafe-fixes"], "--unsafe-fixes goes with --fix or --diff"),
        (["--fix", "--diff"], "--fix and --diff exclude each other"),
        (["--fix", "--staged"], "--fix and --diff look at the work tree, and --staged does not"),
        (["--diff", "--format", "json"], "--diff and --statistics are text"),
        (["--statistics", "--format", "json"], "--diff and --statistics are text"),
    ],
)
def test_flags_that_do_not_go_together_are_one_line(
    adopted: Adopted, capfd: Captured, argv: list[str], said: str
) -> None:
    adopted()
    assert main(["check", *argv]) == 2
    assert capfd.readouterr() == ("", f"judge-contract: {said}\n")
