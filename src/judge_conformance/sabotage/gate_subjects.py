"""Each canonical Python file against its own `--selftest`: no mutant may go unnoticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judge_conformance.catalog import Catalog
from judge_conformance.errors import BrokenInstrumentError, UsageError
from judge_conformance.sabotage import session
from judge_conformance.sabotage.session import SabotageReport
from judge_conformance.sabotage.subjects import Source, Trial, in_worker, python_launcher

PATIENCE = 120.0  # seconds: a self-test starts commands of its own


def names(asked: Sequence[str], catalog: Catalog) -> list[str]:
    """Return the files meant by `--gate`: a short name, a file name, or `all` of them."""
    python = {a.name: a for a in catalog.artifacts.values() if a.language == "python"}
    by_name = {short: name for name, a in python.items() for short in (name, a.gate) if short}
    if "all" in asked:
        return sorted(python)
    if unknown := [name for name in asked if name not in by_name]:
        raise UsageError(
            f"--gate {unknown[0]}: no such gate", hint=f"one of {', '.join(sorted(by_name))}, all"
        )
    return sorted({by_name[name] for name in asked})


def run(
    gates: Sequence[str],
    catalog: Catalog,
    accepted: Mapping[str, Mapping[str, str]],
    *,
    parallel: int,
) -> tuple[list[SabotageReport], list[str]]:
    """Sabotage each gate; returns the reports and what broke the instrument."""
    reports, faults = [], []
    for name in gates:
        try:
            reports.append(_one(name, catalog, accepted.get(name, {}), parallel))
        except BrokenInstrumentError as error:
            faults.append(f"{error.where}{error.message}")
    return reports, faults + [fault for report in reports for fault in report.faults]


def _one(name: str, catalog: Catalog, accepted: Mapping[str, str], workers: int) -> SabotageReport:
    text = catalog.content(name).decode("utf-8")
    source = Source(name=name, path=catalog.artifacts[name].file, language="python", text=text)
    launcher = python_launcher(source, patience=PATIENCE)
    trial = Trial(selftest=True, accepted=accepted, workers=workers)
    return session.run(in_worker(launcher, trial, roots=("main",)))
