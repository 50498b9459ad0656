"""What leaves a dead judge out on the way to decide(): filters, conditions and handlers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from judge_conformance.following.worlds import World
from judge_conformance.python.contract import called
from judge_conformance.python.dying import asks
from judge_conformance.python.facts import REPLIES, VERDICTS
from judge_conformance.python.outcomes import cause, is_told, leaves
from judge_conformance.python.source import Source, arriving
from judge_conformance.python.values import Mark
from judge_conformance.python.worlds import Worlds

_ALIVE, _DEAD, _RAISED = REPLIES
_MISSING_ALONE = (False, False, False, True)  # which of the verdicts reach a place
BEFORE = "judges that died are left out before they are decided, and nobody sees it"
SKIPPED = "a judge that died is skipped here, and nobody sees it"
SWALLOWED = "a judge that raises is left out here, and nobody sees it"
AFTER = "items without a verdict are left out here, and nobody sees it"


def dropped(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield what leaves dead judges out, and how."""
    for decision in source.contract.calls("verdict"):
        for one in arriving(source.flow, decision):
            if one.drop is not None:
                yield one.drop, BEFORE
        skipping = _skipping(source, decision)
        if skipping is not None:
            yield skipping, SKIPPED
    yield from _swallowed(source)
    yield from _left_out(source)


def _skipping(source: Source, decision: ast.Call) -> ast.AST | None:
    """Return the condition that keeps a dead reply from its decision, if nothing stands for it."""
    sites = frozenset(one.source for one in arriving(source.flow, decision))
    worlds = Worlds(source.flow, sites)
    for dead in (_DEAD, _RAISED):
        if worlds.reached(decision, _ALIVE) is False or worlds.reached(decision, dead) is not False:
            continue
        if not _is_answered(worlds, source, dead):
            return cause(worlds, decision, dead, (_ALIVE,))
    return None


def _is_answered(worlds: Worlds, source: Source, dead: World) -> bool:
    """Whether something is done for a dead judge instead of its decision."""
    raised = (o for o in source.names.nodes if isinstance(o, ast.Raise))
    return any(
        worlds.reached(one, dead) is not False and worlds.reached(one, _ALIVE) is False
        for one in (*leaves(source.flow), *raised)
    )


def _swallowed(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield handlers in loops that go on to the next item as if nothing had been asked."""
    decisions = set(source.contract.decisions)
    for node in source.names.nodes:
        if not isinstance(node, ast.With | ast.Try) or not _is_looped(source, node):
            continue
        decides = any(below in decisions for one in node.body for below in ast.walk(one))
        if isinstance(node, ast.With):
            yield from ((one, SWALLOWED) for one in _suppressors(node) if decides)
        elif asks(source, node):
            for handler in node.handlers:
                goes_on = any(isinstance(one, ast.Continue) for one in handler.body)
                if _is_idle(handler) and (goes_on or decides):
                    yield handler, SWALLOWED


def _suppressors(node: ast.With) -> Iterator[ast.AST]:
    """Yield what swallows exceptions: `contextlib.suppress(...)`."""
    for item in node.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and called(call)[0] == "suppress":
            yield call


def _is_looped(source: Source, node: ast.AST) -> bool:
    return any(isinstance(above, ast.For | ast.AsyncFor) for above in source.names.above(node))


def _is_idle(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does nothing but tell."""
    return all(
        isinstance(one, ast.Pass | ast.Continue)
        or (
            isinstance(one, ast.Expr)
            and (isinstance(one.value, ast.Constant) or is_told(one.value))
        )
        for one in handler.body
    )


def _left_out(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield conditions that skip a missing verdict, where every verdict that is there is kept."""
    for worlds in source.worlds():
        for node in source.names.nodes:
            match node:
                case ast.Continue():
                    if _marks(worlds, node) == _MISSING_ALONE and not _is_told_apart(worlds):
                        yield cause(worlds, node, VERDICTS[0], (VERDICTS[3],)), AFTER
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    tests = [test for part in node.generators for test in part.ifs]
                    for test in tests:
                        marks = [worlds.truth(test, world) for world in VERDICTS]
                        if marks == [True, True, True, False]:
                            yield test, AFTER


def _is_told_apart(worlds: Worlds) -> bool:
    """Whether something is done for a missing verdict before going on."""
    return any(_marks(worlds, leaf) == _MISSING_ALONE for leaf in leaves(worlds.flow))


def _marks(worlds: Worlds, node: ast.AST) -> tuple[bool | Mark, ...]:
    """Return which of the verdicts reach a place."""
    return tuple(worlds.reached(node, world) for world in VERDICTS)
