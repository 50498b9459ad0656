"""Which check is tried first on a mutant: one that runs its lines, and costs little.

The order decides how soon a mutant falls, never whether: in the end every check is run.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from judge_conformance.sabotage.python_sites import names_defined

_RECENT = 4  # killers that are likely to notice the next mutant too
_WORTH = 10  # times that one of these may cost what another does


class Order:
    """The checks of a source, by what they run of it and what they cost in ticks of fuel."""

    def __init__(
        self, body: Sequence[ast.stmt], lines: Sequence[AbstractSet[int]], costs: Sequence[int]
    ) -> None:
        """`lines[i]` are the statements that check i runs, by first line; `costs[i]` its ticks."""
        self._owners = dict(_owners(body))
        self._users = _users(body, self._owners)
        self._costs = costs
        self._running = defaultdict[int, set[int]](set)
        for check, run in enumerate(lines):
            for line in run:
                self._running[line].add(check)
        self.forget()

    def forget(self) -> None:
        """Start afresh: what comes does not depend on what was."""
        self._recent: list[int] = []
        self._statement: int | None = None

    def killed(self, check: int) -> None:
        """Note a check that noticed a mutant."""
        others = [other for other in self._recent if other != check]
        self._recent = [check, *others][:_RECENT]

    def checks(self, statement: int, line: int) -> Iterator[int]:
        """Yield every check once, for a mutant at a line of a top-level statement.

        Another statement's killers are forgotten: several workers share the statements.
        """
        if statement != self._statement:
            self.forget()
            self._statement = statement
        running = self._running[self._owners[line]] or set[int]().union(
            *(self._running[user] for user in self._users[statement])
        )
        cheapest = sorted(range(len(self._costs)), key=self._cost)
        yield from (check for check in cheapest if check in running)
        yield from (check for check in cheapest if check not in running)

    def _cost(self, check: int) -> float:
        return self._costs[check] / (_WORTH if check in self._recent else 1)


def _owners(body: Sequence[ast.stmt]) -> Iterator[tuple[int, int]]:
    """Yield each line with the first line of the statement that it belongs to, inner ones last."""
    for node in chain.from_iterable(map(ast.walk, body)):
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", ())
            first = min(part.lineno for part in (node, *decorators))
            last = node.end_lineno or node.lineno
            yield from ((line, node.lineno) for line in range(first, last + 1))


def _users(body: Sequence[ast.stmt], owners: Mapping[int, int]) -> Sequence[AbstractSet[int]]:
    """Return, for each top-level statement, the lines that name what it defines."""
    naming = defaultdict[str, set[int]](set)
    for node in chain.from_iterable(map(ast.walk, body)):
        if isinstance(node, ast.Name):
            naming[node.id].add(owners[node.lineno])
    return [set().union(*(naming[name] for name in names_defined(one))) for one in body]
