"""How a script decides over its items: the lines that commands and rules give to paste."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

DECIDE = "const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }));"
RETURN = "return { verdicts, sample: spotCheck(verdicts) };"
ASK = """\
const replies = await parallel(items.map((item) => () =>
  agent(`Judge ${item} ...`, { schema: JUDGE_VERDICT_SCHEMA })));"""


def rubric(plugin: str, path: str) -> str:
    """Return the declaration of a rubric to fill in, of a plugin's script."""
    name = slug(f"{plugin} {PurePosixPath(path).stem}")
    return (
        f'const RUBRIC = {{ id: "{name}@1", threshold: 0.8, criteria: [\n'
        '  { id: "...", question: "What evidence can settle, and where yes is good?" },\n] };'
    )


def slug(name: str) -> str:
    """Return a plugin's name as the id of a rubric can hold it; empty where it has no letter."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
