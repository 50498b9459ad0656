"""Tries to slip something past the gate from inside a pull request."""

from __future__ import annotations

import shutil
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
    check,
    edit,
    raise_version,
)
from tests.trees import commit, git

from judge_conformance.cli.app import main

Captured = pytest.CaptureFixture[str]
Try = Callable[[Path], None]

LEFT, HOOKS = "JC-LEFT", ".pre-commit-config.yaml"
OTHER = "  - repo: other\n    rev: v1\n    hooks:\n      - id: spell\n"
OURS = "  - repo: judge-contract\n    rev: v0.2.0\n    hooks:\n      - id: judge-contract\n"


def write(path: str, text: str) -> Try:
    def make(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)

    return make


def edited(path: str, old: str, new: str) -> Try:
    return lambda root: edit(root, path, old, new)


def case_only(root: Path) -> None:
    renamed = "plugins/acme/workflows/Review.js"
    git(root, "mv", JS, renamed)
    edit(root, LOCK, JS, renamed)
    edit(root, CONFIG, f'required = ["{JS}"]\n', "")
    raise_version(root)


def plugin_renamed(root: Path) -> None:
    """Move the plugin with an edited copy, so that nothing seems to have had a version before."""
    git(root, "mv", "plugins/acme", "plugins/acne")
    for path in (LOCK, CONFIG, ".claude-plugin/marketplace.json"):
        text = (root / path).read_text()
        (root / path).write_text(text.replace("plugins/acme", "plugins/acne"))


def plugin_dropped(root: Path) -> None:
    market = root / ".claude-plugin/marketplace.json"
    market.write_text('{"name": "planted", "plugins": []}\n')
    (root / MANIFEST).unlink()
    edit(root, PY, "The verdict", "A verdict")


def both_gone(root: Path) -> None:
    (root / CONFIG).unlink()
    (root / LOCK).unlink()


def workflow_renamed(root: Path) -> None:
    git(root, "mv", GATE, ".github/workflows/z.yml")


def replaced_by_submodule(root: Path) -> None:
    shutil.rmtree(root / "plugins/acme/workflows")
    head = git(root, "rev-parse", "HEAD").strip()
    git(root, "rm", "-rq", "--cached", "plugins/acme/workflows")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{head},plugins/acme/workflows")


TRIES: dict[str, tuple[Try, list[tuple[str, str]]]] = {
    "severity raised elsewhere to confuse": (
        edited(CONFIG, 'JC-MODE = "error"', 'JC-MODE = "error"\nJC-OLD = "error"\nJC-LINK = "off"'),
        [(LEFT, CONFIG)],
    ),
    "an allowance for this very rule": (
        write(
            CONFIG,
            f'required = ["{JS}"]\nminimum-release = "0.2.0"\nexclude = ["attic/"]\n'
            '[severity]\nJC-MODE = "error"\n[[allow]]\nrule = "JC-LEFT"\npath = "*"\nwhy = "x"\n',
        ),
        [(LEFT, CONFIG)],
    ),
    "an exclude whose exception comes first": (
        edited(CONFIG, '"attic/"', '"!attic/kept/", "attic/", "plugins/"'),
        [(LEFT, CONFIG)],
    ),
    "a case-only rename": (case_only, [(LEFT, JS)]),
    "the plugin renamed together with its rows": (
        plugin_renamed,
        [(LEFT, MD), (LEFT, PY), (LEFT, JS)],
    ),
    "the plugin dropped from the marketplace, and a copy edited": (
        plugin_dropped,
        [("JC-PY-DRIFT", PY)],
    ),
    "config and lock deleted": (
        both_gone,
        [(LEFT, CONFIG)] * 2 + [("JC-LOCK", LOCK), (LEFT, MD), (LEFT, PY), (LEFT, JS)],
    ),
    "the scripts become another repository": (
        replaced_by_submodule,
        [("JC-BUMP", MANIFEST), ("JC-REQUIRED", JS)],
    ),
    "a job that stands in for the check": (
        write(".github/workflows/x.yml", "jobs:\n  judge-contract:\n    steps: []\n"),
        [(LEFT, ".github/workflows/x.yml")],
    ),
    "the workflow renamed": (
        workflow_renamed,
        [(LEFT, GATE), (LEFT, ".github/workflows/z.yml")],
    ),
    "an owner added by a later line": (
        write(".github/CODEOWNERS", OWNERS + "*.toml @me\n"),
        [(LEFT, ".github/CODEOWNERS")],
    ),
    "a line that takes the owner away": (
        write(".github/CODEOWNERS", OWNERS + "/judge-contract.toml\n"),
        [(LEFT, ".github/CODEOWNERS")],
    ),
    "the hook's release taken back": (edited(HOOKS, "v0.2.0", "v0.1.0"), [(LEFT, HOOKS)]),
    "the hook deleted": (write(HOOKS, "repos:\n" + OTHER), [(LEFT, HOOKS)]),
    "all hooks switched off": (
        write(HOOKS, "exclude: .\nrepos:\n" + OTHER + OURS),
        [(LEFT, HOOKS)],
    ),
    "the hook's config no YAML": (write(HOOKS, "repos: [judge-contract\n"), [(LEFT, HOOKS)]),
    "a pyproject that speaks of the tool": (
        write("pyproject.toml", '[tool.judge-contract]\nexclude = ["*"]\n'),
        [],
    ),
    "another hook's release": (edited(HOOKS, "rev: v1", "rev: v2"), []),
    "a copy ignored that git tracks": (write(".gitignore", "*.py\n*.js\n*.lock\n"), []),
    "plugins widened to all": (edited(CONFIG, "exclude", 'plugins = ["*"]\nexclude'), []),
}


@pytest.fixture
def hooked(change: Path) -> Path:
    git(change, "checkout", "-q", "main")
    (change / HOOKS).write_text("repos:\n" + OTHER + OURS)
    commit(change, "the hook")
    git(change, "checkout", "-q", "-B", "change")
    return change


@pytest.mark.parametrize("name", TRIES)
def test_a_hostile_try_is_said_and_can_be_accepted(
    hooked: Path, capfd: Captured, name: str
) -> None:
    make, expected = TRIES[name]
    make(hooked)
    code, found = check(hooked, capfd)
    assert sorted(row[:2] for row in found) == sorted(expected)
    assert code == (1 if expected else 0)
    accepted, found = check(hooked, capfd, "--accept-gate-edit")
    assert sorted(row[:2] for row in found) == sorted(expected)
    others = [row for row in found if row[0] != LEFT and row[2] == "error"]
    assert accepted == (1 if others else 0)


def test_a_config_that_becomes_a_link_is_undecided(change: Path, capfd: Captured) -> None:
    git(change, "mv", CONFIG, "attic.toml")
    (change / CONFIG).symlink_to("attic.toml")
    commit(change)
    capfd.readouterr()
    assert main(["check", "--base", "main"]) == 2
    told = capfd.readouterr()
    assert (told.out, told.err) == (
        "",
        f"judge-contract: {CONFIG}: is a symbolic link\n",
    )


@pytest.mark.parametrize("at", ["up", "down"])
def test_a_config_elsewhere_does_not_choose_the_base(
    change: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """A planted config would move the root to where the base has none: an adoption."""
    if at == "down":
        monkeypatch.chdir(change / "plugins/acme")
        write(f"plugins/acme/{CONFIG}", '[severity]\nJC-PY-DRIFT = "off"\n')(change)
        edit(change, PY, "The verdict", "A verdict")
        raise_version(change)
        expected = [("JC-PY-DRIFT", PY)]
    else:
        git(change, "checkout", "-q", "main")
        (change / "market").mkdir()
        for name in (".claude-plugin", "plugins", CONFIG, LOCK):
            git(change, "mv", name, f"market/{name}")
        commit(change, "in a folder")
        git(change, "checkout", "-q", "-B", "change")
        monkeypatch.chdir(change / "market")
        git(change, "mv", f"market/{CONFIG}", CONFIG)
        write(CONFIG, '[severity]\nJC-PY-DRIFT = "off"\n')(change)
        expected = [(LEFT, CONFIG)] * 3
    code, found = check(change, capfd)
    assert (code, [row[:2] for row in found]) == (1, expected)


def test_what_runs_the_check_is_found_above_a_marketplace_in_a_folder(
    change: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(change, "checkout", "-q", "main")
    (change / "market").mkdir()
    for name in (".claude-plugin", "plugins", CONFIG, LOCK):
        git(change, "mv", name, f"market/{name}")
    write(".github/CODEOWNERS", "/market/judge-contract.toml @maintainers\n")(change)
    commit(change, "in a folder")
    git(change, "checkout", "-q", "-B", "change")
    monkeypatch.chdir(change / "market")
    assert check(change, capfd) == (0, [])
    edit(change, GATE, "check", "check --exit-zero")
    write(".github/CODEOWNERS", "* @me\n")(change)
    code, found = check(change, capfd)
    expected = [(LEFT, f"../{path}") for path in (".github/CODEOWNERS", GATE)]
    assert (code, [row[:2] for row in found]) == (1, expected)
    capfd.readouterr()
    assert main(["check", "--base", "main", "--format", "github"]) == 1
    assert f"file={GATE}," in capfd.readouterr().out
    accepted, _ = check(change, capfd, "--accept-gate-edit")
    assert accepted == 0


def test_a_lock_without_a_config_is_held_to_the_rules_as_they_come(
    change: Path, capfd: Captured
) -> None:
    git(change, "checkout", "-q", "main")
    (change / CONFIG).unlink()
    commit(change, "no config")
    git(change, "checkout", "-q", "-B", "change")
    (change / CONFIG).write_text('[severity]\nJC-PY-DRIFT = "off"\nJC-LEFT = "off"\n')
    edit(change, PY, "The verdict", "A verdict")
    raise_version(change)
    code, found = check(change, capfd)
    assert (code, [row[:2] for row in found]) == (
        1,
        [(LEFT, CONFIG), (LEFT, CONFIG), ("JC-PY-DRIFT", PY)],
    )


def test_a_moved_plugin_keeps_its_version_in_mind(change: Path, capfd: Captured) -> None:
    plugin_renamed(change)
    edit(change, "plugins/acne/scripts/judge_contract.py", "The verdict", "A verdict")
    _, found = check(change, capfd)
    assert ("JC-BUMP", "plugins/acne/.claude-plugin/plugin.json", "error", "yours") in found


def test_line_endings_by_attribute_are_seen(change: Path, capfd: Captured) -> None:
    write(".gitattributes", "*.py text eol=crlf\n")(change)
    commit(change)
    (change / PY).unlink()
    git(change, "checkout", "--", PY)
    assert b"\r\n" in (change / PY).read_bytes()
    code, found = check(change, capfd)
    assert (code, [row[:2] for row in found if row[2] == "error"]) == (
        1,
        [("JC-BUMP", MANIFEST), ("JC-PY-DRIFT", PY)],
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('exclude = ["a/*", "!a/b", "c/"]', 'exclude = ["!a/b", "a/*"]', 1),
        ('plugins = ["plugins/a*"]', 'plugins = ["*"]', 0),
    ],
)
def test_patterns_are_compared_by_what_they_let_through(
    change: Path, capfd: Captured, before: str, after: str, told: int
) -> None:
    git(change, "checkout", "-q", "main")
    (change / CONFIG).write_text(before + "\n")
    commit(change, "patterns")
    git(change, "checkout", "-q", "-B", "change")
    (change / CONFIG).write_text(after + "\n")
    code, found = check(change, capfd)
    assert (code, [row[:2] for row in found]) == (told, [(LEFT, CONFIG)] * told)
