from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from judge_conformance.exercise.session import Session
from judge_conformance.exercise.suite import ScriptResult, exercise_script
from judge_conformance.node import Node, find_node

META = "export const meta = { name: 'a-script', description: 'A script' }\n"


@pytest.fixture(scope="session")
def node() -> Node:
    return find_node()


@pytest.fixture(scope="session")
def session(node: Node) -> Iterator[Session]:
    with Session(node, timeout=2) as session:
        yield session


@pytest.fixture
def exercise(node: Node) -> Callable[..., ScriptResult]:
    def run(body: str, *, args: str | None = None, timeout: float = 2) -> ScriptResult:
        return exercise_script("a.js", META + body, node, args=args, timeout=timeout)

    return run
