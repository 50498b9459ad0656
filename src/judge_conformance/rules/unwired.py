"""A vendored reference is named where a model reads: in a SKILL.md, a command or an agent.

A text that nothing of its plugin names is read by nobody. One step further counts too: a reference
that one of these names may name it.

Paste the line of the hint into the skill, command or agent that judges.

Not seen: whether the model that reads the name opens the file.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from judge_conformance.copies import State
from judge_conformance.errors import UnusableInputError
from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Edit, Example, Rule
from judge_conformance.tree import Plugin

_SKILL = "plugins/acme/skills/review/SKILL.md"
_COPY = "plugins/acme/references/judge-contract.md"


def check(context: Context) -> Iterator[Finding]:
    """Report references that nothing names."""
    for copy in context.survey.copies.values():
        artifact = context.catalog.artifacts[copy.artifact]
        plugin = context.plugins.of(copy.path)
        present = copy.declared and copy.state in {State.CURRENT, State.OTHER, State.EDITED}
        if artifact.language != "markdown" or plugin is None or not present:
            continue  # JC-STRAY speaks of a copy that nobody adopted
        if not _named(context, plugin, copy.path):
            inside = copy.path.removeprefix(plugin.path + "/")
            line = f"Judge by `${{CLAUDE_PLUGIN_ROOT}}/{inside}`: report evidence; code decides."
            yield RULE.finding(
                copy.path,
                f"no SKILL.md, command or agent of {plugin.name} names it, so that nobody reads it",
                hint=f"paste into the skill, command or agent that judges:\n{line}",
            )


def _named(context: Context, plugin: Plugin, path: str) -> bool:
    """Whether a text that models are given, or one that it names, names the file."""
    texts = {
        entry.path: entry
        for entry in context.tree.under(plugin.path)
        if entry.path.endswith(".md") and entry.kind == "file" and entry.path != path
    }
    given = [name for name in texts if _is_given(name, plugin)]
    name = posixpath.basename(path)
    seen: set[str] = set()
    for step in (given, None):
        found = [_text(context, item) for item in (step if step is not None else sorted(seen))]
        if any(name in text for text in found):
            return True
        seen |= {
            item
            for item in texts
            if "/references/" in f"/{item}"
            and any(posixpath.basename(item) in text for text in found)
        }
    return False


def _is_given(path: str, plugin: Plugin) -> bool:
    inside = path.removeprefix(plugin.path + "/")
    return posixpath.basename(path) == "SKILL.md" or inside.startswith(("commands/", "agents/"))


def _text(context: Context, path: str) -> str:
    try:
        return context.tree.read(path).decode("utf-8", "replace")
    except UnusableInputError:
        return ""


RULE = Rule(
    code="JC-UNWIRED",
    title="a vendored reference that nothing names",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="named by a skill", changes={}),
        Example(
            title="the skill no longer names it",
            changes={_SKILL: Edit(old="judge-contract.md", new="the contract")},
            at=_COPY,
        ),
    ),
)
