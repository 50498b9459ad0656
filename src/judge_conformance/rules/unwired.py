"""A vendored reference is named where a model reads: in a SKILL.md, a command or an agent.

A text that nothing of its plugin names is read by nobody. One step further counts too: a reference
that one of these names may name it.

Paste the line of the hint into the skill, command or agent that judges.

Not seen: whether the model that reads the name opens the file.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain

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
        if artifact.language != "markdown" or not (plugin and copy.present and copy.declared):
            continue  # JC-STRAY speaks of a copy that nobody adopted
        if not _named(context, plugin, copy.path):
            inside = copy.path.removeprefix(f"{plugin.path}/")
            line = f"Judge by `${{CLAUDE_PLUGIN_ROOT}}/{inside}`: report evidence; code decides."
            yield RULE.finding(
                copy.path,
                f"no SKILL.md, command or agent of {plugin.name} names it, so that nobody reads it",
                hint=f"paste into the skill, command or agent that judges:\n{line}",
            )


def _named(context: Context, plugin: Plugin, path: str) -> bool:
    """Whether a text that models are given, or one that it names, names the file."""
    texts = [one for one in context.tree.paths_under(plugin.path) if one.endswith(".md")]
    given = [*_read(context, (one for one in texts if _is_given(one, plugin)))]
    named = (one for one in texts if "references" in one.split("/") and _is_named(one, given))
    return _is_named(path, chain(given, _read(context, named)))


def _is_given(path: str, plugin: Plugin) -> bool:
    inside = path.removeprefix(f"{plugin.path}/")
    return posixpath.basename(path) == "SKILL.md" or inside.startswith(("commands/", "agents/"))


def _is_named(path: str, texts: Iterable[bytes]) -> bool:
    name = posixpath.basename(path).encode()
    return any(name in text for text in texts)


def _read(context: Context, paths: Iterable[str]) -> Iterator[bytes]:
    for path in paths:
        with suppress(UnusableInputError):  # a link, or what is too large
            yield context.tree.read(path)


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
