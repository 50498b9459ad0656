"""What every test stands on: git and signals as they come, whoever runs the tests and where."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.trees import IDENTITY, UNTOUCHED, Planted, build

from judge_conformance.catalog import Catalog
from judge_conformance.planted.trees import plant
from judge_conformance.rule import Change, Example


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag that makes golden files anew."""
    parser.addoption("--rewrite", action="store_true", help="Write the golden files again.")


@pytest.fixture(scope="session", autouse=True)
def _git_without_configuration() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("GIT_"):
                patch.delenv(name)
        for name, value in UNTOUCHED.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session", autouse=True)
def _interrupts_are_heard() -> None:
    """A shell's background job ignores interrupts, and so would all that the tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[Mapping[str, Planted]], Path]:
    """Build a committed git repository from a table of files."""
    return lambda files: build(tmp_path / "repository", files)


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """Load the canonical bytes once."""
    return Catalog.load()


@pytest.fixture
def adopted(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Plant the adopted marketplace, committed, with changes; the current folder is its root."""

    def make(changes: dict[str, Change] | None = None) -> Path:
        root = tmp_path / "market"
        root.mkdir()
        plant(root, catalog, Example(title="a test", changes=changes or {}))
        for name, value in IDENTITY.items():
            monkeypatch.setenv(name, value)
        subprocess.run(["git", "commit", "-qm", "planted"], cwd=root, check=True)
        monkeypatch.chdir(root)
        return root

    return make
