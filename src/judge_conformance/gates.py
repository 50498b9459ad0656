"""Run a canonical Python file's own bytes, isolated: there is one implementation of each."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

from judge_conformance.catalog import Catalog

ENDING = (signal.SIGINT, signal.SIGTERM)


def run(catalog: Catalog, name: str, argv: Sequence[str]) -> int:
    """Run the newest bytes of a canonical Python file on our own streams; return its exit.

    What asks us to end is passed on to it: it knows what it has started.
    """
    early: list[int] = []
    with catalog.on_disk(name) as path, _handled(lambda number, _: early.append(number)):
        process = subprocess.Popen([sys.executable, "-I", "-S", str(path), *argv])
        with _handled(lambda number, _: process.send_signal(number)):
            for number in early:
                process.send_signal(number)
            code = process.wait()
    return code if code >= 0 else 128 - code


@contextlib.contextmanager
def _handled(handler: Callable[[int, object], None]) -> Iterator[None]:
    """Handle the signals that ask us to end for a while."""
    before = [(number, signal.signal(number, handler)) for number in ENDING]
    try:
        yield
    finally:
        for number, earlier in before:
            signal.signal(number, earlier)
