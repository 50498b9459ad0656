"""Run rules over a repository and gather what they find."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from judge_conformance.catalog import Catalog
from judge_conformance.config import Allow, Config, parse_config
from judge_conformance.copies import State, Survey, survey
from judge_conformance.errors import (
    AuthorMistakeError,
    BrokenInstrumentError,
    UnusableInputError,
)
from judge_conformance.findings import Allowed, Finding, Report, RuleInfo, Severity
from judge_conformance.lock import Lock, parse_lock
from judge_conformance.memory import recall
from judge_conformance.paths import CONFIG, LOCK, REGISTRY
from judge_conformance.rule import Context, Rule
from judge_conformance.tree import Tree, find_plugins, git_top, merge_base, open_commit


def load_config(tree: Tree) -> Config | None:
    """Read the tree's config; None when it has none."""
    data = tree.setting(CONFIG)
    return None if data is None else parse_config(data)


def load_lock(tree: Tree, catalog: Catalog) -> tuple[Lock | None, bytes]:
    """Read the tree's lock and its bytes. Raises UnknownReleaseError for a future one."""
    data = tree.setting(LOCK)
    if data is None:
        return None, b""
    lock = parse_lock(data)
    catalog.known(lock.release)
    return lock, data


def context_for(
    tree: Tree,
    catalog: Catalog,
    *,
    today: dt.date,
    program: str = "judge-contract",
    base: Context | None = None,
    top: Tree | None = None,
    accepted: bool = False,
    recalling: bool = False,
    rules: Sequence[Rule] = (),
) -> Context:
    """Read all that rules look at; recalling, less the plugins that an earlier run found clean.

    Of many scripts only those are kept of which one of the `rules` has something to tell.

    Raises AuthorMistakeError, UnknownReleaseError.
    """
    own = load_config(tree)
    config = own or Config()
    if base is not None and base.own is not None and not accepted:
        config = replace(base.own, required=config.required)
    lock, data = load_lock(tree, catalog)
    plugins = find_plugins(tree)
    memory = recall(tree, catalog, config, lock, plugins) if recalling else None
    clean = {path: one.copies for path, one in memory.clean.items()} if memory else {}
    unread = Context(
        tree=tree,
        catalog=catalog,
        config=config,
        lock=lock,
        lock_data=data,
        plugins=plugins,
        survey=Survey(copies={}),
        today=today,
        program=program,
        own=own,
        base=base,
        top=top,
        accepted=accepted,
        memory=memory,
    )

    def told_of(part: Survey) -> set[str]:
        report = run(rules, replace(unread, survey=part, base=None, memory=None))
        return {finding.location.path for finding in report.all_findings}

    return replace(
        unread,
        survey=survey(
            tree,
            catalog,
            config,
            lock,
            plugins,
            clean=clean,
            known=base.survey.scripts if base else None,
            told_of=told_of if rules and REGISTRY not in tree.entries else None,
        ),
    )


def base_context(
    root: Path,
    ref: str,
    catalog: Catalog,
    *,
    today: dt.date,
    program: str = "judge-contract",
    rules: Sequence[Rule] = (),
) -> Context:
    """Read the same at the commit where HEAD and a ref part; nothing of it is run.

    Raises GitError when git cannot say, UnusableInputError for a config or lock that is broken
    there.
    """
    commit = merge_base(root, ref)
    tree = open_commit(root, commit)
    above = git_top(root) if tree.uri_prefix else None
    top = open_commit(above, commit) if above else None
    try:
        context = context_for(tree, catalog, today=today, program=program, top=top, rules=rules)
    except AuthorMistakeError as error:
        raise UnusableInputError(
            f"on the base {ref}: {error.message}",
            path=error.path,
            line=error.line,
            hint="mend it there first; this change cannot be compared with it",
        ) from error
    if context.own is None and context.lock is not None:  # adopted, by the rules as they come
        return replace(context, own=context.config)
    return context


def run(rules: Sequence[Rule], context: Context) -> Report:
    """Run the rules; the findings come sorted, at configured severities, less what is allowed."""
    if not rules:
        raise BrokenInstrumentError("no rule was selected, so that nothing could be found")
    context = replace(context, levels={rule.code: rule.severity for rule in rules})
    findings: list[Finding] = []
    allowed: list[Allowed] = []
    used: set[Allow] = set()
    for rule in rules:
        if _level(rule, context) is None:
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
    if context.base is not None:
        findings = list(_attributed(findings, run(rules, context.base).findings))
    return Report(
        tool="check",
        findings=tuple(sorted(findings, key=lambda finding: finding.order)),
        rules=tuple(
            RuleInfo(code=rule.code, title=rule.title, severity=rule.severity, help=rule.doc)
            for rule in rules
        ),
        allowed=tuple(allowed),
        checked=_checked(context),
        notes=tuple(_notes(context)),
        uri_prefix=context.tree.uri_prefix,
    )


def _checked(context: Context) -> Mapping[str, int]:
    """Count what was looked at, now or when it was found clean."""
    clean = context.memory.clean.values() if context.memory else ()
    survey = context.survey
    return {
        "plugins": len(context.plugins.found),
        "copies": len(survey.copies) + sum(len(one.copies) for one in clean),
        "scripts": len(survey.scripts) + len(survey.quiet) + sum(one.scripts for one in clean),
    }


def _attributed(findings: Sequence[Finding], before: Sequence[Finding]) -> Iterable[Finding]:
    """Say of each finding whether the base had it: as often as it stands there, wherever it moved.

    What only a comparison can find is never the base's.
    """
    known = Counter((f.code, f.location.path, f.message) for f in before)
    for finding in findings:
        same = (finding.code, finding.location.path, finding.message)
        known[same] -= 1
        yield replace(finding, origin="base" if known[same] >= 0 else "yours")


def _level(rule: Rule, context: Context) -> Severity | None:
    """Return a rule's level; what a change may not do is as the base has it, accepted or not."""
    base = context.base.own if context.base and rule.code == "JC-LEFT" else None
    return (base or context.config).level(rule.code, rule.severity)


def _levelled(rule: Rule, context: Context) -> Iterable[Finding]:
    """Yield a rule's findings at the configured level, where the rule kept its own."""
    level = _level(rule, context)
    for finding in rule.check(context):
        if level is None or finding.severity is not rule.severity:
            yield finding
        else:
            yield replace(finding, severity=level)


def _allowance(context: Context, finding: Finding) -> Allow | None:
    base = context.base.own if context.base and finding.code == "JC-LEFT" else None
    for allow in (base or context.config).allow:
        over = allow.until is not None and allow.until < context.today
        if not over and allow.matches(finding.code, finding.location.path):
            return allow
    return None


def _idle(rules: Sequence[Rule], context: Context, used: set[Allow]) -> Iterable[Finding]:
    """Report allowances that allowed nothing, by the rule about allowances."""
    ruled = next((rule for rule in rules if rule.code == "JC-ALLOW"), None)
    level = _level(ruled, context) if ruled else None
    ran = {rule.code for rule in rules}
    before = context.base.own.allow if context.base and context.base.own else ()
    known = {replace(allow, line=0) for allow in before} if context.base else None
    for allow in context.config.allow:
        if known is not None and replace(allow, line=0) not in known:
            continue  # it comes with what it will allow
        over = allow.until is not None and allow.until < context.today
        if (
            ruled is None
            or level is None
            or allow in used
            or over
            or not allow.why
            or allow.rule not in ran
        ):
            continue
        message = f"the allowance of {allow.rule} for {allow.path} allows nothing"
        yield ruled.finding(CONFIG, message, line=allow.line, severity=level)


def _notes(context: Context) -> Iterable[str]:
    if context.base is not None and context.base.own is None:
        yield f"no {CONFIG} on the base: the rules are those of this change"
    for problem in context.plugins.problems:
        yield f"{problem.path}:{problem.line}: {problem.message}"
    for copy in context.survey.copies.values():
        entry = copy.entry
        if entry and not entry.tracked and not entry.ignored and copy.state is not State.MISSING:
            yield f"{copy.path}: not tracked yet; git add it"
