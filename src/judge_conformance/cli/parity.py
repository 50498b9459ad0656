"""`judge-contract parity`: both languages decide alike, and every sabotage of them is noticed."""

from __future__ import annotations

import time
from importlib.resources import as_file
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge_conformance.catalog import Catalog, canonical_folder
from judge_conformance.cli._proving import JOBS, conclude, proving_options, report_files, write
from judge_conformance.errors import (
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judge_conformance.findings import Report
    from judge_conformance.parity.cases import Language
    from judge_conformance.sabotage.session import SabotageReport
    from judge_conformance.sabotage.subjects import Source


@click.command()
@click.option("--js", metavar="FILE", help="Judge the block in this file instead of the canonical.")
@click.option("--py", metavar="FILE", help="Judge this module instead of the canonical.")
@click.option("--cases", metavar="DIR", help="Another case set: its *.jsonl files.")
@click.option("--gate", "gates", metavar="NAME", multiple=True, help="Sabotage a gate, or all.")
@click.option("--fuzz", type=click.IntRange(min=0), default=0, metavar="N", help="More inputs.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of these inputs.")
@click.option("--no-sabotage", is_flag=True, help="Only the cases and the fuzz.")
@JOBS
@click.option("--node", metavar="PATH", help="The Node to use; else PATH, else the node extra.")
@click.option("--run-untrusted", is_flag=True, help="Run a copy that is no released one: its code.")
@proving_options
def command(
    js: str | None,
    py: str | None,
    cases: str | None,
    gates: tuple[str, ...],
    fuzz: int,
    seed: int,
    no_sabotage: bool,
    jobs: int,
    node: str | None,
    run_untrusted: bool,
    format_name: str,
    reports: tuple[str, ...],
) -> int:
    """Prove that the two implementations decide alike.

    One case set goes through both, then each is sabotaged, mutant by mutant, and every mutant must
    be noticed. With --js or --py a copy in place is judged; with --gate the sibling gates are
    sabotaged against their own self-tests. Exit 0: all holds; 1: something differs or survives; 2:
    the instrument cannot be trusted, whatever else was found.
    """
    started = time.monotonic()
    if gates and (js or py or cases or fuzz or no_sabotage):
        raise UsageError("--gate goes with none of --js, --py, --cases, --fuzz, --no-sabotage")
    files = report_files(reports)
    if files and no_sabotage:
        raise UsageError("--report mutation= needs sabotage")
    if gates:
        report, sabotaged, faults = _gates(gates, jobs)
    else:
        sources = _sources(js, py, run_untrusted=run_untrusted)
        report, sabotaged, faults = _pair(
            sources,
            cases=cases,
            inputs=fuzz,
            seed=seed,
            sabotage=not no_sabotage,
            parallel=jobs,
            node=node,
        )
    write(files, sabotaged, "parity")
    return conclude(report, faults, format_name, started)


def _sources(js: str | None, py: str | None, *, run_untrusted: bool) -> Mapping[Language, Source]:
    from judge_conformance.sabotage import sources as known  # noqa: PLC0415 - only what runs

    catalog = Catalog.load()
    asked: tuple[tuple[Language, str | None], ...] = (("python", py), ("javascript", js))
    chosen: dict[Language, Source] = {}
    for language, path in asked:
        if path is None:
            chosen[language] = known.canonical(language, catalog)
            continue
        chosen[language], released = known.copy(language, path, catalog)
        if not run_untrusted:
            known.demand_trust(chosen[language], released=released)
    return chosen


def _pair(
    sources: Mapping[Language, Source],
    *,
    cases: str | None,
    inputs: int,
    seed: int,
    sabotage: bool,
    parallel: int,
    node: str | None,
) -> tuple[Report, Sequence[SabotageReport], Sequence[str]]:
    from judge_conformance.parity.cases import load  # noqa: PLC0415 - only what runs
    from judge_conformance.sabotage import accepted, pair, proof_report  # noqa: PLC0415 - likewise

    home = canonical_folder().joinpath("parity")
    with as_file(home.joinpath("adapter.mjs")) as adapter:
        proof = pair.prove(
            pair.Request(
                sources=sources,
                cases=load(Path(cases) if cases else home.joinpath("cases")),
                adapter=adapter,
                accepted=accepted.load(home.joinpath("equivalent.toml")),
                node=node,
                seed=seed,
                inputs=inputs,
                sabotage=sabotage,
                parallel=parallel,
            )
        )
    return proof_report.report(proof), proof.sabotage, proof.faults


def _gates(
    asked: Sequence[str], jobs: int
) -> tuple[Report, Sequence[SabotageReport], Sequence[str]]:
    from judge_conformance.sabotage import accepted, gate_subjects, tables  # noqa: PLC0415 - only what runs

    catalog = Catalog.load()
    known = accepted.load(canonical_folder().joinpath("parity", "equivalent.toml"))
    names = gate_subjects.names(asked, catalog)
    reports, faults = gate_subjects.run(names, catalog, known, parallel=jobs)
    return tables.report(reports, tool="parity", subjects="gates"), reports, faults
