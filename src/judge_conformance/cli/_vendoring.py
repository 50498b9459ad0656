"""What `vendor`, `init` and `upgrade` share: artifact flags, the plan in words, its writing."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from judge_conformance.catalog import Catalog
from judge_conformance.cli._repository import context_at, emit
from judge_conformance.engine import run
from judge_conformance.errors import UsageError
from judge_conformance.findings import Severity
from judge_conformance.output import printable
from judge_conformance.output.text import by_file
from judge_conformance.paths import LOCK
from judge_conformance.rule import Context
from judge_conformance.rules import all_rules
from judge_conformance.tree import Plugin
from judge_conformance.vendoring import DEFAULT, Plan, Want, apply, plan, wants


def ARTIFACT_OPTIONS(command: Callable[..., Any]) -> Callable[..., Any]:  # noqa: N802 - a decorator like click's
    """Add the flags that name artifacts."""
    for option in (
        click.option("--python", is_flag=True, help="judge_contract.py, into scripts/."),
        click.option("--markdown", is_flag=True, help="judge-contract.md, into references/."),
        click.option(
            "--workflow", "workflows", multiple=True, metavar="FILE", help="The block, into FILE."
        ),
        click.option("--gate", "gates", multiple=True, metavar="NAME", help="A sibling gate."),
        click.option("--into", metavar="DIR", help="The folder in the plugin for a new copy."),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What the artifact flags name; `anything` is false when none was given."""

    artifacts: tuple[str, ...]
    workflows: tuple[str, ...]
    into: str | None

    @property
    def anything(self) -> bool:
        """Whether any flag names an artifact."""
        return bool(self.artifacts or self.workflows)

    @classmethod
    def of(cls, flags: Mapping[str, Any], place: Callable[[str], str]) -> Chosen:
        """Read the flags; FILEs are relative to the current folder. Raises UsageError."""
        gates = {a.gate: name for name, a in Catalog.load().artifacts.items() if a.gate}
        for gate in flags["gates"]:
            if gate not in gates:
                raise UsageError(f"no gate {gate!r}", hint=f"one of {', '.join(sorted(gates))}")
        names = [gates[gate] for gate in flags["gates"]]
        names += ["judge_contract.py"] * flags["python"] + ["judge-contract.md"] * flags["markdown"]
        return cls(
            artifacts=tuple(names),
            workflows=tuple(place(file) for file in flags["workflows"]),
            into=flags["into"],
        )


def wanted_for(context: Context, plugins: Sequence[Plugin], chosen: Chosen) -> list[Want]:
    """Return what plugins are to hold: what the flags name, else the default and what they have.

    Raises UsageError for a script that lies in none of them.
    """
    for path in chosen.workflows:
        if context.plugins.of(path) not in plugins and not path.startswith(".claude/workflows/"):
            names = ", ".join(plugin.name for plugin in plugins)
            raise UsageError(f"lies in no plugin named here ({names})", path=path)
    artifacts = chosen.artifacts if chosen.anything else DEFAULT
    wanted: list[Want] = []
    for plugin in plugins:
        wanted += wants(context, plugin, artifacts=artifacts, into=chosen.into)
        if not chosen.anything:
            wanted += _held(context, plugin, besides={want.path for want in wanted})
    return wanted + list(_blocks(context, chosen.workflows))


def _held(context: Context, plugin: Plugin, besides: set[str]) -> list[Want]:
    held = context.lock.copies if context.lock else {}
    return [
        Want(path=path, artifact=name)
        for path, name in held.items()
        if path not in besides and context.plugins.of(path) == plugin
    ]


def _blocks(context: Context, workflows: Sequence[str]) -> Iterator[Want]:
    block = next(a.name for a in context.catalog.artifacts.values() if a.kind == "block")
    yield from (Want(path=path, artifact=block) for path in workflows)


def carry_out(
    context: Context, wanted: Sequence[Want], *, force: bool, dry_run: bool, show: bool
) -> Plan:
    """Plan, say the plan, and write it unless only asked to look."""
    todo = plan(context, wanted, force=force)
    lines = [f"{change.action:8} {printable(change.path)}" for change in todo.changes]
    lines += [f"{'keep':8} {printable(path)}" for path in todo.kept]
    lines += [f"{'write':8} {LOCK}"] * todo.writes_lock
    if show:
        lines += unified(todo)
    emit("\n".join(lines) + "\n")
    if not (dry_run or show):
        apply(context.tree.root, todo)
    return todo


def say_what_is_left(root: Path, todo: Plan) -> None:
    """Say what only a person can write in the plugins that a plan wrote to."""
    after = context_at(root)
    plugins = {after.plugins.of(change.path) for change in todo.changes}
    left = [
        finding
        for finding in run(all_rules(), after).findings
        if finding.severity is Severity.ERROR and after.plugins.of(finding.location.path) in plugins
    ]
    if left:
        emit("\n".join(["", "left for a person to write:", "", *by_file(left)]))


def unified(todo: Plan) -> list[str]:
    """Return the lines of a unified diff of every file that a plan changes."""

    def text(data: bytes | None) -> list[str]:
        return (data or b"").decode("utf-8", "backslashreplace").splitlines()

    lines: list[str] = []
    for change in todo.changes:
        name = printable(change.path)
        rows = difflib.unified_diff(
            text(change.before), text(change.after), name, name, lineterm=""
        )
        lines += list(rows) or [f"{name}: differs in line endings or the final newline alone"]
    return lines
