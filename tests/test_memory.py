from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.trees import build, commit, git

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main
from judge_conformance.engine import context_for, run
from judge_conformance.findings import Report
from judge_conformance.memory import Clean, _write, remember
from judge_conformance.paths import CONFIG, LOCK, REGISTRY
from judge_conformance.planted.proofs import TODAY
from judge_conformance.planted.trees import ADOPTED, planted
from judge_conformance.rule import Context, Example, Executable, LinkTo
from judge_conformance.rules import all_rules
from judge_conformance.tree import find_plugins, open_tree

RULES = all_rules()
MARKET = ".claude-plugin/marketplace.json"
SCRIPT = "plugins/acme/workflows/review.js"
COPY = "plugins/acme/scripts/judge_contract.py"
SKILL = "plugins/acme/skills/review/SKILL.md"
PLANTS = [
    (rule.code, example) for rule in RULES for example in rule.examples if example.base is None
]


def files(catalog: Catalog, example: Example) -> dict[str, bytes]:
    """Return the planted marketplace, with a second adopted plugin, `beta`, beside acme."""
    held = planted(catalog, example.changes)
    clean = planted(catalog, {})
    rows = ""
    for path in ADOPTED:
        if path.startswith("plugins/acme/"):
            beta = path.replace("acme", "beta")
            text = clean[path]
            held[beta] = text if ADOPTED[path].startswith("{{") else text.replace(b"acme", b"beta")
            if "{{" in ADOPTED[path]:
                name = "verdict.inline.js" if path.endswith(".js") else Path(path).name
                rows += f'"{beta}" = "{name}"\n'
    if LOCK in held:
        held[LOCK] = held[LOCK].replace(b"[copies]\n", b"[copies]\n" + rows.encode())
    return held


def put(root: Path, catalog: Catalog, example: Example) -> None:
    """Make a work tree that of an example, leaving alone what stays, and tell git."""
    wanted = files(catalog, example)
    for path in (path for path in open_tree(root).paths if path not in wanted):
        (root / path).unlink()
    for path, data in wanted.items():
        file = root / path
        if not file.is_file() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    for path, change in example.changes.items():
        if isinstance(change, LinkTo):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            if (root / path).is_dir():
                shutil.rmtree(root / path)
            (root / path).symlink_to(change.target)
        elif isinstance(change, Executable):
            (root / path).chmod(0o755)
        elif ".gitignore" in wanted and path in wanted:
            git(root, "rm", "-q", "--cached", path)
    git(root, "add", ".")


def looked(root: Path, catalog: Catalog, *, recalling: bool = True) -> tuple[Context, Report]:
    """Check a tree as the command does; what is clean is remembered."""
    context = context_for(open_tree(root), catalog, today=TODAY, recalling=recalling)
    report = run(RULES, context)
    if context.memory is not None:
        remember(context.memory, context.survey, context.plugins, report)
    return context, report


def clean_of(root: Path, catalog: Catalog) -> set[str]:
    """Return the plugins that the next check would pass by."""
    context = context_for(open_tree(root), catalog, today=TODAY, recalling=True)
    return set(context.memory.clean) if context.memory else set()


@pytest.fixture
def market(tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return two adopted plugins, committed, found clean and remembered at once."""
    monkeypatch.setattr("judge_conformance.tree.base.UNSETTLED", 0)
    root = build(tmp_path / "market", files(catalog, Example(title="clean", changes={})))
    context, report = looked(root, catalog)
    assert not report.findings
    assert context.survey.copies
    assert clean_of(root, catalog) == {"plugins/acme", "plugins/beta"}
    return root


def test_what_is_unchanged_is_passed_by_and_counted(market: Path, catalog: Catalog) -> None:
    _, cold = looked(market, catalog, recalling=False)
    context, warm = looked(market, catalog)
    assert warm == cold
    assert (context.survey.copies, context.survey.scripts) == ({}, {})
    assert warm.checked == {"plugins": 2, "copies": 6, "scripts": 2}


@pytest.mark.parametrize(
    "plant", PLANTS, ids=[f"{code}: {example.title}" for code, example in PLANTS]
)
def test_a_planted_tree_gives_the_same_cold_and_warm_alone_and_shared(
    market: Path, catalog: Catalog, plant: tuple[str, Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, example = plant
    put(market, catalog, example)
    _, cold = looked(market, catalog, recalling=False)
    assert bool(cold.findings or cold.allowed) or example.at is None
    for _ in range(2):  # on what is remembered of the clean tree, then on what is of this one
        _, warm = looked(market, catalog)
        assert warm.findings == cold.findings
        assert (warm.allowed, warm.checked, warm.notes) == (cold.allowed, cold.checked, cold.notes)
        unclean = {
            finding.location.path
            for finding in (*cold.findings, *(row.finding for row in cold.allowed))
        }
        plugins = find_plugins(open_tree(market))
        owners = {plugins.of(path) for path in unclean}
        assert not clean_of(market, catalog) & {owner.path for owner in owners if owner}
    monkeypatch.setattr("judge_conformance.copies.shared_out", lambda items, work: work(items))
    context = context_for(open_tree(market), catalog, today=TODAY, rules=RULES)
    shared = run(RULES, context)
    assert shared.findings == cold.findings
    assert (shared.allowed, shared.checked, shared.notes) == (
        cold.allowed,
        cold.checked,
        cold.notes,
    )
    assert context.survey.quiet or example.at is not None or REGISTRY in example.changes


def rewritten(root: Path) -> None:
    """Change a byte, and put size and time back as they were."""
    file = root / SCRIPT
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b'"missing-item"', b'"missing-itim"'))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def checked_out_with_crlf(root: Path) -> None:
    """Let git write the very same blob with other line endings."""
    git(root, "config", "core.autocrlf", "true")
    (root / SCRIPT).unlink()
    git(root, "checkout", "--", SCRIPT)
    assert not git(root, "status", "--porcelain")


def with_one_time_trusted(root: Path) -> None:
    """Change a byte where git is told to look at size and first time alone."""
    git(root, "config", "core.trustctime", "false")
    git(root, "config", "core.checkStat", "minimal")
    rewritten(root)
    later = (root / SCRIPT).stat().st_mtime_ns + 10**9  # else git compares the bytes, to be sure
    os.utime(root / ".git/index", ns=(later, later))
    assert not git(root, "status", "--porcelain")


def vouched_for_by_a_helper(root: Path) -> None:
    """Change a file where git asks a program of the user's what changed, and it says: nothing."""
    helper = root / ".git/nothing-changed"
    helper.write_text("#!/bin/sh\nprintf 'token\\0'\n")
    helper.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(helper))
    git(root, "update-index", "--fsmonitor")
    git(root, "status")
    (root / SCRIPT).write_text("// judge-contract:start verdict@2\n")
    assert not git(root, "status", "--porcelain")


def flagged(flag: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        git(root, "update-index", flag, SCRIPT)
        (root / SCRIPT).write_text("// judge-contract:start verdict@2\n")

    return change


def replaced(path: str, old: str, new: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = (root / path).read_text()
        assert old in text
        (root / path).write_text(text.replace(old, new))

    return change


def written(path: str, text: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)

    return change


def untracked_and_ignored(root: Path) -> None:
    git(root, "rm", "-q", "--cached", COPY)
    (root / ".git/info/exclude").write_text(f"/{COPY}\n")


def linked(root: Path) -> None:
    """Put a link to the very same bytes where a copy was."""
    shutil.move(root / COPY, root / "aside.py")
    (root / COPY).symlink_to("../../../aside.py")


def behind_a_link(root: Path) -> None:
    (root / "plugins/acme").rename(root / "elsewhere")
    (root / "plugins/acme").symlink_to("../elsewhere")


CHANGES: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "a byte, size and time put back": (rewritten, "JC-DRIFT"),
    "a byte, and git trusts one time": (with_one_time_trusted, "JC-DRIFT"),
    "a helper says that nothing changed": (vouched_for_by_a_helper, "JC-MARKER"),
    "other line endings of the same blob": (checked_out_with_crlf, "JC-DRIFT"),
    "assumed unchanged": (flagged("--assume-unchanged"), "JC-MARKER"),
    "not in the sparse tree": (flagged("--skip-worktree"), "JC-MARKER"),
    "a copy deleted": (lambda root: (root / COPY).unlink(), "JC-REQUIRED"),
    "a copy taken out of git and ignored": (untracked_and_ignored, "JC-IGNORED"),
    "a copy linked": (linked, "JC-LINK"),
    "a plugin behind a link": (behind_a_link, "JC-LINK"),
    "the executable bit": (lambda root: (root / COPY).chmod(0o755), "JC-MODE"),
    "the only text that names it": (lambda root: (root / SKILL).unlink(), "JC-UNWIRED"),
    "a copy beside, untracked": (
        written("plugins/acme/lib/judge_contract.py", "print(1)\n"),
        "JC-PY-DRIFT",
    ),
    "a plugin's name in the marketplace": (
        replaced(MARKET, '"name": "acme"', '"name": "zenith"'),
        "",
    ),
    "a plugin within": (
        replaced(
            MARKET,
            '"plugins": [',
            '"plugins": [{"name": "within", "source": "./plugins/acme/workflows"}, ',
        ),
        "JC-RUBRIC",
    ),
    "the config asks for more": (
        written(CONFIG, 'required = ["plugins/acme/gone.js"]\n'),
        "JC-REQUIRED",
    ),
    "a lock's row lost": (
        replaced(LOCK, f'"{COPY}" = "judge_contract.py"\n', ""),
        "JC-STRAY",
    ),
    "an older release": (replaced(LOCK, '"0.2.0"', '"0.1.0"'), "JC-PY-DRIFT"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_past_what_is_remembered(
    market: Path, catalog: Catalog, name: str
) -> None:
    change, code = CHANGES[name]
    change(market)
    _, cold = looked(market, catalog, recalling=False)
    assert code in {*(finding.code for finding in cold.findings), ""}
    for _ in range(2):
        _, warm = looked(market, catalog)
        assert warm.findings == cold.findings
        assert (warm.checked, warm.notes) == (cold.checked, cold.notes)


def test_what_a_config_silences_is_found_once_it_does_not(market: Path, catalog: Catalog) -> None:
    written(CONFIG, '[severity]\nJC-MARKER = "off"\n')(market)
    written(SCRIPT, "// judge-contract:start verdict@2\n")(market)
    commit(market)
    assert not looked(market, catalog)[1].findings
    assert clean_of(market, catalog) == {"plugins/acme", "plugins/beta"}
    written(CONFIG, "")(market)
    assert [one.code for one in looked(market, catalog)[1].findings] == ["JC-MARKER"]


def test_a_copy_that_git_does_not_hold_is_looked_for_each_time(
    market: Path, catalog: Catalog
) -> None:
    written(CONFIG, '[severity]\nJC-IGNORED = "off"\n')(market)
    untracked_and_ignored(market)
    commit(market)
    assert not looked(market, catalog)[1].findings
    assert clean_of(market, catalog) == {"plugins/beta"}
    (market / COPY).unlink()
    assert [one.code for one in looked(market, catalog)[1].findings] == ["JC-REQUIRED"]


def test_a_plugin_around_another_is_clean_only_if_that_is(market: Path, catalog: Catalog) -> None:
    replaced(MARKET, '"plugins": [', '"plugins": [{"name": "all", "source": "./"}, ')(market)
    commit(market)
    (market / SCRIPT).write_text("// judge-contract:start verdict@2\n")
    commit(market)
    _, cold = looked(market, catalog)
    assert [finding.code for finding in cold.findings] == ["JC-MARKER"]
    assert clean_of(market, catalog) == {"plugins/beta"}
    assert looked(market, catalog)[1].findings == cold.findings


def test_the_index_is_remembered_apart_from_the_work_tree(market: Path, catalog: Catalog) -> None:
    def staged() -> Context:
        tree = open_tree(market, staged=True)
        context = context_for(tree, catalog, today=TODAY, recalling=True)
        assert context.memory is not None
        remember(context.memory, context.survey, context.plugins, run(RULES, context))
        return context

    assert staged().survey.copies
    assert not staged().survey.copies
    (market / SCRIPT).write_text("// judge-contract:start verdict@2\n")
    assert not staged().survey.copies
    git(market, "add", SCRIPT)
    assert run(RULES, staged()).findings[0].code == "JC-MARKER"


def memory_of(root: Path) -> Path:
    (file,) = (root / ".git/judge-contract").iterdir()
    return file


def checksummed(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


BROKEN: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut short": lambda data: data[: len(data) // 2],
    "a digest edited": lambda data: data[:70] + b"00000000" + data[78:],
    "a count edited": lambda data: data.replace(b", 1]", b", 7]"),
    "no UTF-8": lambda data: b"\xff" + data[1:],
    "a list": lambda _: checksummed(b"[1, 2]"),
    "another form": lambda _: checksummed(b'{"a": 1}'),
    "nested deeply": lambda _: checksummed(b"[" * 100_000),
    "a count in words": lambda data: checksummed(data[65:].replace(b", 1]", b', "one"]')),
    "paths that are none": lambda data: checksummed(data[65:].replace(b'["plug', b'[7, "plug')),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_memory_is_none(market: Path, catalog: Catalog, name: str) -> None:
    file = memory_of(market)
    whole = file.read_bytes()
    file.write_bytes(BROKEN[name](whole))
    assert file.read_bytes() != whole
    assert clean_of(market, catalog) == set()
    context, report = looked(market, catalog)
    assert len(context.survey.copies) == 6
    assert not report.findings
    assert file.read_bytes() == whole


def test_a_memory_that_cannot_be_written_is_none(market: Path, catalog: Catalog) -> None:
    shutil.rmtree(market / ".git/judge-contract")
    (market / ".git/judge-contract").write_text("in the way\n")
    for _ in range(2):
        context, report = looked(market, catalog)
        assert len(context.survey.copies) == 6
        assert not report.findings
    assert (market / ".git/judge-contract").read_text() == "in the way\n"


def test_a_memory_of_another_user_is_none(
    market: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: memory_of(market).stat().st_uid + 1)
    assert clean_of(market, catalog) == set()


def test_a_pipe_in_its_place_is_no_memory_and_holds_nobody_up(
    market: Path, catalog: Catalog
) -> None:
    file = memory_of(market)
    file.unlink()
    os.mkfifo(file)
    assert clean_of(market, catalog) == set()
    looked(market, catalog)
    assert clean_of(market, catalog) == {"plugins/acme", "plugins/beta"}


def test_a_tool_without_files_keeps_no_memory(
    market: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("judge_conformance.memory._PACKAGE", tmp_path / "app.pyz/judge_conformance")
    context = context_for(open_tree(market), catalog, today=TODAY, recalling=True)
    assert context.memory is None


def test_another_tool_remembers_nothing(
    market: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "memory.py").write_text("# edited\n")
    monkeypatch.setattr("judge_conformance.memory._PACKAGE", tmp_path)
    assert clean_of(market, catalog) == set()


def test_a_git_folder_that_a_commit_could_bring_keeps_no_memory(
    market: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    (market / ".git").rename(market / "inside")
    monkeypatch.setenv("GIT_DIR", str(market / "inside"))
    monkeypatch.setenv("GIT_WORK_TREE", str(market))
    context = context_for(open_tree(market), catalog, today=TODAY, recalling=True)
    assert context.memory is None
    assert context.survey.copies


def test_the_command_says_the_same_and_keeps_no_memory_in_ci(
    market: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(market)
    shutil.rmtree(market / ".git/judge-contract")
    monkeypatch.setenv("CI", "true")
    assert main(["check"]) == 0
    assert not (market / ".git/judge-contract").exists()
    monkeypatch.delenv("CI")
    assert main(["check", "--select", "JC-DRIFT"]) == 0
    assert not (market / ".git/judge-contract").exists(), "a part of the rules finds nothing clean"
    assert main(["check"]) == 0
    assert memory_of(market).is_file()
    assert main(["check"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 4
    assert set(lines) == {"check: 2 plugins, 6 copies, 2 scripts: no finding"}
    (market / SCRIPT).write_text("// judge-contract:start verdict@2\n")
    assert main(["check"]) == 1
    assert main(["check"]) == 1
    assert not [path for path in git(market, "status", "--porcelain").split() if "judge" in path]


def test_what_stands_for_a_blob_in_this_clone_alone_is_not_read(
    market: Path, catalog: Catalog
) -> None:
    blob = git(market, "rev-parse", f":{SCRIPT}").strip()
    (market / "other.js").write_text("// judge-contract:start verdict@2\n")
    other = git(market, "hash-object", "-w", "other.js").strip()
    git(market, "replace", blob, other)
    tree = open_tree(market, staged=True)
    assert not run(RULES, context_for(tree, catalog, today=TODAY)).findings


def test_a_work_tree_of_its_own_has_a_memory_of_its_own(market: Path, catalog: Catalog) -> None:
    git(market, "worktree", "add", "-q", "../other")
    other = market.parent / "other"
    assert clean_of(other, catalog) == set()
    looked(other, catalog)
    assert clean_of(other, catalog) == clean_of(market, catalog) == {"plugins/acme", "plugins/beta"}
    assert len(list((market / ".git/judge-contract").iterdir())) == 1
    (other / SCRIPT).write_text("// judge-contract:start verdict@2\n")
    assert [finding.code for finding in looked(other, catalog)[1].findings] == ["JC-MARKER"]
    assert not looked(market, catalog)[1].findings


def test_runs_at_once_leave_a_whole_memory(market: Path, catalog: Catalog) -> None:
    shutil.rmtree(market / ".git/judge-contract")
    time.sleep(2.1)  # else what was written just now is not remembered
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    argv = [sys.executable, "-m", "judge_conformance", "check", str(market)]
    runs = [subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [one.wait() for one in runs] == [0, 0, 0]
    assert memory_of(market).is_file(), "nothing is left beside it"
    assert clean_of(market, catalog) == {"plugins/acme", "plugins/beta"}


WAYS: Mapping[str, tuple[str, ...]] = {
    "--fresh": ("--fresh",),
    "against a base": ("--base", "main"),
    "in CI": (),
    "beside a registry": (),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_forged_memory_says_is_not_asked(
    market: Path, catalog: Catalog, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.chdir(market)
    (market / SCRIPT).write_text("// judge-contract:start verdict@2\n")
    git(market, "add", ".")
    context = context_for(open_tree(market), catalog, today=TODAY, recalling=True)
    assert context.memory is not None
    told = {key: Clean(copies=(), scripts=0) for key in context.memory.keys.values()}
    _write(context.memory.file, told)
    assert main(["check", "--select", "JC-MARKER"]) == 0, "who may write into .git can have this"
    if way == "in CI":
        monkeypatch.setenv("CI", "1")
    if way == "beside a registry":
        (market / "judges.toml").write_text("")
    assert main(["check", "--select", "JC-MARKER", *WAYS[way]]) == 1


def test_what_changed_just_now_is_looked_at_again(
    market: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge_conformance.tree.base.UNSETTLED", 2 * 10**9)
    (market / SKILL).touch()
    looked(market, catalog)
    assert clean_of(market, catalog) <= {"plugins/beta"}
    time.sleep(2.1)
    looked(market, catalog)
    assert clean_of(market, catalog) == {"plugins/acme", "plugins/beta"}


def test_a_change_that_is_not_committed_is_remembered_when_clean(
    market: Path, catalog: Catalog
) -> None:
    replaced(SKILL, "Judge", "Always judge")(market)
    context, report = looked(market, catalog)
    assert not report.findings
    assert {copy.split("/")[1] for copy in context.survey.copies} == {"acme"}
    assert not looked(market, catalog)[0].survey.copies
