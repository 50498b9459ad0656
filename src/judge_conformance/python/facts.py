"""What is true in each world: a verdict that passed, failed, abstained or is missing."""

from __future__ import annotations

from judge_conformance.following.worlds import World
from judge_conformance.python.values import Died, Mark


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
