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
from judge_conformance.paths import CONFIG
from judge_conformance.rule import Change, Context, Delete, Edit, Example, Rule, Write

_MANIFEST = "plugins/acme/.claude-plugin/plugin.json"
_COPY = "plugins/acme/scripts/judge_contract.py"
_ROW = f'"{_COPY}" = "judge_contract.py"\n'
_SKILL = "plugins/acme/skills/review/SKILL.md"
_HIGHER = (
    ("1.9.0", "1.10.0"),
    ("v1.9", "2"),
    ("1.0.0", "1.0.1-rc.1"),
    ("1.0.0-rc.9", "1.0.0-rc.10"),
    ("1.0.0-rc.09", "1.0.0-rc.10"),
    ("1.0.0-1", "1.0.0-a"),
    ("1.0.0-rc", "1.0.0-rc.1"),
    ("1.0.0-z", "1.0.0"),
    ("spring", "autumn"),
    ("2.0.0", "autumn"),
    ("spring", "1.0.0"),
)
_NOT_HIGHER = (
    ("1.0.0", "1.0.0"),
    ("1.0.0", "1.0"),
    ("1", "v1.0.0"),
    ("1.0.10", "1.0.9"),
    ("10.0.0", "9.9.9"),
    ("1.0.0", "1.0.0-rc.1"),
    ("1.0.0-rc.10", "1.0.0-rc.9"),
    ("1.0.0-b", "1.0.0-a+b"),
    ("1.0.0", "1.0.0+2"),
    ("2024.1", "2024.01"),
    ("spring", "spring"),
)
_MARKET = ".claude-plugin/marketplace.json"
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
    before, after = _copies(base), _copies(context)
    for plugin in context.plugins.found:
        old, new = paths.get(plugin.path) or names.get(plugin.name), plugin.stated
        if old is None or old.stated is None or new is None:
            continue
        changed = _changed(before.get(old.path, {}), after.get(plugin.path, {}))
        if changed is None or _rose(old.stated.text, new.text):
            continue
        yield RULE.finding(
            new.path,
            f"{plugin.name} stays at version {new.text}, and its {changed} changed: "
            "installed copies stay stale",
            line=new.line,
            hint=f"raise the version above {old.stated.text}; where a release does that, {CONFIG} "
            'says so: bump = "after-merge"',
            severity=Severity.NOTICE if bump == "after-merge" else None,
        )


def _copies(context: Context) -> Mapping[str, Mapping[str, bytes]]:
    """Return the bytes of the copies of each plugin, by its path and theirs below it."""
    found: dict[str, dict[str, bytes]] = {}
    for copy in context.survey.copies.values():
        plugin = context.plugins.of(copy.path)
        if plugin is not None:
            below = copy.path.removeprefix(f"{plugin.path}/")
            found.setdefault(plugin.path, {})[below] = copy.data
    return found


def _changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str | None:
    """Return the first path, below the plugin, whose bytes differ; None when none do."""
    paths = before.keys() | after.keys()
    return min((p for p in paths if before.get(p, b"") != after.get(p, b"")), default=None)


def _rose(old: str, new: str) -> bool:
    """Whether a version is higher; of two that cannot be ordered, whether it is another."""
    width = len(old) + len(new)  # no number in them has as many digits
    was, now = (_ordered(version, width) for version in (old, new))
    return now > was if was and now else old != new


def _ordered(version: str, width: int) -> list[list[str]] | None:
    """Return what orders a semantic version: its numbers, and what makes it a pre-release."""
    match = re.fullmatch(r"v?(\d+(?:\.\d+)*?)(?:\.0+)*(?:-(.+?))?(?:\+.*)?", version)
    if match is None:
        return None
    whole = match[1], match[2] or "~"  # which stands behind all that a pre-release may be called
    return [[_rank(part, width) for part in parts.split(".")] for parts in whole]


def _rank(part: str, width: int) -> str:
    """Return what orders a part: numbers by their size, and before words."""
    return part.zfill(width) if part.isdigit() else part


def _released(index: int, copy: str) -> dict[str, Change]:
    """Return a marketplace of plugins in their versions before or after, each with this copy."""
    versions = [*_HIGHER, *_NOT_HIGHER]
    rows = [
        f'{{"name": "p-{n}-", "source": "./plugins/p{n}", "version": "{pair[index]}"}}'
        for n, pair in enumerate(versions)
    ]
    files = {
        "judge-contract.toml": '[severity]\nJC-STRAY = "off"\n',
        _MARKET: '{"name": "m", "plugins": [\n' + ",\n".join(rows) + "]}\n",
        **{f"plugins/p{n}/judge_contract.py": copy for n in range(len(rows))},
    }
    return {path: Write(text=text) for path, text in files.items()}


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
        Example(
            title="versions that are higher, and some that are not",
            base=_released(0, "import this\n"),
            changes=_released(1, "{{judge_contract.py}}"),
            at=f"{_MARKET}:p-{len(_HIGHER)}-",
            also=tuple(f"{_MARKET}:p-{len(_HIGHER) + n}-" for n in range(1, len(_NOT_HIGHER))),
        ),
    ),
)
