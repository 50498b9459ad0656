"""Hold a row to its proof: a regex over files, in its own time; or a command, where asked for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

from judge_conformance.errors import UnusableInputError
from judge_conformance.judges.rows import Proof
from judge_conformance.tree import Tree

_ENDLESS = re.compile(r"[*+?{]")  # a regex without these is through a text in one go
SECONDS = 5.0  # for a regex; one that backtracks without end is no proof
COMMAND_SECONDS = 60.0

_SEEK = """\
import json, re, sys
asked = json.load(sys.stdin)
seek = re.compile(asked["regex"], re.MULTILINE).search
found = [name for name, text in asked["files"] if seek(text)]
json.dump(found, sys.stdout)
"""


def regex_fault(tree: Tree, proof: Proof, *, seconds: float = SECONDS) -> str | None:
    """Say why a regex proof does not hold; None when it does. It has a time limit."""
    named = {pattern: _matching(tree, pattern) for pattern in proof.paths}
    if nothing := [pattern for pattern, paths in named.items() if not paths]:
        return f"its proof looks in {nothing[0]!r}, which matches nothing"
    paths = sorted({path for found in named.values() for path in found})
    try:
        files = [(path, tree.read(path).decode("utf-8", "replace")) for path in paths]
    except UnusableInputError as error:
        return f"its proof cannot be read: {error.where}{error.message}"
    return _sought(proof, files, seconds)


def _sought(proof: Proof, files: list[tuple[str, str]], seconds: float) -> str | None:
    regex = str(proof.present if proof.absent is None else proof.absent)
    try:
        found = _found(regex, files, seconds)
    except subprocess.TimeoutExpired:
        return f"its proof took more than {seconds:g} seconds: a simpler regex"
    if proof.absent is not None and found:
        return f"its proof says absent, and {found[0]} holds {proof.absent!r}"
    lacking = [path for path, _ in files if path not in found]
    if proof.present is not None and lacking:
        return f"its proof says present, and {lacking[0]} does not hold {proof.present!r}"
    return None


def _found(regex: str, files: list[tuple[str, str]], seconds: float) -> list[str]:
    """Return the files that hold a regex; one that may take for ever is sought in a process."""
    if not _ENDLESS.search(regex):
        seek = re.compile(regex, re.MULTILINE).search
        return [path for path, text in files if seek(text)]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _SEEK],
        input=json.dumps({"regex": regex, "files": files}),
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
        check=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def command_fault(root: Path, command: Proof, *, seconds: float = COMMAND_SECONDS) -> str | None:
    """Run a command proof in the root, without a shell; say why it does not hold, or None."""
    told = " ".join(command.command)
    try:
        done = subprocess.run(
            command.command,
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"its proof took more than {seconds:g} seconds: {told}"
    except (OSError, ValueError) as error:
        return f"its proof cannot be run: {told}: {getattr(error, 'strerror', None) or error}"
    out = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode != command.expect_exit:
        return f"its proof exits {done.returncode}, not {command.expect_exit}: {told}"
    if command.expect_stdout is not None and out != command.expect_stdout.strip():
        return f"its proof prints {out[:80]!r}, not {command.expect_stdout.strip()!r}: {told}"
    return None


def _matching(tree: Tree, pattern: str) -> Sequence[str]:
    spec = GitIgnoreSpec.from_lines([pattern])
    return [path for path in spec.match_files(tree.paths) if tree.entries[path].kind == "file"]
