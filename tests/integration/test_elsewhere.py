"""What must go on other systems, as far as it can be seen on this one, and what a release runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What Windows has not, taken away before anything is imported; then a program's argv.
BARE = """
import os, signal, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY"):
    delattr(os, name)
for name in ("fork", "getuid", "geteuid", "killpg", "mkfifo"):
    delattr(os, name)
del signal.SIGKILL
sys.argv[0] = "judge-contract"
"""
RUN = f"{BARE}\nfrom judge_conformance.cli.app import entry\nentry()"
IMPORT_ALL = f"""{BARE}
import importlib, pkgutil, judge_conformance
found = pkgutil.walk_packages(judge_conformance.__path__, "judge_conformance.")
names = [module.name for module in found if not module.name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
assert len(names) > 100
"""


def run(*argv: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *argv],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def test_a_marketplace_is_played_through_without_what_windows_has_not(tmp_path: Path) -> None:
    program = tmp_path / "bare.py"
    program.write_text(RUN, "utf-8")
    done = run(
        str(ROOT / "scripts/try-out"),
        *(sys.executable, str(program)),
        PYTHONIOENCODING="cp1252",
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.count("ok  ") == 10


def test_every_module_can_be_imported_there() -> None:
    done = run("-c", IMPORT_ALL)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_console_of_old_holds_every_name(tmp_path: Path) -> None:
    market = tmp_path / "market"
    shutil.copytree(ROOT / "tests/marketplaces/adopted", market)
    (market / "plugins/acme").rename(market / "plugins/判断")
    for command in ("check", "status", "scan"):
        done = run("-c", RUN, command, str(market), PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
        assert done.returncode in {0, 1}, done.stderr
        assert done.stderr == "" or "note" in done.stderr


def test_a_broken_copy_stops_the_play(tmp_path: Path) -> None:
    program = tmp_path / "blind.py"
    blind = "sys.argv[1:] = [*sys.argv[1:], *(['--exit-zero'] if sys.argv[1] == 'check' else [])]"
    program.write_text(f"import sys\n{blind}\n{RUN}", "utf-8")
    done = run(str(ROOT / "scripts/try-out"), sys.executable, str(program))
    assert done.returncode == 1
    assert "try-out: " in done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "scripts/release-notes", tmp_path / "scripts")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    changes = (
        "# Changelog\n\n## 1.2.3 (2026-05-04)\n\n### Fixed\n\n- Less.\n\n## 1.2.2 (2026-01-01)\n"
    )
    (tmp_path / "docs/changelog.md").write_text(changes)
    return tmp_path


def test_a_release_is_told_by_its_section_of_the_changelog(project: Path) -> None:
    done = run(str(project / "scripts/release-notes"), "v1.2.3")
    assert (done.returncode, done.stdout) == (0, "### Fixed\n\n- Less.\n")


@pytest.mark.parametrize(
    ("tag", "old", "new", "said"),
    [
        ("v1.2.4", "", "", "the tag is v1.2.4, and pyproject.toml says 1.2.3"),
        ("v1.2.3", "## 1.2.3 ", "## 1.2.30 ", "has no section 1.2.3"),
    ],
)
def test_a_release_that_is_not_ready_is_refused(
    project: Path, tag: str, old: str, new: str, said: str
) -> None:
    changelog = project / "docs/changelog.md"
    changelog.write_text(changelog.read_text().replace(old, new))
    done = run(str(project / "scripts/release-notes"), tag)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
