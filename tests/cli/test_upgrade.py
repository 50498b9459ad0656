"""Twelve plugins on the earlier release, a newer tool, and what merges make of the lock."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.trees import Planted, build, commit, git, plant

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main
from judge_conformance.lock import Lock
from judge_conformance.paths import LOCK

NAMES = [f"plugin-{number:02}" for number in range(1, 13)]
OLD, NEW = "0.1.0", "0.2.0"
SKILL = "Judge by references/judge-contract.md with scripts/judge_contract.py decide.\n"
HOST = """export const meta = {{ name: '{name}' }};

{block}
const RUBRIC = {{ id: '{name}-review@1', threshold: 0.8,
  criteria: [{{ id: 'real', question: 'Is it?' }}] }};
const items = args.items;
const replies = await parallel(items.map((item) => () =>
  agent(`Judge ${{item}}`, {{ schema: JUDGE_VERDICT_SCHEMA }})));
const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC, {{ item }}));
return {{ passed: verdicts.filter((v) => v.outcome === 'pass'), sample: spotCheck(verdicts) }};
"""
RUBRIC = (
    '{{"id": "{name}-review@1", "threshold": 0.8,'
    ' "criteria": [{{"id": "real", "question": "Is it?"}}]}}\n'
)
Captured = pytest.CaptureFixture[str]


def copies_of(catalog: Catalog, name: str, release: str) -> dict[str, Planted]:
    block = catalog.content("verdict.inline.js", release).decode()
    return {
        f"plugins/{name}/scripts/judge_contract.py": catalog.content("judge_contract.py", release),
        f"plugins/{name}/references/judge-contract.md": catalog.content(
            "judge-contract.md", release
        ),
        f"plugins/{name}/workflows/review.js": HOST.format(name=name, block=block),
    }


def market(root: Path, catalog: Catalog, release: str) -> Path:
    """Build the marketplace; odd plugins state a version in their manifest, even in their entry."""
    entries, files, rows = [], dict[str, Planted](), dict[str, str]()
    for number, name in enumerate(NAMES):
        entry = {"name": name, "source": f"./plugins/{name}"}
        manifest = {"name": name}
        (manifest if number % 2 else entry)["version"] = f"1.{number}.9"
        entries.append(entry)
        folder = f"plugins/{name}"
        files[f"{folder}/.claude-plugin/plugin.json"] = json.dumps(manifest) + "\n"
        files[f"{folder}/skills/review/SKILL.md"] = SKILL
        files[f"{folder}/references/rubric.json"] = RUBRIC.format(name=name)
        copies = copies_of(catalog, name, release)
        files |= copies
        for path in copies:
            rows[path] = "verdict.inline.js" if path.endswith(".js") else Path(path).name
    files[".claude-plugin/marketplace.json"] = json.dumps({"name": "m", "plugins": entries})
    files[".gitattributes"] = "judge-contract.lock text eol=lf merge=union\n"
    files[LOCK] = Lock(release=release, copies=rows).render()
    return build(root, files)


@pytest.fixture
def twelve(tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = market(tmp_path / "market", catalog, OLD)
    monkeypatch.chdir(root)
    return root


def findings(capfd: Captured, *flags: str) -> tuple[int, list[tuple[str, str]]]:
    capfd.readouterr()
    code = main(["check", "--format", "json", *flags])
    rows = json.loads(capfd.readouterr().out)["findings"]
    return code, [(row["code"], row["path"]) for row in rows]


def state(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_a_newer_tool_turns_nobody_red_and_upgrade_moves_all(
    twelve: Path, catalog: Catalog, capfd: Captured
) -> None:
    assert findings(capfd) == (0, [("JC-OLD", LOCK)])
    before = state(twelve)
    assert main(["upgrade", "--bump", "patch"]) == 0
    assert capfd.readouterr().out.endswith(
        "release 0.1.0 -> 0.2.0\nthen change, where you have them:\n"
        "  .pre-commit-config.yaml  rev: v0.2.0\n"
        "  .github/workflows        judge-contract==0.2.0, or the pin of the action: v0.2.0\n"
    )
    after = state(twelve)
    for number, name in enumerate(NAMES):
        for path, content in copies_of(catalog, name, NEW).items():
            assert after.pop(path) == (content.encode() if isinstance(content, str) else content)
        del before[f"plugins/{name}/scripts/judge_contract.py"]
        del before[f"plugins/{name}/references/judge-contract.md"]
        del before[f"plugins/{name}/workflows/review.js"]
        old, new = (f'"version": "1.{number}.{patch}"'.encode() for patch in (9, 10))
        place = f"plugins/{name}" if number % 2 else ""
        file = f"{place}/.claude-plugin/{'plugin' if number % 2 else 'marketplace'}.json".lstrip(
            "/"
        )
        assert before[file].count(old) == 1
        before[file] = before[file].replace(old, new)
    before[LOCK] = before[LOCK].replace(OLD.encode(), NEW.encode())
    assert after == before
    assert findings(capfd) == (0, [])
    upgraded = state(twelve)
    capfd.readouterr()
    assert main(["upgrade", "--bump", "patch"]) == 0
    assert capfd.readouterr().out == "release 0.2.0 is the newest\n"
    assert state(twelve) == upgraded


def test_an_edited_copy_among_them_is_left_and_named(twelve: Path, capfd: Captured) -> None:
    path = "plugins/plugin-07/scripts/judge_contract.py"
    edited = (twelve / path).read_bytes() + b"# mine\n"
    (twelve / path).write_bytes(edited)
    assert main(["upgrade"]) == 1
    out = capfd.readouterr().out
    assert out.count("left ") == 1
    assert f"left     {path}: edited" in out
    assert (twelve / path).read_bytes() == edited
    assert findings(capfd) == (1, [("JC-PY-DRIFT", path)])


def test_a_version_that_is_no_three_numbers_is_told(twelve: Path, capfd: Captured) -> None:
    manifest = twelve / "plugins/plugin-02/.claude-plugin/plugin.json"
    text = manifest.read_text().replace("1.1.9", "2026-beta")
    manifest.write_text(text)
    assert main(["upgrade", "--bump", "major"]) == 0
    path = "plugins/plugin-02/.claude-plugin/plugin.json"
    told = f"left     {path}: version '2026-beta' is not MAJOR.MINOR.PATCH; raise it by hand"
    assert told in capfd.readouterr().out
    assert manifest.read_text() == text
    assert '"version": "2.0.0"' in (twelve / ".claude-plugin/marketplace.json").read_text()


def test_looking_at_an_upgrade_writes_nothing(twelve: Path, capfd: Captured) -> None:
    before = state(twelve)
    assert main(["upgrade", "--bump", "minor", "--dry-run"]) == 0
    assert capfd.readouterr().out.count("\nbump ") == 7  # six manifests and the marketplace
    assert state(twelve) == before


def test_a_minimum_release_makes_it_an_error(twelve: Path, capfd: Captured) -> None:
    (twelve / "judge-contract.toml").write_text('minimum-release = "0.2.0"\n')
    assert findings(capfd) == (1, [("JC-OLD", LOCK)])


def test_an_upgrade_merged_with_an_adoption_ends_red_and_lock_mends_it(
    twelve: Path, catalog: Catalog, capfd: Captured
) -> None:
    git(twelve, "checkout", "-qb", "adopt")
    plant(twelve, {"plugins/late/skills/s/SKILL.md": SKILL})
    assert main(["vendor", "plugins/late"]) == 0
    commit(twelve, "adopt on the old release")
    git(twelve, "checkout", "-q", "main")
    git(twelve, "checkout", "-qb", "upgrade")
    assert main(["upgrade"]) == 0
    commit(twelve, "upgrade")
    git(twelve, "merge", "-q", "adopt", "-m", "merged")
    late = "plugins/late/scripts/judge_contract.py"
    assert (twelve / late).read_bytes() == catalog.content("judge_contract.py", OLD)
    capfd.readouterr()
    red = main(["check"])
    told = capfd.readouterr()
    assert red in {1, 3}
    assert "judge-contract lock" in told.err or "JC-PY-DRIFT" in told.out
    assert main(["lock"]) == 0
    code, rows = findings(capfd)
    assert code == 1
    assert {path.split("/")[1] for name, path in rows if name != "JC-OLD"} == {"late"}
    assert main(["upgrade"]) == 0
    assert findings(capfd) == (0, [])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("retire", "{}", "--why", "unused"), ("retire", "{}", "--why", "a fork")),
        (("pin", "{}", "--why", "the run of May"), ("pin", "{}", "--why", "the run of June")),
        (("pin", "{}", "--why", "the run of May"), ("retire", "{}", "--why", "unused")),
        (("retire", "{}", "--why", "unused"), ("vendor", "plugins/late")),
    ],
    ids=["retire twice", "pin twice", "pin and retire", "retire and adopt"],
)
def test_independent_changes_merge_without_conflict(
    twelve: Path, capfd: Captured, one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    plant(twelve, {"plugins/late/skills/s/SKILL.md": SKILL})
    commit(twelve)
    for name, number, argv in (("one", 3, one), ("other", 9, other)):
        git(twelve, "checkout", "-qb", name, "main")
        path = f"plugins/plugin-{number:02}/references/judge-contract.md"
        skill = twelve / f"plugins/plugin-{number:02}/skills/review/SKILL.md"
        if argv[0] == "retire":
            skill.write_text("Run scripts/judge_contract.py decide.\n")
        assert main([word.format(path) for word in argv]) == 0
        commit(twelve, name)
    git(twelve, "checkout", "-q", "one")
    git(twelve, "merge", "-q", "other", "-m", "merged")
    merged = (twelve / LOCK).read_bytes()
    assert main(["lock"]) == 0
    assert (twelve / LOCK).read_bytes() == merged
    assert findings(capfd) == (0, [("JC-OLD", LOCK)])


@pytest.mark.parametrize(
    "hurt",
    [
        lambda path: path.write_bytes(path.read_bytes() + b"\nreturn {{ broken\n"),
        lambda path: path.write_bytes(path.read_bytes() + b"\xff"),
        lambda path: path.write_bytes(path.read_bytes().replace(b"judge-contract:end", b"end")),
    ],
    ids=["a syntax error", "not UTF-8", "the end marker lost"],
)
def test_what_is_hurt_is_neither_moved_nor_forgotten(
    twelve: Path, capfd: Captured, hurt: Callable[[Path], object]
) -> None:
    path = "plugins/plugin-04/workflows/review.js"
    hurt(twelve / path)
    before = (twelve / LOCK).read_bytes()
    assert main(["lock"]) == 0
    assert (twelve / LOCK).read_bytes() == before
    assert main(["upgrade"]) == 1
    assert f"left     {path}: " in capfd.readouterr().out
    assert path.encode() in (twelve / LOCK).read_bytes()
