"""`judge-contract init`."""

from __future__ import annotations

from pathlib import Path

import click

from judge_conformance.cli._repository import ROOT, context_at, emit, inside_root, plugin_named
from judge_conformance.cli._vendoring import ARTIFACT_OPTIONS, Chosen, carry_out, wanted_for
from judge_conformance.config import CONFIG
from judge_conformance.engine import run
from judge_conformance.errors import GO
from judge_conformance.findings import Severity
from judge_conformance.lock import LOCK
from judge_conformance.output import printable
from judge_conformance.rules import all_rules
from judge_conformance.vendoring import write_whole

_CONFIG = """\
# What judge-contract is asked for here; every key may go.
# plugins = ["plugins/*"]     which plugin roots to look at (gitignore patterns)
# exclude = ["**/vendor/"]    what to leave out
# required = ["plugins/foo/workflows/review.js"]   what must carry the contract, adopted or not
"""
_ATTRIBUTES = """\
judge-contract.lock text eol=lf merge=union
judge_contract.py text eol=lf
judge-contract.md text eol=lf
"""
_HOOK = """\
repos:
  - repo: local
    hooks:
      - id: judge-contract
        name: judge-contract
        entry: judge-contract check --staged
        language: system
        pass_filenames: false
        always_run: true
"""
_GITHUB = """\
name: judge-contract
on:
  pull_request:
  merge_group:
permissions:
  contents: read
jobs:
  judge-contract:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
        with:
          persist-credentials: false
      - run: pipx run judge-contract=={version} check --format github
"""


@click.command()
@click.argument("plugins", nargs=-1, required=True, metavar="PLUGIN...")
@ARTIFACT_OPTIONS
@click.option("--github", is_flag=True, help="Add a workflow that checks every pull request.")
@click.option("--pre-commit", is_flag=True, help="Add a pre-commit hook on what is staged.")
@ROOT
def command(
    plugins: tuple[str, ...], github: bool, pre_commit: bool, root: Path | None, **flags: object
) -> int:
    r"""Adopt the contract in plugins: config, lock and copies at once.

    What only a person can write is said at the end, each with the lines to paste.

    \b
    judge-contract init foo --workflow plugins/foo/workflows/review.js
    judge-contract init foo bar --github --pre-commit
    """
    context = context_at(root)
    chosen = Chosen.of(flags, lambda word: inside_root(context, word))
    found = [plugin_named(context, word) for word in plugins]
    carry_out(context, wanted_for(context, found, chosen), force=False, dry_run=False, show=False)
    files = {CONFIG: _CONFIG}
    if github:
        version = context.catalog.newest
        files[".github/workflows/judge-contract.yml"] = _GITHUB.replace("{version}", version)
    if pre_commit:
        files[".pre-commit-config.yaml"] = _HOOK
    new = {
        path: (None, text.encode())
        for path, text in files.items()
        if context.tree.look(path) is None
    }
    for path in files.keys() - new.keys():
        emit(f"keep     {path} (it is there already)\n")
    written = {**new, **_attributes(context.tree.root)}
    write_whole(context.tree.root, written)
    emit("".join(f"write    {path}\n" for path in written))
    after = context_at(context.tree.root)
    left = [f for f in run(all_rules(), after).findings if f.severity is Severity.ERROR]
    for finding in left:
        emit(f"\nto do: {finding.code} {printable(finding.location.path)}: {finding.message}\n")
        emit(f"{finding.hint}\n" if finding.hint else "")
    emit(f"\nthen: git add {CONFIG} {LOCK} and the copies, and judge-contract check\n")
    return GO


def _attributes(root: Path) -> dict[str, tuple[bytes | None, bytes]]:
    """Append the lines of `.gitattributes` that are missing."""
    file = root / ".gitattributes"
    before = file.read_bytes() if file.is_file() else None
    have = (before or b"").decode("utf-8", "replace").splitlines()
    missing = [line for line in _ATTRIBUTES.splitlines() if line not in have]
    if not missing:
        return {}
    gap = b"\n" if before and not before.endswith(b"\n") else b""
    return {".gitattributes": (before, (before or b"") + gap + "\n".join(missing).encode() + b"\n")}
