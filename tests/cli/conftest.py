from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.changes import branch


@pytest.fixture
def change(adopted: Callable[..., Path]) -> Path:
    """Branch off a marketplace whose config, workflow and owners hold it."""
    return branch(adopted())
