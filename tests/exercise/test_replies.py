"""Every reply that is made is valid for its schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_conformance.exercise.session import Json, Session
from judge_conformance.exercise.stances import points, stances

NAMES = st.sampled_from(["id", "verdict", "file", "reason", "a/b", "~x", "score", "name", "isReal"])


def numbers(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    low = st.integers(-20, 20)
    return st.builds(
        lambda a, width, lower, upper: {
            "type": kind,
            **({lower: a} if lower else {}),
            **({upper: a + width} if upper else {}),
        },
        low,
        st.integers(2, 30),
        st.sampled_from(["minimum", "exclusiveMinimum", ""]),
        st.sampled_from(["maximum", "exclusiveMaximum", ""]),
    )


def texts() -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda least, more, fmt: {
            "type": "string",
            **({"minLength": least, "maxLength": least + more} if least is not None else {}),
            **({"format": fmt} if fmt and least is None else {}),
        },
        st.none() | st.integers(0, 40),
        st.integers(0, 40),
        st.sampled_from(["", "date", "email", "uri", "uuid", "date-time"]),
    )


SCALARS: st.SearchStrategy[Any] = st.one_of(
    texts(),
    numbers("number"),
    numbers("integer"),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.sampled_from([True, {}]),
    st.builds(lambda v: {"const": v}, st.none() | st.booleans() | st.text(max_size=3)),
    st.builds(
        lambda v: {"enum": v}, st.lists(st.text(max_size=4) | st.integers(), min_size=1, max_size=4)
    ),
    st.builds(
        lambda p: {"type": "string", "pattern": p},
        st.sampled_from([r"^[A-Z]\d$", r"^CWE-\d+$", "q"]),
    ),
)


def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    objects = st.builds(
        lambda properties, extra, closed: {
            "type": "object",
            "properties": properties,
            "required": sorted(properties)[: len(extra)],
            **({"additionalProperties": False} if closed else {}),
        },
        st.dictionaries(NAMES, inner, max_size=4),
        st.lists(st.none(), max_size=4),
        st.booleans(),
    )
    lists = st.builds(
        lambda items, least, more: {
            "type": "array",
            "items": items,
            "minItems": least,
            "maxItems": least + more,
        },
        inner,
        st.integers(0, 3),
        st.integers(0, 3),
    )
    return st.one_of(
        objects,
        lists,
        st.builds(lambda a: {"anyOf": [a, {"type": "null"}]}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(lambda a: {"allOf": [a, {"description": "more"}]}, inner),
    )


SCHEMAS = st.recursive(SCALARS, larger, max_leaves=8)


@settings(derandomize=True, max_examples=250, deadline=None)
@given(schema=SCHEMAS, optional=st.booleans(), count=st.integers(0, 5))
def test_every_reply_is_valid(session: Session, schema: Json, optional: bool, count: int) -> None:  # noqa: FBT001 - drawn
    made = session.reply(schema, optional=optional, count=count, seed=["a"])
    if "unmade" in made:
        assert made["unmade"]
        return
    jsonschema.Draft202012Validator(schema).validate(made["value"])


@settings(derandomize=True, max_examples=150, deadline=None)
@given(schema=SCHEMAS, optional=st.booleans())
def test_every_stance_is_valid(session: Session, schema: Json, optional: bool) -> None:  # noqa: FBT001 - drawn
    for stance in list(stances(schema))[:6]:
        for choices in (stance.one, stance.other):
            made = session.reply(schema, choices=dict(choices), optional=optional)
            if "unmade" not in made:
                jsonschema.Draft202012Validator(schema).validate(made["value"])


@settings(derandomize=True, max_examples=100, deadline=None)
@given(schema=SCHEMAS)
def test_every_value_of_every_point_is_valid(session: Session, schema: Json) -> None:
    for point in points(schema):
        for value in point.values:
            made = session.reply(schema, choices={point.pointer: value})
            if "unmade" not in made:
                jsonschema.Draft202012Validator(schema).validate(made["value"])


OBJECT: dict[str, Any] = {"type": "object"}
MADE: dict[str, tuple[Any, Any]] = {
    "an enum's first": ({"enum": ["b", "a"]}, "b"),
    "a choice is taken": ({**OBJECT, "properties": {"v": {"enum": ["a", "b"]}}}, {"v": "b"}),
    "null only where nothing else is": ({"type": ["null", "boolean"]}, True),
    "null alone": ({"type": "null"}, None),
    "an integer between": ({"type": "integer", "exclusiveMinimum": 3, "maximum": 4}, 4),
    "a multiple": ({"type": "number", "multipleOf": 5, "minimum": 3}, 5),
    "distinct elements": (
        {"type": "array", "uniqueItems": True, "minItems": 2, "items": {"enum": ["a", "b"]}},
        ["a", "b"],
    ),
    "prefix items": ({"prefixItems": [{"const": 1}, {"const": 2}], "items": False}, [1, 2]),
    "__proto__ is a property like others": (
        {
            **OBJECT,
            "required": ["__proto__"],
            "properties": json.loads('{"__proto__": {"const": 1}}'),
        },
        json.loads('{"__proto__": 1}'),
    ),
    "a reference": ({"$ref": "#/$defs/a", "$defs": {"a": {"const": 7}}}, 7),
    "allOf is folded": ({"allOf": [{"type": "integer", "minimum": 2}, {"maximum": 2}]}, 2),
}


@pytest.mark.parametrize(("schema", "expected"), MADE.values(), ids=MADE)
def test_made(session: Session, schema: Json, expected: object) -> None:
    made = session.reply(schema, choices={"/v": "b"})
    assert made["value"] == expected


UNMADE: dict[str, tuple[Any, str]] = {
    "nothing is allowed": (False, "the schema allows no value"),
    "no schema": (3, "no schema"),
    "an empty enum": ({"enum": []}, "an empty enum"),
    "an unknown type": ({"type": "text"}, 'type "text" is unknown'),
    "bounds that exclude one another": (
        {"type": "number", "minimum": 2, "maximum": 1},
        "no number",
    ),
    "lengths that exclude one another": (
        {
            **OBJECT,
            "required": ["a"],
            "properties": {"a": {"type": "string", "minLength": 3, "maxLength": 2}},
        },
        "/a: minLength exceeds maxLength",
    ),
    "a pattern that we cannot match": (
        {"type": "string", "pattern": "^§{17}$"},
        "nothing that we know",
    ),
    "a pattern that is none": ({"type": "string", "pattern": "("}, "no regular expression"),
    "a reference to nowhere": ({"$ref": "#/$defs/x"}, "#/$defs/x is not in the schema"),
    "a reference to elsewhere": ({"$ref": "https://example.com/x"}, "is not in the schema"),
    "a schema without an end": (
        {
            "$ref": "#/$defs/a",
            "$defs": {
                "a": {**OBJECT, "required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}}}
            },
        },
        "has no end",
    ),
    "a reference in a circle": (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        "in a circle",
    ),
    "too few distinct elements": (
        {"type": "array", "uniqueItems": True, "minItems": 3, "items": {"type": "null"}},
        "not 3 distinct",
    ),
}


@pytest.mark.parametrize(("schema", "why"), UNMADE.values(), ids=UNMADE)
def test_what_cannot_be_made_is_said(session: Session, schema: Json, why: str) -> None:
    assert why in session.reply(schema)["unmade"]


def test_keywords_that_are_not_heeded_are_named(session: Session) -> None:
    assert session.reply({"not": {"const": 1}, "if": True})["unheeded"] == ["not", "if"]


def test_strings_differ_by_place_and_by_call(session: Session) -> None:
    schema = {"type": "array", "items": {"type": "string"}, "minItems": 3}
    one, other = (session.reply(schema, seed=[seed])["value"] for seed in "ab")
    assert len({*one, *other}) == 6


def test_a_judge_of_several_names_what_it_was_shown(session: Session) -> None:
    schema = {"type": "array", "items": {**OBJECT, "properties": {"title": {"type": "string"}}}}
    known = [{"property": "title", "value": f"t{i}", "token": f"t{i}"} for i in range(3)]
    made = session.reply(schema, known=known)["value"]
    assert [element["title"] for element in made] == ["t0", "t1", "t2"]
