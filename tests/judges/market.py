"""A marketplace of twelve plugins with 32 judges of every status, all of which hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.trees import git, plant

from judge_conformance.catalog import Catalog

MEASURED = Path(__file__).parents[1] / "marketplaces/calibrated"
HOME = "plugins/example"
RUBRIC = (
    "{ id: '%s-review@1', threshold: 0.8, criteria: [{ id: 'real', question: 'Is it real?' }] }"
)
PLUGINS = [f"p{number:02}" for number in range(11)]


def workflow(plugin: str, block: str) -> str:
    return (
        f"export const meta = {{ name: 'review' }};\n\n{block}\n\n"
        f"const RUBRIC = {RUBRIC % plugin};\n"
        "const reply = await agent('?', { label: 'verify', schema: JUDGE_VERDICT_SCHEMA });\n"
        "return decideVerdict(reply, RUBRIC, { item: args.item }).outcome === 'pass';\n"
    )


def row(plugin: str, judge: str, where: str, status: str, **more: object) -> str:
    lines = [f'plugin = "{plugin}"', f'judge = "{judge}"', f'where = ["{where}"]']
    lines += [f'status = "{status}"', *(f"{key} = {value}" for key, value in more.items())]
    return "[[judge]]\n" + "\n".join(lines) + "\n"


def registry() -> str:
    rows = []
    for plugin in PLUGINS:
        at = f"plugins/{plugin}"
        rows.append(
            row(plugin, "review", f"{at}/workflows/review.js", "collapsed",
                rubric=f'"{plugin}-review@1"')
        )  # fmt: skip
        rows.append(
            row(plugin, "hook", f"{at}/scripts/hook.sh", "fixed",
                proof=f'{{absent = "fail.open", in = ["{at}/scripts/*.sh"]}}')
        )  # fmt: skip
    rows += [
        row(plugin, "taste", f"plugins/{plugin}/agents/taste.md", "kept-unmeasured",
            resolves_if='"a paired run on 40 items"')
        for plugin in PLUGINS[:8]
    ]  # fmt: skip
    rows.append(row("p00", "tests", "plugins/p00/scripts/hook.sh", "conforms"))
    rows.append(
        row("example", "links", f"{HOME}/scripts/check_links.py", "kept-calibrated",
            record=f'"{HOME}/calibration/record.json"')
    )  # fmt: skip
    return "\n".join(rows)


def plant_market(root: Path) -> Path:
    """Plant it below a folder, and make that a repository."""
    block = Catalog.load().content("verdict.inline.js").decode()
    tree: dict[str, str] = {"judges.toml": registry()}
    names = [*PLUGINS, "example"]
    entries = [{"name": plugin, "source": f"./plugins/{plugin}"} for plugin in names]
    tree[".claude-plugin/marketplace.json"] = json.dumps({"name": "m", "plugins": entries})
    required = []
    for plugin in PLUGINS:
        at = f"plugins/{plugin}"
        tree[f"{at}/workflows/review.js"] = workflow(plugin, block)
        tree[f"{at}/scripts/hook.sh"] = "exit 2\n"
        tree[f"{at}/agents/taste.md"] = "Judge its taste.\n"
        required.append(f'"{at}/workflows/review.js"')
    tree["judge-contract.toml"] = f"required = [{', '.join(required)}]\n"
    plant(root, tree)
    shutil.copytree(MEASURED / HOME, root / HOME)
    git(root, "init", "-q")
    return root
