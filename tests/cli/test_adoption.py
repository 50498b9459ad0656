"""A marketplace with the shapes of a real one, from nothing to green: what is left to a person."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.trees import build, commit, git

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main
from judge_conformance.node import find_node

NAMES = ("security", "modernize", "commits")
HOOKS = ".pre-commit-config.yaml"
BUNDLED = "plugins/security/workflows/scan.js"
HOSTS = {
    BUNDLED: "export const meta={name:'scan',phases:[{title:'Panel'}]};const e=args??{};"
    + "".join(f"function h{n}(e){{return Number.isInteger(e)&&e>=0?e:null}}" for n in range(650))
    + "return{found:h1(e.n)};",
    "plugins/modernize/workflows/uplift.js": """export const meta = {
  name: 'uplift',
  description: 'Rules of a legacy system',
}

const items = args.items ?? []
log(`${items.length} to do`)
return { items }
""",
    "plugins/modernize/workflows/old.js": "// No meta.\nreturn args",
}
PARSES = """
import { readFileSync } from 'node:fs'
const AsyncFunction = (async () => {}).constructor
for (const file of process.argv.slice(2))
  new AsyncFunction('args', 'agent', readFileSync(file, 'utf8').replace(/^export /m, ''))
"""
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def market(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = dict(HOSTS)
    entries = [{"name": name, "source": f"./plugins/{name}"} for name in NAMES]
    files[".claude-plugin/marketplace.json"] = json.dumps({"name": "m", "plugins": entries})
    for name in NAMES:
        files[f"plugins/{name}/skills/review/SKILL.md"] = "---\nname: review\n---\nReview it.\n"
    root = build(tmp_path / "market", files)
    monkeypatch.chdir(root)
    return root


def checked(capfd: Captured) -> tuple[int, list[dict[str, str]]]:
    capfd.readouterr()
    code = main(["check", "--format", "json"])
    return code, json.loads(capfd.readouterr().out)["findings"]


def outside(text: str, block: str) -> tuple[str, str]:
    """Return what stands before and behind a block, less the blank lines that came with it."""
    before, after = text.split(block)
    return before.rstrip("\n"), after.lstrip("\n")


def test_adopted_it_asks_a_person_for_what_only_a_person_can_write(
    market: Path, catalog: Catalog, capfd: Captured
) -> None:
    assert main(["check"]) == 2
    assert "nothing to check" in capfd.readouterr().err
    workflows = [word for path in HOSTS for word in ("--workflow", path)]
    assert main(["init", *NAMES, "--python", "--markdown"]) == 0
    assert main(["vendor", *NAMES, *workflows]) == 0
    commit(market, "adopted")
    block = catalog.content("verdict.inline.js").decode()
    for path, host in HOSTS.items():
        before, after = outside((market / path).read_text(), block)
        assert host.startswith(before)
        assert host.endswith(after)
        assert host[len(before) : len(host) - len(after)].strip("\n") == ""
    node = [str(find_node().path), "--input-type=module", "-e", PARSES, "--", *HOSTS]
    subprocess.run(node, cwd=market, check=True)

    code, found = checked(capfd)
    copies = {f"plugins/{name}/references/judge-contract.md" for name in NAMES}
    modules = {f"plugins/{name}/scripts/judge_contract.py" for name in NAMES}
    assert code == 1
    assert {(row["code"], row["path"]) for row in found} == (
        {("JC-UNWIRED", path) for path in copies}
        | {("JC-UNCALLED", path) for path in {*modules, *HOSTS}}
        | {("JC-BUNDLED", BUNDLED)}
    )
    for row in found:
        if row["code"] != "JC-BUNDLED":
            paste(market, row, block)
    code, found = checked(capfd)
    assert code == 1
    assert sorted((row["code"], row["path"]) for row in found) == sorted(
        [("JC-BUNDLED", BUNDLED), *(("JC-RUBRIC", path) for path in HOSTS)]
    )
    for row in found:
        if row["code"] == "JC-RUBRIC":
            publish(market, row)
    assert [row["code"] for row in checked(capfd)[1]] == ["JC-BUNDLED"]
    assert main(["check"]) == 0
    subprocess.run(node, cwd=market, check=True)
    commit(market, "wired")
    assert main(["vendor", "--all"]) == 0
    assert git(market, "status", "--porcelain") == ""


def paste(root: Path, row: dict[str, str], block: str) -> None:
    """Do as the hint says, and no more: its lines go where its first line says."""
    told, _, lines = row["hint"].partition("\n")
    plugin = "/".join(row["path"].split("/")[:2])
    if row["path"].endswith((".js", ".mjs")):
        assert told.startswith("paste below the block")
        script = root / row["path"]
        text = script.read_text()
        items = "" if "const items" in text else "const items = ['a'];\n"
        decided, _, result = lines.rpartition("\nreturn ")
        before, after = text.split(block)
        pasted = f"{block}\n\n{items}{decided}\nlog({result.removesuffix(';')});"
        script.write_text(f"{before}{pasted}\n{after}")
    else:
        assert told.startswith("paste into the skill")
        with (root / plugin / "skills/review/SKILL.md").open("a") as skill:
            skill.write(f"\n{lines}\n")


def publish(root: Path, row: dict[str, str]) -> None:
    """Put the rubric of a script where its hint says."""
    told, _, lines = row["hint"].partition("\n")
    assert told == "put into a Markdown reference:"
    plugin = "/".join(row["path"].split("/")[:2])
    with (root / plugin / "references/rubrics.md").open("a") as reference:
        reference.write(f"\n{lines}\n")


def test_a_configuration_of_hooks_stays_and_the_lines_are_given(
    market: Path, capfd: Captured
) -> None:
    ours = "repos:\n  - repo: local\n    hooks: []\n"
    (market / HOOKS).write_text(ours)
    assert main(["init", "security", "--pre-commit"]) == 0
    told = capfd.readouterr().out
    assert (market / HOOKS).read_text() == ours
    _, _, rest = told.partition("paste into it, below the hooks that write files:\n")
    lines = rest.partition("write  ")[0]
    (market / HOOKS).unlink()
    assert main(["init", "commits", "--pre-commit"]) == 0
    assert (market / HOOKS).read_text() == f"repos:\n{lines}"
    assert f"then: git add {HOOKS} judge-contract.lock and" in capfd.readouterr().out
