"""Everything that a rule is proved on, as one thing: a context, and what is found in it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from judge_conformance.catalog import Catalog
from judge_conformance.copies import State, Survey
from judge_conformance.engine import base_context, context_for, run
from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.findings import Finding
from judge_conformance.planted.scripts import (
    OTHERS,
    PATH,
    QUIET,
    Shape,
    module_of,
    shapes,
)
from judge_conformance.planted.tables import trees_of
from judge_conformance.planted.trees import plant
from judge_conformance.rule import Context, Example, Rule, Write
from judge_conformance.tree import Entry, find_plugins, open_tree
from judge_conformance.workflows.parse import Script, parse

TODAY = dt.date(2026, 1, 1)
_FIRST = ("path", "line", "column")
_LAST = ("end_line", "end_column")

Said = Mapping[str, str | int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A planted tree or script of a rule: `places` (path, line) are where the rule stands.

    `alone`: no other rule is asked about it.
    """

    rule: Rule
    title: str
    places: tuple[tuple[str, int | None], ...]
    context: Callable[[], Context]
    alone: bool = False

    def found(self, rules: Sequence[Rule]) -> tuple[Finding, ...]:
        """Return what rules find here, less what this proof asks nobody about."""
        asked = [rule for rule in rules if not self.alone or rule.code == self.rule.code]
        if not asked:
            return ()
        return run(asked, self.context()).findings


def proofs(folder: Path, catalog: Catalog, rules: Sequence[Rule]) -> Iterator[Proof]:
    """Plant every tree below a folder and yield the proofs of each rule, in order.

    Raises BrokenInstrumentError for a rule that has no failing or no passing example.
    """
    for rule in rules:
        if len({example.at is None for example in rule.examples}) != 2:  # noqa: PLR2004 - both kinds
            raise BrokenInstrumentError(
                f"{rule.code} lacks an example that passes or one that fails"
            )
        for index, example in enumerate((*rule.examples, *trees_of(rule))):
            root = folder.resolve() / rule.code / str(index)
            yield _tree(root, catalog, rule, example)
    host = cache(lambda: _host(folder.resolve() / "scripts", catalog))
    for rule in rules:
        for shape in shapes(rule):
            yield _script(host, rule, shape)


def said(rule: Rule) -> Mapping[str, Sequence[Said]]:
    """Return what a rule says on its proofs, as scripts/said wrote it: title -> findings."""
    return _said(module_of(rule))


@cache
def _said(name: str) -> Mapping[str, Sequence[Said]]:
    file = files(__package__).joinpath("said", f"{name}.json")
    known: Mapping[str, Sequence[Said]] = json.loads(
        file.read_text("utf-8") if file.is_file() else "{}"
    )
    return known


def told(finding: Finding) -> Said:
    """Return all that a finding says, as JSON holds it; what says where it is in one text."""
    row = asdict(finding)
    place = row.pop("location")
    first, last = (":".join(str(place[name]) for name in names) for names in (_FIRST, _LAST))
    at = f"{row.pop('code')} {row.pop('severity')} {first}-{last}".replace(":None", "")
    said = {key: value for key, value in row.items() if value not in (None, "")}
    return {"at": at.removesuffix("-None"), **said}


def _tree(root: Path, catalog: Catalog, rule: Rule, example: Example) -> Proof:
    if not root.exists():
        root.mkdir(parents=True)
        plant(root, catalog, example)

    home = root / example.within

    def context() -> Context:
        compared = example.base is not None
        return context_for(
            open_tree(home),
            catalog,
            today=TODAY,
            base=base_context(home, "HEAD", catalog, today=TODAY) if compared else None,
            top=open_tree(root) if example.within else None,
            accepted=example.accepted,
        )

    return Proof(
        rule=rule,
        title=example.title,
        places=tuple(_place(home, at) for at in (example.at, *example.also) if at is not None),
        context=cache(context),
        alone=rule.code == "JC-OLD",  # an older release has more to be said of it
    )


def _place(root: Path, at: str) -> tuple[str, int | None]:
    path, _, needle = at.partition(":")
    if not needle:
        return path, None
    lines = (root / path).read_text("utf-8").splitlines()
    return path, next((n for n, text in enumerate(lines, 1) if needle in text), 0)


def _host(root: Path, catalog: Catalog) -> Context:
    """Return the context of a marketplace that small scripts are put into, one at a time."""
    if not root.exists():
        root.mkdir(parents=True)
        changes = {PATH: Write(text=QUIET)}
        plant(root, catalog, Example(title="the host of scripts", changes=changes))
    return context_for(open_tree(root), catalog, today=TODAY)


def _script(host: Callable[[], Context], rule: Rule, shape: Shape) -> Proof:
    """Put a script into the host: a Workflow with others beside it, or a Python file."""

    def context() -> Context:
        whole = _with(host(), shape.files)
        if shape.path != PATH:
            return _with(whole, {shape.path: shape.text})
        before, after = PATH.replace("review", "a"), PATH.replace("review", "z")
        texts = {before: QUIET, PATH: shape.text, after: OTHERS}
        scripts = {path: _parsed(path, text) for path, text in texts.items()}
        own = whole.survey.copies[PATH]
        states = {before: own.state, PATH: own.state, after: State.MISSING}
        copies = {path: replace(own, path=path, state=state) for path, state in states.items()}
        held = {**whole.survey.copies, **copies}
        return replace(whole, survey=Survey(copies=held, scripts=scripts))

    return Proof(
        rule=rule,
        title=shape.title,
        places=shape.places,
        context=cache(context),
        alone=True,
    )


def _with(whole: Context, texts: Mapping[str, str]) -> Context:
    """Return a context whose tree holds these files, those without a text no more."""
    if not texts:
        return whole
    added = {path: Entry(path=path, kind="file", blob=text) for path, text in texts.items() if text}
    kept = {path: one for path, one in whole.tree.entries.items() if path not in texts}
    entries = dict(sorted((kept | added).items()))
    tree = replace(whole.tree, entries=entries, fetch=str.encode)
    return replace(whole, tree=tree, plugins=find_plugins(tree))


@lru_cache(maxsize=8)  # what stands beside every script is parsed once
def _parsed(path: str, text: str) -> Script:
    return parse(path, text.encode())
