"""Which modules a rule is made of, and the rules as they are with one of these in another form."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import judge_conformance
from judge_conformance.rule import Rule

HOME = Path(judge_conformance.__file__).parent
_PACKAGES = ("rules", "workflows", "python", "following")
_ALONE = ("gate_edits", "mentions")
_READERS = frozenset(  # they read a script for all rules, and hold what no rule decides
    f"workflows.{name}"
    for name in ("abridged", "edit", "idiom", "javascript", "markers", "parse", "scopes")
)
_RULES = "__rules__"


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The modules of the rules, by name below the package, and which of them each imports."""

    imports: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls) -> Graph:
        """Read the imports of all of them."""
        names = [
            f"{package}.{file.stem}"
            for package in _PACKAGES
            for file in sorted((HOME / package).glob("*.py"))
            if file.stem != "__init__"
        ]
        names = [*(name for name in names if name not in _READERS), *_ALONE]
        return cls(imports={name: frozenset(_imported(name).intersection(names)) for name in names})

    def made_of(self, name: str) -> list[str]:
        """Return a module and all that it leads to."""
        found, pending = set[str](), [name]
        while pending:
            if (one := pending.pop()) not in found:
                found.add(one)
                pending += self.imports[one]
        return sorted(found)

    def dependents(self, name: str) -> list[str]:
        """Return the other modules that lead to one, those first that others import."""
        above = [one for one in self.imports if one != name and name in self.made_of(one)]
        return sorted(above, key=lambda one: (len(self.made_of(one)), one))


def rules_of(graph: Graph, name: str, rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules that a module is a part of."""
    modules = {name, *graph.dependents(name)}
    return [rule for rule in rules if module_of(rule) in modules]


def module_of(rule: Rule) -> str:
    """Return the module of a rule, by its name below the package."""
    return rule.check.__module__.removeprefix(f"{judge_conformance.__name__}.")


def file_of(name: str) -> Path:
    """Return the source file of a module."""
    return HOME.joinpath(*name.split(".")).with_suffix(".py")


def remade(graph: Graph, name: str, module: ModuleType) -> Mapping[str, Rule]:
    """Return the rules, by code, as they are with `module` in the place of the one called `name`.

    What leads to it is imported anew beside what is there, once for each module. Raises whatever a
    sabotaged module makes of the imports.
    """
    kept: Mapping[str, Rule] | None = module.__dict__.get(_RULES)
    if kept is None:
        made = dict(_imported_anew(graph.dependents(name), name, module))
        kept = {one.RULE.code: one.RULE for one in made.values() if hasattr(one, "RULE")}
        module.__dict__[_RULES] = kept
    return kept


def _imported_anew(
    dependents: Sequence[str], name: str, module: ModuleType
) -> Iterator[tuple[str, ModuleType]]:
    full = [f"{judge_conformance.__name__}.{one}" for one in (name, *dependents)]
    before = {one: importlib.import_module(one) for one in full}
    for one in full:
        del sys.modules[one]
        package, last = _parts(one)
        delattr(package, last)  # `from package import module` asks the package first
    sys.modules[full[0]] = module
    setattr(*_parts(full[0]), module)
    try:
        yield name, module
        for one in full[1:]:
            yield one, importlib.import_module(one)
    finally:
        sys.modules.update(before)
        for one, was in before.items():
            setattr(*_parts(one), was)


def _parts(name: str) -> tuple[ModuleType, str]:
    """Return the package of a module, and its name there."""
    package, _, last = name.rpartition(".")
    return sys.modules[package], last


def _imported(name: str) -> set[str]:
    package = f"{judge_conformance.__name__}."
    found = set[str]()
    for node in ast.walk(ast.parse(file_of(name).read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            whole = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            found.update(one.removeprefix(package) for one in whole if one.startswith(package))
    return found
