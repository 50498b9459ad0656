"""Make a big marketplace to measure on: `scripts/bench big_repository FOLDER`.

By default 500 plugins of 100 files, four copies in each (two files, two blocks), all adopted in
the lock and committed: 50,000 files, 2,000 copies. The same arguments always give the same files.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from judge_conformance.catalog import Catalog
from judge_conformance.lock import Lock
from judge_conformance.paths import CONFIG, LOCK

BLOCK = "verdict.inline.js"
FILES = {"judge_contract.py": "scripts", "judge-contract.md": "references"}
SUFFIXES = (".md", ".py", ".js", ".json", ".sh")  # of the files that hold no copy
IDENTITY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def marketplace(plugins: int, files: int, catalog: Catalog) -> Iterator[tuple[str, bytes]]:
    """Yield every path and its bytes: about `plugins` times `files`."""
    names = [f"plugin-{number:04}" for number in range(plugins)]
    rows = [{"name": name, "source": f"./plugins/{name}"} for name in names]
    yield ".claude-plugin/marketplace.json", _json({"name": "big", "plugins": rows})
    yield CONFIG, b'bump = "pull-request"\n'
    yield ".gitignore", b"*.log\nnode_modules/\n"
    yield ".gitattributes", b"*.py text eol=lf\nplugins/*/scripts/judge_contract.py -text\n"
    copies: dict[str, str] = {}
    for name in names:
        inside = dict(_plugin(name, files, catalog))
        copies |= {
            path: BLOCK if path.endswith(".js") else path.rpartition("/")[2]
            for path, data in inside.items()
            if b"judge-contract:" in data[:400]
        }
        yield from inside.items()
    yield LOCK, Lock(release=catalog.newest, copies=copies).render()


def _plugin(name: str, files: int, catalog: Catalog) -> Iterator[tuple[str, bytes]]:
    root = f"plugins/{name}"
    yield f"{root}/.claude-plugin/plugin.json", _json({"name": name, "version": "1.0.0"})
    for artifact, folder in FILES.items():
        yield f"{root}/{folder}/{artifact}", catalog.content(artifact)
    for script in ("review", "triage"):
        yield f"{root}/workflows/{script}.js", _script(name, script, catalog.content(BLOCK))
    rubric = json.dumps(_rubric(name))
    for number in range(files - 5):
        path = f"{root}/skills/skill-{number // 10}/file-{number}{SUFFIXES[number % 5]}"
        text = f"# {name} {number}\n" + f"plain text of file {number}\n" * (5 + number)
        if number == 0:
            path = f"{root}/skills/review/SKILL.md"
            text = (
                "Judge by `references/judge-contract.md`; then run\n"
                "`python3 ${CLAUDE_PLUGIN_ROOT}/scripts/judge_contract.py decide`.\n\n"
                f"```json\n{rubric}\n```\n"
            )
        yield path, text.encode()


def _script(name: str, script: str, block: bytes) -> bytes:
    head = f"export const meta = {{ name: '{name}-{script}', description: 'Judges' }};\n\n"
    body = (
        f"\n\nconst RUBRIC = {json.dumps(_rubric(name))};\n"
        "const items = args.items;\n"
        "const replies = await parallel(items.map((item) => () =>\n"
        "  agent(`Judge ${item}`, { schema: JUDGE_VERDICT_SCHEMA })));\n"
        "const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }));\n"
        "return { passed: verdicts.filter((v) => v.outcome === 'pass'),"
        " sample: spotCheck(verdicts) };\n"
    )
    return head.encode() + block + body.encode()


def _rubric(name: str) -> Mapping[str, object]:
    question = {"id": "real", "question": "Is it?"}
    return {"id": f"{name}-review@1", "threshold": 0.8, "criteria": [question]}


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()


def build(root: Path, *, plugins: int, files: int) -> int:
    """Write and commit the marketplace into a new folder; return how many files it has."""
    root.mkdir(parents=True)
    count = 0
    for path, data in marketplace(plugins, files, Catalog.load()):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        count += 1
    identity = ("-c", "user.name=Big", "-c", "user.email=big@example.com")
    for argv in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "Big"]):
        subprocess.run(["git", *argv], cwd=root, env=os.environ | IDENTITY, check=True)
    return count


def main(argv: list[str]) -> int:
    """Build one repository."""
    parser = argparse.ArgumentParser(prog="big_repository", description=__doc__)
    parser.add_argument("folder", type=Path, help="is made; must not exist")
    parser.add_argument("--plugins", type=int, default=500)
    parser.add_argument("--files", type=int, default=100, help="of each plugin")
    args = parser.parse_args(argv)
    if args.folder.exists():
        parser.error(f"{args.folder} exists")
    print(f"{build(args.folder, plugins=args.plugins, files=args.files)} files in {args.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
