"""Run rules over a repository and gather what they find."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace

from judge_conformance.catalog import Catalog
from judge_conformance.config import CONFIG, Allow, Config, parse_config
from judge_conformance.copies import State, survey
from judge_conformance.errors import BrokenInstrumentError
from judge_conformance.findings import Allowed, Finding, Report, RuleInfo
from judge_conformance.lock import LOCK, Lock, parse_lock
from judge_conformance.rule import Context, Rule
from judge_conformance.tree import Tree, find_plugins


def load_config(tree: Tree) -> Config:
    """Read the tree's config; the default one when it has none."""
    data = tree.setting(CONFIG)
    return Config() if data is None else parse_config(data)


def load_lock(tree: Tree, catalog: Catalog) -> tuple[Lock | None, bytes]:
    """Read the tree's lock and its bytes. Raises UnknownReleaseError for a future one."""
    data = tree.setting(LOCK)
    if data is None:
        return None, b""
    lock = parse_lock(data)
    catalog.known(lock.release)
    return lock, data


def context_for(
    tree: Tree, catalog: Catalog, *, today: dt.date, program: str = "judge-contract"
) -> Context:
    """Read all that rules look at. Raises AuthorMistakeError, UnknownReleaseError."""
    config = load_config(tree)
    lock, data = load_lock(tree, catalog)
    plugins = find_plugins(tree)
    return Context(
        tree=tree,
        catalog=catalog,
        config=config,
        lock=lock,
        lock_data=data,
        plugins=plugins,
        survey=survey(tree, catalog, config, lock, plugins),
        today=today,
        program=program,
    )


def run(rules: Sequence[Rule], context: Context) -> Report:
    """Run the rules; the findings come sorted, at configured severities, less what is allowed."""
    if not rules:
        raise BrokenInstrumentError("no rule was selected, so that nothing could be found")
    findings: list[Finding] = []
    allowed: list[Allowed] = []
    used: set[Allow] = set()
    for rule in rules:
        if context.config.level(rule.code, rule.severity) is None:
            continue
        for finding in _levelled(rule, context):
            allow = _allowance(context, finding)
            if allow is None:
                findings.append(finding)
            else:
                used.add(allow)
                until = str(allow.until) if allow.until else None
                allowed.append(Allowed(finding=finding, why=allow.why, until=until))
    findings += _idle(rules, context, used)
    copies = context.survey.copies.values()
    return Report(
        tool="check",
        findings=tuple(sorted(findings, key=lambda finding: finding.order)),
        rules=tuple(
            RuleInfo(code=rule.code, title=rule.title, severity=rule.severity, help=rule.doc)
            for rule in rules
        ),
        allowed=tuple(allowed),
        checked={
            "plugins": len(context.plugins.found),
            "copies": len(copies),
            "scripts": len(context.survey.scripts),
        },
        notes=tuple(_notes(context)),
        uri_prefix=context.tree.uri_prefix,
    )


def _levelled(rule: Rule, context: Context) -> Iterable[Finding]:
    """Yield a rule's findings at the configured level, where the rule kept its own."""
    level = context.config.level(rule.code, rule.severity)
    for finding in rule.check(context):
        if level is None or finding.severity is not rule.severity:
            yield finding
        else:
            yield replace(finding, severity=level)


def _allowance(context: Context, finding: Finding) -> Allow | None:
    for allow in context.config.allow:
        over = allow.until is not None and allow.until < context.today
        if not over and allow.matches(finding.code, finding.location.path):
            return allow
    return None


def _idle(rules: Sequence[Rule], context: Context, used: set[Allow]) -> Iterable[Finding]:
    """Report allowances that allowed nothing, by the rule about allowances."""
    ruled = next((rule for rule in rules if rule.code == "JC-ALLOW"), None)
    ran = {rule.code for rule in rules}
    for allow in context.config.allow:
        over = allow.until is not None and allow.until < context.today
        if ruled is None or allow in used or over or not allow.why or allow.rule not in ran:
            continue
        message = f"the allowance of {allow.rule} for {allow.path} allows nothing"
        yield ruled.finding(CONFIG, message, line=allow.line)


def _notes(context: Context) -> Iterable[str]:
    for problem in context.plugins.problems:
        yield f"{problem.path}:{problem.line}: {problem.message}"
    for copy in context.survey.copies.values():
        entry = copy.entry
        if entry and not entry.tracked and not entry.ignored and copy.state is not State.MISSING:
            yield f"{copy.path}: not tracked yet; git add it"
