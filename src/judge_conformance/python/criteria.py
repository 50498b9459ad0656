"""Which conditions of a Python file take an undecidable criterion for a fail, or for met."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from judge_conformance.python.contract import called
from judge_conformance.python.facts import CRITERIA
from judge_conformance.python.names import COMPREHENSIONS
from judge_conformance.python.outcomes import accepts, blame, cause, holder, leaves
from judge_conformance.python.source import Source
from judge_conformance.python.values import Mark
from judge_conformance.python.worlds import Worlds
from judge_conformance.workflows.outcomes import is_neutral

FAILING = "an undecidable criterion is listed with the failing ones: pass is null"
MEETING = "an undecidable criterion counts as met: pass is null"
_MET, _UNMET, _UNDECIDABLE = CRITERIA


def null_pass(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield each condition that takes null for a fail or a pass, and what it says."""
    for worlds in source.worlds():
        yield from _listed(worlds)
        yield from _sorted_out(worlds)


def _listed(worlds: Worlds) -> Iterator[tuple[ast.AST, str]]:
    """Yield comprehensions and filters over criteria, and what holds all of them to something."""
    names = worlds.flow.names
    for node in names.nodes:
        if isinstance(node, COMPREHENSIONS):
            if not any(_is_criteria(worlds, part.iter) for part in node.generators):
                continue
            tests: list[ast.AST] = [test for part in node.generators for test in part.ifs]
            every = names.parent(node)
            if isinstance(every, ast.Call) and called(every)[0] == "all" and not tests:
                tests = [node.elt] if not isinstance(node, ast.DictComp) else []
        elif isinstance(node, ast.Call) and called(node)[0] == "filter" and len(node.args) > 1:
            if not _is_criteria(worlds, node.args[1]):
                continue
            function = worlds.flow.function(node.args[0])
            tests = [function.body] if isinstance(function, ast.Lambda) else []
        else:
            continue
        told = _told([_kept(worlds, tests, i) for i in range(3)]) if tests else None
        named = holder(worlds.flow, node).replace("fail", "")
        if told and not is_neutral(named):
            yield blame(worlds, tests[-1]), told


def _kept(worlds: Worlds, tests: list[ast.AST], index: int) -> bool | Mark:
    found: bool | Mark = True
    for test in tests:
        truth = worlds.truth(test, CRITERIA[index])
        if truth is False or truth is Mark.THROWS:
            return truth
        found = truth if truth is Mark.OPAQUE else found
    return found


def _is_criteria(worlds: Worlds, node: ast.AST) -> bool:
    listed = (one.path for one in worlds.ours(node) if one.kind == "criterion" and one.path)
    return any(path[0] == "[]" and all(map(str.isdigit, path[1:])) for path in listed)


def _sorted_out(worlds: Worlds) -> Iterator[tuple[ast.AST, str]]:
    """Yield conditions on a criterion behind which something is done."""
    for leaf in leaves(worlds.flow):
        told = _told([worlds.reached(leaf, world) for world in CRITERIA])
        if told is None or _hands_on(worlds, leaf):
            continue
        is_call = isinstance(leaf, ast.Call) or isinstance(
            worlds.flow.names.parent(leaf), ast.Return
        )
        if is_call if told == FAILING else accepts(worlds.flow, leaf):
            out = _MET if told == FAILING else _UNMET
            yield cause(worlds, leaf, out, (_UNDECIDABLE,)), told


def _told(truths: list[bool | Mark]) -> str | None:
    """Return what is wrong where met, unmet and undecidable criteria are kept so."""
    kept = [True if one is Mark.FREE else False if one is Mark.THROWS else one for one in truths]
    if kept == [False, True, True]:
        return FAILING
    return MEETING if kept == [True, False, True] else None


def _hands_on(worlds: Worlds, leaf: ast.AST) -> bool:
    """Whether what is done hands on the criterion's `pass` or score, as it is."""
    return any(
        one.kind in {"met", "score"} and not one.path
        for node in ast.walk(leaf)
        for one in worlds.ours(node)
    )
