"""The contract in both languages, each behind the same three calls."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import pytest
from hypothesis import settings

VENDORED = Path(__file__).parents[3] / "vendored"
DRIVER = Path(__file__).with_name("driver.mjs")

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

Decide = Callable[..., dict[str, Any]]


class Contract(Protocol):
    """One implementation: JSON text in, canonical JSON text out, or why it refuses."""

    def decide(self, report: str, rubric: str, **options: str) -> str: ...

    def spot_check(self, verdicts: str, *k: object) -> str: ...


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"contract_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class InPython:
    def __init__(self, path: Path) -> None:
        self.module = load(path)

    def decide(self, report: str, rubric: str, **options: str) -> str:
        names = {"decidedBy": "decided_by"}
        flags = {names.get(name, name): value for name, value in options.items()}
        try:
            verdict = self.module.decide(json.loads(report), json.loads(rubric), **flags)
        except self.module.RubricError as error:
            return f"refused: {error}"
        return str(self.module.canonical(verdict))

    def spot_check(self, verdicts: str, *k: object) -> str:
        try:
            return str(self.module.canonical(self.module.spot_check(json.loads(verdicts), *k)))
        except self.module.RubricError as error:
            return f"refused: {error}"


class InNode:
    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            ["node", str(DRIVER), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="ascii",
        )

    def decide(self, report: str, rubric: str, **options: str) -> str:
        return self._ask({"call": "decideVerdict", "texts": [report, rubric, json.dumps(options)]})

    def spot_check(self, verdicts: str, *k: object) -> str:
        return self._ask({"call": "spotCheck", "texts": [verdicts, *map(json.dumps, k)]})

    def evaluate(self, expression: str) -> str:
        """Evaluate JavaScript beside the block's names; the canonical text of its value."""
        return self._ask({"call": "evaluate", "texts": [json.dumps(expression)]})

    def close(self) -> None:
        self.process.communicate()

    def _ask(self, question: dict[str, Any]) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().removesuffix("\n")


@pytest.fixture(scope="session")
def python() -> InPython:
    return InPython(VENDORED / "judge_contract.py")


@pytest.fixture(scope="session")
def node() -> Iterator[InNode]:
    contract = InNode(VENDORED / "verdict.inline.js")
    yield contract
    contract.close()


@pytest.fixture(scope="session")
def old_python() -> InPython:
    return InPython(VENDORED / "releases/0.1.0/judge_contract.py")


@pytest.fixture(scope="session")
def old_node() -> Iterator[InNode]:
    contract = InNode(VENDORED / "releases/0.1.0/verdict.inline.js")
    yield contract
    contract.close()


@pytest.fixture(scope="session", params=["python", "node"])
def contract(request: pytest.FixtureRequest) -> Contract:
    """Each implementation in turn: the tests' values decide, neither language is the oracle."""
    found: Contract = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def decide(python: InPython) -> Decide:
    found: Decide = python.module.decide
    return found


@pytest.fixture(scope="session")
def command() -> list[str]:
    """How a plugin would start the command line: isolated, with nothing but the file."""
    return [sys.executable, "-I", "-S", str(VENDORED / "judge_contract.py")]
