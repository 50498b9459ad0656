"""Under which conditions a place is reached, and what leaves a block before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.workflows.flow import Flow
from judge_conformance.workflows.scopes import FUNCTIONS, Node
from judge_conformance.workflows.values import UNKNOWN, Mark, same

if TYPE_CHECKING:
    from judge_conformance.workflows.worlds import Worlds


Wanted = bool | Callable[["Worlds", World], "bool | Mark"]


def lets(worlds: Worlds, test: Node, wanted: Wanted, world: World) -> bool | Mark:
    """Return whether one of the conditions of a place lets it be reached."""
    if callable(wanted):
        return wanted(worlds, world)
    truth = worlds.truth(test, world)
    return truth if isinstance(truth, Mark) else truth is wanted


def conditions(flow: Flow, node: Node) -> Iterator[tuple[Node, Wanted]]:
    """Yield the conditions under which a place is reached: a test, and what it must come to.

    Instead of a truth, a function says whether the test lets the place be reached.
    """
    below = node
    for above in flow.scopes.above(node):
        role = flow.scopes.parent(below)[1]
        if above.type in {"IfStatement", "ConditionalExpression"} and role != "test":
            yield above.test, role == "consequent"
        elif above.type == "LogicalExpression" and role == "right" and above.operator != "??":
            yield above.left, above.operator == "&&"
        elif above.type == "SwitchCase" and role == "consequent":
            switch = flow.scopes.parent(above)[0]
            if switch is not None:
                yield switch.discriminant, _case(switch, above)
            yield from _exits(above.consequent, below)
        elif above.type in {"BlockStatement", "StaticBlock"}:
            yield from _exits(above.body, below)
        if above.type in FUNCTIONS:
            holder, place = flow.scopes.parent(above)
            if holder is None or place == "init" or above.type == "FunctionDeclaration":
                return
        below = above
    yield from _exits(flow.host.script.body, below)


def _exits(statements: list[Node], below: Node) -> Iterator[tuple[Node, Wanted]]:
    """Yield the conditions of statements before this one that leave the block."""
    for statement in statements:
        if statement is below:
            return
        if statement.type == "IfStatement":
            yield statement.test, _stays(statement)


def _stays(statement: Node) -> Callable[[Worlds, World], bool | Mark]:
    def stays(worlds: Worlds, world: World) -> bool | Mark:
        leaves = _leaves(worlds, statement, world)
        return not leaves if isinstance(leaves, bool) else leaves

    return stays


def _leaves(worlds: Worlds, statement: Node | None, world: World) -> bool | Mark:
    """Return whether a statement leaves the block around it."""
    if statement is None:
        return False
    match statement.type:
        case "ReturnStatement" | "ContinueStatement" | "BreakStatement" | "ThrowStatement":
            return True
        case "BlockStatement":
            found: bool | Mark = False
            for one in statement.body:
                leaves = _leaves(worlds, one, world)
                if leaves is True:
                    return True
                found = leaves if leaves is not False else found
            return found
        case "IfStatement":
            yes = _leaves(worlds, statement.consequent, world)
            no = _leaves(worlds, statement.alternate, world)
            if yes is no:
                return yes
            truth = worlds.truth(statement.test, world)
            if isinstance(truth, bool):
                return yes if truth else no
            return truth
    return False


def _case(switch: Node, case: Node) -> Callable[[Worlds, World], bool | Mark]:
    """Return whether a switch comes to one of its cases, by itself or by falling through."""

    def comes(worlds: Worlds, world: World) -> bool | Mark:
        value = worlds.value(switch.discriminant, world)
        if value in UNKNOWN:
            return value  # type: ignore[no-any-return] # one of the marks
        entered = None
        for index, one in enumerate(switch.cases):
            if one.test is None:
                continue
            alike = same(value, worlds.value(one.test, world), loosely=False)
            if isinstance(alike, Mark):
                return alike
            if alike:
                entered = index
                break
        if entered is None:
            entered = next((i for i, one in enumerate(switch.cases) if one.test is None), None)
        if entered is None:
            return False
        for one in switch.cases[entered:]:
            if one is case:
                return True
            if any(_leaves(worlds, statement, world) is True for statement in one.consequent):
                return False
        return False

    return comes
