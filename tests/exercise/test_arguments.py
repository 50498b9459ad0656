"""Arguments are made from what a script reads, until it goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judge_conformance.exercise.arguments import make_args
from judge_conformance.exercise.script import read_script
from judge_conformance.exercise.session import Session

AGENT = "\nawait agent('x')"

SCRIPTS: dict[str, tuple[str, str]] = {
    "a text": (
        "if (typeof args.a !== 'string') throw new Error('a')",
        "isinstance(args['a'], str)",
    ),
    "a safe name": (
        "if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(args.name)) throw new Error('unsafe')",
        "args['name'].startswith('name-q')",
    ),
    "several at once": (
        "const { a, b, c } = args\nif (!a || !b || !c) throw new Error('all three')",
        "set(args) == {'a', 'b', 'c'}",
    ),
    "a list of texts": (
        "for (const d of args.dirs) if (typeof d !== 'string') throw new Error('text')",
        "len(set(args['dirs'])) == 2",
    ),
    "a list of objects": (
        "for (const u of args.units) if (!u.name || !u.path) throw new Error('unit')",
        "len({u['name'] for u in args['units']}) == 2 and 'path' in args['units'][0]",
    ),
    "a list as the whole": (
        "if (!args.map) throw new Error('list')\nargs.map((a) => a)",
        "isinstance(args, list)",
    ),
    "a text as the whole": (
        "const parts = args.split(',')",
        "isinstance(args, str)",
    ),
    "JSON or an object": (
        "const a = typeof args === 'string' ? JSON.parse(args) : args\nif (!a.x) throw 'x'",
        "'x' in args",
    ),
    "any key at all": (
        "if (Object.keys(args).length === 0) throw new Error('empty')",
        "len(args) == 1",
    ),
    "one of several words": (
        "if (args.mode !== 'fast' && args.mode !== 'slow') throw new Error('mode')",
        "args['mode'] in {'fast', 'slow'}",
    ),
    "a floor": (
        "if (args.items.length < 5) throw new Error('at least five')\nargs.items.map((i) => i)",
        "len(args['items']) >= 5",
    ),
    "a number": ("if (!Number.isInteger(args.n)) throw new Error('n')", "args['n'] == 3"),
    "a flag": ("if (args.force !== true) throw new Error('force')", "args['force'] is True"),
    "nested": ("if (!args.a.b.c) throw new Error('c')", "args['a']['b']['c']"),
    "an element's own list": (
        "for (const g of args.groups) for (const m of g.members) if (!m.id) throw new Error('id')",
        "args['groups'][0]['members'][0]['id'] != args['groups'][1]['members'][0]['id']",
    ),
    "what may be missing is named where nothing changes": ("const a = args.item", "'item' in args"),
    "what would change the course stays away": (
        "if (args.range) throw new Error('no range')",
        "'range' not in args",
    ),
}


@pytest.mark.parametrize(("body", "holds"), SCRIPTS.values(), ids=SCRIPTS)
def test_the_script_goes_on(session: Session, body: str, holds: str) -> None:
    source = body + AGENT
    assert session.load(source) is None
    made = make_args(read_script("a.js", source), lambda text: session.run(text, [], made=True))
    assert made.run.ended.kind == "value", (made.text, made.run.ended)
    args: Any = json.loads(made.text)
    assert eval(holds, {"args": args}), made.text  # noqa: S307 - our own table


def test_what_cannot_be_made_is_named(session: Session) -> None:
    source = "if (!/^[0-9a-f]{40}$/.test(args.sha)) throw new Error('sha')" + AGENT
    assert session.load(source) is None
    made = make_args(read_script("a.js", source), lambda text: session.run(text, [], made=True))
    assert made.run.ended.message == "Error: sha"
    assert made.run.calls == ()
