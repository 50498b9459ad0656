"""One Python file that uses the contract, as a rule reads it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from judge_conformance.following.rings import TooManyPathsError
from judge_conformance.python.contract import Contract, called
from judge_conformance.python.facts import REPLIES
from judge_conformance.python.flow import Flow
from judge_conformance.python.names import Names
from judge_conformance.python.running import ran
from judge_conformance.python.traces import NONE, Traces
from judge_conformance.python.values import Mark, is_unknown
from judge_conformance.python.worlds import Source as Place
from judge_conformance.python.worlds import Worlds


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A Python file: its names, what it asks of the contract, and what flows from there.

    `arriving` is what comes to its decisions as replies. `is_lost`: it cannot be followed.
    """

    path: str
    names: Names
    contract: Contract
    flow: Flow
    arriving: Traces
    is_lost: bool

    @property
    def uses_contract(self) -> bool:
        """Whether a verdict is made or read here."""
        return any(True for _ in self.sources())

    def sources(self) -> Iterator[Place]:
        """Yield what gives a verdict: calls that decide, and what validate() is asked about."""
        yield from ((call, ()) for call in self.contract.decisions)
        yield from sorted(self.flow.stored, key=lambda one: getattr(one[0], "lineno", 0))

    def worlds(self) -> Iterator[Worlds]:
        """Yield the worlds of each of them."""
        for source in self.sources():
            yield Worlds(self.flow, frozenset({source}))

    def arrives(self, node: ast.AST) -> bool:
        """Whether an expression may be what a judge said, or its verdict."""
        traces = self.flow.traces(node)
        return any(
            not one.path and (one.kind in {"verdict", "text"} or one.source in self._arrived)
            for one in traces
        )

    @property
    def _arrived(self) -> frozenset[Place]:
        return frozenset(one.source for one in self.arriving)


def read(path: str, data: bytes) -> Source | None:
    """Read a file; None where Python cannot.

    What cannot be parsed by this Python has no finding: the file's own tests see that it is broken.
    """
    try:
        tree = ast.parse(data)
        names = Names(tree)
        contract = Contract(names)
        flow = Flow(names, contract)
        flow.drops = lambda test, _element, traces: drops(flow, test, traces)
        found, is_lost = NONE, False
        try:
            flow.read()
            found = found.union(*(arriving(flow, call) for call in contract.calls("verdict")))
        except TooManyPathsError:
            is_lost = True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return Source(
        path=path, names=names, contract=contract, flow=flow, arriving=found, is_lost=is_lost
    )


def arriving(flow: Flow, decision: ast.Call) -> Traces:
    """Return what arrives at a decision as a reply, also through a helper, a literal or JSON."""
    report = flow.contract.report(decision)
    return _replies(flow, report, 0) if report is not None else NONE


def _replies(flow: Flow, node: ast.AST, depth: int) -> Traces:
    found = frozenset(o for o in flow.traces(node) if o.kind == "reply" and not o.path)
    for one in found:
        if isinstance(one.site, ast.Call) and called(one.site)[0] == "loads" and depth < 2:  # noqa: PLR2004
            text = one.site.args[0] if one.site.args else None
            parsed = _replies(flow, text, depth + 1) if text is not None else NONE
            found |= frozenset(o for o in parsed if "[]" not in o.via)
    built = isinstance(node, ast.Dict) or (
        isinstance(node, ast.Call) and flow.function(node.func) is not None
    )
    if built and depth < 2:  # noqa: PLR2004
        for below in ast.walk(node):
            if isinstance(below, ast.Name) and below is not node:
                found |= _replies(flow, below, 2)
    return found


def drops(flow: Flow, test: ast.AST, traces: Traces) -> bool:
    """Whether a condition leaves out what is null or raised, and keeps the rest."""
    sources = frozenset(o.source for o in traces if o.kind == "reply" and o.path in {("[]",), ()})
    if not sources:
        return False
    if _is_truth(test):
        return True
    if isinstance(flow.names.parent(test), ast.Call):
        function = flow.function(test)
        return function is not None and _leaves_out(Worlds(flow, sources), function)
    worlds = Worlds(flow, sources)
    alive, dead, raised = (worlds.truth(test, world) for world in REPLIES)
    return alive not in (False, Mark.THROWS) and (dead is False or raised is False)


def _leaves_out(worlds: Worlds, function: ast.AST) -> bool:
    alive, dead, _ = (ran(worlds, function, world) for world in REPLIES)
    return not is_unknown(dead) and not dead and (is_unknown(alive) or bool(alive))


def _is_truth(test: ast.AST) -> bool:
    """Whether a filter is `None` or `bool`, which keep what is true."""
    is_none = isinstance(test, ast.Constant) and test.value is None
    return is_none or (isinstance(test, ast.Name) and test.id == "bool")
