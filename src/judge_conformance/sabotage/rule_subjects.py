"""Each module of the rules against the planted trees and scripts: no mutant may go unnoticed."""

from __future__ import annotations

import ast
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from judge_conformance.catalog import Catalog
from judge_conformance.errors import BrokenInstrumentError, UsageError
from judge_conformance.parity.protocol import Worker
from judge_conformance.planted.proofs import proofs
from judge_conformance.rule import Rule
from judge_conformance.sabotage import python_sites, session
from judge_conformance.sabotage.hosts import Host, InWorker, Several
from judge_conformance.sabotage.mutants import Edit, named
from judge_conformance.sabotage.rule_modules import HOME, Graph, file_of, module_of
from judge_conformance.sabotage.session import SabotageReport, Subject

PATIENCE = 120.0  # seconds without an answer: what a mutant makes of an import burns no fuel
_SPARED = ("RULE",)  # a rule's title and examples are no branch of it

Told = Callable[[str, int, int], None]


def named_rules(asked: Sequence[str], rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules of these codes, all where there are none. Raises UsageError."""
    known = {rule.code: rule for rule in rules}
    if unknown := [code for code in asked if code not in known]:
        raise UsageError(
            f"--rule {unknown[0]}: no such rule", hint="`judge-contract rules` lists them"
        )
    return [rule for rule in rules if not asked or rule.code in asked]


def modules_of(rules: Sequence[Rule], *, own: bool) -> list[str]:
    """Return the modules that rules are made of: their own alone, or what these lead to as well."""
    graph = Graph.read()
    names = {module_of(rule) for rule in rules}
    return sorted(names if own else {one for name in names for one in graph.made_of(name)})


def run(
    modules: Sequence[str],
    catalog: Catalog,
    rules: Sequence[Rule],
    accepted: Mapping[str, Mapping[str, str]],
    *,
    parallel: int,
    told: Told = lambda _name, _done, _all: None,
) -> tuple[list[SabotageReport], list[str]]:
    """Sabotage modules; returns the reports and what broke the instrument.

    `told` hears of each module before it is sabotaged: its name, how many are done, how many in
    all. Only `rules` are planted.
    """
    reports, faults = list[SabotageReport](), list[str]()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="judge-contract-"))
        for _ in proofs(Path(folder), catalog, rules):
            pass  # planted once, for all workers
        pool = _Pool(folder=folder)
        stack.callback(pool.end)
        for done, name in enumerate(modules):
            told(name, done, len(modules))
            try:
                reports.append(_one(name, pool, accepted, parallel))
            except BrokenInstrumentError as error:
                faults.append(f"{error.where}{error.message}")
    return reports, faults + [fault for report in reports for fault in report.faults]


@dataclass(slots=True, kw_only=True)
class _Pool:
    """Workers that hold the planted trees, used for one module after the other."""

    folder: str
    _idle: list[Worker] = field(default_factory=list)
    _all: list[Worker] = field(default_factory=list)

    def take(self) -> Worker:
        """Return a worker that is free, or a new one."""
        if self._idle:
            return self._idle.pop()
        worker = Worker("a worker of the rules", _argv(), patience=PATIENCE)
        self._all.append(worker)
        worker.tell("plant", folder=self.folder)
        return worker

    def give(self, worker: Worker) -> None:
        """Take a worker back."""
        self._idle.append(worker)

    def end(self) -> None:
        """End all of them."""
        for worker in self._all:
            worker.end()


def _one(
    name: str, pool: _Pool, accepted: Mapping[str, Mapping[str, str]], parallel: int
) -> SabotageReport:
    file = file_of(name)
    path = file.relative_to(HOME).as_posix()
    source = file.read_text("utf-8")
    roots = _roots(source)
    found = python_sites.sites(source, roots=roots, spared=_SPARED)
    mutants = [mutant for mutant, _ in named(source, found)]

    def launch() -> tuple[Worker, int]:
        worker = pool.take()
        worker.tell("start", source=source, filename=path)
        return worker, worker.tell("hold", module=name)["checks"]

    @contextmanager
    def host() -> Iterator[Host]:
        hosts = list[InWorker]()
        try:
            hosts += [InWorker(launch, _wire) for _ in range(parallel)]
            yield hosts[0] if len(hosts) == 1 else Several(hosts)
        finally:
            for one in hosts:
                pool.give(one.worker)

    return session.run(
        Subject(
            name=path,
            path=f"src/{HOME.name}/{path}",
            language="python",
            source=source,
            mutants=mutants,
            forced=python_sites.forced(source, roots),
            host=host,
            accepted=accepted.get(path, {}),
        )
    )


def _roots(source: str) -> list[str]:
    """Return the functions and classes of a module, less those that only write its examples."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    body = ast.parse(source).body
    declared = [node for node in body if _declares(node)]
    examples = _names(declared) - _names([node for node in body if node not in declared])
    names = [node.name for node in body if isinstance(node, kinds)]
    return [name for name in names if name == "check" or name not in examples]


def _declares(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id in _SPARED for target in node.targets
    )


def _names(nodes: Sequence[ast.stmt]) -> set[str]:
    walked = (below for node in nodes for below in ast.walk(node))
    return {node.id for node in walked if isinstance(node, ast.Name)}


def _wire(edits: Sequence[Edit]) -> object:
    return [[edit.start, edit.end, edit.text] for edit in edits]


def _argv() -> list[str]:
    """Return the command of a worker: this interpreter, with the modules that are found here."""
    path = [entry for entry in sys.path if entry and os.path.isabs(entry)]  # noqa: PTH117 - no Path
    main = (
        f"import sys; sys.path[:] = {path!r};"
        " from judge_conformance.sabotage.python_worker import main;"
        " from judge_conformance.sabotage.rule_worker import RuleService;"
        " main(RuleService())"
    )
    return [sys.executable, "-I", "-S", "-c", main]
