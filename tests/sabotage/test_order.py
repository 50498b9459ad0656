"""Which check is tried first: one that runs the mutant's line, the cheapest, a recent killer."""

from __future__ import annotations

import ast

import pytest

from judge_conformance.sabotage.python_order import Order

SOURCE = """\
LIMIT = 3
@staticmethod
def first(x):
    if x:
        return (
            x + 1
        )
    return LIMIT
def second(y):
    return y
"""
RUN = [{4, 5}, {4, 8}, {10}, {4, 5, 8, 10}]  # by check, the first lines of what it runs
COSTS = [30, 20, 10, 1000]


@pytest.fixture
def order() -> Order:
    return Order(ast.parse(SOURCE).body, RUN, COSTS)


@pytest.mark.parametrize(
    ("statement", "line", "checks"),
    [
        (1, 4, [1, 0, 3, 2]),
        (1, 6, [0, 3, 2, 1]),  # inside the statement of line 5
        (1, 8, [1, 3, 2, 0]),
        (2, 10, [2, 3, 1, 0]),
        (0, 1, [1, 3, 2, 0]),  # a constant: what runs a line that names it
        (1, 2, [2, 1, 0, 3]),  # a decorator of what nothing names
    ],
)
def test_what_runs_the_line_comes_first_and_then_what_is_cheap(
    order: Order, statement: int, line: int, checks: list[int]
) -> None:
    assert [*order.checks(statement, line)] == checks


def test_a_recent_killer_may_cost_ten_times_as_much(order: Order) -> None:
    assert [*order.checks(1, 4)] == [1, 0, 3, 2]
    order.killed(0)
    order.killed(3)
    assert [*order.checks(1, 4)] == [0, 1, 3, 2]
    order.forget()
    assert [*order.checks(1, 4)] == [1, 0, 3, 2]
    order.killed(0)
    assert [*order.checks(2, 10)] == [2, 3, 1, 0], "another statement's mutants"
    assert [*order.checks(1, 4)] == [1, 0, 3, 2]
