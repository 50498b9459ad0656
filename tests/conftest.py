"""What every test stands on: git as it comes, whoever runs the tests and from wherever."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.trees import UNTOUCHED, Planted, build


@pytest.fixture(scope="session", autouse=True)
def _git_without_configuration() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("GIT_"):
                patch.delenv(name)
        for name, value in UNTOUCHED.items():
            patch.setenv(name, value)
        yield


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[Mapping[str, Planted]], Path]:
    """Build a committed git repository from a table of files."""
    return lambda files: build(tmp_path / "repository", files)
