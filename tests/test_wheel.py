from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the sources, then take the sources away."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("src", "vendored"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--disable-pip-version-check", "-w", str(folder)]
    subprocess.run([*command, str(source)], check=True)
    shutil.rmtree(source)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_ships_the_canonical_bytes(wheel: Path) -> None:
    prefix = "judge_conformance/vendored/"
    with zipfile.ZipFile(wheel) as archive:
        shipped = {
            name.removeprefix(prefix): archive.read(name)
            for name in archive.namelist()
            if name.startswith(prefix)
        }
    canonical = {
        path.relative_to(ROOT / "vendored").as_posix(): path.read_bytes()
        for path in (ROOT / "vendored").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert shipped == canonical
    assert "catalog.toml" in shipped


def test_the_wheel_ships_every_file_of_the_package(wheel: Path) -> None:
    package = ROOT / "src"
    files = {
        path.relative_to(package).as_posix()
        for path in (package / "judge_conformance").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        assert files <= set(archive.namelist())
    assert {".mjs", ".json", ".yml", ".toml"} <= {Path(name).suffix for name in files}
    assert "judge_conformance/py.typed" in files


def test_the_wheel_runs_unpacked_by_nobody(wheel: Path, tmp_path: Path) -> None:
    def run(*argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "judge_conformance", *argv],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(wheel)},
            capture_output=True,
            text=True,
            check=False,
        )

    where = subprocess.run(
        [sys.executable, "-c", "import judge_conformance; print(judge_conformance.__file__)"],
        env={**os.environ, "PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(wheel) in where.stdout
    (tmp_path / "plugins/foo/skills").mkdir(parents=True)
    (tmp_path / "plugins/foo/skills/SKILL.md").write_text(
        "references/judge-contract.md\n`scripts/judge_contract.py decide`\n"
    )
    assert run("vendor", "foo").returncode == 0
    assert run("check").returncode == 0
    (tmp_path / "rubric.json").write_text('{"id": "a-b@1", "threshold": 2, "criteria": []}')
    refused = run("check-rubric", "rubric.json")
    assert refused.returncode in {1, 3}
    assert "threshold" in refused.stdout + refused.stderr
