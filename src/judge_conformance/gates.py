"""Run a canonical Python file's own bytes, isolated: there is one implementation of each."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from judge_conformance.catalog import Catalog


def run(catalog: Catalog, name: str, argv: Sequence[str]) -> int:
    """Run the newest bytes of a canonical Python file on our own streams; return its exit."""
    with catalog.on_disk(name) as path:
        command = [sys.executable, "-I", "-S", str(path), *argv]
        return subprocess.run(command, check=False).returncode
