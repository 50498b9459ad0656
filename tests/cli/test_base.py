"""A pull request that edits its own gate: each is said rightly, and each can be accepted."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.changes import (
    CONFIG,
    GATE,
    JS,
    LOCK,
    MANIFEST,
    MD,
    OWNERS,
    PY,
    SKILL,
    check,
    edit,
    raise_version,
)
from tests.trees import commit, git

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main

ROW = f'"{JS}" = "verdict.inline.js"\n'
HOST = "export const meta = { name: 'review' };\nreturn args.items;\n"
Captured = pytest.CaptureFixture[str]


def unrequire(root: Path) -> None:
    edit(root, CONFIG, f'required = ["{JS}"]\n', "")


def drop_block_row_and_line(root: Path) -> None:
    (root / JS).write_text(HOST)
    edit(root, LOCK, ROW, "")
    unrequire(root)
    raise_version(root)


def retire_without_reason(root: Path) -> None:
    drop_block_row_and_line(root)
    (root / LOCK).write_text((root / LOCK).read_text() + f'"{JS}" = " "\n')


def rename(root: Path) -> None:
    git(root, "mv", JS, "plugins/acme/workflows/judge.js")
    unrequire(root)
    assert main(["lock"]) == 0
    raise_version(root)


def delete_config(root: Path) -> None:
    (root / CONFIG).unlink()


def move_config(root: Path) -> None:
    git(root, "mv", CONFIG, f".github/{CONFIG}")


def replace_lock(root: Path) -> None:
    (root / LOCK).write_text(
        "# Written by judge-contract; mend it with: judge-contract lock\nversion = 1\n"
        'release = "0.2.0"\n'
    )
    unrequire(root)


def allow(root: Path) -> None:
    text = '[[allow]]\nrule = "JC-DRIFT"\npath = "*.js"\nwhy = "later"\nuntil = 2099-01-01\n'
    (root / CONFIG).write_text((root / CONFIG).read_text() + text)
    edit(root, JS, "A copy, held", "A copy, hEld")
    raise_version(root)


def pin(root: Path) -> None:
    assert main(["pin", str(root / MD), "--why", "the record of a run"]) == 0


def configured(old: str, new: str) -> Callable[[Path], None]:
    return lambda root: edit(root, CONFIG, old, new)


LEFT = "JC-LEFT"
EDITS: dict[str, tuple[Callable[[Path], None], list[tuple[str, str]]]] = {
    "the block, its row and its required line go": (drop_block_row_and_line, [(LEFT, JS)]),
    "retired without a reason": (retire_without_reason, [(LEFT, JS)]),
    "a judge workflow renamed": (rename, [(LEFT, JS)]),
    "a required line goes": (unrequire, [(LEFT, CONFIG)]),
    "a rule turned down": (configured('JC-MODE = "error"', 'JC-MODE = "notice"'), [(LEFT, CONFIG)]),
    "this very rule turned off": (
        configured("[severity]\n", '[severity]\nJC-LEFT = "off"\n'),
        [(LEFT, CONFIG)],
    ),
    "a line of severity that goes": (configured('JC-MODE = "error"\n', ""), [(LEFT, CONFIG)]),
    "more is excluded": (
        configured('"attic/"', '"attic/", "plugins/acme/workflows/"'),
        [(LEFT, CONFIG)],
    ),
    "fewer plugins": (configured("exclude", 'plugins = ["plugins/b*"]\nexclude'), [(LEFT, CONFIG)]),
    "bump off": (configured("pull-request", "off"), [(LEFT, CONFIG)]),
    "a lower minimum": (
        configured('minimum-release = "0.2.0"', 'minimum-release = "0.1.0"'),
        [(LEFT, CONFIG)],
    ),
    "no minimum": (configured('minimum-release = "0.2.0"\n', ""), [(LEFT, CONFIG)]),
    "an allowance": (allow, [("JC-DRIFT", JS), (LEFT, CONFIG)]),
    "a pin": (pin, [(LEFT, LOCK)]),
    "the workflow edited": (
        lambda root: edit(root, GATE, "check", "check --exit-zero"),
        [(LEFT, GATE)],
    ),
    "the workflow deleted": (lambda root: (root / GATE).unlink(), [(LEFT, GATE)]),
    "the owners edited": (
        lambda root: edit(root, ".github/CODEOWNERS", OWNERS, "* @me\n"),
        [(LEFT, ".github/CODEOWNERS")],
    ),
    "the config deleted": (
        delete_config,
        [(LEFT, CONFIG), (LEFT, CONFIG), (LEFT, CONFIG)],
    ),
    "the config moved": (move_config, [(LEFT, CONFIG), (LEFT, CONFIG), (LEFT, CONFIG)]),
    "the lock emptied": (
        replace_lock,
        [("JC-STRAY", MD), (LEFT, MD), ("JC-STRAY", PY), (LEFT, PY), ("JC-STRAY", JS), (LEFT, JS)],
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_the_gate_is_an_error_until_it_is_accepted(
    change: Path, capfd: Captured, name: str
) -> None:
    make, expected = EDITS[name]
    make(change)
    code, found = check(change, capfd)
    assert code == 1
    assert sorted(row[:2] for row in found) == sorted(expected)
    assert {row[3] for row in found} == {"yours"}
    assert all(row[2] == "error" for row in found if row[0] == LEFT)
    code, found = check(change, capfd, "--accept-gate-edit")
    assert code == 0
    assert [row[2] for row in found if row[0] == LEFT] == ["notice"] * sum(
        row[0] == LEFT for row in expected
    )


GONE = [name for name, (_, expected) in EDITS.items() if (LEFT, JS) in expected]


@pytest.mark.parametrize("name", GONE)
def test_the_mend_that_is_said_of_a_path_that_left_mends_it(
    change: Path, capfd: Captured, name: str
) -> None:
    EDITS[name][0](change)
    commit(change)
    capfd.readouterr()
    assert main(["check", "--base", "main", "--format", "json"]) == 1
    found = json.loads(capfd.readouterr().out)["findings"]
    mends = {row["fix"] for row in found if row["code"] == LEFT and row["fix"]}
    for mend in mends:
        assert main(shlex.split(mend.replace("'...'", "'the judge is gone'"))[1:]) == 0
    code, left = check(change, capfd)
    reasons = sum(" retire " in mend for mend in mends)
    assert reasons == sum(row[:3] == (LEFT, LOCK, "warning") for row in left)
    assert JS not in {row[1] for row in left if row[2] == "error"}
    assert code == (0 if reasons else 1)  # a required line that went is for a maintainer


def test_a_path_that_never_carried_anything_is_not_retired(change: Path, capfd: Captured) -> None:
    del change
    assert main(["retire", "plugins/acme/other.js", "--why", "x"]) == 2
    assert "carries no copy of the contract, and never had to" in capfd.readouterr().err


def test_a_retirement_with_a_reason_is_a_warning(change: Path, capfd: Captured) -> None:
    unrequire(change)
    assert main(["retire", JS, "--why", "the judge is gone"]) == 0
    raise_version(change)
    assert check(change, capfd) == (0, [(LEFT, LOCK, "warning", "yours")])


def test_what_tightens_is_no_edit(change: Path, capfd: Captured) -> None:
    edit(change, CONFIG, 'exclude = ["attic/"]\n', "")
    edit(change, CONFIG, "[severity]\n", '[severity]\nJC-BUNDLED = "error"\n')
    edit(change, CONFIG, f'["{JS}"]', f'["{JS}", "{PY}"]')
    assert check(change, capfd) == (0, [])


def test_a_change_that_touches_nothing_of_it_is_green(change: Path, capfd: Captured) -> None:
    (change / "README.md").write_text("hello\n")
    assert check(change, capfd) == (0, [])


def test_only_yours_fail(change: Path, capfd: Captured) -> None:
    git(change, "checkout", "-q", "main")
    edit(change, PY, "The verdict", "A verdict")
    commit(change, "main was red already")
    git(change, "checkout", "-q", "change")
    git(change, "rebase", "-q", "main")
    assert check(change, capfd) == (0, [("JC-PY-DRIFT", PY, "error", "base")])
    edit(change, MD, "# The judge", "# A judge")
    raise_version(change)
    code, found = check(change, capfd)
    assert (code, sorted(found)) == (
        1,
        [("JC-MD-DRIFT", MD, "error", "yours"), ("JC-PY-DRIFT", PY, "error", "base")],
    )
    capfd.readouterr()
    assert main(["check", "--base", "main"]) == 1
    out = capfd.readouterr().out
    assert "JC-MD-DRIFT (yours)" in out
    assert "JC-PY-DRIFT (already on the base)" in out
    assert main(["check"]) == 1


def test_what_landed_on_the_base_meanwhile_is_not_missed_here(
    change: Path, capfd: Captured
) -> None:
    git(change, "checkout", "-q", "main")
    (change / "plugins/late/skills/s").mkdir(parents=True)
    (change / "plugins/late/skills/s/SKILL.md").write_text(
        "references/judge-contract.md scripts/judge_contract.py\n"
    )
    assert main(["vendor", "plugins/late"]) == 0
    commit(change, "another adoption")
    git(change, "checkout", "-q", "change")
    assert check(change, capfd) == (0, [])


def test_a_copy_that_is_still_asked_for_is_required(change: Path, capfd: Captured) -> None:
    (change / JS).write_text(HOST)
    raise_version(change)
    assert check(change, capfd) == (1, [("JC-REQUIRED", JS, "error", "yours")])


VERSIONS = [("1.0.0", "1.0.0", 1), ("1.9.0", "1.10.0", 0)]  # rules/bump.py plants many more


@pytest.mark.parametrize("case", VERSIONS, ids=str)
def test_vendored_bytes_ask_for_a_higher_version(
    change: Path, capfd: Captured, catalog: Catalog, case: tuple[str, str, int]
) -> None:
    old, new, code = case
    git(change, "checkout", "-q", "main")
    edit(change, MANIFEST, "1.0.0", old)
    edit(change, PY, "The verdict", "A verdict")
    commit(change)
    git(change, "checkout", "-q", "change")
    git(change, "rebase", "-q", "main")
    (change / PY).write_bytes(catalog.content("judge_contract.py"))
    edit(change, MANIFEST, old, new)
    expected = [("JC-BUMP", MANIFEST, "error", "yours")] if code else []
    assert check(change, capfd) == (code, expected)


def test_a_first_adoption_is_judged_by_its_own_rules(change: Path, capfd: Captured) -> None:
    git(change, "checkout", "-q", "--orphan", "before")
    git(change, "rm", "-rqf", "--cached", ".")
    git(change, "add", SKILL, MANIFEST, ".claude-plugin/marketplace.json")
    git(change, "commit", "-qm", "before the contract")
    git(change, "checkout", "-qfb", "adopt")
    raise_version(change)
    assert check(change, capfd, base="before") == (0, [])
    assert main(["check", "--base", "before"]) == 0
    assert "on the base: the rules are those of this change" in capfd.readouterr().out


def test_an_upgrade_passes(change: Path, capfd: Captured, catalog: Catalog) -> None:
    git(change, "checkout", "-q", "main")
    edit(change, LOCK, "0.2.0", "0.1.0")
    edit(change, CONFIG, 'minimum-release = "0.2.0"\n', "")
    (change / PY).write_bytes(catalog.content("judge_contract.py", "0.1.0"))
    (change / MD).write_bytes(catalog.content("judge-contract.md", "0.1.0"))
    old, new = (catalog.content("verdict.inline.js", r) for r in ("0.1.0", "0.2.0"))
    (change / JS).write_bytes((change / JS).read_bytes().replace(new, old))
    commit(change, "stands on the old release")
    git(change, "checkout", "-q", "change")
    git(change, "reset", "-q", "--hard", "main")
    assert main(["upgrade", "--bump", "patch"]) == 0
    assert check(change, capfd) == (0, [])
    git(change, "branch", "-f", "main")
    edit(change, LOCK, "0.2.0", "0.1.0")
    code, found = check(change, capfd)
    assert code == 1
    assert (LEFT, LOCK, "error", "yours") in found


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("nowhere", "no commit is known here by 'nowhere'"),
        ("--help", "no commit is known here by '--help'"),
        ("unrelated", "the histories are unrelated"),
    ],
)
def test_what_cannot_be_compared_is_undecided(
    change: Path, capfd: Captured, ref: str, said: str
) -> None:
    git(change, "checkout", "-q", "--orphan", "unrelated")
    commit(change, "unrelated")
    git(change, "checkout", "-q", "change")
    assert main(["check", f"--base={ref}"]) == 2
    told = capfd.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert said in told.err


def test_a_shallow_clone_is_undecided(
    change: Path, capfd: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (change / "README.md").write_text("hello\n")
    commit(change)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", change.as_uri(), str(clone))
    monkeypatch.chdir(clone)
    assert main(["check", "--base", "origin/main"]) == 2
    told = capfd.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "shallow" in told.err
    assert "fetch-depth: 0" in told.err


def test_a_config_broken_on_the_base_is_told(change: Path, capfd: Captured) -> None:
    good = (change / CONFIG).read_text()
    git(change, "checkout", "-q", "main")
    (change / CONFIG).write_text("plugins = [\n")
    commit(change)
    git(change, "checkout", "-q", "-B", "change")
    (change / CONFIG).write_text(good)
    commit(change)
    assert main(["check", "--base", "main"]) == 2
    told = capfd.readouterr().err
    assert "judge-contract.toml:" in told
    assert "on the base main" in told


def test_accepting_needs_a_base(change: Path, capfd: Captured) -> None:
    assert main(["check", str(change), "--accept-gate-edit"]) == 2
    assert capfd.readouterr().err.startswith("judge-contract: --accept-gate-edit goes with --base")
