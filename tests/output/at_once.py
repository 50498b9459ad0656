"""One marketplace in which every rule finds something, under names that no format may trip over."""

from __future__ import annotations

import json
from pathlib import Path

from tests.trees import Link, Planted, commit, git, plant

from judge_conformance.catalog import Catalog
from judge_conformance.lock import Lock, Pin
from judge_conformance.paths import CONFIG, LOCK

OLD = "0.1.0"
PLUGIN = 'pl|ug`in`: %0A::error::x,y]]> <b>"&amp;'
AT = f"plugins/{PLUGIN}"
MANIFEST = f"{AT}/.claude-plugin/plugin.json"
GATE = ".github/workflows/judge-contract.yml"
HEAD = "export const meta = { name: 'review' };\n\n"
RUBRIC = (
    "const RUBRIC = { id: 'pl-ug-in-0a-error-x-y-b-amp-review@1', threshold: 0.8,"
    " criteria: [{ id: 'real', question: 'Is it?' }] };\n"
)
ASK = (
    "const replies = await parallel(args.items.map((item) => () =>\n"
    "  agent(`Judge ${item}`, { schema: JUDGE_VERDICT_SCHEMA })));\n"
)
DECIDE = (
    "const verdicts = args.items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }));\n"
)
END = "return { passed: verdicts.filter((v) => v.outcome === 'pass'), s: spotCheck(verdicts) };\n"
SOUND = RUBRIC + ASK + DECIDE + END
PUBLISHED = (
    '```json\n{"id": "pl-ug-in-0a-error-x-y-b-amp-review@1", "threshold": 0.8, "criteria":'
    ' [{"id": "real", "question": "Is it?"}]}\n```\n'
)


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def market(root: Path, catalog: Catalog) -> Path:
    """Plant the base and, on the branch `change`, every fault at once; returns the root."""
    block = catalog.content("verdict.inline.js", OLD).decode() + "\n"
    python = catalog.content("judge_contract.py", OLD).decode()
    text = catalog.content("judge-contract.md", OLD).decode()
    scripts = {
        "drift %25": HEAD + block.replace("threshold", "treshold", 1) + SOUND,
        "fail\nopen": HEAD + block + SOUND.replace("=== 'pass'", "!== 'fail'"),
        "marker, ::": HEAD + block.replace("// judge-contract:end\n", "") + SOUND,
        "null-drop\r": HEAD
        + block
        + SOUND.replace(DECIDE, "const verdicts = replies.filter(Boolean).map((r) =>"
                        " decideVerdict(r, RUBRIC));\n"),
        "null-pass']\"": HEAD
        + block
        + SOUND.replace("return {", "return { f: verdicts.flatMap((v) =>"
                        " v.criteria.filter((c) => !c.pass)),"),
        "order \U0001f600é": HEAD + "const early = JUDGE_VERDICT_SCHEMA;\n" + block + SOUND,
        "parse ]]>": HEAD + block + "return {{{;\n",
        "rubric <!-- -->": HEAD + block + SOUND.replace("'Is it?'", "'Is it @octocat #1?'"),
        "shadow \u202egnp": HEAD + block + SOUND + "function f(spotCheck) { return spotCheck }\n",
        "uncalled \x1b[31m": HEAD + block + "return spotCheck([]);\n",
        "unused www.x.io": HEAD + block + SOUND.replace(", s: spotCheck(verdicts)", ""),
        "bundled -rf ##[error]": HEAD + block + SOUND + f"// {'x' * 5000}\n",
        "pinned |": HEAD + block + SOUND,
    }  # fmt: skip
    paths = {name: f"{AT}/workflows/{name}.js" for name in scripts}
    kept: dict[str, Planted] = {
        ".claude-plugin/marketplace.json": json.dumps(
            {"name": "m", "plugins": [{"name": PLUGIN, "source": f"./{AT}"}]}
        ),
        MANIFEST: json.dumps({"name": PLUGIN, "version": "1.0.0"}),
        f"{AT}/skills/x/SKILL.md": "`python3 scripts/judge_contract.py`\n"
        "`references/a&b.md` `references/b.md`\n" + PUBLISHED,
        GATE: "jobs:\n  a:\n    steps:\n      - run: judge-contract check\n",
        CONFIG: '[[allow]]\nrule = "JC-DRIFT"\npath = "nothing::,|`<b>/**"\nwhy = "no more"\n'
        '[[allow]]\nrule = "JC-STRAY"\npath = "**/lib/"\nwhy = "known ]]>\\n::error::x"\n',
        "judges.toml": '[[judge]]\nplugin = "::error::"\njudge = "|"\nwhere = ["gone\\n.js"]\n'
        f'status = "fixed"\n[[judge]]\nplugin = {_toml(PLUGIN)}\njudge = "all"\n'
        f'status = "kept-unmeasured"\nwhere = {_toml([*paths.values()])}\n'
        'resolves_if = "measured"\nshape = "real"\n',
        f"{AT}/scripts/judge_contract.py": python,
        f"{AT}/references/a&b.md": text.replace("# The", "# Our"),
        f"{AT}/references/unwired*_.md": text,
        f"{AT}/references/link.md": Link("../../../x.md"),
        f"{AT}/lib/judge_contract.py": python,
    }
    copies = {path: "verdict.inline.js" for name, path in paths.items() if name != "pinned |"}
    copies |= {
        f"{AT}/scripts/judge_contract.py": "judge_contract.py",
        f"{AT}/references/a&b.md": "judge-contract.md",
        f"{AT}/references/unwired*_.md": "judge-contract.md",
        f"{AT}/references/link.md": "judge-contract.md",
        f"{AT}/ignored::/judge_contract.py": "judge_contract.py",
        f"{AT}/mode::/judge_contract.py": "judge_contract.py",
        f"{AT}/workflows/gone %0D.js": "verdict.inline.js",
        f"{AT}/unknown::.py": "no artifact\n::error::",
    }
    pin = Pin(
        path=paths["pinned |"], artifact="verdict.inline.js", release=OLD, sha256="00", why="why: %"
    )
    lock = Lock(release=OLD, copies=copies, pins=(pin,))
    plant(root, {**kept, LOCK: lock.render()})
    plant(root, {path: scripts[name] for name, path in paths.items()})
    git(root, "init", "-q", "-b", "main")
    commit(root, "the base")
    git(root, "checkout", "-qb", "change")
    (root / CONFIG).write_text('[severity]\nJC-MODE = "off"\n')
    plant(
        root,
        {
            ".gitignore": "ignored::/\n",
            f"{AT}/ignored::/judge_contract.py": python,
            f"{AT}/mode::/judge_contract.py": python,
            "plugins/stray \udcff/.claude-plugin/plugin.json": '{"name": "stray"}',
            "plugins/stray \udcff/judge-contract.md": text,
        },
    )
    edited = python.replace("verdict-missing", "verdict-absent", 1)
    (root / f"{AT}/scripts/judge_contract.py").write_text(edited)
    (root / f"{AT}/mode::/judge_contract.py").chmod(0o755)
    commit(root, "every fault")
    return root
