"""What is true in each world: a verdict that passed, failed, abstained or is missing."""

from __future__ import annotations

from judge_conformance.following.worlds import World
from judge_conformance.workflows.values import Mark, Value


def _verdict(outcome: str, **more: Value) -> World:
    facts = {"verdict": Mark.OBJECT, "outcome": outcome, "abstain": False, "reason": None}
    return World(name=outcome, facts=facts | more)


def _criterion(name: str, *, met: bool | None, **more: Value) -> World:
    return World(name=name, facts={"criterion": Mark.OBJECT, "met": met} | more)


VERDICTS = (
    _verdict("pass"),
    _verdict("fail"),
    _verdict("abstain", abstain=True, reason="why", score=0),
    World(name="missing", facts={"verdict": Mark.UNDEFINED}),
)

CRITERIA = (
    _criterion("met", met=True),
    _criterion("unmet", met=False),
    _criterion("undecidable", met=None, score=None),
)

REPLIES = (
    World(name="alive", facts={"reply": Mark.OBJECT}),
    World(name="dead", facts={"reply": None}),
)

GONE = World(name="gone", facts={"reply": None, "verdict": None})  # what threw, with all around it
