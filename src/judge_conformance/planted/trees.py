"""The small adopted marketplace, planted as a git repository with an example's changes."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from judge_conformance.catalog import Catalog
from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.lock import Lock
from judge_conformance.paths import LOCK
from judge_conformance.rule import (
    Change,
    Delete,
    Edit,
    Example,
    Executable,
    Ignored,
    LinkTo,
    Submodule,
    Write,
)

ADOPTED: Mapping[str, str] = {
    ".claude-plugin/marketplace.json": (
        '{"name": "planted", "plugins": [{"name": "acme", "source": "./plugins/acme"}]}\n'
    ),
    "plugins/acme/.claude-plugin/plugin.json": '{"name": "acme", "version": "1.0.0"}\n',
    "plugins/acme/skills/review/SKILL.md": (
        "Judge by `references/judge-contract.md`; then run\n"
        "`python3 ${CLAUDE_PLUGIN_ROOT}/scripts/judge_contract.py decide --rubric rubric.json -`.\n"
        "The rubric:\n\n```json\n"
        '{"id": "acme-review@1", "threshold": 0.8,'
        ' "criteria": [{"id": "real", "question": "Is it?"}]}\n'
        "```\n"
    ),
    "plugins/acme/scripts/judge_contract.py": "{{judge_contract.py}}",
    "plugins/acme/references/judge-contract.md": "{{judge-contract.md}}",
    "plugins/acme/workflows/review.js": (
        "export const meta = { name: 'review' };\n\n{{verdict.inline.js}}\n\n"
        "const RUBRIC = { id: 'acme-review@1', threshold: 0.8,"
        " criteria: [{ id: 'real', question: 'Is it?' }] };\n"
        "const items = args.items;\n"
        "const replies = await parallel(items.map((item) => () =>\n"
        "  agent(`Judge ${item}`, { schema: JUDGE_VERDICT_SCHEMA })));\n"
        "const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }));\n"
        "return { passed: verdicts.filter((v) => v.outcome === 'pass'),"
        " sample: spotCheck(verdicts) };\n"
    ),
}


def plant(root: Path, catalog: Catalog, example: Example) -> None:
    """Write the adopted marketplace with the example's changes as a git repository."""
    _git(root, "init", "-q", "--template=")
    if example.base is not None:
        _write(root / example.within, catalog, example.base)
        _git(root, "add", ".")
        _git(root, "commit", "-q", "-m", "the base")
        for entry in root.iterdir():
            if entry.is_dir() and entry.name != ".git":
                shutil.rmtree(entry)
            elif entry.is_file():
                entry.unlink()
    _write(root / example.within, catalog, example.changes)
    _git(root, "add", ".")
    for path, change in example.changes.items():
        if isinstance(change, Submodule):
            (root / path).mkdir(parents=True)
            _git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{path}")


def _write(root: Path, catalog: Catalog, changes: Mapping[str, Change]) -> None:
    for path, data in planted(catalog, changes).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    for path, change in changes.items():
        if isinstance(change, LinkTo):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).symlink_to(change.target)
        elif isinstance(change, Executable):
            (root / path).chmod(0o755)


def _git(root: Path, *command: str) -> None:
    settings = ("core.autocrlf=false", "core.excludesFile=", "user.name=a", "user.email=a@b.c")
    flags = (word for setting in settings for word in ("-c", setting))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    subprocess.run(
        ("git", *flags, *command), cwd=root, check=True, capture_output=True, env=environment
    )


def planted(catalog: Catalog, changes: Mapping[str, Change]) -> dict[str, bytes]:
    """Return the files of the adopted marketplace as they are changed."""
    files = {path: _filled(text, catalog) for path, text in ADOPTED.items()}
    files[LOCK] = _lock(catalog).render()
    for path, change in changes.items():
        if isinstance(change, Write):
            files[path] = _filled(change.text, catalog)
        elif isinstance(change, Delete | LinkTo | Submodule):
            files.pop(path, None)
        elif isinstance(change, Edit):
            if change.old.encode() not in files[path]:
                raise BrokenInstrumentError(f"{path} does not hold {change.old!r}")
            files[path] = files[path].replace(change.old.encode(), _filled(change.new, catalog), 1)
    ignored = [path for path, change in changes.items() if isinstance(change, Ignored)]
    if ignored:
        files[".gitignore"] = "".join(f"/{path}\n" for path in ignored).encode()
    return files


def _lock(catalog: Catalog) -> Lock:
    copies = {
        path: "verdict.inline.js" if path.endswith(".js") else Path(path).name
        for path, text in ADOPTED.items()
        if "{{" in text
    }
    return Lock(release=catalog.newest, copies=copies)


def _filled(text: str, catalog: Catalog) -> bytes:
    def canonical(match: re.Match[str]) -> str:
        return catalog.content(match[1], match[2]).decode()

    def digest(match: re.Match[str]) -> str:
        return hashlib.sha256(catalog.content(match[1])).hexdigest()

    text = re.sub(r"\{\{(\d+) of (.)\}\}", lambda match: match[2] * int(match[1]), text)
    text = re.sub(r"\{\{sha256 of ([\w.-]+)\}\}", digest, text)
    return re.sub(r"\{\{([\w.-]+\.(?:py|js|md))(?:@([\d.]+))?\}\}", canonical, text).encode()
