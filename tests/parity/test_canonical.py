"""Typed canonical text: what differs reads differently; numbers read as ECMAScript prints them."""

from __future__ import annotations

import json
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_conformance.node import find_node
from judge_conformance.parity.canonical import canonical, number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (1.0, "1"),
        (-0.0, "-0"),
        (2**53 + 1, "9007199254740992"),
        (10**400, "!Infinity"),
        (float("nan"), "!NaN"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        ("\u00e9\U0001f600\ud800\x7f", '"\\u00e9\\ud83d\\ude00\\ud800\\u007f"'),
        ([1, "1", True], '[1,"1",true]'),
        ({"b": 1, "a": {}}, '{"a":{},"b":1}'),
        ({"\U0001f600": 1, "\uffff": 2}, '{"\\uffff":2,"\\ud83d\\ude00":1}'),
        ((1,), "!tuple"),
        ({1: 2}, "!dict"),
        (b"x", "!bytes"),
    ],
)
def test_the_text_of_a_value(value: object, text: str) -> None:
    assert canonical(value) == text


@settings(derandomize=True, deadline=None, max_examples=8)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=50, max_size=200))
def test_numbers_are_printed_as_node_prints_them(values: list[float]) -> None:
    program = (
        "const text = (x) => Object.is(x, -0) ? '-0' : String(x);"
        "console.log(JSON.stringify(JSON.parse(process.argv[1]).map(text)))"
    )
    argv = [str(find_node().path), "-e", program, json.dumps(values)]
    printed = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    assert [number(value) for value in values] == printed
