"""Which uses of the block's names are evaluated above it, where a `const` read throws."""

from __future__ import annotations

from dataclasses import dataclass

from judge_conformance.workflows.parse import Script
from judge_conformance.workflows.runs import deferring, runs_of
from judge_conformance.workflows.scopes import Node, Scopes
from judge_conformance.workflows.shadowing import Host


def early_uses(script: Script) -> list[tuple[int, int, str]]:
    """Return where a name is evaluated before a script's first block: (start, end, message)."""
    host = Host(script)
    early = _Early(host.scopes, script.blocks[0].start)
    return [
        (*node.range, f"{node.name} is evaluated above the block that declares it")
        for node in host.uses()
        if early.runs(node)
    ]


@dataclass(frozen=True, slots=True)
class _Early:
    """Whether code runs before the block does; a function runs where it is called."""

    scopes: Scopes
    block: int

    def runs(self, node: Node) -> bool:
        """Whether a node is evaluated above the block."""
        asked: set[int] = set()
        pending = [node]
        while pending:
            current = pending.pop()
            function = deferring(self.scopes, current)
            if function is None and current.range[0] < self.block:
                return True
            if function is not None and id(function) not in asked:
                asked.add(id(function))
                pending.extend(runs_of(self.scopes, function))
        return False
