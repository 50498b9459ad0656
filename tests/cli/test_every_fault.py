"""A marketplace of three plugins, adopted by `init`: each fault alone is found, and nothing else.

The plugins have the shapes of a real marketplace: one whose judge is a workflow, one whose judge is
a Python script, and one that has both, under folders of its own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.trees import build, commit, git

from judge_conformance.cli.app import main

RUBRIC = (
    '{"id": "NAME-review@1", "threshold": 0.8, "criteria": [{"id": "real", "question": "Is it?"}]}'
)
SKILL = f"""---
name: review
---
Judge by `references/judge-contract.md`; then run
`python3 ${{CLAUDE_PLUGIN_ROOT}}/scripts/judge_contract.py decide --rubric rubric.json -`.

```json
{RUBRIC}
```
"""
WORKFLOW = f"""export const meta = {{
  name: 'review',
  description: 'Judges each finding',
}}

const RUBRIC = {RUBRIC}
const items = args.items ?? []
const replies = await parallel(items.map((item) => () =>
  agent(`Judge ${{item}}`, {{ schema: JUDGE_VERDICT_SCHEMA }})))
const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC, {{ item }}))
log(`${{verdicts.length}} judged`)
return {{ passed: verdicts.filter((v) => v.outcome === 'pass'), sample: spotCheck(verdicts) }}
"""
NAMES = ("audit", "modernize", "security")
MARKET = {
    "name": "real",
    "plugins": [
        {"name": name, "source": f"./plugins/{name}", "description": "x"} for name in NAMES
    ],
}

PY = "plugins/audit/scripts/judge_contract.py"
MD = "plugins/audit/references/judge-contract.md"
JS = "plugins/security/workflows/scan.js"
LOCK = "judge-contract.lock"
Found = tuple[str, str, int | None]


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Adopt the three plugins, and see that all is well before anything is broken."""
    files = {".claude-plugin/marketplace.json": json.dumps(MARKET), "README.md": "# Real\n"}
    for name in NAMES:
        folder = f"plugins/{name}"
        manifest = {"name": name, "version": "1.0.0"}
        files[f"{folder}/.claude-plugin/plugin.json"] = json.dumps(manifest)
        files[f"{folder}/skills/review/SKILL.md"] = SKILL.replace("NAME", name)
        files[f"{folder}/scripts/helper.py"] = "print('nothing of the contract')\n"
    files[JS] = WORKFLOW.replace("NAME", "security")
    files["plugins/modernize/workflows/uplift.js"] = WORKFLOW.replace("NAME", "modernize")
    root = build(tmp_path_factory.mktemp("market") / "real", files)
    scripts = [
        argument for path in files if path.endswith(".js") for argument in ("--workflow", path)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert main(["init", *NAMES, "--python", "--markdown", *scripts]) == 0
        commit(root)
        for path in (p for p in files if p.endswith(".js")):
            assert taken(root, path) == []  # not a byte of a host went
        assert main(["check", "--strict"]) == 0
        assert main(["vendor", "--all"]) == 0
    assert git(root, "status", "--porcelain") == ""
    return root


def taken(root: Path, path: str) -> list[str]:
    """Return the lines that the last commit took from a file."""
    lines = git(root, "diff", "HEAD~1", "--", path).splitlines()
    return [line[1:] for line in lines if line[:1] == "-" and line[:3] != "---"]


def swap(path: str, old: str, new: str) -> Callable[[Path], None]:
    """Change the first occurrence of a text."""

    def change(root: Path) -> None:
        data = (root / path).read_bytes()
        assert old.encode() in data
        (root / path).write_bytes(data.replace(old.encode(), new.encode(), 1))

    return change


def rewrite(path: str, make: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Make other bytes of a file's bytes."""

    def change(root: Path) -> None:
        before = (root / path).read_bytes()
        after = make(before)
        assert after != before
        (root / path).write_bytes(after)

    return change


def move(old: str, new: str) -> Callable[[Path], None]:
    """Move a file, as git does."""

    def change(root: Path) -> None:
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        git(root, "mv", old, new)

    return change


def ignored(root: Path) -> None:
    (root / ".gitignore").write_text("judge_contract.py\n")
    git(root, "rm", "-q", "--cached", PY)


def linked(root: Path) -> None:
    (root / PY).unlink()
    (root / PY).symlink_to("../../modernize/scripts/judge_contract.py")


def without_block(data: bytes) -> bytes:
    start, end = data.index(b"// judge-contract:start"), data.index(b"// judge-contract:end")
    return data[:start] + data[end + len(b"// judge-contract:end") :]


def twice(data: bytes) -> bytes:
    start, end = data.index(b"// judge-contract:start"), data.index(b"// judge-contract:end")
    whole = data[start : end + len(b"// judge-contract:end\n")]
    return data[: end + len(b"// judge-contract:end\n")] + whole + data[end + len(whole[-22:]) :]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is done to the marketplace, and what is then found: code, path, text on its line."""

    change: Callable[[Path], None]
    found: tuple[tuple[str, str, str | None], ...]


def one(change: Callable[[Path], None], code: str, path: str, text: str | None = None) -> Fault:
    return Fault(change=change, found=((code, path, text),))


AFTER = "log(`${verdicts.length} judged`)\n"
REBOUND = {
    "by a function": "function f() { const decideVerdict = g }",
    "by a parameter": "const f = (spotCheck) => spotCheck(1)",
    "by a catch": "try { f() } catch (decideVerdict) { g() }",
    "by a class": "{ class decideVerdict {} }",
    "by destructuring": "function f() { const { spotCheck } = lib }",
    "in a loop": "for (const decideVerdict of items) log(1)",
    "by Annex B": "{ function decideVerdict() {} }",
    "in another spelling": "{ let \\u0064ecideVerdict }",
    "by an assignment": "decideVerdict = () => ({ outcome: 'pass' })",
    "by a pattern": ";[spotCheck] = items",
    "at the top": "const decideVerdict = () => 1",
    "by an evaluation": "eval(args.code)",
    "by a member of the schema": "JUDGE_VERDICT_SCHEMA.required = []",
    "of a global that it reads": "Number.isInteger = () => true",
}
START, END = "// judge-contract:start verdict@2", "// judge-contract:end"

FAULTS = {
    "a byte of the Python copy": one(
        swap(PY, "The verdict", "A verdict"), "JC-PY-DRIFT", PY, "A verdict"
    ),
    "a byte of the text": one(swap(MD, "# The judge", "# A judge"), "JC-MD-DRIFT", MD, "# A judge"),
    "a byte of the block": one(
        swap(JS, "missing-item", "missing-itm"), "JC-DRIFT", JS, "missing-itm"
    ),
    "CRLF in the Python copy": one(
        rewrite(PY, lambda data: data.replace(b"\n", b"\r\n")),
        "JC-PY-DRIFT",
        PY,
        "# judge-contract:",
    ),
    "CRLF in the text": one(
        rewrite(MD, lambda data: data.replace(b"\n", b"\r\n")), "JC-MD-DRIFT", MD, "#"
    ),
    "CRLF in the script": one(
        rewrite(JS, lambda data: data.replace(b"\n", b"\r\n")), "JC-DRIFT", JS, START
    ),
    "a BOM before the block": one(swap(JS, START, "\ufeff" + START), "JC-MARKER", JS, START),
    "a BOM before the Python copy": one(
        rewrite(PY, lambda data: b"\xef\xbb\xbf" + data), "JC-PY-DRIFT", PY, "# judge-contract:"
    ),
    "no final newline": one(rewrite(MD, lambda data: data[:-1]), "JC-MD-DRIFT", MD, "LAST"),
    "cut short": one(rewrite(PY, lambda data: data[:-400]), "JC-PY-DRIFT", PY, "LAST"),
    "empty": one(rewrite(PY, lambda _: b""), "JC-PY-DRIFT", PY, "EMPTY"),
    "the block deleted": one(rewrite(JS, without_block), "JC-REQUIRED", JS),
    "the block pasted twice": one(rewrite(JS, twice), "JC-MARKER", JS, "SECOND"),
    "the end marker lost": one(swap(JS, END + "\n", "\n"), "JC-MARKER", JS, START),
    "the start marker lost": one(swap(JS, START + "\n", "\n"), "JC-MARKER", JS, END),
    "the start marker indented": one(swap(JS, START, "  " + START), "JC-MARKER", JS, START),
    "an unknown version": one(swap(JS, "verdict@2", "verdict@20"), "JC-MARKER", JS, "verdict@20"),
    "the block in a comment": one(
        rewrite(
            JS,
            lambda data: data.replace(START.encode(), b"/*\n" + START.encode(), 1).replace(
                END.encode(), END.encode() + b"\n*/", 1
            ),
        ),
        "JC-MARKER",
        JS,
        START,
    ),
    **{
        f"the block inside {opened}": one(
            rewrite(
                JS,
                lambda data, opened=opened, closed=closed: data.replace(  # type: ignore[misc]
                    START.encode(), f"{opened}\n{START}".encode(), 1
                ).replace(END.encode(), f"{END}\n{closed}".encode(), 1),
            ),
            "JC-MARKER",
            JS,
            START,
        )
        for opened, closed in (
            ("{", "}"),
            ("if (args) {", "}"),
            ("function setUp() {", "}"),
            ("try {", "} catch {}"),
            ("for (const item of []) {", "}"),
        )
    },
    "a use above the block": one(
        swap(JS, START, f"const early = {{ schema: JUDGE_VERDICT_SCHEMA }}\n{START}"),
        "JC-ORDER",
        JS,
        "const early",
    ),
    "a syntax error": one(
        swap(JS, AFTER, "return {{ broken\n"), "JC-PARSE", JS, "return {{ broken"
    ),
    "not UTF-8": one(
        rewrite(JS, lambda data: data.replace(AFTER.encode(), b"\xff" + AFTER.encode())),
        "JC-PARSE",
        JS,
        "judged`",
    ),
    "git-ignored": one(ignored, "JC-IGNORED", PY),
    "a symbolic link": one(linked, "JC-LINK", PY),
    "deleted": one(lambda root: (root / MD).unlink(), "JC-REQUIRED", MD),
    "the script deleted": one(lambda root: (root / JS).unlink(), "JC-REQUIRED", JS),
    **{
        f"{old} moved to {new}": Fault(
            change=move(old, new), found=(("JC-REQUIRED", old, None), ("JC-STRAY", new, text))
        )
        for old, new, text in (
            (PY, "plugins/audit/scripts/verdict.py", "# judge-contract:"),
            (PY, "plugins/audit/lib/judge_contract.py", "# judge-contract:"),
            (PY, "plugins/modernize/scripts/verdict.py", "# judge-contract:"),
            (MD, "plugins/audit/references/verdict.md", "# The judge contract"),
            (MD, "plugins/audit/references/my-judge-contract.md", "# The judge contract"),
            (MD, "plugins/audit/judge-contract.md", "# The judge contract"),
            (JS, "plugins/security/workflows/look.mjs", START),
            (JS, "plugins/security/flows/scan.js", START),
            (JS, ".claude/workflows/scan.js", START),
        )
    },
    **{
        f"{old} moved out of sight": Fault(
            change=move(old, new), found=(("JC-REQUIRED", old, None),)
        )
        for old, new in ((PY, "tools/judge_contract.py"), (JS, "plugins/security/scan.txt"))
    },
    "a row of the lock for an artifact that is none": one(
        swap(LOCK, f'"{PY}" = "judge_contract.py"', f'"{PY}" = "judge_contrakt.py"'),
        "JC-LOCK",
        LOCK,
        "judge_contrakt.py",
    ),
    "the lock deleted": one(lambda root: (root / LOCK).unlink(), "JC-LOCK", LOCK),
    "a plugin removed": Fault(
        change=lambda root: shutil.rmtree(root / "plugins/security"),
        found=tuple(
            ("JC-REQUIRED", f"plugins/security/{path}", None)
            for path in (
                "references/judge-contract.md",
                "scripts/judge_contract.py",
                "workflows/scan.js",
            )
        ),
    ),
    "the citation gone": one(
        rewrite(
            "plugins/audit/skills/review/SKILL.md",
            lambda data: data.replace(b"references/judge-contract.md", b"your judgement"),
        ),
        "JC-UNWIRED",
        MD,
    ),
    **{
        f"bound again {how}": one(swap(JS, AFTER, f"{text}\n{AFTER}"), "JC-SHADOW", JS, text)
        for how, text in REBOUND.items()
    },
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_each_fault_alone_is_found_in_its_place(
    market: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], fault: Fault
) -> None:
    root = tmp_path / "real"
    shutil.copytree(market, root, symlinks=True)
    fault.change(root)
    capfd.readouterr()
    assert main(["check", str(root), "--format", "json"]) == 1
    rows = json.loads(capfd.readouterr().out)["findings"]
    found = sorted((row["code"], row["path"], row["line"]) for row in rows)
    assert found == sorted(place(root, *expected) for expected in fault.found)


def place(root: Path, code: str, path: str, text: str | None) -> Found:
    """Return the finding with the line on which its text stands."""
    if text is None:
        return code, path, None
    lines = (root / path).read_bytes().decode("utf-8", "replace").splitlines()
    if text in {"LAST", "EMPTY"}:
        return code, path, len(lines) or 1
    nth = 1 if text == "SECOND" else 0
    needle = START if text == "SECOND" else text
    return code, path, [n for n, line in enumerate(lines, 1) if needle in line][nth]
