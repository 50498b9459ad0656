"""One script, exercised from end to end: arguments, roles, faults, and what was left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from judge_conformance.exercise.arguments import make_args
from judge_conformance.exercise.compare import outcome
from judge_conformance.exercise.faults import Exercised, Undecided, exercise_role
from judge_conformance.exercise.roles import Context, Role, Stage, explore
from judge_conformance.exercise.script import AgentSite, Script, read_script
from judge_conformance.exercise.session import ScriptDiedError, Session
from judge_conformance.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """An agent() call that was never made, and what would make it, the nearest condition first."""

    line: int
    label: str
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptResult:
    """What came of one script.

    `problem` says why it could not be exercised at all (with `problem_line`); `args` is what it was
    given (JSON, None for nothing), `made` whether we made that; `missing` what it still misses.
    """

    path: str
    exercised: tuple[Exercised, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    unreached: tuple[Unreached, ...] = ()
    problem: str | None = None
    problem_line: int | None = None
    args: str | None = None
    made: bool = False
    missing: tuple[str, ...] = ()
    runs: int = 0


def exercise_script(
    path: str, source: str, node: Node, *, args: str | None = None, timeout: float = 5.0
) -> ScriptResult:
    """Exercise a Workflow script: `args` is JSON, None lets us make it; `timeout` is a run's.

    Raises NodeError when Node itself cannot be run; whatever the script does is in the result.
    """
    script = read_script(path, source)
    with Session(node, timeout=timeout) as session:
        try:
            refused = session.load(source)
            if refused is None:
                result = _exercised(script, session, args)
            else:
                why, line = refused
                result = ScriptResult(
                    path=path, problem=f"it is no script: {why}", problem_line=line
                )
        except ScriptDiedError as error:
            result = ScriptResult(path=path, problem=error.message)
        return replace(result, runs=session.runs)


def _exercised(script: Script, session: Session, args: str | None) -> ScriptResult:
    stage = Stage(script, session)
    context, missing = _context(stage, args)
    stage.reached.clear()
    first = stage.run(context)
    told = ScriptResult(path=script.path, args=context.args, made=context.made, missing=missing)
    if not first.calls and first.ended.kind != "value":
        why = f"no agent() call is reached: {outcome(first, frozenset()).error}"
        return replace(told, problem=why, problem_line=first.ended.line)
    found = explore(stage, context)
    exercised: list[Exercised] = []
    undecided: list[Undecided] = []
    for key in sorted(found):
        match exercise_role(stage, stage.roles[key], found[key]):
            case Exercised() as done:
                exercised.append(done)
            case Undecided() as left:
                undecided.append(left)
            case None:
                pass
    return replace(
        told,
        exercised=tuple(exercised),
        undecided=tuple(undecided),
        unreached=tuple(_unreached(stage, [stage.roles[key] for key in found])),
    )


def _context(stage: Stage, args: str | None) -> tuple[Context, tuple[str, ...]]:
    if args is not None:
        return Context(args=args, made=False), ()
    made = make_args(stage.script, lambda text: stage.run(Context(args=text, made=True)))
    if not made.run.reads and json.loads(made.text) == {}:
        return Context(args=None, made=True), ()  # a script that asks for nothing gets nothing
    return Context(args=made.text, made=True), made.missing


def _unreached(stage: Stage, roles: Sequence[Role]) -> list[Unreached]:
    labels = {role.label.shown for role in roles if role.label}
    missed = [site for site in stage.script.sites if site.site not in stage.reached]
    missed += [
        site
        for site in stage.script.handed
        if site.labels and not labels & {pattern.shown for pattern in site.labels}
    ]
    return [_as_unreached(site) for site in missed]


def _as_unreached(site: AgentSite) -> Unreached:
    label = next((pattern.shown for pattern in site.labels if pattern.weight), "agent()")
    return Unreached(line=site.site[0], label=label, conditions=site.conditions)
