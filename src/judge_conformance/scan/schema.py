"""The fields of a JSON Schema by which code can go: booleans, enums, numbers, named verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judge_conformance.scan.words import says_rank, says_verdict

_DEPTH = 12  # of nested schemas; deeper ones are no reply of a model


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field: its name, the values of its enum, and whether it stands in a list of things.

    What a model says of things that it brings up itself (the severity of a finding) is no verdict;
    in such a list only a field counts that says a verdict.
    """

    name: str
    values: tuple[str, ...] = ()
    in_list: bool = False

    @property
    def says_verdict(self) -> bool:
        """Whether its name or one of its values says a verdict."""
        return any(map(says_verdict, (self.name, *self.values)))

    @property
    def may_decide(self) -> bool:
        """Whether code that goes by this field goes by a verdict.

        A grade in a list may be that of a finding, as its severity is.
        """
        return not self.in_list or (self.says_verdict and not says_rank(self.name))

    @property
    def told(self) -> str:
        """The field as it is told to people: its name, and a few of its values."""
        few = 5
        more = ", ..." if len(self.values) > few else ""
        return self.name + (f" ({', '.join(self.values[:few])}{more})" if self.values else "")


def fields_of(schema: object, *, in_list: bool = False, depth: int = 0) -> Iterator[Field]:
    """Yield the deciding fields of a schema, given as a JSON-like value; unknown parts are None."""
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return
    properties = schema.get("properties")
    for name, entry in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(entry, Mapping):
            yield from _field(str(name), entry, in_list=in_list)
            yield from fields_of(entry, in_list=in_list, depth=depth + 1)
    yield from fields_of(schema.get("items"), in_list=True, depth=depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        for entry in _list(schema.get(key)):
            yield from fields_of(entry, in_list=in_list, depth=depth + 1)


def _field(name: str, entry: Mapping[str, Any], *, in_list: bool) -> Iterator[Field]:
    shapes = [entry, *(e for key in ("anyOf", "oneOf") for e in _list(entry.get(key)))]
    for shape in shapes:
        if not isinstance(shape, Mapping):
            continue
        kind, values = shape.get("type"), _list(shape.get("enum"))
        kinds = {k for k in (kind if isinstance(kind, list) else [kind]) if isinstance(k, str)}
        if values or kinds & {"boolean", "number", "integer"}:
            told = tuple(str(value) for value in values if isinstance(value, str))
            yield Field(name=name, values=told, in_list=in_list)
            return
        if "string" in kinds and not in_list and says_verdict(name):
            yield Field(name=name)  # its values stand in its description
            return


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
