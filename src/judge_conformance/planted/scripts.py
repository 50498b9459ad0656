"""Small scripts in one text file a rule, with « and » where the rule stands.

`planted/scripts/NAME.txt` is the rule of `rules/NAME.py`: parts that begin with `== passes: TITLE`
or `== fails: TITLE` hold what stands below a block, and `== above:` what stands above all of them.
One that fails without a « fails at its block. Under `== each passes:` and `== each fails:` every
line is a script. `§` is the block, where something stands above it. `-- PATH` begins another file
of the marketplace, or takes it away where nothing follows. `NAME_python.txt` holds what stands in a
function of a Python file that imports the contract.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.rule import Rule

PATH = "plugins/acme/workflows/review.js"
BLOCK = """// judge-contract:start verdict@2
const JUDGE_VERDICT_SCHEMA = {};
function decideVerdict(report) { return [Object, Array, Number, Math, Map, Error, undefined]; }
function spotCheck(verdicts, k = 3) { return verdicts; }
// judge-contract:end"""
HEAD = f"export const meta = {{ name: 'review' }};\n\n{BLOCK}\n\n"
QUIET = f"""{HEAD}const verdicts = items.map((item, i) => decideVerdict(replies[i]))
return {{ passed: verdicts.filter((v) => v.outcome === 'pass'), sample: spotCheck(verdicts) }}
"""
OTHERS = """let decideVerdict = () => ({})
const verdicts = replies.filter(Boolean).map((reply) => decideVerdict(reply))
return verdicts.filter((v) => v.outcome !== 'fail')
"""
"""What stands beside every script: one where all is right, and somebody else's, without a block."""
_BLOCK_LINE = 3
PYTHON_PATH = "plugins/acme/scripts/review.py"
PYTHON_HEAD = """\
#!/usr/bin/env python3
import json, subprocess, sys
from judge_contract import decide

async def main():
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A script and the places (path, line) where its rule finds a fault: none where it passes.

    `files` stand beside it, or in the place of what the marketplace holds there.
    """

    title: str
    path: str
    text: str
    places: tuple[tuple[str, int], ...]
    files: Mapping[str, str]


def shapes(rule: Rule) -> Iterator[Shape]:
    """Yield the scripts of a rule, if it has any. Raises BrokenInstrumentError naming the part."""
    name = module_of(rule)
    yield from _read(f"{name}.txt", "", PATH, _around_block)
    yield from _read(
        f"{name}_python.txt",
        "in Python, ",
        PYTHON_PATH,
        lambda body: PYTHON_HEAD + textwrap.indent(body, "    "),
    )


def module_of(rule: Rule) -> str:
    """Return the name of a rule's module, which is that of its files here."""
    return rule.check.__module__.rpartition(".")[2]


def _read(file: str, prefix: str, path: str, written: Callable[[str], str]) -> Iterator[Shape]:
    place = files(__package__).joinpath("scripts", file)
    if not place.is_file():
        return
    above, seen = "", set[str]()
    for part in place.read_text("utf-8").split("\n== ")[1:]:
        head, _, body = part.partition("\n")
        if head.startswith("above:"):
            above = body.rstrip("\n") + "\n"
            continue
        for title, code in _cases(head, above, body):
            kind = title.partition(":")[0]
            own, *more = re.split(r"(?m)^-- (.+)\n", code)
            marked = {path: written(own), **dict(zip(more[::2], more[1::2], strict=True))}
            places = tuple(
                (at, number)
                for at, text in marked.items()
                for number, line in enumerate(text.splitlines(), 1)
                for _ in range(line.count("«"))
            )
            if title in seen or kind not in {"passes", "fails"} or (places and kind == "passes"):
                story = f"planted twice, or not what it says: {title}"
                raise BrokenInstrumentError(story, path=file)
            seen.add(title)
            places = places or (((path, _BLOCK_LINE),) if kind == "fails" else ())
            plain = {at: text.replace("«", "").replace("»", "") for at, text in marked.items()}
            text = plain.pop(path)
            yield Shape(title=prefix + title, path=path, text=text, places=places, files=plain)


def _cases(head: str, above: str, body: str) -> Iterator[tuple[str, str]]:
    """Yield the scripts of a part, each with its title: one, or every line by itself."""
    if not head.startswith("each "):
        yield head, above + body
        return
    kind = head.removeprefix("each ").partition(":")[0]
    for line in filter(None, body.splitlines()):
        yield f"{kind}: {line}", f"{above}{line}\n"


def _around_block(code: str) -> str:
    return code.replace("§", f"\n{BLOCK}\n") if "§" in code else HEAD + code
