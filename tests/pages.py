"""Pages with examples: each is played, and says what happens when it is.

A fence whose info string is `LANGUAGE NAME` is a file that the examples below it find. In a fence
of language `console`, a line that starts with `$ ` is a command (one with `> ` goes on with it) and
what follows is all that it prints; `$?` is the exit of the command before. The examples of a page
share one folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

FENCE = re.compile(r"(?ms)^```(?P<language>[\w-]+)(?: (?P<name>[\w./-]+))?\n(?P<text>.*?)^```$")


def played(page: str, folder: Path) -> str:
    """Play a page in a folder; return the page as it would say what happens."""
    parts, end, code = [], 0, 0
    for fence in FENCE.finditer(page):
        if fence["name"]:
            file = folder / fence["name"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fence["text"], "utf-8")
        elif fence["language"] == "console":
            parts.append(page[end : fence.start("text")])
            for lines in _commands(fence["text"]):
                code, printed = _run(code, "".join(line[2:] for line in lines), folder)
                parts += [*lines, printed]
            end = fence.end("text")
    return "".join([*parts, page[end:]])


def _commands(example: str) -> Iterator[list[str]]:
    """Yield the lines of each command of an example, as they stand there."""
    lines = example.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.startswith("$ "):
            more = number + 1
            while more < len(lines) and lines[more].startswith("> "):
                more += 1
            yield lines[number:more]


def _run(code: int, command: str, folder: Path) -> tuple[int, str]:
    """Run a command where `$?` is this exit; return its own, and what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", f"(exit {code})\n{command}"],
        cwd=folder,
        env={**os.environ, "PATH": path, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8")
