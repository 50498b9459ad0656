"""The shipped schemas of config and lock say what their parsers say."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from judge_conformance.cli.app import main
from judge_conformance.config import parse_config
from judge_conformance.errors import AuthorMistakeError
from judge_conformance.lock import Lock, Pin, Retired, parse_lock

CONFIGS = [
    ("", True),
    ('plugins = ["plugins/*", "!plugins/old"]', True),
    ("plugins = []", False),
    ('plugins = "plugins/*"', False),
    ("plugins = [1]", False),
    ('plugins = ["#"]', False),
    ('exclude = ["**/vendor/"]', True),
    ("exclude = []", True),
    ('exclude = ["a", "a"]', False),
    ('required = ["plugins/foo/workflows/review.js"]', True),
    ('required = ["/etc/passwd"]', False),
    ('required = ["../x.js"]', False),
    ('required = ["a//x.js"]', False),
    ('required = ["./x.js"]', False),
    ('required = ["a/./x.js"]', False),
    ('required = ["a/..x.js"]', True),
    ('required = ["a/.x.js"]', True),
    ('required = [""]', False),
    ('required = ["a/"]', False),
    ('[severity]\nJC-OLD = "error"\nJC-MODE = "off"', True),
    ('[severity]\nJC-OLD = "fatal"', False),
    ('[severity]\nold = "error"', False),
    ("severity = 1", False),
    ('bump = "after-merge"', True),
    ('bump = "never"', False),
    ('minimum-release = "0.2.0"', True),
    ('minimum-release = "0.2"', False),
    ("minimum-release = 2", False),
    ('[[allow]]\nrule = "JC-DRIFT"\npath = "a/*"\nwhy = "x"\nuntil = 2027-01-31', True),
    ('[[allow]]\nrule = "JC-DRIFT"\npath = "a/*"\nuntil = "2027-01-31"', True),
    ('[[allow]]\nrule = "JC-DRIFT"\npath = "a/*"\nuntil = "soon"', False),
    ('[[allow]]\nrule = "JC-DRIFT"\npath = "a/*"\nwhy = 1', False),
    ('[[allow]]\nrule = "JC-DRIFT"\npath = "a/*"\nwho = "me"', False),
    ('[[allow]]\npath = "a/*"', False),
    ('[[allow]]\nrule = "JC-DRIFT"', False),
    ('[allow]\nrule = "JC-DRIFT"', False),
    ("unknown = 1", False),
]
LOCK = Lock(
    release="0.2.0",
    copies={"plugins/a/scripts/judge_contract.py": "judge_contract.py"},
    pins=(Pin(path="b.js", artifact="verdict.inline.js", release="0.1.0", sha256="ab", why="x"),),
    retired=(Retired(path="c.js", why="gone"),),
)
WHOLE = LOCK.render().decode()
LOCKS = [
    (WHOLE, True),
    (Lock(release="0.2.0").render().decode(), True),
    (WHOLE.replace("version = 1", "version = 2"), False),
    (WHOLE.replace("version = 1", ""), False),
    (WHOLE.replace('release = "0.2.0"', ""), False),
    (WHOLE.replace('release = "0.2.0"', "release = 2"), False),
    (WHOLE.replace('= "judge_contract.py"', "= 3"), False),
    (WHOLE.replace('"plugins/a', '"../plugins/a'), False),
    (WHOLE.replace('"b.js"', '"/b.js"'), False),
    (WHOLE.replace('= "gone"', "= 1"), False),
    (WHOLE.replace('sha256 = "ab", ', ""), False),
]


def schema(name: str) -> Draft202012Validator:
    document = json.loads(files("judge_conformance").joinpath(f"schemas/{name}.json").read_text())
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document, format_checker=Draft202012Validator.FORMAT_CHECKER)


@pytest.mark.parametrize(("text", "holds"), CONFIGS)
def test_a_config_holds_for_both(text: str, *, holds: bool) -> None:
    document = json.loads(json.dumps(tomllib.loads(text), default=str))
    assert schema("config").is_valid(document) is holds
    if holds:
        parse_config(text.encode())
    else:
        with pytest.raises(AuthorMistakeError):
            parse_config(text.encode())


@pytest.mark.parametrize(("text", "holds"), LOCKS)
def test_a_lock_holds_for_both(text: str, *, holds: bool) -> None:
    assert schema("lock").is_valid(tomllib.loads(text)) is holds
    if holds:
        parse_lock(text.encode())
    else:
        with pytest.raises(AuthorMistakeError):
            parse_lock(text.encode())


def test_every_schema_is_printed_and_is_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    names = capfd.readouterr().out.split()
    assert {"config", "lock", "verdict", "rubric", "judge_vote.input"} <= set(names)
    identifiers = set()
    for name in names:
        assert main(["schema", name]) == 0
        document = json.loads(capfd.readouterr().out)
        Draft202012Validator.check_schema(document)
        identifiers.add(document["$id"])
    assert len(identifiers) == len(names)
    assert main(["schema", "nonesuch"]) == 2
    assert capfd.readouterr().err.startswith("judge-contract: no schema 'nonesuch' (list them")
