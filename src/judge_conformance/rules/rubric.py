"""A rubric that is given to the contract is sound, the plugin's own, and the one that is published.

Its id begins with the plugin's name; a reference of the plugin (a `.json` file, or a fenced `json`
block of a Markdown file) holds the same value, so that people read what code decides by; and its
calibration record, if it has one, speaks for this very rubric. One that is no literal cannot be
compared: that is a warning.

Write the rubric out as a literal, put the same JSON into a reference, and measure again what
changed after it was measured.

Not seen: whether the questions are good ones, rubrics in Python, and prose beside the JSON that
says something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from judge_conformance.errors import UnusableInputError
from judge_conformance.findings import Finding, Severity
from judge_conformance.records import CALIBRATION, canonical_module, stale
from judge_conformance.rule import Context, Edit, Example, Rule
from judge_conformance.tree import Plugin
from judge_conformance.workflows.expressions import bare
from judge_conformance.workflows.idiom import rubric, slug
from judge_conformance.workflows.literals import COMPUTED, constant
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.shadowing import Host

References = Callable[[Plugin], list[Mapping[str, Any]]]  # the JSON objects that a plugin publishes

_FENCE = re.compile(
    r"(?ms)^ {0,3}(?P<bar>`{3,}|~{3,})[ \t]*json\b[^\n]*\n(?P<text>.*?)^ {0,3}(?P=bar)"
)
_WORKFLOW = "plugins/acme/workflows/review.js"
_SKILL = "plugins/acme/skills/review/SKILL.md"


def check(context: Context) -> Iterator[Finding]:
    """Report rubrics of Workflow scripts that are not sound, not published, or stale."""
    references = cache(lambda plugin: list(_references(context, plugin)))  # each plugin read once
    for script in context.survey.carriers:
        plugin = context.plugins.of(script.path)
        seen: set[int] = set()
        for given in _given(Host(script)):
            node = _literal(script, given)
            if id(node) in seen:
                continue
            seen.add(id(node))
            line, column = script.position(node.range[0])
            undeclared = node.type == "Identifier" and script.scopes.variable(node) is None
            faults = (
                _undeclared(plugin, script.path, node.name)
                if undeclared and node.name != "args"  # which the runtime gives
                else _faults(references, plugin, node)
            )
            for severity, message, hint in faults:
                yield RULE.finding(
                    script.path,
                    message,
                    line=line,
                    column=column,
                    hint=hint,
                    severity=None if severity is Severity.ERROR else severity,
                )


def _given(host: Host) -> Iterator[Node]:
    """Yield the second argument of each call of decideVerdict."""
    for use in host.uses():
        parent, role = host.scopes.parent(use)
        if use.name != "decideVerdict" or parent is None or role != "callee":
            continue
        if parent.type == "CallExpression" and len(parent.arguments) > 1:
            yield bare(parent.arguments[1])


def _literal(script: Script, node: Node) -> Node:
    """Return the object that a name stands for, where a declaration gives it; else the node."""
    seen: set[int] = set()
    while node.type == "Identifier" and id(node) not in seen:
        seen.add(id(node))
        variable = script.scopes.variable(node)
        if variable is None or len(variable.bindings) != 1:
            return node
        parent, role = script.scopes.parent(variable.bindings[0])
        if parent is None or parent.type != "VariableDeclarator" or role != "id":
            return node
        if parent.init is None:
            return node
        node = bare(_unfrozen(parent.init))
    return node


def _unfrozen(node: Node) -> Node:
    """Return what Object.freeze is given, and any other expression as it is."""
    node = bare(node)
    frozen = (
        node.type == "CallExpression"
        and node.callee.type == "MemberExpression"
        and getattr(node.callee.object, "name", "") == "Object"
        and getattr(node.callee.property, "name", "") == "freeze"
        and len(node.arguments) == 1
    )
    return node.arguments[0] if frozen else node


def _undeclared(
    plugin: Plugin | None, path: str, name: str
) -> Iterator[tuple[Severity, str, str | None]]:
    lines = rubric(plugin.name if plugin else "repository", path)
    message = f"{name} is not declared, so that deciding throws"
    yield Severity.ERROR, message, f"write it above the first use:\n{lines}"


def _faults(
    references: References, plugin: Plugin | None, node: Node
) -> Iterator[tuple[Severity, str, str | None]]:
    value: Any = constant(node) if node.type == "ObjectExpression" else COMPUTED
    if value is COMPUTED:
        message = "this rubric is no literal, so that it cannot be compared with what is published"
        yield Severity.WARNING, message, "write it out: const RUBRIC = { id: ..., ... }"
        return
    contract = canonical_module("judge_contract.py")
    try:
        contract.check_rubric(value)
    except contract.RubricError as error:
        yield Severity.ERROR, f"this rubric is refused: {error}", None
        return
    if plugin is not None:
        yield from _published(references, plugin, value)
    calibration = value.get("calibration")
    if calibration and "hashes" in calibration:
        for why in stale(calibration, rubric=value):
            hint = "measure it again: judge-contract calibrate freeze, sealed, record"
            yield Severity.ERROR, f"its calibration record is stale: {why}", hint


def _published(
    references: References, plugin: Plugin, value: Mapping[str, Any]
) -> Iterator[tuple[Severity, str, str | None]]:
    name = str(value["id"])
    owners = {slug(owner) for owner in (plugin.name, *plugin.names)} - {""}
    if owners and not any(name.startswith(f"{owner}-") for owner in owners):
        yield Severity.ERROR, f"the rubric's id {name!r} does not begin with {min(owners)}-", None
    published = [found for found in references(plugin) if found.get("id") == name]
    plain = {key: part for key, part in value.items() if key != "calibration"}
    if not published:
        message = f"no reference of {plugin.name} holds the rubric {name}"
        hint = f"put into a Markdown reference:\n```json\n{json.dumps(plain)}\n```"
        yield Severity.ERROR, message, hint
    elif not any(_are_equal(found, plain) for found in published):
        message = f"the rubric {name} is not the one that {plugin.name} publishes"
        yield Severity.ERROR, message, f"the script holds:\n{json.dumps(plain)}"


def _are_equal(found: Mapping[str, Any], plain: Mapping[str, Any]) -> bool:
    """Whether a published rubric is this one as canonical JSON, less its record of a measurement.

    The canonical digest is asked only where the two are spelled otherwise: 1.0 is 1 there.
    """
    bare_found = {key: part for key, part in found.items() if key != "calibration"}
    if json.dumps(bare_found, sort_keys=True) == json.dumps(plain, sort_keys=True):
        return True
    arithmetic = canonical_module(CALIBRATION)
    return bool(arithmetic.rubric_digest(found) == arithmetic.rubric_digest(plain))


def _references(context: Context, plugin: Plugin) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects that the plugin's references hold."""
    for path in context.tree.paths_under(plugin.path):
        if not path.endswith((".json", ".md")) or context.tree.entries[path].kind != "file":
            continue
        if context.survey.carries(path):
            continue  # the contract's own example is nobody's rubric
        try:
            text = context.tree.read(path).decode("utf-8", "replace")
        except UnusableInputError:
            continue
        if '"criteria"' not in text:
            continue
        texts = [text] if path.endswith(".json") else [m["text"] for m in _FENCE.finditer(text)]
        for part in texts:
            try:
                value = json.loads(part)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


RULE = Rule(
    code="JC-RUBRIC",
    title="a rubric that is refused, not published, or changed since it was measured",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="the skill publishes the same", changes={}),
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
