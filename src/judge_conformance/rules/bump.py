"""A plugin whose copies changed has a higher version than on the base.

Installed plugins are updated when their version rises. A copy that moved to another release under
the same version stays stale wherever the plugin is installed. This rule compares with a base
(`check --base`); a plugin that states no version, or is new, is left alone. The config's `bump`
says when versions rise: with the pull request, `after-merge` (then this is a notice), or `off`.

Raise the version; `judge-contract upgrade --bump patch` does it along with an upgrade.

Not seen: which versions were ever published, and how versions that are no numbers are ordered: any
other word counts as higher. Without `--base` the rule is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Change, Context, Delete, Edit, Example, Rule, Write
from judge_conformance.tree import Plugin

_MANIFEST = "plugins/acme/.claude-plugin/plugin.json"
_COPY = "plugins/acme/scripts/judge_contract.py"
_ROW = f'"{_COPY}" = "judge_contract.py"\n'
_SKILL = "plugins/acme/skills/review/SKILL.md"
_WITHOUT: dict[str, Change] = {
    _COPY: Delete(),
    "judge-contract.lock": Edit(old=_ROW, new=""),
    _SKILL: Write(text="Judge by `references/judge-contract.md`.\n"),
}


def check(context: Context) -> Iterator[Finding]:
    """Report plugins whose copies changed while their version did not rise."""
    base, bump = context.base, context.config.bump
    if base is None or bump == "off":
        return
    paths = base.plugins.by_path
    names = {plugin.name: plugin for plugin in base.plugins.found}
    for plugin in context.plugins.found:
        old, new = paths.get(plugin.path) or names.get(plugin.name), plugin.stated
        if old is None or old.stated is None or new is None:
            continue
        changed = _changed(_copies(base, old), _copies(context, plugin))
        if changed is None or _rose(old.stated.text, new.text):
            continue
        yield RULE.finding(
            new.path,
            f"{plugin.name} stays at version {new.text}, and its {changed} changed: "
            "installed copies stay stale",
            line=new.line,
            hint=f"raise the version above {old.stated.text}",
            severity=Severity.NOTICE if bump == "after-merge" else None,
        )


def _copies(context: Context, plugin: Plugin) -> Mapping[str, bytes]:
    return {
        copy.path.removeprefix(f"{plugin.path}/"): copy.data
        for copy in context.survey.copies.values()
        if copy.data and context.plugins.of(copy.path) == plugin
    }


def _changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str | None:
    """Return the first path, below the plugin, whose bytes differ; None when none do."""
    paths = sorted(before.keys() | after.keys())
    return next((path for path in paths if before.get(path) != after.get(path)), None)


def _rose(old: str, new: str) -> bool:
    """Whether a version is higher; of two that cannot be ordered, whether it is another."""
    numbers = [_numbers(version) for version in (old, new)]
    if numbers[0] is None or numbers[1] is None:
        return old != new
    return numbers[1] > numbers[0]


def _numbers(version: str) -> tuple[tuple[int, ...], bool, list[tuple[bool, int, str]]] | None:
    """Return what orders semantic versions: numbers, then a release after its pre-releases."""
    pattern = r"v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
    match = re.fullmatch(pattern, version, re.ASCII)
    if match is None:
        return None
    core = tuple(int(number) for number in match[1].split("."))
    while core and core[-1] == 0:
        core = core[:-1]
    parts = match[2].split(".") if match[2] else []
    ranked = [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in parts]
    return core, not parts, ranked


RULE = Rule(
    code="JC-BUMP",
    title="a plugin's copies changed and its version did not rise",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="nothing changed", changes={}, base={}),
        Example(
            title="a copy added and the version raised",
            base=_WITHOUT,
            changes={_MANIFEST: Write(text='{"name": "acme", "version": "1.0.1"}\n')},
        ),
        Example(
            title="a copy added under the same version",
            base=_WITHOUT,
            changes={},
            at=f"{_MANIFEST}:version",
            mended={_MANIFEST: Write(text='{"name": "acme", "version": "1.0.1"}\n')},
        ),
    ),
)
