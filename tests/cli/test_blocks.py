"""YAML blocks become JSON, or one line says why not."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from judge_conformance.cli import debate
from judge_conformance.cli._blocks import json_of
from judge_conformance.errors import UnusableInputError

READ: list[tuple[str, str, object]] = [
    ("a mapping", "status: Complete\nround: 0\n", {"status": "Complete", "round": 0}),
    ("nested", "scores:\n  overall: 4.2\n  criteria: {a: 4, b: 4.5}\n",
     {"scores": {"overall": 4.2, "criteria": {"a": 4, "b": 4.5}}}),
    ("1.2, not 1.1", "a: yes\nb: no\nc: on\nd: 012\ne: 0o17\nf: 1:30\n",
     {"a": "yes", "b": "no", "c": "on", "d": 12, "e": 15, "f": "1:30"}),
    ("numbers with a point or an exponent", "a: 1e3\nb: 1.0\nc: -.5\n",
     {"a": 1000.0, "b": 1.0, "c": -0.5}),
    ("words that look like others", "a: NO\nb: Null\nc: ~\nd: y\ne: TRUE\n",
     {"a": "NO", "b": None, "c": None, "d": "y", "e": True}),
    ("a byte order mark", "\ufeffa: 1\n", {"a": 1}),
    ("an anchor that nobody uses", "a: &x 1\n", {"a": 1}),
    ("a date is a string", "a: 2026-01-31\n", {"a": "2026-01-31"}),
    ("block text", "a: |\n  one\n  two\nb: >\n  x\n  y\n", {"a": "one\ntwo\n", "b": "x y\n"}),
    ("a document mark and comments", "# spec\n---\na: 1 # one\n", {"a": 1}),
    ("no line at the end", "a: [1, 2]", {"a": [1, 2]}),
    ("quoted keys", '"1": a\n', {"1": "a"}),
    ("other letters", "a: \u00e9\u2028\U0001f600\n", {"a": "\u00e9\u2028\U0001f600"}),
    ("an empty value", "a:\n", {"a": None}),
    ("100 levels", "a: " + "[" * 99 + "]" * 99, {"a": json.loads("[" * 99 + "]" * 99)}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_yaml_becomes_json(text: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "block.yaml"
    path.write_text(text, "utf-8", newline="")
    converted = json_of(str(path))
    assert converted is not None
    assert converted.isascii()
    assert json.loads(converted) == value


LEFT: list[tuple[str, bytes]] = [
    ("JSON", b'{"a": 1}'),
    ("JSON after white space", b'\n\t {"a": 1}'),
    ("a JSON list", b"[1]"),
    ("broken JSON, which YAML would accept", b'{"a": 1,}'),
    ("empty", b""),
    ("not UTF-8", b"a: \xff\n"),
]


@pytest.mark.parametrize("content", [row[1] for row in LEFT], ids=[row[0] for row in LEFT])
def test_what_is_meant_as_json_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "block.json"
    path.write_bytes(content)
    assert json_of(str(path)) is None


@pytest.mark.parametrize("path", ["none", ".", "-", "a\0b", "x" * 5000, "\udcff"])
def test_what_is_no_file_is_left_alone(path: str) -> None:
    assert json_of(path) is None


REFUSED: list[tuple[str, str, int | None, str]] = [
    ("a key twice", "a: 1\nb: 2\na: 3\n", 3, 'not YAML: found duplicate key "a"'),
    ("a fence", "```yaml\na: 1\n```\n", 1, "not YAML: found character '`'"),
    ("a tab", "a: 1\nb:\n\t- c\n", 3, "not YAML: found character '\\t'"),
    ("two documents", "a: 1\n---\nb: 2\n", 2, "not YAML: but found another document"),
    ("an open list", "a: [1,\n", 2, "not YAML: "),
    ("a tag of Python's", "a: 1\nb: !!python/object:os.system x\n", 2, "not YAML: could not"),
    ("an alias", "a: &x [1]\nb: *x\n", 2, "an alias, where all is written out"),
    ("an alias of itself", "a: &x [*x]\n", 1, "an alias, where all is written out"),
    (
        "a billion laughs",
        "a: &a [x]\n"
        + "".join(
            f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        2,
        "an alias, where all is written out",
    ),
    ("a merge key", "a: &x {b: 1}\nc: {<<: *x}\n", 2, "an alias, where all is written out"),
    ("a tag of one's own", "a: !judge 4\n", 1, "not YAML: could not determine a constructor"),
    ("an integer that is a string by its tag", "a: !!int abc\n", None, "not YAML: "),
    ("a tab before a key", "\ta: 1\n", 1, "not YAML: found character '\\t'"),
    ("prose", "Here is the specification.\n", None, "not a mapping"),
    ("a list", "- a\n- b\n", None, "not a mapping"),
    ("a number as key", "a:\n  - 1: b\n", None, "the key 1 is no string (quote it)"),
    ("null as key", "a: {~: b}\n", None, "the key None is no string (quote it)"),
    ("a list as key", "? [a]\n: b\n", None, "the key ('a',) is no string (quote it)"),
    ("not a number", "a: .nan\n", None, "not YAML: Out of range float values"),
    ("too large a number", "a: 1e999\n", None, "not YAML: Out of range float values"),
    ("bytes", "a: !!binary aGk=\n", None, "not YAML: bytes is nothing that JSON has"),
    ("a set", "a: !!set {x}\n", None, "not YAML: set is nothing that JSON has"),
    ("a NUL", "a: \0\n", None, "not YAML: unacceptable character #x0000"),
    ("101 levels", "a:\n  " + "[" * 100 + "]" * 100, 2, "nested more than 100 levels deep"),
    ("100,000 levels", "a: " + "[" * 100_000, 1, "nested more than 100 levels deep"),
    ("too large", "a: b\n" * 40_000, None, "more than 131072 bytes of YAML"),
]


@pytest.mark.parametrize(
    ("text", "line", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_why_not(text: str, line: int | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "block.yaml"
    path.write_text(text, "utf-8", newline="")
    with pytest.raises(UnusableInputError) as refused:
        json_of(str(path))
    assert refused.value.message.startswith(message)
    assert "\n" not in refused.value.message
    assert (refused.value.path, refused.value.line) == (str(path), line)


def test_no_more_is_read_than_can_be_yaml(tmp_path: Path) -> None:
    path = tmp_path / "block.yaml"
    path.write_text("a: b\n")
    os.truncate(path, 200 * 1024 * 1024)
    tracemalloc.start()
    try:
        with pytest.raises(UnusableInputError, match="more than 131072 bytes of YAML"):
            json_of(str(path))
        assert tracemalloc.get_traced_memory()[1] < 2 * 1024 * 1024
    finally:
        tracemalloc.stop()


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False, width=32),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)  # fmt: skip


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.dictionaries(st.text(min_size=1, max_size=5), PLAIN, min_size=1, max_size=4))
def test_what_is_dumped_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "dumped.yaml"
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    with path.open("w", encoding="utf-8", newline="") as file:
        yaml.dump(value, file)
    assert json.loads(str(json_of(str(path)))) == value


def test_the_state_and_flags_are_handed_on_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("state", "1.yaml", "2.json"):
        Path(name).write_text("a: 1\n" if name != "2.json" else '{"a": 1}')
    words = ["reply", "--state", "state", "--round", "0", "1.yaml", "2.json", "none", "-", "--json"]
    handed = debate.with_json(words, tmp_path / "copies")
    assert [a for a, b in zip(words, handed, strict=True) if a != b] == ["1.yaml"]
    assert Path(handed[5]).name == "1.yaml"
    assert json.loads(Path(handed[5]).read_text()) == {"a": 1}


def test_what_is_neither_is_told_and_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text("a: 1\na: 2\n")
    words = ["spec", "--state", "s", "spec.yaml"]
    assert debate.with_json(words, tmp_path / "copies") == words
    told = 'judge-contract debate: spec.yaml:2: not YAML: found duplicate key "a"'
    assert capsys.readouterr().err.startswith(told)
