"""The rules: every module here is one, and is found by being here."""

from __future__ import annotations

import importlib
import pkgutil

from judge_conformance.rule import Rule


def all_rules() -> tuple[Rule, ...]:
    """Return every rule, by code."""
    modules = (
        importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
    )
    return tuple(sorted((module.RULE for module in modules), key=lambda rule: rule.code))
