"""What must never be lost while files are written: killed, refused, crowded, out of room."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.test_vendor import JS, MD, OTHER, PY, state

from judge_conformance.catalog import Catalog
from judge_conformance.cli._repository import context_at
from judge_conformance.cli.app import main
from judge_conformance.errors import RefusedError
from judge_conformance.paths import LOCK
from judge_conformance.rule import Delete, Edit, Write
from judge_conformance.vendoring import Plan, Want, apply, plan

Adopted = Callable[..., Path]

COMMAND = [sys.executable, "-m", "judge_conformance", "vendor", "--all", "--force"]
OLDER = {"judge-contract.lock": Edit(old='"0.2.0"', new='"0.1.0"')}
ARTIFACTS = {PY: "judge_contract.py", MD: "judge-contract.md", JS: "verdict.inline.js"}
BLOCK = ARTIFACTS[JS]
HOST = Write(text="export const meta = {};\nreturn 1;\n")
BETA = Write(text='{"name": "beta"}')
AGAIN = ("--python", "--markdown", "--force")
TEMPORARY = ".judge-contract-new"
KILLS = 200


def older_and_newer(catalog: Catalog, root: Path) -> dict[str, set[bytes]]:
    """Return what each file may hold: all of one release, or all of the other."""
    old, new = (
        {path: catalog.content(name, release) for path, name in ARTIFACTS.items()}
        for release in ("0.1.0", "0.2.0")
    )
    script = (root / JS).read_bytes()
    return {
        PY: {old[PY], new[PY]},
        MD: {old[MD], new[MD]},
        JS: {script, script.replace(new[JS], old[JS])},
    }


def test_killed_at_200_random_moments_every_file_is_whole(adopted: Adopted) -> None:
    """A file is made, one is replaced, a block goes into a script, and the lock comes last."""
    root = adopted({MD: Delete(), PY: Edit(old="The verdict", new="A verdict"), OTHER: HOST})
    wanted = [Want(path=path, artifact=name) for path, name in (ARTIFACTS | {OTHER: BLOCK}).items()]
    todo = plan(context_at(root), wanted, force=True)
    assert sorted(change.action for change in todo.changes) == ["create", "insert", "replace"]
    planted = state(root)
    begun = time.perf_counter()
    apply(root, todo)
    span = time.perf_counter() - begun
    done = state(root)
    steps = [*(change.path for change in todo.changes), LOCK]  # in the order of their writing
    assert {path for path in done if done[path] != planted.get(path)} == set(steps)
    seen: set[int] = set()
    chance = random.Random(2)  # noqa: S311 - the same moments every time
    for number in range(KILLS):
        for path in steps:
            if path in planted:
                (root / path).write_bytes(planted[path])
            else:
                (root / path).unlink(missing_ok=True)
        killed(root, todo, chance.uniform(0, span))
        left = {path: data for path, data in state(root).items() if not path.endswith(TEMPORARY)}
        written = [left.get(path) != planted.get(path) for path in steps]
        seen.add(sum(written))
        span *= 0.95 if all(written) else 1.05  # however busy the machine: some end, some do not
        assert written == sorted(written, reverse=True), number  # the lock knows what is there
        assert left == planted | {p: done[p] for p in steps[: sum(written)]}, number
        if number % 20 == 0:
            assert main(["vendor", "acme", "--workflow", OTHER, *AGAIN]) == 0
            assert state(root) == done, number
    assert {0, 4} < seen  # some died before, some after, and some within


def killed(root: Path, todo: Plan, after: float) -> None:
    """Write a plan in a process of its own, and kill it after so many seconds."""
    with warnings.catch_warnings(action="ignore"):  # that threads may be there: the child has none
        child = os.fork()
    if child == 0:
        try:
            apply(root, todo)
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_many_runs_at_once_end_as_one_would(adopted: Adopted, catalog: Catalog) -> None:
    root = adopted(OLDER)
    whole = older_and_newer(catalog, root)
    runs = [
        subprocess.Popen(COMMAND, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(5)
    ]
    told = [run.communicate()[1].decode() for run in runs]
    assert 0 in [run.returncode for run in runs]
    for run, words in zip(runs, told, strict=True):
        assert run.returncode in {0, 2}
        assert words.count("\n") == (run.returncode == 2)
        assert run.returncode == 0 or "another run" in words or "changed while this ran" in words
    for path, allowed in whole.items():
        assert (root / path).read_bytes() in allowed
    assert not list(root.rglob(f".*{TEMPORARY}"))
    assert main(["check"]) == 0


def test_a_lock_that_another_run_wrote_stops_a_plan_before_its_first_write(
    adopted: Adopted,
) -> None:
    root = adopted({OTHER: HOST, "plugins/beta/.claude-plugin/plugin.json": BETA})
    todo = plan(context_at(root), [Want(path=OTHER, artifact=BLOCK)])
    assert main(["vendor", "plugins/beta"]) == 0
    before = state(root)
    with pytest.raises(RefusedError, match="changed while this ran") as refusal:
        apply(root, todo)
    assert refusal.value.path == LOCK
    assert state(root) == before


def test_a_write_that_fails_half_way_loses_nothing(adopted: Adopted) -> None:
    root = adopted(OLDER)
    before = state(root)
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));"
        "from judge_conformance.cli.app import entry; entry()"
    )
    assert refused([sys.executable, "-c", limited, *COMMAND[3:]], root).endswith(
        ": cannot be written: File too large; the file is as it was\n"
    )
    assert state(root) == before


@pytest.fixture
def read_only(adopted: Adopted) -> Iterator[Path]:
    root = adopted(OLDER)
    folder = root / PY.rpartition("/")[0]
    folder.chmod(0o555)
    yield root
    folder.chmod(0o755)


def test_a_read_only_folder_is_said_in_one_line(read_only: Path) -> None:
    before = state(read_only)
    rights = "-dac_override,-dac_read_search"  # root writes everywhere, unless it gives this up
    humble = ["setpriv", f"--inh-caps={rights}", f"--bounding-set={rights}"]
    command = [*(humble if os.geteuid() == 0 else []), *COMMAND]
    assert refused(command, read_only) == (
        f"judge-contract: {PY}: cannot be written: Permission denied; the file is as it was\n"
    )
    left = {path for path, data in state(read_only).items() if before[path] != data}
    assert left <= {MD, JS}
    assert PY not in left


def refused(command: list[str], root: Path) -> str:
    """Run a command that must be refused, and return its one line."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr
