"""What a function of the script gives in a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.workflows.scopes import Node
from judge_conformance.workflows.values import Mark, Value

if TYPE_CHECKING:
    from judge_conformance.workflows.worlds import Worlds


def ran(worlds: Worlds, function: Node, world: World) -> Value:
    """Return what a function gives."""
    if function.body.type != "BlockStatement":
        return worlds.value(function.body, world)
    ended, value = _run(worlds, function.body.body, world)
    return value if ended else Mark.UNDEFINED


def _run(worlds: Worlds, statements: list[Node], world: World) -> tuple[bool, Value]:
    for statement in statements:
        match statement.type:
            case "ReturnStatement":
                given = statement.argument
                return True, Mark.UNDEFINED if given is None else worlds.value(given, world)
            case "ThrowStatement":
                return True, Mark.THROWS
            case "BlockStatement":
                ended, value = _run(worlds, statement.body, world)
            case "IfStatement":
                truth = worlds.truth(statement.test, world)
                if not isinstance(truth, bool):
                    return True, worlds.unread(statement) if truth is not Mark.THROWS else truth
                arm = statement.consequent if truth else statement.alternate
                ended, value = _run(worlds, [arm], world) if arm is not None else (False, None)
            case "SwitchStatement" | "ForOfStatement" | "TryStatement" | "ForStatement":
                return True, worlds.unread(statement)
            case _:
                continue
        if ended:
            return True, value
    return False, None
