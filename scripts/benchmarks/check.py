"""Measure `check` on a big marketplace beside git, reuse and cog: `scripts/bench check`.

All take turns in one run, so that what else the machine does falls on each alike. `check` has found
all plugins clean before and remembers them; `cold` is `check --fresh`, as in CI. What one
edited script of 8 KB costs beyond a check is measured on a marketplace of four plugins, since the
noise of the big one is larger than it. reuse and cog are
installed into a virtual environment of their own.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILED = (ROOT / "src/judge_conformance", ROOT / "vendored")  # as pip does what it installs
BUILDER = Path(__file__).with_name("big_repository.py")
OTHERS = ["reuse==6.2.0", "cogapp==3.6.1"]
OURS = [sys.executable, "-m", "judge_conformance", "check"]
EDITED = "plugins/plugin-0000/workflows/review.js"
COLD = [*OURS, "--fresh"]
WORK = {name: value for name, value in os.environ.items() if name != "CI"}  # where it remembers
GOALS = {
    "check / git": 4,
    "cold / git": 4,
    "reuse / check": 40,
    "reuse / cold": 40,
    "(edited - small) / cog": 2.5,
}
COG = (
    "# [[[cog cog.outl('x = 1') ]]]\nx = 1\n# [[[end]]]\n"
    + "y = 2  # a line of some length\n" * 250
)


def timed(*commands: list[str], folder: Path, exits: tuple[int, ...] = (0,)) -> float:
    """Return the seconds that commands take one after the other."""
    started = time.perf_counter()
    for argv in commands:
        done = subprocess.run(argv, cwd=folder, capture_output=True, check=False, env=WORK)
        if done.returncode not in exits:
            raise SystemExit(f"{argv} exits {done.returncode}: {done.stderr.decode()[-500:]}")
    return time.perf_counter() - started


def built_at(root: Path, *, plugins: int) -> str:
    """Make a marketplace and return what its builder says of it."""
    argv = [sys.executable, str(BUILDER), str(root), "--plugins", str(plugins)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def edited(root: Path) -> float:
    """Return the seconds of a check while one script is changed."""
    file = root / EDITED
    before = file.read_bytes()
    more = "".join(f"const step{n} = (value) => [value, {n}];\n" for n in range(210))
    try:
        file.write_bytes(
            before.replace(b"\n\nconst RUBRIC", b"\n\n" + more.encode() + b"const RUBRIC")
        )
        return timed(OURS, folder=root)
    finally:
        file.write_bytes(before)


def remembered(root: Path) -> float:
    """Return the seconds of a check that remembers all, what an edit left behind included."""
    timed(OURS, folder=root)
    return timed(OURS, folder=root)


def legs(root: Path, small: Path, tools: Path) -> dict[str, Callable[[], float]]:
    """Return what takes turns, by name."""
    one = tools / "cogged.py"
    one.write_text(COG, encoding="utf-8")
    git = (["git", "ls-files", "-s", "-z"], ["git", "status"])
    return {
        "git": lambda: timed(*git, folder=root),
        "check": lambda: timed(OURS, folder=root),
        "cold": lambda: timed(COLD, folder=root),
        "small": lambda: remembered(small),
        "edited": lambda: edited(small),
        "cog": lambda: timed([str(tools / "bin/cog"), "--check", str(one)], folder=root),
    }


def main() -> int:
    """Run the turns and print the figures."""
    parser = argparse.ArgumentParser(prog="scripts/bench check", description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--plugins", type=int, default=500)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="judge-contract-bench-") as name:
        root, small, tools = (Path(name, part) for part in ("big", "small", "tools"))
        built = built_at(root, plugins=args.plugins)
        built_at(small, plugins=4)
        venv.create(tools, with_pip=True)
        subprocess.run([tools / "bin/pip", "install", "-q", *OTHERS], check=True)
        for folder in COMPILED:
            compileall.compile_dir(folder, quiet=1)
        todo = legs(root, small, tools)
        seconds: dict[str, list[float]] = {leg: [] for leg in todo}
        time.sleep(3)  # what was written just now is not remembered yet
        for run in todo.values():
            run()  # fill the system's caches, and the memory
        for _ in range(args.turns):
            for leg, run in todo.items():
                seconds[leg].append(run())
        reuse = timed([str(tools / "bin/reuse"), "lint", "-q"], folder=root, exits=(0, 1))
    median = {leg: statistics.median(times) for leg, times in seconds.items()} | {"reuse": reuse}
    ratios = {
        "check / git": median["check"] / median["git"],
        "cold / git": median["cold"] / median["git"],
        "reuse / check": reuse / median["check"],
        "reuse / cold": reuse / median["cold"],
        "(edited - small) / cog": (median["edited"] - median["small"]) / median["cog"],
    }
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    report = {
        "machine": machine,
        "versions": [git.strip(), *OTHERS],
        "repository": built.split(" in ")[0],
        "turns": args.turns,
        "seconds": {
            leg: [round(value, 3) for value in times]
            for leg, times in {**seconds, "reuse": [reuse]}.items()
        },
        "ratios": {
            name: {"found": round(ratio, 2), "goal": GOALS[name]} for name, ratio in ratios.items()
        },
    }
    print(json.dumps(report, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
