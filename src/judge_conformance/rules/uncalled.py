"""A contract's answer is asked for and kept: a block's `decideVerdict`, a Python copy's `decide`.

A contract that is there and not asked decides nothing: the script goes on with whatever it
believed before. Looked for are calls outside the block, in functions that something calls, and, for
a Python file, modules, code in Markdown, hooks and scripts of its plugin; and in Python that
imports the copy, a call of `decide` whose answer something reads.

Paste the lines of the hint, or take the copy away with `judge-contract retire`.

Not seen: whether the call is reached when the script runs, and what people or other plugins run.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.copies import Copy
from judge_conformance.findings import Finding, Severity
from judge_conformance.mentions import runs_module
from judge_conformance.python.called import discarded
from judge_conformance.python.files import located
from judge_conformance.rule import Context, Edit, Example, Rule, Write
from judge_conformance.shell import shell_path
from judge_conformance.workflows.called import fates
from judge_conformance.workflows.idiom import ASK, DECIDE, RETURN, rubric
from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.shadowing import Host

_WORKFLOW = "plugins/acme/workflows/review.js"
_SCRIPT = "plugins/acme/scripts/gate.py"
_SKILL = "plugins/acme/skills/review/SKILL.md"
_ROOT = '"${CLAUDE_PLUGIN_ROOT}'
_KEEP = 'keep the answer, and accept on it: `verdict = decide(...)`, `verdict["outcome"] == "pass"`'

_STORIES = {
    "discarded": "the answer of decideVerdict is discarded, so that nothing depends on it",
    "unreached": "decideVerdict is called in a function that nothing calls",
}


def check(context: Context) -> Iterator[Finding]:
    """Report blocks that are not called, and Python copies that nothing uses."""
    for copy in context.survey.copies.values():
        if not (copy.present and copy.declared):
            continue  # JC-STRAY speaks of a copy that nobody adopted
        if context.catalog.artifacts[copy.artifact].language == "python":
            yield from _python(context, copy)
        elif copy.path in context.survey.scripts:
            yield from _block(context, context.survey.scripts[copy.path])
    for source, place in located(context):
        call = discarded(source)
        if call is not None:
            message = "the answer of decide is discarded, so that nothing depends on it"
            yield RULE.at(place(call), message, _KEEP)


def _block(context: Context, script: Script) -> Iterator[Finding]:
    found = list(fates(Host(script), "decideVerdict"))
    if any(fate == "kept" for _, fate in found):
        return
    hint = "\n".join(_lines(context, script))
    if not found:
        message = "decideVerdict is never called, so that this block decides nothing"
        yield RULE.finding(script.path, message, line=script.blocks[0].line, hint=hint)
        return
    node, fate = found[0]
    message = _STORIES[fate]
    line, column = script.position(node.range[0])
    end = script.position(node.range[1])
    yield RULE.finding(script.path, message, line=line, column=column, end=end, hint=hint)


def _lines(context: Context, script: Script) -> Iterator[str]:
    yield "paste below the block, over what you judge:"
    if "RUBRIC" not in script.scopes.top.variables:
        plugin = context.plugins.of(script.path)
        yield rubric(plugin.name if plugin else "repository", script.path)
    yield from (ASK, DECIDE, RETURN)


def _python(context: Context, copy: Copy) -> Iterator[Finding]:
    plugin = context.plugins.of(copy.path)
    root = plugin.path if plugin else ""
    if runs_module(context.tree, root, copy.path, besides=context.survey.carries):
        return
    inside = copy.path.removeprefix(f"{root}/")
    word = shell_path(inside)
    place = f'{_ROOT}/{inside}"' if word == inside else f'{_ROOT}"/{word}'
    gate = context.catalog.artifacts[copy.artifact].gate
    command = "--help" if gate else f'decide --rubric {_ROOT}/references/rubric.json" -'
    yield RULE.finding(
        copy.path,
        f"nothing of {plugin.name if plugin else 'this repository'} imports or runs it",
        hint=f"paste into the skill, hook or script that judges:\n`python3 {place} {command}`",
    )


RULE = Rule(
    code="JC-UNCALLED",
    title="a copy of the contract that nothing calls",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="called over the items, and the Python file run by a skill", changes={}),
        Example(
            title="a block that is never called",
            changes={
                _WORKFLOW: Write(
                    text="export const meta = { name: 'review' };\n\n{{verdict.inline.js}}\n\n"
                    "const reply = await agent('Judge', { schema: JUDGE_VERDICT_SCHEMA });\n"
                    "return reply.criteria.every((c) => c.pass);\n"
                )
            },
            at=f"{_WORKFLOW}:judge-contract:start",
        ),
        Example(
            title="an answer that is discarded",
            changes={
                _WORKFLOW: Edit(
                    old="const verdicts = items.map((item, i) =>"
                    " decideVerdict(replies[i], RUBRIC, { item }));",
                    new="const verdicts = replies;\n"
                    "items.forEach((item, i) => decideVerdict(replies[i], RUBRIC, { item }));",
                )
            },
            at=f"{_WORKFLOW}:items.forEach",
        ),
        Example(
            title="in Python, an answer that is discarded",
            changes={
                _SCRIPT: Write(
                    text="import sys\n"
                    "\n"
                    "from judge_contract import decide\n"
                    "\n"
                    "decide(ask(sys.argv[1]), RUBRIC)\n"
                    "sys.exit(0)\n"
                )
            },
            at=f"{_SCRIPT}:decide(ask",
        ),
        Example(
            title="a Python file that the skill no longer runs",
            changes={_SKILL: Edit(old="scripts/judge_contract.py", new="scripts/judge")},
            at="plugins/acme/scripts/judge_contract.py",
        ),
    ),
)
