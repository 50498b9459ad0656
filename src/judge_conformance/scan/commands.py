"""Judges that are no script of a runtime: prompt hooks, and `claude -p` in shell scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from judge_conformance.scan.found import Judge

_HOOK = re.compile(r'"type"\s*:\s*"(?:prompt|agent)"')
_ASKS = re.compile(r"(?m)^[^#\n]*\bclaude\b[^\n]*\s(?:-p|--print)\b")
_VERDICT = re.compile(
    r"(?m)^[^#\n]*(?:grep[^\n|]*?|\[\[?[^\n]*?|case[^\n]*?|jq\s[^\n]*?)"
    r"(?P<word>\b(?i:verdict|pass|fail|approved?|rejected?|score|lgtm|decision)\b)"
)


def hooks(path: str, data: bytes) -> Iterator[Judge]:
    """Yield the hooks of a hooks file that ask a model whether to go on."""
    text = data.decode("utf-8", "replace")
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return
    for match in _HOOK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Judge(path=path, line=line, language="hook", decides=("ok",))


def shell(path: str, data: bytes) -> Iterator[Judge]:
    """Yield the first `claude -p` of a script that then looks for a verdict in text."""
    text = data.decode("utf-8", "replace")
    asked, read = _ASKS.search(text), _VERDICT.search(text)
    if asked and read:
        line = text.count("\n", 0, asked.start()) + 1
        yield Judge(path=path, line=line, language="shell", decides=(read["word"].lower(),))
