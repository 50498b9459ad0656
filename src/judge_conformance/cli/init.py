"""`judge-contract init`."""

from __future__ import annotations

import json
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import click

from judge_conformance.cli._repository import ROOT, context_at, emit, inside_root, plugin_named
from judge_conformance.cli._vendoring import (
    ARTIFACT_OPTIONS,
    Chosen,
    carry_out,
    say_what_is_left,
    wanted_for,
)
from judge_conformance.errors import GO, UsageError
from judge_conformance.paths import CONFIG, LOCK
from judge_conformance.tree import main_branch
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
_HOOKS = ".pre-commit-config.yaml"
_HOOK = """\
  - repo: local
    hooks:
      - id: judge-contract
        name: judge-contract
        entry: judge-contract check --staged
        language: system
        pass_filenames: false
        always_run: true
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
    """Adopt the contract in plugins: config, lock, copies at once.

    What only a person can write is said at the end, each with the lines to paste.

    \b
    judge-contract init foo --workflow plugins/foo/workflows/review.js
    judge-contract init foo bar --github --pre-commit
    """
    context = context_at(root)
    chosen = Chosen.of(flags, lambda word: inside_root(context, word))
    if github and context.tree.uri_prefix:
        raise UsageError(
            f"--github: GitHub reads workflows at git's top alone, and this is {context.tree.root}",
            hint="leave it out, and call the action of judge-contract with `root` from there",
        )
    found = [plugin_named(context, word) for word in plugins]
    wanted = wanted_for(context, found, chosen)
    todo = carry_out(context, wanted, force=False, dry_run=False, show=False)
    texts = {CONFIG: _CONFIG}
    if github:
        texts[".github/workflows/judge-contract.yml"] = _workflow(context.tree.root)
    if pre_commit:
        texts[_HOOKS] = f"repos:\n{_HOOK}"
    new = {
        path: (None, text.encode())
        for path, text in texts.items()
        if context.tree.look(path) is None
    }
    for path in sorted(texts.keys() - new.keys()):
        emit(f"keep     {path} (it is there already)\n")
        if path == _HOOKS:
            emit(f"paste into it, below the hooks that write files:\n{_HOOK}")
    written = {**new, **_attributes(context.tree.root)}
    write_whole(context.tree.root, written)
    emit("".join(f"write    {path}\n" for path in written))
    say_what_is_left(context.tree.root, todo)
    names = " ".join([*written, LOCK])
    emit(f"\nthen: git add {names} and the copies, and judge-contract check\n")
    return GO


def _workflow(root: Path) -> str:
    """Return the workflow to copy, for this version and the repository's main branch."""
    template = files("judge_conformance").joinpath("templates/judge-contract.yml")
    text = template.read_text("utf-8").replace('"@BRANCH@"', json.dumps(main_branch(root)))
    return text.replace("@VERSION@", version("judge-contract"))


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
