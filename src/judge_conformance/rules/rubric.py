"""A rubric that is given to the contract is sound, the plugin's own, and the one that is published.

Its id begins with the plugin's name; a reference of the plugin (a `.json` file, or a fenced `json`
block of a Markdown file) holds the same value, so that people read what code decides by; and its
calibration record, if it has one, speaks for this very rubric, and for the prompt, the sealed cases
and the model, as far as the tree holds the files that the record names. In a Workflow script one
that is no literal cannot be compared: that is a warning. In Python dicts that are written out are
read.

Write the rubric out as a literal, put the same JSON into a reference, and measure again what
changed after it was measured.

Not seen: whether the questions are good ones, rubrics that Python reads from a file or puts
together, and prose beside the JSON that says something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any

from judge_conformance.errors import UnusableInputError
from judge_conformance.findings import Finding, Severity
from judge_conformance.python.files import located
from judge_conformance.python.rubrics import rubrics as python_rubrics
from judge_conformance.records import CALIBRATION, canonical_module, stale_files
from judge_conformance.rule import Context, Edit, Example, Fault, LinkTo, Rule
from judge_conformance.tree import Plugin
from judge_conformance.workflows.idiom import rubric, slug
from judge_conformance.workflows.literals import constant
from judge_conformance.workflows.rubrics import rubrics

_FENCE = re.compile(
    rb"(?ms)^ {0,3}(?P<bar>`{3,}|~{3,})[ \t]*json\b[^\n]*\n(?P<text>.*?)^ {0,3}(?P=bar)"
)
_COMPUTED = (
    Severity.WARNING,
    "this rubric is no literal, so that it cannot be compared with what is published",
    "write it out: const RUBRIC = { id: ..., ... }",
)
_MEASURE = "measure it again: judge-contract calibrate freeze, sealed, record"
_WORKFLOW = "plugins/acme/workflows/review.js"
_SKILL = "plugins/acme/skills/review/SKILL.md"


def check(context: Context) -> Iterator[Finding]:
    """Report rubrics of scripts that are not sound, not published, or stale."""
    references = cache(lambda plugin: list(_references(context, plugin)))  # each plugin read once
    looks = (_in_workflows(context, references), _in_python(context, references))
    for path, line, column, faults in chain(*looks):
        for severity, message, hint in faults:
            yield RULE.finding(
                path, message, line=line, column=column, hint=hint, severity=severity
            )


def _in_workflows(
    context: Context, references: Callable[[Plugin], list[Mapping[str, Any]]]
) -> Iterator[tuple[str, int, int, Iterator[Fault]]]:
    for script in context.survey.carriers:
        plugin = context.plugins.of(script.path)
        for node in rubrics(script):
            value = constant(node)
            faults = _faults(context, references, plugin, value)
            is_global = node.type == "Identifier" and script.scopes.variable(node) is None
            if is_global and node.name != "args":  # which the runtime gives
                faults = _undeclared(plugin, script.path, node.name)
            elif not isinstance(value, dict):
                faults = iter([_COMPUTED])
            yield (script.path, *script.position(node.range[0]), faults)


def _in_python(
    context: Context, references: Callable[[Plugin], list[Mapping[str, Any]]]
) -> Iterator[tuple[str, int, int, Iterator[Fault]]]:
    for source, place in located(context):
        plugin = context.plugins.of(source.path)
        for node, value in python_rubrics(source):
            path, line, column, *_ = place(node)
            yield path, line, column, _faults(context, references, plugin, value)


def _undeclared(plugin: Plugin | None, path: str, name: str) -> Iterator[Fault]:
    lines = rubric(plugin.name if plugin else "repository", path)
    message = f"{name} is not declared, so that deciding throws"
    yield Severity.ERROR, message, f"write it above the first use:\n{lines}"


def _faults(
    context: Context,
    references: Callable[[Plugin], list[Mapping[str, Any]]],
    plugin: Plugin | None,
    value: Mapping[str, Any],
) -> Iterator[Fault]:
    contract = canonical_module("judge_contract.py")
    try:
        contract.check_rubric(value)
    except contract.RubricError as error:
        yield Severity.ERROR, f"this rubric is refused: {error}", None
        return
    if plugin is not None:
        yield from _published(references, plugin, value)
    yield from _measured(context, value)


def _measured(context: Context, value: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what changed since the judge was measured, as far as the tree holds it."""
    calibration = value.get("calibration", {})
    if "hashes" not in calibration:
        return
    try:
        found = stale_files(calibration, context.tree, rubric=value)
    except UnusableInputError as error:
        found = [error.message]
    for why in found:
        yield Severity.ERROR, f"its calibration record is stale: {why}", _MEASURE


def _published(
    references: Callable[[Plugin], list[Mapping[str, Any]]],
    plugin: Plugin,
    value: Mapping[str, Any],
) -> Iterator[Fault]:
    name = str(value["id"])
    owners = {f"{slug(owner)}-" for owner in plugin.names} - {"-"}
    if owners and not any(map(name.startswith, owners)):
        yield Severity.ERROR, f"the rubric's id {name!r} does not begin with {min(owners)}", None
    digest = canonical_module(CALIBRATION).rubric_digest
    published = [digest(one) for one in references(plugin) if one.get("id") == name]
    plain = json.dumps({key: part for key, part in value.items() if key != "calibration"})
    if not published:
        message = f"no reference of {plugin.name} holds the rubric {name}"
        yield Severity.ERROR, message, f"put into a Markdown reference:\n```json\n{plain}\n```"
    elif digest(value) not in published:
        message = f"the rubric {name} is not the one that {plugin.name} publishes"
        yield Severity.ERROR, message, f"the script holds:\n{plain}"


def _references(context: Context, plugin: Plugin) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects that the plugin's references hold."""
    for path in context.tree.paths_under(plugin.path):
        if path.endswith((".json", ".md")) and not context.survey.carries(path):
            for text in _texts(context, path):
                value = _object(text)
                if value is not None:
                    yield value


def _texts(context: Context, path: str) -> Iterator[bytes]:
    try:
        data = context.tree.read(path)
    except UnusableInputError:
        return
    yield from [data] if path.endswith(".json") else (m["text"] for m in _FENCE.finditer(data))


def _object(text: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


RULE = Rule(
    code="JC-RUBRIC",
    title="a rubric that is refused, not published, or changed since it was measured",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="the skill publishes the same", changes={}),
        Example(
            title="a reference that is a link besides",
            changes={"plugins/acme/references/more.md": LinkTo(target="judge-contract.md")},
        ),
        Example(
            title="the published one asks something else",
            changes={_SKILL: Edit(old="Is it?", new="Is it real?")},
            at=f"{_WORKFLOW}:const RUBRIC",
        ),
        Example(
            title="a threshold above 1",
            changes={_WORKFLOW: Edit(old="threshold: 0.8", new="threshold: 8")},
            at=f"{_WORKFLOW}:const RUBRIC",
        ),
        Example(
            title="the id is another plugin's",
            changes={
                _WORKFLOW: Edit(old="acme-review@1", new="other-review@1"),
                _SKILL: Edit(old="acme-review@1", new="other-review@1"),
            },
            at=f"{_WORKFLOW}:const RUBRIC",
        ),
    ),
)
