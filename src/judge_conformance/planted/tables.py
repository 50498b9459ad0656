"""Further trees of a rule in one table, which say more than belongs beside it.

`planted/tables/NAME.toml` is the rule of `rules/NAME.py`. A `[[tree]]` is an Example with `title`,
`changes`, and perhaps `base`, `at` (a list), `accepted` and `within`. A change is a file's text,
`{old, new}` for an edit of it, `{link}` for a link to a target, or `{is}` with `deleted`,
`executable`, `ignored` or `submodule`. `~/` stands for the plugin's folder. `plugins` has further
plugins by name, each with its files, where every `{{NAME}}` is a copy that the lock knows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.paths import LOCK
from judge_conformance.planted.scripts import module_of
from judge_conformance.rule import (
    Change,
    Delete,
    Edit,
    Example,
    Executable,
    Ignored,
    LinkTo,
    Rule,
    Submodule,
    Write,
)

_PLUGIN = "plugins/acme/"
_KINDS: Mapping[str, Change] = {
    "deleted": Delete(),
    "executable": Executable(),
    "ignored": Ignored(),
    "submodule": Submodule(),
}


def trees_of(rule: Rule) -> Iterator[Example]:
    """Yield the trees of a rule's table, if it has one. Raises BrokenInstrumentError naming it."""
    file = files(__package__).joinpath("tables", f"{module_of(rule)}.toml")
    if not file.is_file():
        return
    for row in tomllib.loads(file.read_text("utf-8"))["tree"]:
        try:
            yield _tree(**row)
        except (TypeError, KeyError) as error:
            raise BrokenInstrumentError(
                f"{row.get('title')}: {error}", path=f"planted/tables/{file.name}"
            ) from error


def _tree(
    *,
    title: str,
    changes: Mapping[str, Any] | None = None,
    base: Mapping[str, Any] | None = None,
    plugins: Mapping[str, Mapping[str, str]] | None = None,
    at: tuple[str, ...] = (),
    accepted: bool = False,
    within: str = "",
) -> Example:
    places = [_path(place) for place in at]
    return Example(
        title=title,
        changes=_changes(changes or {}) | _plugins(plugins or {}),
        base=None if base is None else _changes(base),
        at=places[0] if places else None,
        also=tuple(places[1:]),
        accepted=accepted,
        within=within,
    )


def _changes(told: Mapping[str, Any]) -> dict[str, Change]:
    return {_path(path): _change(change) for path, change in told.items()}


def _plugins(told: Mapping[str, Mapping[str, str]]) -> dict[str, Change]:
    files = {f"plugins/{name}/{path}": text for name in told for path, text in told[name].items()}
    rows = [f'"{path}" = "{text[2:-2]}"\n' for path, text in files.items() if text[:2] == "{{"]
    files |= {f"plugins/{name}/.claude-plugin/plugin.json": "{}" for name in told}
    written: dict[str, Change] = {path: Write(text=text) for path, text in files.items()}
    adopted = Edit(old="[copies]\n", new="[copies]\n" + "".join(rows))
    return {**written, LOCK: adopted} if told else {}


def _change(told: str | Mapping[str, str]) -> Change:
    if isinstance(told, str):
        return Write(text=told)
    if "link" in told:
        return LinkTo(target=told["link"])
    return Edit(**told) if "old" in told else _KINDS[told["is"]]


def _path(path: str) -> str:
    return path.replace("~/", _PLUGIN, 1) if path.startswith("~/") else path
