"""The pair as it stands in the repository, and how a proof of it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge_conformance.errors import JudgeContractError
from judge_conformance.parity.cases import Case, Language, load
from judge_conformance.sabotage import accepted, proof_report
from judge_conformance.sabotage.pair import Request, prove
from judge_conformance.sabotage.subjects import Source

VENDORED = Path(__file__).parents[2] / "vendored"
FILES: dict[Language, str] = {"python": "judge_contract.py", "javascript": "verdict.inline.js"}


@pytest.fixture(scope="session")
def cases() -> tuple[Case, ...]:
    return load(VENDORED / "parity" / "cases")


@pytest.fixture(scope="session")
def request_of_pair(cases: tuple[Case, ...]) -> Request:
    return Request(
        sources={
            language: Source(
                name=name,
                path=name,
                language=language,
                text=(VENDORED / name).read_text(encoding="utf-8"),
            )
            for language, name in FILES.items()
        },
        cases=cases,
        adapter=VENDORED / "parity" / "adapter.mjs",
        accepted=accepted.load(VENDORED / "parity" / "equivalent.toml"),
    )


Edited = Callable[..., Request]


@pytest.fixture
def edited(request_of_pair: Request) -> Edited:
    """Return the request with one language's source changed in one place."""

    def edit(language: Language, find: str, put: str, **changes: object) -> Request:
        source = request_of_pair.sources[language]
        assert source.text.count(find) == 1, f"{find!r} does not stand once in {source.path}"
        twin = replace(source, text=source.text.replace(find, put))
        sources = {**request_of_pair.sources, language: twin}
        return replace(request_of_pair, sources=sources, **changes)  # type: ignore[arg-type]

    return edit


@pytest.fixture
def ending() -> Callable[[Request], tuple[int, str]]:
    """Return the exit that a proof means, and its first fault, or what it found."""

    def end(request: Request) -> tuple[int, str]:
        try:
            proof = prove(request)
        except JudgeContractError as error:
            return error.exit_code, error.where + error.message
        if proof.faults:
            return 2, proof.faults[0]
        report = proof_report.report(proof)
        return int(report.fails()), "\n".join(finding.message for finding in report.findings)

    return end
