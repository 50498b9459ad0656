"""The Python side's answer to a case: one line of text that says all that can be observed.

Read by both sides in the same way (`adapter.mjs` is the other): `returns CANONICAL`,
`raises "MESSAGE"` for a refused argument, and for what a contract never does: `crashes ...`,
`hangs`, `prints ...`, `changes its input`, `shares its input`.
"""

from __future__ import annotations

import contextlib
import io
import json
import marshal
import sys
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from types import ModuleType
from typing import Any

from judge_conformance.parity.canonical import canonical
from judge_conformance.parity.loading import Fuel

HANGS = "hangs"


class _Text(str):
    __slots__ = ()


class _Object(dict[str, Any]):
    pass


def _deep(spec: Mapping[str, Any]) -> object:
    value: object = []
    for _ in range(spec["levels"]):
        value = [value]
    return value


MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "nan": lambda _: float("nan"),
    "infinity": lambda _: float("inf"),
    "-infinity": lambda _: float("-inf"),
    "big": lambda spec: int(spec["digits"]),
    "deep": _deep,
    "repeat": lambda spec: spec["text"] * spec["times"],
    "frozen": lambda spec: built(spec["of"]),
    "shared": lambda spec: [built(spec["of"])] * spec["times"],
    "decimal": lambda spec: Decimal(spec["text"]),
    "tuple": lambda spec: tuple(built(spec["of"])),
    "subclass": lambda spec: (
        _Text(spec["of"]) if isinstance(spec["of"], str) else _Object(spec["of"])
    ),
}
"""What JSON text cannot say, by name: `{"$make": NAME, ...}` stands for it in a case."""


def built(value: object) -> Any:  # noqa: ANN401 - whatever the case describes
    """Return the value with each `{"$make": NAME}` in it made; raises KeyError for no such name."""
    if isinstance(value, list):
        return [built(element) for element in value]
    if isinstance(value, dict):
        if "$make" in value:
            return MAKERS[value["$make"]](value)
        return {key: built(element) for key, element in value.items()}
    return value


class Question:
    """One case as the Python side reads it: the call that it makes and what it hands over."""

    def __init__(self, text: str) -> None:
        sys.set_int_max_str_digits(0)  # 5,000 digits are a case like any other
        self.text = text
        self._plain = '"$make"' not in text
        self._read()

    def _read(self) -> None:
        case = json.loads(self.text)
        if not self._plain:
            case = built(case)
        self._call = case.get("call", "decide")
        self._given = tuple(case.get(key) for key in ("report", "rubric", "verdicts", "verdict"))
        self._options = {
            name: case[key]
            for key, name in (("item", "item"), ("decidedBy", "decided_by"), ("k", "k"))
            if key in case
        }
        self._before = marshal.dumps(self._given, 2) if self._plain else b""
        self._handed = {id(node) for node in _containers(self._given[:2])}

    def put(self, module: ModuleType) -> object:
        """Call the subject; returns or raises whatever it does."""
        report, rubric, verdicts, verdict = self._given
        match self._call:
            case "decide":
                return module.decide(report, rubric, **self._options)
            case "spotCheck":
                return module.spot_check(verdicts, **self._options)
            case "validate":
                return module.validate(verdict, rubric)
            case "isCalibrated":
                return module.is_calibrated(rubric)
        raise ValueError(f"no such call: {self._call}")

    def answer(self, module: ModuleType, fuel: Fuel, ticks: int) -> str:
        """Return what the subject does with the case within `ticks` of fuel."""
        said = io.StringIO()
        fuel.fill(ticks)
        try:
            with contextlib.redirect_stdout(said):
                value: Any = self.put(module)
                text = f"returns {canonical(value)}"
        except BaseException as error:  # noqa: BLE001 - whatever a subject does is its answer
            value, text = None, _raised(error)
        if fuel.empty:
            text = HANGS
        if said.getvalue():
            text = f"prints {json.dumps(said.getvalue()[:80])} and {text}"
        return self._after(value, text) if self._plain else text

    def _after(self, value: object, text: str) -> str:
        if marshal.dumps(self._given, 2) != self._before:
            self._read()
            return f"changes its input and {text}"
        return f"shares its input and {text}" if self._shares(value) else text

    def _shares(self, value: object) -> bool:
        return self._call == "decide" and any(
            id(node) in self._handed for node in _containers((value,))
        )

    def repeats(self, module: ModuleType, earlier: bytes) -> bool:
        """Whether the subject gives the very answer that it gave `earlier`: a short cut.

        False says nothing: `answer` then tells what the answer is. Raises what the subject raises.
        """
        if not (self._plain and earlier):
            return False
        value: Any = self.put(module)
        return (
            marshal.dumps(value, 2) == earlier
            and marshal.dumps(self._given, 2) == self._before
            and not self._shares(value)
        )

    def bytes_of(self, module: ModuleType) -> bytes:
        """Return what `repeats` compares with; empty where the answer is an error."""
        try:
            value: Any = self.put(module)
            return marshal.dumps(value, 2) if self._plain else b""
        except Exception:  # noqa: BLE001 - an error is an answer too, which has no bytes
            return b""


def _raised(error: BaseException) -> str:
    if isinstance(error, ValueError) and type(error).__module__ != "builtins":
        return f"raises {json.dumps(str(error))}"
    return f"crashes {type(error).__name__}: {str(error)[:200]!a}"


def _containers(values: tuple[object, ...]) -> Iterator[object]:
    pending: list[object] = list(values)
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            yield node
            pending.extend(node)
        elif isinstance(node, dict):
            yield node
            pending.extend(node.values())
