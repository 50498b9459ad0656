"""What is true in each world: a verdict that passed, failed, abstained or is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judge_conformance.python.values import Died, Mark, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is true of the values that a source gives, by kind of trace."""

    name: str
    facts: Mapping[str, Value]


def _verdict(outcome: str, code: int, *, reason: str | None = None) -> World:
    facts = {
        "verdict": Mark.OBJECT,
        "outcome": outcome,
        "abstain": reason is not None,
        "reason": reason,
        "process": Mark.OBJECT,
        "code": code,
        "text": Mark.OBJECT,
    }
    return World(name=outcome, facts=facts)


VERDICTS = (
    _verdict("pass", 0),
    _verdict("fail", 1),
    _verdict("abstain", 2, reason="why"),
    World(name="missing", facts={"verdict": None, "text": "", "process": Mark.OBJECT, "code": 2}),
)


CRITERIA = tuple(
    World(name=name, facts={"criterion": Mark.OBJECT, "met": met, "score": score})
    for name, met, score in (("met", True, 1.0), ("unmet", False, 0.0), ("undecidable", None, None))
)


REPLIES = (
    World(name="alive", facts={"reply": Mark.OBJECT}),
    World(name="dead", facts={"reply": None}),
    World(name="raised", facts={"reply": Died.RAISED}),
)
