"""The other ways to carry the project: a source archive, a single file, an editable install."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tarfile
import zipapp
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("src", "vendored", "tests/marketplaces", "docs", "scripts", ".github")
FILES = ("pyproject.toml", "README.md", "LICENSE", "action.yml", ".gitattributes")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages") / "source"
    folder.mkdir()
    for name in PARTS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    return folder


def hatch(folder: Path, target: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", "dist"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (built,) = (folder / "dist").glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built


def test_the_source_archive_builds_the_same_wheel(source: Path, tmp_path: Path) -> None:
    archive = hatch(source, "sdist")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    assert (unpacked / "scripts/test").is_file()
    assert (unpacked / "vendored/parity").is_dir()
    assert hatch(unpacked, "wheel").read_bytes() == hatch(source, "wheel").read_bytes()


def needed(name: str, seen: set[str]) -> Iterator[importlib.metadata.Distribution]:
    """Yield a distribution's dependencies, theirs included, without extras and other systems'."""
    for line in importlib.metadata.requires(name) or ():
        requirement, _, marker = line.partition(";")
        match = re.match(r"[\w.-]+", requirement)
        assert match is not None
        if "extra" in marker or "platform" in marker or match[0] in seen:
            continue
        seen.add(match[0])
        yield importlib.metadata.distribution(match[0])
        yield from needed(match[0], seen)


def test_one_file_runs_without_site_packages(source: Path, tmp_path: Path) -> None:
    content = tmp_path / "content"
    with zipfile.ZipFile(hatch(source, "wheel")) as wheel:
        wheel.extractall(content)  # noqa: S202 - a wheel of our own making
    for distribution in needed("judge-contract", set()):
        for file in distribution.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                target = content / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target)
    single = tmp_path / "judge-contract.pyz"
    zipapp.create_archive(content, single, main="judge_conformance.cli.app:entry")
    shutil.rmtree(content)
    market = tmp_path / "market"
    (market / "plugins/foo/skills").mkdir(parents=True)
    (market / "plugins/foo/skills/SKILL.md").write_text("references/judge-contract.md\n")

    def run(*argv: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", str(single), *argv]
        return subprocess.run(command, cwd=market, capture_output=True, text=True, check=False)

    assert run("--version").stdout == "judge-contract, version 0.2.0\n"
    vendored = run("vendor", "foo", "--markdown")
    assert vendored.returncode == 0, vendored.stderr
    copy = market / "plugins/foo/references/judge-contract.md"
    assert copy.read_bytes() == (ROOT / "vendored/judge-contract.md").read_bytes()
    checked = run("check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    copy.write_bytes(b"#" + copy.read_bytes())
    assert "JC-MD-DRIFT" in run("check").stdout


def test_an_editable_install_reads_the_checkout(tmp_path: Path) -> None:
    code = "from judge_conformance.catalog import Catalog; print(Catalog.load().folder)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()) == ROOT / "vendored"
