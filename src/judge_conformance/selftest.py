"""Every rule on planted trees: where it must fail it fails there, and nothing else does."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from judge_conformance.catalog import Catalog
from judge_conformance.engine import base_context, context_for, run
from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.findings import Finding
from judge_conformance.lock import LOCK, Lock
from judge_conformance.rule import (
    Change,
    Delete,
    Edit,
    Example,
    Executable,
    Ignored,
    LinkTo,
    Rule,
    Write,
)
from judge_conformance.tree import open_tree

TODAY = dt.date(2026, 1, 1)

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


def selftest(catalog: Catalog, rules: Sequence[Rule]) -> Iterator[tuple[Rule, Example, str | None]]:
    """Run every example of every rule; yield it with what came out wrong, or None.

    Raises BrokenInstrumentError for a rule that has no failing or no passing example.
    """
    for rule in rules:
        if len({example.at is None for example in rule.examples}) != 2:  # noqa: PLR2004 - both kinds
            raise BrokenInstrumentError(
                f"{rule.code} lacks an example that passes or one that fails"
            )
        for example in rule.examples:
            with tempfile.TemporaryDirectory(prefix="judge-contract-") as folder:
                root = Path(folder).resolve()
                plant(root, catalog, example)
                yield rule, example, _judge(root, catalog, rules, rule, example)


def plant(root: Path, catalog: Catalog, example: Example) -> None:
    """Write the adopted marketplace with the example's changes as a git repository."""
    _git(root, "init", "-q")
    if example.base is not None:
        _write(root, catalog, example.base)
        _git(root, "add", ".")
        _git(root, "commit", "-q", "-m", "the base")
        for entry in root.iterdir():
            if entry.is_dir() and entry.name != ".git":
                shutil.rmtree(entry)
            elif entry.is_file():
                entry.unlink()
    _write(root, catalog, example.changes)
    _git(root, "add", ".")


def _write(root: Path, catalog: Catalog, changes: Mapping[str, Change]) -> None:
    for path, data in _planted(catalog, changes).items():
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


def _planted(catalog: Catalog, changes: Mapping[str, Change]) -> dict[str, bytes]:
    """Return the files of the adopted marketplace as they are changed."""
    files = {path: _filled(text, catalog) for path, text in ADOPTED.items()}
    files[LOCK] = _lock(catalog).render()
    for path, change in changes.items():
        if isinstance(change, Write):
            files[path] = _filled(change.text, catalog)
        elif isinstance(change, Delete | LinkTo):
            files.pop(path, None)
        elif isinstance(change, Edit):
            if change.old.encode() not in files[path]:
                raise BrokenInstrumentError(f"{path} does not hold {change.old!r}")
            files[path] = files[path].replace(change.old.encode(), change.new.encode(), 1)
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

    return re.sub(r"\{\{([\w.-]+\.(?:py|js|md))(?:@([\d.]+))?\}\}", canonical, text).encode()


def _judge(
    root: Path, catalog: Catalog, rules: Sequence[Rule], rule: Rule, example: Example
) -> str | None:
    compared = example.base is not None
    base = base_context(root, "HEAD", catalog, today=TODAY) if compared else None
    context = context_for(open_tree(root), catalog, today=TODAY, base=base)
    report = run(rules, context)
    if example.at is None:
        return _told(report.findings) if report.findings else None
    path, _, needle = example.at.partition(":")
    line = None
    if needle:
        lines = (root / path).read_text("utf-8").splitlines()
        line = next((n for n, text in enumerate(lines, 1) if needle in text), 0)
    found = (
        report.findings
        if rule.code != "JC-OLD"
        else report.findings[:0]
        + tuple(finding for finding in report.findings if finding.code == rule.code)
    )
    expected = [(rule.code, path, line)]
    if [(f.code, f.location.path, f.location.line) for f in found] == expected:
        return None
    return f"expected {rule.code} at {path}:{line}, found {_told(found)}"


def _told(findings: Sequence[Finding]) -> str:
    return (
        "; ".join(f"{f.code} {f.location.path}:{f.location.line} {f.message}" for f in findings)
        or "nothing"
    )
