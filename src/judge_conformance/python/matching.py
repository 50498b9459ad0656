"""Which case of a match statement a value comes to."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from judge_conformance.following.worlds import World
from judge_conformance.python.names import text_of
from judge_conformance.python.values import Mark, Value, equal, is_unknown

if TYPE_CHECKING:
    from judge_conformance.python.worlds import Worlds


def matches(match: ast.Match, case: ast.match_case) -> Callable[[Worlds, World], bool | Mark]:
    """Return whether a subject comes to one of its cases."""

    def lets(worlds: Worlds, world: World) -> bool | Mark:
        value = worlds.value(match.subject, world)
        if is_unknown(value):
            return value  # type: ignore[no-any-return] # one of the marks
        for one in match.cases:
            fits = _fits(worlds, one.pattern, value, world)
            if fits is None or (fits and one.guard is not None):
                return Mark.OPAQUE
            if fits:
                return one is case
        return False

    return lets


def _fits(worlds: Worlds, pattern: ast.pattern, value: Value, world: World) -> bool | None:
    match pattern:
        case ast.MatchValue():
            wanted = worlds.value(pattern.value, world)
            return None if is_unknown(wanted) else equal(value, wanted)
        case ast.MatchSingleton():
            return value is pattern.value
        case ast.MatchOr():
            fits = [_fits(worlds, one, value, world) for one in pattern.patterns]
            return True if True in fits else None if None in fits else False
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchMapping(keys=keys, patterns=patterns) if value is Mark.OBJECT:
            return _fits_keys(worlds, match_of(worlds, pattern), keys, patterns, world)
    return False if value is None else None


def _fits_keys(
    worlds: Worlds,
    subject: ast.AST | None,
    keys: list[ast.expr],
    patterns: list[ast.pattern],
    world: World,
) -> bool | None:
    """Whether a verdict has these keys with these values."""
    for key, inner in zip(keys, patterns, strict=True):
        name = text_of(key)
        below = worlds.flow.member(worlds.flow.traces(subject), name or "")
        kinds = [o.kind for o in below if not o.path and o.source in worlds.sources]
        known = next((world.facts[kind] for kind in kinds if kind in world.facts), Mark.FREE)
        if is_unknown(known):
            return None
        fits = _fits(worlds, inner, known, world)
        if fits is not True:
            return fits
    return True


def match_of(worlds: Worlds, pattern: ast.pattern) -> ast.AST | None:
    """Return the subject that a pattern is held to."""
    matches = (o for o in worlds.flow.names.above(pattern) if isinstance(o, ast.Match))
    return next((one.subject for one in matches), None)
