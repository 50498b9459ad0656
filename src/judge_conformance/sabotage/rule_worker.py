"""The worker that holds all proofs of the rules, and runs mutants of one module after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from judge_conformance.catalog import Catalog
from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.parity.loading import PLENTY, Program
from judge_conformance.planted.proofs import Proof, proofs, said, told
from judge_conformance.rule import Rule
from judge_conformance.rules import all_rules
from judge_conformance.sabotage.python_engine import Check, PythonEngine, quiet
from judge_conformance.sabotage.python_worker import Reply, Service
from judge_conformance.sabotage.rule_modules import Graph, remade, rules_of

_TOGETHER = frozenset({"JC-ALLOW", "JC-LEFT"})  # they ask what the other rules are


class RuleService(Service):
    """What the worker holds between requests: the proofs, and the module that is sabotaged."""

    def __init__(self) -> None:
        super().__init__()
        self._graph = Graph.read()
        self._rules = all_rules()
        self._proofs: Sequence[Proof] = ()

    def plant(self, request: Mapping[str, Any], _: Reply) -> Mapping[str, Any]:
        """Hold the proofs that are planted below a folder."""
        self._proofs = [*proofs(Path(request["folder"]), Catalog.load(), self._rules)]
        return {}

    def hold(self, request: Mapping[str, Any], _: Reply) -> Mapping[str, Any]:
        """Hold the proofs that a module has a part in; what never enters it cannot notice."""
        program, module = self._subject
        name = request["module"]
        concerned = rules_of(self._graph, name, self._rules)
        checks = [
            check
            for check in self._checks(name, [rule.code for rule in concerned])
            if _enters(check, program, module)
        ]
        self._engine = PythonEngine(program, checks)
        return {"checks": len(checks)}

    def _checks(self, name: str, codes: Sequence[str]) -> list[Check]:
        concerned = [proof for proof in self._proofs if proof.rule.code in codes]
        others = [
            proof for proof in self._proofs if proof.rule.code not in codes and not proof.alone
        ]
        return [
            Check(
                name=f"{proof.rule.code}: {proof.title}",
                green=self._green(name, codes, proof),
            )
            for proof in (*concerned, *others)
        ]

    def _green(self, name: str, codes: Sequence[str], proof: Proof) -> Callable[[ModuleType], bool]:
        concerned = proof.rule.code in codes
        expected = [*said(proof.rule).get(proof.title, ())] if concerned else []
        graph, rules = self._graph, self._rules

        def green(module: ModuleType) -> bool:
            made = remade(graph, name, module)
            asked: list[Rule] = [made.get(rule.code, rule) for rule in rules]
            if not _TOGETHER.intersection(codes):
                asked = [rule for rule in asked if rule.code in codes]
            with quiet():
                found = proof.found(asked)
            return [told(one) for one in found if one.code in codes] == expected

        return green


def _enters(check: Check, program: Program, module: ModuleType) -> bool:
    program.fuel.fill(PLENTY)
    if not check.green(module):
        raise BrokenInstrumentError(f"{program.filename}: {check.name} is red before any sabotage")
    return program.fuel.burnt(PLENTY) > 0
