"""What was found, as findings and as a table: script, role, and what came of each fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judge_conformance.exercise.faults import DEADLY, FAULTS, Cell, Exercised, Said, Scope
from judge_conformance.exercise.stances import told
from judge_conformance.exercise.suite import ScriptResult
from judge_conformance.findings import Finding, Location, Report, RuleInfo, Severity

_OPEN = RuleInfo(
    code="JX-FAIL-OPEN",
    title="A dead judge counts as a pass",
    severity=Severity.ERROR,
    help="When this judge abstains, returns null or throws, the script gives what it gives when "
    "the judge passes, while a fail gives something else. Accept only where the verdict says pass.",
)
_LOST = RuleInfo(
    code="JX-LOST",
    title="A dead judge takes its item out of the result",
    severity=Severity.ERROR,
    help="When this judge dies, the item that it was asked about is named nowhere in the result: "
    "neither among the accepted nor among the rejected, and nothing says that it was not judged. "
    "Go through the items, not through the replies, and let a missing reply abstain.",
)
_CRASH = RuleInfo(
    code="JX-CRASH",
    title="One dead judge ends the whole script",
    severity=Severity.ERROR,
    help="When this judge returns null or throws, the script ends with an error, and everything "
    "that it had found is lost. agent() gives null when a subagent dies, and throws when a "
    "subagent never gives valid structured output.",
)
_UNSURE = RuleInfo(
    code="JX-UNSURE",
    title="A dead judge counts as one of its answers",
    severity=Severity.WARNING,
    help="When this judge dies, the script does what it does for one of the judge's answers, and "
    "no name tells which answer is the pass. If it is that one, a dead judge lets the item go.",
)
RULES = (_OPEN, _LOST, _CRASH, _UNSURE)

_OF: dict[Said, RuleInfo] = {
    "as pass": _OPEN,
    "lost": _LOST,
    "crash": _CRASH,
    "like one": _UNSURE,
    "like other": _UNSURE,
}
_SCOPES: dict[Scope, str] = {
    "every call": "",
    "one call": " (one)",
    "all but one": " (all but one)",
}
_DEATHS = {"abstain": "abstains", "null": "returns null", "throw": "throws"}


def report(results: Sequence[ScriptResult], *, uri_prefix: str = "") -> Report:
    """Return the findings of all scripts, with what was looked at and what stayed undecided."""
    roles = sum(len(result.exercised) for result in results)
    return Report(
        tool="exercise",
        findings=tuple(dict.fromkeys(sorted(_findings(results), key=lambda one: one.order))),
        rules=RULES,
        checked={
            "scripts": len(results),
            "judges": roles,
            "runs": sum(result.runs for result in results),
        },
        notes=tuple(dict.fromkeys(note for result in results for note in _notes(result))),
        uri_prefix=uri_prefix,
    )


def table(results: Sequence[ScriptResult]) -> str:
    """Return the table of scripts, roles and faults, a line each; empty without a judge."""
    rows = [("script", "judge", "pass / fail", *FAULTS)]
    for result in results:
        for done in result.exercised:
            answers = " / ".join(_answers(done))
            cells = (_cell(done.worst(fault)) for fault in FAULTS)
            where = f"{result.path}:{done.role.place[0]}"
            rows.append((_line(where), _line(done.role.name), _line(_short(answers)), *cells))
    rows = list(dict.fromkeys(rows))  # one judge under several agent types
    if len(rows) == 1:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _findings(results: Sequence[ScriptResult]) -> Iterator[Finding]:
    for result in results:
        for done in result.exercised:
            for rule in RULES:
                cells = [c for c in done.cells if c.fault in DEADLY and _OF.get(c.said) is rule]
                if cells:
                    yield _finding(result, done, rule, cells)


def _finding(result: ScriptResult, done: Exercised, rule: RuleInfo, cells: list[Cell]) -> Finding:
    line, column = done.role.place
    one, other = _answers(done)
    which = f"when {_who(done, cells)} {_deaths(cells)}"
    severity = rule.severity
    match rule.code:
        case "JX-FAIL-OPEN":
            message = f"a dead judge counts as a pass: {which}, the outcome is that of {one}"
        case "JX-LOST":
            message = f"{which}, the item that it judged is named nowhere in the result"
            if all(cell.logged for cell in cells):
                severity = Severity.WARNING
                message += " (only a log line names it)"
        case "JX-CRASH":
            message = f"{which}, the whole script ends: {cells[0].detail}"
        case _:
            like = one if cells[0].said == "like one" else other
            message = f"{which}, the outcome is that of {like}; if that is the pass, it fails open"
    return Finding(
        code=rule.code,
        severity=severity,
        location=Location(path=result.path, line=line, column=column),
        message=message,
        hint=_hint(done),
        key=done.role.name,
    )


def _who(done: Exercised, cells: list[Cell]) -> str:
    scopes = {cell.scope for cell in cells}
    if scopes == {"one call"}:
        return f"one of several `{done.role.name}`"
    if scopes == {"all but one"}:
        return f"every `{done.role.name}` but one"
    return f"`{done.role.name}`"


def _deaths(cells: list[Cell]) -> str:
    *others, last = dict.fromkeys(_DEATHS[cell.fault] for cell in cells)
    return f"{', '.join(others)} or {last}" if others else last


def _answers(done: Exercised) -> tuple[str, str]:
    """Return the two answers that were compared, as far as they differ."""
    one, other = done.stance.one, done.stance.other
    apart = [p for p in one if p not in other or one[p] != other[p]]
    return told({p: one[p] for p in apart}), told({p: other[p] for p in apart if p in other})


def _hint(done: Exercised) -> str:
    one, other = _answers(done)
    if done.stance.named:
        lines = [f"compared: pass is {one}; fail is {other}"]
    else:
        lines = [f"compared: {one} with {other}"]
    if done.context.told:
        lines.append(f"reached when {', and '.join(done.context.told)}")
    return "\n".join(lines)


def _notes(result: ScriptResult) -> Iterator[str]:
    hint = _args_hint(result)
    if result.problem is not None:
        where = f"{result.path}:{result.problem_line}" if result.problem_line else result.path
        yield f"{where}: not exercised: {result.problem}{hint}"
    for left in result.undecided:
        yield f"{result.path}:{left.role.place[0]}: `{left.role.name}` undecided: {left.why}"
    for missed in result.unreached:
        needs = "; ".join(missed.conditions[:3])
        reach = f"when {needs}" if needs else "by what comes before it in the script"
        yield f"{result.path}:{missed.line}: `{missed.label}` never reached; it is {reach}{hint}"
    for done in result.exercised:
        if done.unheeded:
            words = ", ".join(done.unheeded)
            where = f"{result.path}:{done.role.place[0]}"
            yield f"{where}: `{done.role.name}`: the replies do not heed {words} of its schema"


def _args_hint(result: ScriptResult) -> str:
    if not result.made:
        return ""
    lacks = f", lacking {', '.join(result.missing)}" if result.missing else ""
    made = f"args were made: {_short(result.args or 'none')}{lacks}"
    return f" ({made}; better ones go into {fixtures(result.path)[0]} or --args)"


def fixtures(path: str) -> tuple[str, str]:
    """Return where a script's arguments may lie beside it: `a.js.args.json`, `a.args.json`."""
    stem = path.rsplit(".", 1)[0]
    return f"{path}.args.json", f"{stem}.args.json"


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "-"
    return cell.said + _SCOPES[cell.scope]


def _line(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


_LONGEST = 100
