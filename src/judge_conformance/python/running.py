"""What a function of the file gives in a world."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.python.names import own_nodes
from judge_conformance.python.values import Mark, Value

if TYPE_CHECKING:
    from judge_conformance.python.worlds import Worlds


def ran(worlds: Worlds, function: ast.AST, world: World) -> Value:
    """Return what a function gives."""
    if isinstance(function, ast.Lambda):
        return worlds.value(function.body, world)
    ended, value = _run(worlds, function.body, world)  # type: ignore[attr-defined] # a function
    return value if ended else None


def _run(worlds: Worlds, statements: list[ast.stmt], world: World) -> tuple[bool, Value]:
    for statement in statements:
        ended, value = False, None
        match statement:
            case ast.Return():
                return True, worlds.value(statement.value, world) if statement.value else None
            case ast.Raise():
                return True, Mark.THROWS
            case ast.If():
                truth = worlds.truth(statement.test, world)
                if isinstance(truth, Mark):
                    is_plain = truth is Mark.THROWS or not _returns(statement)
                    if is_plain and truth is not Mark.THROWS:
                        continue
                    return True, truth if truth is Mark.THROWS else worlds.unread(statement)
                arm = statement.body if truth else statement.orelse
                ended, value = _run(worlds, arm, world)
            case ast.With() | ast.AsyncWith():
                ended, value = _run(worlds, statement.body, world)
            case ast.Try():
                ended, value = _run(worlds, [*statement.body, *statement.orelse], world)
            case ast.For() | ast.AsyncFor() | ast.While() | ast.Match() if _returns(statement):
                ended, value = _looped(worlds, statement, world)
        if ended:
            return True, value
    return False, None


def _looped(worlds: Worlds, statement: ast.stmt, world: World) -> tuple[bool, Value]:
    """Return what the returns within a loop or match give, if one is reached."""
    unsure = False
    for node in own_nodes(statement):
        if isinstance(node, ast.Return):
            reached = worlds.reached(node, world, within=statement)
            if reached is True:
                return True, worlds.value(node.value, world) if node.value else None
            if reached is Mark.THROWS:
                return True, reached
            unsure = unsure or reached is Mark.OPAQUE
    return unsure, Mark.OPAQUE


def _returns(statement: ast.AST) -> bool:
    return any(isinstance(one, ast.Return | ast.Raise) for one in own_nodes(statement))
