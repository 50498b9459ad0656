"""Under which conditions a place is reached, and what leaves a block before it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.python.contract import called
from judge_conformance.python.flow import Flow
from judge_conformance.python.matching import matches
from judge_conformance.python.names import COMPREHENSIONS, own_nodes
from judge_conformance.python.values import Mark

if TYPE_CHECKING:
    from judge_conformance.python.worlds import Worlds

Lets = Callable[["Worlds", World], "bool | Mark"]


def conditions(
    flow: Flow, node: ast.AST, within: ast.AST | None = None
) -> list[tuple[ast.AST, Lets]]:
    """Return the conditions under which a place is reached: what is asked, and whether it lets.

    The function around it is the outermost that is looked at.
    """
    found: list[tuple[ast.AST, Lets]] = []
    below = node
    for above in flow.names.above(node):
        role = flow.names.role(below)
        match above:
            case ast.If() | ast.IfExp() | ast.While() if role in {"body", "orelse"}:
                if not (isinstance(above, ast.While) and role == "orelse"):
                    found.append((above.test, _holds(above.test, wanted=role == "body")))
            case ast.BoolOp():
                for part in above.values:
                    if part is below:
                        break
                    found.append((part, _holds(part, wanted=isinstance(above.op, ast.And))))
            case ast.comprehension():
                tests = above.ifs[: above.ifs.index(below)] if role == "ifs" else []  # type: ignore[arg-type] # an if
                found += [(test, _holds(test, wanted=True)) for test in tests]
            case ast.match_case() if role == "body":
                match = flow.names.parent(above)
                if isinstance(match, ast.Match):
                    found.append((match.subject, matches(match, above)))
            case ast.ExceptHandler():
                found.append((above, lambda _worlds, _world: Mark.FREE))
        if isinstance(above, COMPREHENSIONS) and role in {"elt", "key", "value"}:
            tests = [test for part in above.generators for test in part.ifs]
            found += [(test, _holds(test, wanted=True)) for test in tests]
        if role == "orelse" and isinstance(above, ast.For | ast.AsyncFor | ast.While):
            found.append((above, _unbroken(above)))
        if isinstance(below, ast.stmt):
            found += [
                (_asked(statement), _stays(statement)) for statement in _before(above, role, below)
            ]
        if above is within or isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
            break
        below = above
    return found


def _before(above: ast.AST, role: str, below: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a block before one of them, that may leave it."""
    block = getattr(above, role, None)
    if not isinstance(block, list) or below not in block:
        return []
    return [one for one in block[: block.index(below)] if _may_leave(one)]


def _may_leave(statement: ast.stmt) -> bool:
    compound = ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.Try | ast.Match
    return isinstance(statement, compound | ast.Assert) or is_stop(statement)


def _asked(statement: ast.stmt) -> ast.AST:
    """Return what a statement asks before it leaves."""
    if isinstance(statement, ast.If | ast.Assert):
        return statement.test
    inner = (o for o in own_nodes(statement) if isinstance(o, ast.If) and _leaving(o))
    return next((one.test for one in sorted(inner, key=lambda o: o.lineno)), statement)


def _leaving(statement: ast.If) -> bool:
    return any(isinstance(o, ast.Return | ast.Raise) or _exits(o) for o in own_nodes(statement))


def _holds(test: ast.AST, *, wanted: bool) -> Lets:
    def lets(worlds: Worlds, world: World) -> bool | Mark:
        truth = worlds.truth(test, world)
        return truth if isinstance(truth, Mark) else truth is wanted

    return lets


def _unbroken(loop: ast.AST) -> Lets:
    def lets(worlds: Worlds, world: World) -> bool | Mark:
        breaks = [o for o in own_nodes(loop) if isinstance(o, ast.Break)]
        reached = [worlds.reached(one, world, within=loop) for one in breaks]
        if any(one is True for one in reached):
            return False
        return next((one for one in (Mark.THROWS, Mark.OPAQUE, Mark.FREE) if one in reached), True)

    return lets


def _stays(statement: ast.stmt) -> Lets:
    def lets(worlds: Worlds, world: World) -> bool | Mark:
        left = _left(worlds, statement, world)
        return left if isinstance(left, Mark) else not left

    return lets


def is_stop(node: ast.AST) -> bool:
    """Whether a statement always leaves the block around it."""
    if isinstance(node, ast.Return | ast.Continue | ast.Break | ast.Raise):
        return True
    return isinstance(node, ast.Expr) and _exits(node.value)


def _exits(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called(node)[0] in {"exit", "_exit", "quit"}


def _left(worlds: Worlds, statement: ast.stmt, world: World) -> bool | Mark:
    """Return whether a statement leaves the block around it."""
    if is_stop(statement):
        return True
    match statement:
        case ast.Assert():
            truth = worlds.truth(statement.test, world)
            return truth if isinstance(truth, Mark) else not truth
        case ast.If():
            yes, no = (_ends(worlds, arm, world) for arm in (statement.body, statement.orelse))
            if yes is no:
                return yes
            truth = worlds.truth(statement.test, world)
            return truth if isinstance(truth, Mark) else yes if truth else no
        case ast.With():
            return _ends(worlds, statement.body, world)
        case ast.For() | ast.AsyncFor() | ast.While() | ast.Match() | ast.Try():
            return _leaves_from(worlds, statement, world)
    return False


def _leaves_from(worlds: Worlds, statement: ast.stmt, world: World) -> bool | Mark:
    """Return whether a loop, match or try returns, raises or exits."""
    found: bool | Mark = False
    for node in own_nodes(statement):
        is_end = isinstance(node, ast.Return | ast.Raise) or _exits(node)
        in_loop = isinstance(statement, ast.Match | ast.Try) and isinstance(
            node, ast.Continue | ast.Break
        )
        if not is_end and not in_loop:
            continue
        if isinstance(node, ast.Raise) and _is_caught(worlds, node, statement):
            continue
        reached = worlds.reached(node, world, within=statement)
        if reached is True:
            return True
        found = reached if isinstance(reached, Mark) and found is not Mark.OPAQUE else found
    return Mark.FREE if found is Mark.THROWS and isinstance(statement, ast.Try) else found


def _is_caught(worlds: Worlds, node: ast.AST, statement: ast.stmt) -> bool:
    for above in worlds.flow.names.above(node):
        if isinstance(above, ast.Try) and above.handlers:
            return True
        if above is statement:
            return False
    return False


def _ends(worlds: Worlds, statements: list[ast.stmt], world: World) -> bool | Mark:
    found: bool | Mark = False
    for one in statements:
        left = _left(worlds, one, world)
        if left is True:
            return True
        found = left if left is not False else found
    return found
