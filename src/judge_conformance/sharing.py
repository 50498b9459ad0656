"""Share work out among the cores of this machine, by forks of this process.

A fork has all that was read so far, so that nothing but results is handed over. What a fork does
not answer (it was killed, or met an error) is left to the caller, who does it and raises for real.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")
R = TypeVar("R")

_MOST = 8  # forks; each has the parsed scripts of its share in memory
_WORTH = 24  # items; fewer take less time than the forks


def shared_out(items: Sequence[T], work: Callable[[Sequence[T]], Mapping[T, R]]) -> dict[T, R]:
    """Return what `work` gives for each share of the items, done at once.

    Items that no share answers for are missing; all are where it is not worth it, and where a fork
    is not safe: elsewhere than on Linux, and beside a thread that could hold a lock.
    """
    count = min(_MOST, _cores(), len(items) // _WORTH)
    if count < 2 or sys.platform != "linux" or threading.active_count() > 1:  # noqa: PLR2004 - alone
        return {}
    import multiprocessing  # noqa: PLC0415 - late: most trees are read alone

    fork = multiprocessing.get_context("fork")
    answers: list[Connection] = []
    length = -(-len(items) // count)  # neighbours stay together: they need the same files
    for start in range(0, len(items), length):
        ours, theirs = fork.Pipe(duplex=False)
        process = fork.Process(
            target=_answer, args=(theirs, work, items[start : start + length]), daemon=True
        )
        process.start()
        theirs.close()
        answers.append(ours)
    done: dict[T, R] = {}
    for answer in answers:
        with answer, suppress(EOFError, OSError):
            done.update(answer.recv())
    return done


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _answer(
    pipe: Connection, work: Callable[[Sequence[T]], Mapping[T, R]], share: Sequence[T]
) -> None:
    """Answer in a fork; an interrupt is for the caller to tell of, and so is an error."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with suppress(Exception):
        pipe.send(work(share))
