from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_conformance.catalog import Catalog
from judge_conformance.cli._repository import context_at
from judge_conformance.cli.app import main
from judge_conformance.errors import RefusedError
from judge_conformance.rule import Change, Delete, Edit, LinkTo, Write
from judge_conformance.vendoring import Want, apply, plan

PY = "plugins/acme/scripts/judge_contract.py"
MD = "plugins/acme/references/judge-contract.md"
JS = "plugins/acme/workflows/review.js"
OTHER = "plugins/acme/workflows/other.js"

Adopted = Callable[..., Path]
Captured = pytest.CaptureFixture[str]


def state(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def test_writing_what_is_there_writes_nothing(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    before = {path: (root / path).stat().st_mtime_ns for path in state(root)}
    assert main(["vendor", "--all"]) == 0
    assert capfd.readouterr().out == f"keep     {MD}\nkeep     {PY}\nkeep     {JS}\n"
    assert {path: (root / path).stat().st_mtime_ns for path in state(root)} == before


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("export const meta = {};\nreturn 1;\n", "export const meta = {};\n\n{B}\n\nreturn 1;\n"),
        (
            "export const meta = {} // m\n\nreturn 1",
            "export const meta = {} // m\n\n{B}\n\nreturn 1",
        ),
        ("export const meta = {}", "export const meta = {}\n\n{B}\n"),
        ("return 1\n", "{B}\n\nreturn 1\n"),
        ("\ufeffreturn 1\n", "\ufeff\n{B}\n\nreturn 1\n"),
        ("", "{B}\n"),
    ],
)
def test_a_new_block_goes_after_meta_and_no_other_byte_moves(
    adopted: Adopted, catalog: Catalog, host: str, expected: str
) -> None:
    root = adopted({OTHER: Write(text=host)})
    assert main(["vendor", "acme", "--workflow", OTHER]) == 0
    block = catalog.content("verdict.inline.js").decode()
    assert (root / OTHER).read_bytes().decode() == expected.replace("{B}", block)


def test_an_edited_copy_is_refused_and_left(adopted: Adopted, capfd: Captured) -> None:
    root = adopted({PY: Edit(old="verdict-missing", new="verdict-absent")})
    before = state(root)
    assert main(["vendor", "acme"]) == 2
    error = capfd.readouterr().err
    assert error.startswith(f"judge-contract: {PY}:")
    assert error.count("\n") == 1
    assert "--force" in error
    assert state(root) == before
    assert main(["vendor", "acme", "--force"]) == 0
    assert main(["check"]) == 0


def test_harmless_differences_are_mended_without_force(adopted: Adopted) -> None:
    root = adopted()
    (root / PY).write_bytes((root / PY).read_bytes().replace(b"\n", b"\r\n"))
    (root / MD).write_bytes(b"\xef\xbb\xbf" + (root / MD).read_bytes())
    assert main(["check"]) == 1
    assert main(["vendor", "--all"]) == 0
    assert main(["check"]) == 0


@pytest.mark.parametrize("flag", ["--dry-run", "--diff"])
def test_looking_writes_nothing(adopted: Adopted, capfd: Captured, flag: str) -> None:
    root = adopted({OTHER: Write(text="return 1;\n")})
    before = state(root)
    assert main(["vendor", "acme", "--workflow", OTHER, flag]) == 0
    assert f"insert   {OTHER}" in capfd.readouterr().out
    assert state(root) == before


def test_nothing_goes_through_a_link(adopted: Adopted, tmp_path: Path, capfd: Captured) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = adopted({"plugins/acme/lib": LinkTo(target=str(outside))})
    assert main(["vendor", "acme", "--python", "--into", "lib"]) == 2
    assert "link" in capfd.readouterr().err
    assert list(outside.iterdir()) == []
    assert main(["vendor", "acme", "--python", "--into", "../../../out"]) == 2
    assert not (root.parent / "out").exists()


def test_a_wholly_crlf_script_is_refused_with_the_mend(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    (root / OTHER).write_bytes(b"const a = 1;\r\nreturn a;\r\n")
    assert main(["vendor", "acme", "--workflow", OTHER]) == 2
    assert f".gitattributes: {OTHER} text eol=lf" in capfd.readouterr().err
    assert (root / OTHER).read_bytes() == b"const a = 1;\r\nreturn a;\r\n"


def test_an_upgrade_moves_all_but_what_was_edited(
    adopted: Adopted, catalog: Catalog, capfd: Captured
) -> None:
    root = adopted({"judge-contract.lock": Edit(old='"0.2.0"', new='"0.1.0"')})
    (root / PY).write_bytes(catalog.content("judge_contract.py", "0.1.0"))
    (root / MD).write_bytes(catalog.content("judge-contract.md", "0.1.0") + b"edited\n")
    old, new = (catalog.content("verdict.inline.js", r) for r in ("0.1.0", "0.2.0"))
    (root / JS).write_bytes((root / JS).read_bytes().replace(new, old))
    assert main(["upgrade", "--bump", "patch"]) == 1
    assert f"left     {MD}: edited" in capfd.readouterr().out
    assert (root / PY).read_bytes() == catalog.content("judge_contract.py")
    assert new in (root / JS).read_bytes()
    assert b'"version": "1.0.1"' in (root / "plugins/acme/.claude-plugin/plugin.json").read_bytes()
    assert b'release = "0.2.0"' in (root / "judge-contract.lock").read_bytes()
    assert main(["vendor", "--all", "--force"]) == 0
    assert main(["check"]) == 0


def test_two_adoptions_merge_and_a_conflict_is_mended_by_lock(
    adopted: Adopted, capfd: Captured
) -> None:
    root = adopted()

    def git(*argv: str) -> int:
        return subprocess.run(["git", *argv], cwd=root, check=False, capture_output=True).returncode

    for name in ("beta", "gamma"):
        assert git("checkout", "-qb", name, "HEAD~0") == 0
        skill = root / f"plugins/{name}/skills/s/SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("Judge by references/judge-contract.md with `judge_contract.py decide`.\n")
        manifest = root / f"plugins/{name}/.claude-plugin/plugin.json"
        manifest.parent.mkdir()
        manifest.write_text(f'{{"name": "{name}"}}')
        assert main(["vendor", f"plugins/{name}"]) == 0
        assert git("add", "-A") == 0
        assert git("commit", "-qm", name) == 0
        assert git("checkout", "-q", "-") == 0
    (root / ".gitattributes").write_text("judge-contract.lock merge=union\n")
    assert git("merge", "-q", "beta") == 0
    assert git("merge", "-q", "gamma", "-m", "merged") == 0
    (root / "judge-contract.lock").write_text(
        "<<<<<<< ours\n" + (root / "judge-contract.lock").read_text() + "=======\n>>>>>>> theirs\n"
    )
    capfd.readouterr()
    assert main(["check"]) == 3
    assert "judge-contract.lock:1: holds a merge conflict" in capfd.readouterr().err
    assert main(["lock"]) == 0
    assert main(["check"]) == 0
    assert (root / "judge-contract.lock").read_text().count("plugins/") == 7


def test_retire_removes_and_records(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    host = b"export const meta = { name: 'review' };\n\nconst RUBRIC"
    assert main(["retire", JS, "--why", " "]) == 2
    assert main(["retire", JS, "--why", "the judge is gone"]) == 0
    assert (root / JS).read_bytes().startswith(host)
    assert b'= "the judge is gone"' in (root / "judge-contract.lock").read_bytes()
    capfd.readouterr()
    assert main(["retire", PY, "--why", "a command decides"]) == 0
    assert not (root / PY).exists()


def test_a_pin_holds_an_older_copy(adopted: Adopted, catalog: Catalog) -> None:
    root = adopted()
    (root / PY).write_bytes(catalog.content("judge_contract.py", "0.1.0"))
    assert main(["check"]) == 1
    assert main(["pin", PY, "--why", "the record of a run"]) == 0
    assert main(["check"]) == 0
    (root / PY).write_bytes(catalog.content("judge_contract.py"))
    assert main(["check"]) == 1


def test_a_second_writer_is_told(adopted: Adopted, capfd: Captured) -> None:
    import fcntl  # noqa: PLC0415 - where the test runs

    root = adopted({OTHER: Write(text="return 1;\n")})
    holder = os.open(root, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    try:
        assert main(["vendor", "acme", "--workflow", OTHER]) == 2
    finally:
        os.close(holder)
    assert "another run is writing here" in capfd.readouterr().err
    assert (root / OTHER).read_text() == "return 1;\n"


TWO = (
    '{"name": "planted", "plugins": [{"name": "acme", "source": "./plugins/acme"},'
    ' {"name": "beta", "source": "./plugins/beta"}]}\n'
)
BETA = "plugins/beta/workflows/b.js"
PAIR: dict[str, Change] = {
    ".claude-plugin/marketplace.json": Write(text=TWO),
    BETA: Write(text="export const meta = {};\nreturn 1;\n"),
}


@pytest.mark.parametrize("command", ["vendor", "init"])
def test_one_run_serves_several_plugins_and_their_workflows(
    adopted: Adopted, capfd: Captured, catalog: Catalog, command: str
) -> None:
    root = adopted(PAIR)
    assert main([command, "acme", "beta", "--workflow", JS, "--workflow", BETA]) == 0
    assert capfd.readouterr().out.startswith(
        f"insert   {BETA}\nkeep     {JS}\nwrite    judge-contract.lock\n"
    )
    assert catalog.content("verdict.inline.js").strip() in (root / BETA).read_bytes()


def test_a_workflow_of_no_plugin_named_is_refused(adopted: Adopted, capfd: Captured) -> None:
    root = adopted(PAIR)
    before = state(root)
    assert main(["vendor", "acme", "--workflow", BETA]) == 2
    told = capfd.readouterr().err
    assert told == f"judge-contract: {BETA}: lies in no plugin named here (acme)\n"
    assert state(root) == before


def test_all_with_a_flag_gives_it_to_every_adopted_plugin(
    adopted: Adopted, capfd: Captured
) -> None:
    root = adopted(PAIR)
    assert main(["vendor", "--all", "--gate", "vote"]) == 0
    plan, _, left = capfd.readouterr().out.partition("\n\nleft for a person to write:\n")
    assert plan == "create   plugins/acme/scripts/judge_vote.py\nwrite    judge-contract.lock"
    assert left.count("error JC-UNCALLED") == 1
    assert not (root / "plugins/beta/scripts").exists()


def test_a_file_that_changes_under_a_plan_stops_it_before_its_first_write(
    adopted: Adopted, catalog: Catalog
) -> None:
    root = adopted({PY: Delete(), MD: Delete(), OTHER: Write(text="return 1;\n")})
    context = context_at(root)
    todo = plan(context, wants_of(catalog))
    assert len(todo.changes) == 3
    (root / OTHER).write_text("return 2;\n")
    before = state(root)
    with pytest.raises(RefusedError, match="changed while this ran"):
        apply(root, todo)
    assert state(root) == before


def wants_of(catalog: Catalog) -> list[Want]:
    block = next(a.name for a in catalog.artifacts.values() if a.kind == "block")
    names = {PY: "judge_contract.py", MD: "judge-contract.md", OTHER: block}
    return [Want(path=path, artifact=name) for path, name in names.items()]
