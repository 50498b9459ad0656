"""A proof as a report: what differs, what the fuzz found, what survived, and the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from judge_conformance.findings import Finding, Location, Report, RuleInfo, Severity
from judge_conformance.parity.cases import ready
from judge_conformance.parity.runner import Difference
from judge_conformance.sabotage.pair import Proof
from judge_conformance.sabotage.tables import SURVIVED, findings, table

DIFFERS = RuleInfo(
    code="JP-DIFFERS",
    title="A case is answered otherwise than it must be",
    severity=Severity.ERROR,
    help=(
        "The case set states the verdict, or the exact error, of each case. This implementation"
        " gives another. The hint holds the case and both answers."
    ),
)
FUZZ = RuleInfo(
    code="JP-FUZZ",
    title="The two languages disagree on an input",
    severity=Severity.ERROR,
    help=(
        "A generated input is answered differently by the two implementations. It was shrunk, and"
        " stands in the hint as a case; which answer is right the decision table says."
    ),
)
RULES = (DIFFERS, FUZZ, SURVIVED)

_RETURNS = "returns "
_LONGEST = 120  # characters of an answer in a message
_SHOWN = 3  # differences of one language that are shown one by one, the plainest


def report(proof: Proof) -> Report:
    """Return the proof as findings and notes; the same bytes for the same sources and seed."""
    survivors = [finding for side in proof.sabotage for finding in findings(side)]
    return Report(
        tool="parity",
        findings=(
            *_differences(proof),
            *_fuzz(proof),
            *sorted(survivors, key=lambda finding: finding.order),
        ),
        rules=RULES,
        checked=_checked(proof),
        notes=(*_notes(proof), *table(proof.sabotage)),
    )


def _differences(proof: Proof) -> Iterator[Finding]:
    for examined in proof.examined:
        for found in _told(examined.differences)[:_SHOWN]:
            yield Finding(
                code=DIFFERS.code,
                severity=DIFFERS.severity,
                location=Location(path=proof.request.sources[examined.language].path),
                message=(
                    f"case {found.case.id}: {found.side} {_short(found.answer)};"
                    f" expected: {_short(found.case.expected)}"
                ),
                hint=_explained(found),
                key=f"{found.side} {found.case.id}",
            )


def _told(differences: Sequence[Difference]) -> list[Difference]:
    """Return the differences, the plainest case first, and what both modes answer once."""
    once: dict[tuple[str, str], Difference] = {}
    for found in differences:
        once.setdefault((found.case.id, found.answer), found)
    return sorted(once.values(), key=lambda found: ('"$make"' in found.case.text, _size(found)))


def _size(found: Difference) -> tuple[int, str, str]:
    return len(found.case.text), found.case.id, found.side


def _explained(found: Difference) -> str:
    case = found.case
    expected, answered = _apart(case.expected, found.answer)
    return (
        f"expected: {expected}\nanswered: {answered}\ncase ({case.path}:{case.line}): {case.text}"
    )


def _apart(expected: str, answered: str) -> tuple[str, str]:
    """Return of two verdicts only the entries that differ, of anything else all of it."""
    one, other = _verdict(expected), _verdict(answered)
    if one is None or other is None:
        return expected, answered
    keys = [key for key in sorted({*one, *other}) if one.get(key, ...) != other.get(key, ...)]
    parts = ({key: side[key] for key in keys if key in side} for side in (one, other))
    first, second = (json.dumps(part, separators=(",", ":")) for part in parts)
    return (first, second) if first != second else (expected, answered)


def _verdict(answer: str) -> dict[str, Any] | None:
    """Return the object that an answer returns, if it is one."""
    try:
        value = json.loads(answer.removeprefix(_RETURNS)) if answer.startswith(_RETURNS) else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _fuzz(proof: Proof) -> Iterator[Finding]:
    if proof.fuzz is None or proof.fuzz.disagreement is None:
        return
    text, answers = proof.fuzz.disagreement.text, proof.fuzz.disagreement.answers
    name = f"fuzz-{proof.fuzz.seed}-{proof.fuzz.inputs}"
    told = "\n".join(f"{language}: {answer}" for language, answer in answers.items())
    line = ready(text, name=name, tags=["fuzz"], answer=answers["python"])
    yield Finding(
        code=FUZZ.code,
        severity=FUZZ.severity,
        location=Location(path=proof.request.sources["javascript"].path),
        message=f"the languages disagree on input {proof.fuzz.inputs} of seed {proof.fuzz.seed}",
        hint=f"{told}\nas a case, with Python's answer:\n{line}",
        key=name,
    )


def _checked(proof: Proof) -> dict[str, int]:
    checked = {"cases": len(proof.request.cases), "agreements": proof.agreements}
    if proof.fuzz is not None:
        checked["fuzz inputs"] = proof.fuzz.inputs
    if proof.sabotage:
        checked["mutants"] = sum(len(side.results) for side in proof.sabotage)
        checked["killed"] = sum(side.count("killed", "hang") for side in proof.sabotage)
        checked["survived"] = sum(side.count("survived") for side in proof.sabotage)
        checked["accepted"] = sum(side.count("accepted") for side in proof.sabotage)
    return checked


def _notes(proof: Proof) -> Iterator[str]:
    for examined in proof.examined:
        if (count := len(told := _told(examined.differences))) > _SHOWN:
            cases = len({found.case.id for found in told})
            yield (
                f"{examined.language} differs in {cases} cases;"
                f" of {count} answers the {_SHOWN} plainest are shown"
            )
    if proof.fuzz is not None:
        alike = "a difference" if proof.fuzz.disagreement else "0 differences"
        yield f"fuzz: seed {proof.fuzz.seed}, {proof.fuzz.inputs} inputs, {alike}"
    for side in proof.examined:
        yield from side.notes
        yield from (f"undecided: {fault}" for fault in side.faults)


def _short(answer: str) -> str:
    """Say an answer in a few words: a verdict by its outcome and reason."""
    before, returns, said = answer.partition(_RETURNS)
    verdict = _verdict(returns + said)
    if verdict is None or "outcome" not in verdict:
        return answer[:_LONGEST]
    reason = f" ({verdict['abstainReason']})" if verdict.get("abstainReason") else ""
    return f"{before}returns {verdict['outcome']}, score {verdict.get('score')}{reason}"
