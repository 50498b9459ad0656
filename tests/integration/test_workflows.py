"""The action and the workflow to copy: their shell steps, run one by one as GitHub would."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.trees import commit, git

from judge_conformance.cli.app import main
from judge_conformance.rule import Change, Edit

ROOT = Path(__file__).parents[2]
CONFIG, PY = "judge-contract.toml", "plugins/acme/scripts/judge_contract.py"
MANIFEST = "plugins/acme/.claude-plugin/plugin.json"
Adopted = Callable[..., Path]
Step = Mapping[str, Any]


class Runner:
    """A runner: its folders, and `run` for one shell step."""

    def __init__(self, folder: Path, workspace: Path) -> None:
        self.workspace = workspace
        self.temp = folder / "temp"
        self.temp.mkdir()
        self.output, self.summary = folder / "output", folder / "summary"
        self.tools = folder / "tools"
        self.tools.mkdir()
        for file in (self.output, self.summary):
            file.touch()

    def run(self, step: Step, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a step as GitHub's bash does; `variables` stand for what expressions give."""
        assert set(variables) == set(step.get("env", {}))
        environment = {
            **os.environ,
            **variables,
            "PATH": f"{self.tools}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


def load(path: Path) -> Any:  # noqa: ANN401 - what YAML holds
    return YAML(typ="safe").load(path.read_text("utf-8"))


def test_the_action_installs_from_its_own_files_and_reports(
    adopted: Adopted, tmp_path: Path
) -> None:
    action = tmp_path / "action"
    action.mkdir()
    for name in ("src", "vendored", ".github"):
        shutil.copytree(ROOT / name, action / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, action)
    install, check = load(ROOT / "action.yml")["runs"]["steps"][1:]
    root = adopted()
    git(root, "branch", "-M", "main")
    runner = Runner(tmp_path, root)
    (runner.tools / "python").symlink_to(sys.executable)
    done = runner.run(install, ACTION_PATH=str(action))
    assert done.returncode == 0, done.stderr
    clean = {"ROOT": ".", "STRICT": "false", "BASE": "", "ACCEPTED": "false"}
    done = runner.run(check, **clean)
    assert (done.returncode, done.stderr) == (0, "")
    outputs = dict(line.split("=", 1) for line in runner.output.read_text().splitlines())
    assert json.loads(Path(outputs["json"]).read_text())["summary"]["errors"] == 0
    assert json.loads(Path(outputs["sarif"]).read_text())["version"] == "2.1.0"
    assert runner.summary.read_text().startswith("### judge-contract check: 1 plugin")
    (root / PY).write_bytes((root / PY).read_bytes() + b"# mine\n")
    done = runner.run(check, **clean)
    assert done.returncode == 1
    assert done.stdout.startswith(f"::error file={PY},line=")
    assert "JC-PY-DRIFT" in runner.summary.read_text()
    commit(root, "red on main")
    git(root, "checkout", "-qb", "change")
    (root / CONFIG).write_text("")
    assert runner.run(check, **{**clean, "BASE": "main"}).returncode == 0
    done = runner.run(check, **{**clean, "ROOT": "nowhere"})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


PIPX = f"""#!/bin/sh
case "$1 $2" in "run judge-contract=="[0-9]*) ;; *) exit 99 ;; esac
shift 2
exec {sys.executable} -m judge_conformance "$@"
"""


@pytest.fixture
def market(adopted: Adopted) -> Path:
    """A marketplace with the workflow of `init`, and a branch on which a change is merged."""
    changes: dict[str, Change] = {MANIFEST: Edit(old="1.0.0", new="1.0.0")}
    root = adopted(changes)
    git(root, "branch", "-M", "trunk")
    git(root, "branch", "main")
    assert main(["init", "acme", "--github"]) == 0
    git(root, "branch", "-f", "main", commit(root, "the gate"))
    git(root, "checkout", "-q", "main")
    return root


def merged(root: Path, change: Callable[[], object]) -> str:
    """Make a change on a branch and check out its merge, as GitHub does for a pull request."""
    base = git(root, "rev-parse", "main").strip()
    git(root, "checkout", "-qb", "change")
    change()
    commit(root, "the change")
    git(root, "checkout", "-q", "--detach", "main")
    git(root, "merge", "-q", "--no-ff", "change", "-m", "merge")
    return base


def test_the_workflow_to_copy_holds_a_pull_request(market: Path, tmp_path: Path) -> None:
    workflow = load(market / ".github/workflows/judge-contract.yml")
    assert workflow["on"]["push"]["branches"] == ["main"]
    assert workflow["on"]["pull_request"]["types"] == [
        *("opened", "synchronize", "reopened", "labeled", "unlabeled")
    ]
    assert "merge_group" in workflow["on"]
    assert not any("paths" in (event or {}) for event in workflow["on"].values())
    assert workflow["permissions"] == {}
    (check,) = [step for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    result = workflow["jobs"]["result"]
    assert (result["name"], result["if"]) == ("judge-contract", "always()")
    runner = Runner(tmp_path, market)
    pipx = runner.tools / "pipx"
    pipx.write_text(PIPX)
    pipx.chmod(pipx.stat().st_mode | stat.S_IXUSR)
    (job,) = result["steps"]
    for said in ("success", "failure", "cancelled", "skipped", ""):
        assert (runner.run(job, RESULT=said).returncode == 0) == (said == "success")

    push = {"EVENT": "push", "QUEUE_BASE": "", "ACCEPTED": "false"}
    assert runner.run(check, **push).returncode == 0
    base = merged(market, lambda: (market / CONFIG).write_text('exclude = ["plugins/acme/"]\n'))
    pull = {"EVENT": "pull_request", "QUEUE_BASE": "", "ACCEPTED": "false"}
    done = runner.run(check, **pull)
    assert done.returncode == 1
    assert f"::error file={CONFIG},line=1,title=JC-LEFT::leaves out more" in done.stdout
    done = runner.run(check, **{**pull, "ACCEPTED": "true"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"::notice file={CONFIG}" in done.stdout
    done = runner.run(check, EVENT="merge_group", QUEUE_BASE=base, ACCEPTED="false")
    assert done.returncode == 0
    assert runner.summary.read_text().count("### judge-contract check") == 4


def test_a_market_below_gits_top_is_told_where_workflows_live(
    market: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    below = market / "below"
    shutil.copytree(ROOT / "tests/marketplaces/adopted", below)
    capfd.readouterr()
    assert main(["init", "acme", "--github", "--root", str(below)]) == 2
    assert "reads workflows at git's top alone" in capfd.readouterr().err
    assert not (below / ".github").exists()
