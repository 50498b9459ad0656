"""A judge that is a program: do the links and anchors of a page lead somewhere?

It reads a prompt whose last line is a question (`item`, `folder`, ...) and prints a report. What
only the network could tell is undecidable, and it says so.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

CODE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]*[ \t]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(
    r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*<?(\S+?)>?\s", re.MULTILINE
)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
MARK = re.compile(r"<a\s+(?:id|name)=[\"']([^\"']+)[\"']")


def targets(page: str) -> Iterator[tuple[int, str]]:
    """Yield line and target of every link outside of code."""
    plain = CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), page)
    for found in LINK.finditer(plain):
        yield plain.count("\n", 0, found.start()) + 1, found[1] or found[2]


def anchors(page: str) -> set[str]:
    """Return what can be linked to in a page, as its host would name it."""
    names: set[str] = set(MARK.findall(page))
    seen: dict[str, int] = {}
    for heading in HEADING.findall(CODE.sub(lambda found: found[0].strip("`"), page)):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        names.add(f"{slug}-{number}" if number else slug)
    return names


def judge(folder: Path) -> list[dict[str, Any]]:
    """Return the two criteria for the page in a folder."""
    page = folder / "page.md"
    text = page.read_text("utf-8")
    dead, lost, unknown, followed = [], [], [], 0
    for line, target in targets(text):
        path, _, anchor = unquote(target).partition("#")
        if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
            unknown.append(f"line {line}: {target} needs the network")
            continue
        followed += 1
        place = folder / path if path else page
        if not is_there(place):
            dead.append(f"line {line}: {target} is not there")
        elif anchor and (place.is_dir() or anchor not in anchors(place.read_text("utf-8"))):
            lost.append(f"line {line}: {target} has no such anchor")
    told = f"{followed} links followed"
    return [
        criterion("links", dead, [] if dead else unknown, told),
        criterion("anchors", lost, [], told),
    ]


def is_there(place: Path) -> bool:
    """Tell whether a file or folder has exactly this name, whatever the file system thinks."""
    return place.exists() and (
        not place.name or place.name in {p.name for p in place.parent.iterdir()}
    )


def criterion(name: str, faults: list[str], unknown: list[str], told: str) -> dict[str, Any]:
    """Return one criterion: faults fail it, and what is unknown leaves it open."""
    good = None if unknown and not faults else not faults
    evidence = "; ".join(faults or unknown) or told
    return {"id": name, "evidence": evidence, "score": None if good is None else float(good),
            "pass": good}  # fmt: skip


def main() -> int:
    """Answer the one question on standard input."""
    question = json.loads(sys.stdin.read().splitlines()[-1])
    report = {
        "item": question["item"],
        "criteria": judge(Path(question["folder"])),
        "abstain": False,
        "abstainReason": None,
    }
    print(json.dumps(report))  # noqa: T201 - a judge prints its report
    return 0


if __name__ == "__main__":
    sys.exit(main())
