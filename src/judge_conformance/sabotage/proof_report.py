"""A proof as a report: what differs, what the fuzz found, what survived, and the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

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

_SHOWN = 10  # differences of one side that are shown one by one


def report(proof: Proof) -> Report:
    """Return the proof as findings and notes; the same bytes for the same sources and seed."""
    found = [*_differences(proof), *_fuzz(proof)]
    for side in proof.sabotage:
        found += findings(side)
    return Report(
        tool="parity",
        findings=tuple(sorted(found, key=lambda finding: finding.order)),
        rules=RULES,
        checked=_checked(proof),
        notes=(*_notes(proof), *table(proof.sabotage)),
    )


def _differences(proof: Proof) -> Iterator[Finding]:
    paths = {language: source.path for language, source in proof.request.sources.items()}
    for side, group in groupby(proof.differences, key=lambda found: found.side):
        for found in list(group)[:_SHOWN]:
            yield Finding(
                code=DIFFERS.code,
                severity=DIFFERS.severity,
                location=Location(path=paths["python" if side == "python" else "javascript"]),
                message=f"case {found.case.id}: {side} {_short(found.answer)}",
                hint=_explained(found),
                key=f"{side} {found.case.id}",
            )


def _explained(found: Difference) -> str:
    case = found.case
    return (
        f"expected: {case.expected}\nanswered: {found.answer}\n"
        f"case ({case.path}:{case.line}): {case.text}"
    )


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
    for side, group in groupby(proof.differences, key=lambda found: found.side):
        if (count := len(list(group))) > _SHOWN:
            yield f"{side} differs in {count} cases; the first {_SHOWN} are shown"
    if proof.fuzz is not None:
        alike = "a difference" if proof.fuzz.disagreement else "0 differences"
        yield f"fuzz: seed {proof.fuzz.seed}, {proof.fuzz.inputs} inputs, {alike}"
    for side_ in proof.examined:
        yield from side_.notes


def _short(answer: str) -> str:
    """Say an answer in a few words: a verdict by its outcome and reason."""
    kind, _, said = answer.partition(" ")
    if kind == "returns" and said.startswith("{"):
        try:
            verdict = json.loads(said)
        except ValueError:
            return f"returns {said[:100]}"
        outcome, reason = verdict.get("outcome"), verdict.get("abstainReason")
        return f"returns {outcome}, score {verdict.get('score')}" + (
            f" ({reason})" if reason else ""
        )
    return answer[:120]
