"""The session is sabotaged by itself: what it says of scripted outcomes notices every mutant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.sabotage import session
from judge_conformance.sabotage.hosts import CRASH, STUCK
from judge_conformance.sabotage.mutants import Edit, Mutant
from judge_conformance.sabotage.python_engine import (
    DUPLICATE,
    GREEN,
    HANG,
    RED,
    UNCHANGED,
    Outcome,
)
from judge_conformance.sabotage.subjects import Source, in_process

FORCED = (Edit(start=0, end=1, text="forced"),)
NAMES = ("run", "SabotageReport", "MOST_ACCEPTED")


class Scripted:
    """A host that says what it was told to."""

    checks = 5

    def __init__(
        self,
        outcomes: Sequence[Outcome],
        unmoved: Sequence[str] = (),
        found: Mapping[int, tuple[int, str]] | None = None,
    ) -> None:
        self._outcomes = outcomes
        self._unmoved = unmoved
        self._found = found or {}

    def unmoved(self, edits: Sequence[Edit]) -> Sequence[str]:
        return self._unmoved if edits == FORCED else ["asked of something else"]

    def outcomes(self, mutants: Sequence[Mutant]) -> Iterator[Outcome]:
        yield from self._outcomes[: len(mutants)]

    def distinguish(self, edits: Sequence[Edit], texts: Sequence[str]) -> tuple[int, str] | None:
        assert texts
        return self._found.get(edits[0].start)


def many_mutants(count: int) -> list[Mutant]:
    operators = ("z", "a")
    return [
        Mutant(
            id=f"m{at}",
            function="f",
            operator=operators[at % 2],
            edits=(Edit(start=at, end=at + 1, text="x"),),
        )
        for at in range(count)
    ]


def played(module: ModuleType, statuses: Sequence[str], **given: Any) -> Any:  # noqa: ANN401 - of the sabotaged module
    """Return what a session reports of these outcomes."""
    host = Scripted(
        [Outcome(status=one, check=f"by {one}") for one in statuses],
        given.get("unmoved", ()),
        given.get("found"),
    )

    @contextmanager
    def opened() -> Iterator[Scripted]:
        yield host

    subject = module.Subject(
        name="gate",
        path="gate.py",
        language="python",
        source="source",
        mutants=many_mutants(given.get("count", len(statuses))),
        forced=FORCED,
        host=opened,
        inputs=given.get("inputs", lambda: ["first", "second"]),
        accepted=given.get("accepted", {}),
    )
    return module.run(subject)


def refused(module: ModuleType, *statuses: str, **given: object) -> str:
    try:
        played(module, statuses, **given)
    except BrokenInstrumentError as error:
        return error.message
    return ""


def told(report: session.SabotageReport) -> list[tuple[Any, ...]]:
    return [
        (one.mutant.id, one.status, one.check, one.reason, one.witness, one.answer, one.tried)
        for one in report.results
    ]


EVERY = (RED, HANG, CRASH, GREEN, GREEN, DUPLICATE, UNCHANGED, STUCK, GREEN)
ACCEPTED = {"m4": "because", "m0": "dies", "m9": "is none"}
MANY = (*[GREEN] * 26, *[RED] * 7)


def _raises(
    kind: type[Exception], module: ModuleType, statuses: list[str], **given: object
) -> bool:
    try:
        played(module, statuses, **given)
    except kind:
        return True
    return False


def unused() -> Sequence[str]:
    raise AssertionError("no input is needed")


CHECKS: dict[str, Callable[[ModuleType], bool]] = {
    "no mutants": lambda module: refused(module) == "gate: no site found to sabotage",
    "unmoved": lambda module: (
        refused(module, RED, unmoved=["one", "two"])
        == "gate: a forced failure goes unnoticed by one (2 of 5 checks)"
    ),
    "fates": lambda module: (
        told(played(module, EVERY, accepted=ACCEPTED, found={3: (1, "said")}))
        == [
            ("m0", "killed", "by red", None, None, None, 0),
            ("m1", "hang", "by hang", None, None, None, 0),
            ("m2", "killed", "by crash", None, None, None, 0),
            ("m3", "survived", None, None, "second", "said", 2),
            ("m4", "accepted", None, "because", None, None, 0),
            ("m8", "survived", None, None, None, None, 2),
        ]
    ),
    "counts": lambda module: _counts(played(module, EVERY, accepted=ACCEPTED)),
    "faults": lambda module: (
        played(module, EVERY, accepted=ACCEPTED).faults
        == (
            "gate: m7 is stuck in native code, twice",
            "gate: m0 is accepted as equivalent and dies",
            "gate: m9 is accepted and is no mutant",
            "gate: 3 of 6 mutants are accepted, more than 3%",
        )
    ),
    "three of a hundred": lambda module: (
        not played(
            module, [GREEN] * 3 + [RED] * 97, accepted=dict.fromkeys(["m0", "m1", "m2"], "x")
        ).faults
    ),
    "no input": lambda module: (
        told(played(module, [GREEN], inputs=tuple))
        == [("m0", "survived", None, None, None, None, 0)]
    ),
    "an outcome too few": lambda module: _raises(ValueError, module, [RED], count=2),
    "all killed": lambda module: played(module, [RED], inputs=unused).count("killed") == 1,
    "many": lambda module: [row[-1] for row in told(played(module, MANY))] == [2] * 25 + [0] * 8,
}


def _counts(report: session.SabotageReport) -> bool:
    fates = {name: dict(fates) for name, fates in report.operators.items()}
    return (
        (report.merged, report.checks, report.subject.name) == (2, 5, "gate")
        and (report.count("killed"), report.count("killed", "hang"), report.count()) == (2, 3, 0)
        and [one.mutant.id for one in report.survivors] == ["m3", "m8"]
        and list(fates) == ["a", "z"]
        and fates
        == {"a": {"hang": 1, "survived": 1}, "z": {"killed": 2, "accepted": 1, "survived": 1}}
    )


def test_every_mutant_of_the_session_is_noticed() -> None:
    path = Path(session.__file__)
    source = Source(name="session", path=path.name, language="python", text=path.read_text("utf-8"))
    report = session.run(in_process(source, CHECKS, roots=NAMES))
    alive = [one.mutant.id for one in report.survivors if one.mutant.function != "Status"]
    assert alive == [], "but for the names of a type, which mypy holds"
    assert report.count("killed", "hang") > 50
    assert report.faults == ()
