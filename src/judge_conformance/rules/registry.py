"""Every row of `judges.toml` holds, and every judge in the tree has a row, where the file exists.

A registry that names a script which is gone, or a measurement that is stale, is worse than none: it
is believed. A judge without a row is one that nobody has looked at. A log of receipts only grows:
compared with a base, one that lost lines hides an attempt.

Mend the row, or add one: `judge-contract judges scan` drafts what is missing.

Not seen: judges that neither a field nor a name gives away, and whether a status is deserved beyond
the proof that it names.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.findings import Finding, Severity
from judge_conformance.paths import REGISTRY
from judge_conformance.records import RECEIPTS, lost_lines
from judge_conformance.rule import Context, Example, LinkTo, Rule, Write
from judge_conformance.tree import Tree

_ROW = (
    '[[judge]]\nplugin = "acme"\njudge = "review"\nwhere = ["plugins/acme/workflows/review.js"]\n'
)
_LOG = '{"attempt": 1}\n{"attempt": 2}\n'
_AGAIN = _ROW.replace("]]", "]] # again", 1).replace('review"', 'again"', 1)
_NEW = "export const meta = { name: 'new' };\nreturn await agent('?', { label: 'verify' });\n"


def check(context: Context) -> Iterator[Finding]:
    """Report logs that lost receipts, rows that do not hold and judges without a row."""
    if context.base is not None:
        yield from _lost(context.tree, context.base.tree)
    if REGISTRY not in context.tree.entries:
        return
    from judge_conformance.judges import faults, parse_registry  # noqa: PLC0415 - late: few have one

    for fault in faults(context, parse_registry(context.tree.read(REGISTRY))):
        yield RULE.finding(fault.path, fault.message, line=fault.line, hint=fault.hint)


def _lost(tree: Tree, base: Tree) -> Iterator[Finding]:
    for path in base.paths:
        if path.rpartition("/")[2] != RECEIPTS or base.entries[path].kind != "file":
            continue
        kept = path in tree.entries
        lost = lost_lines(base.read(path), tree.read(path)) if kept else "all"
        if lost:
            message = f"the log of receipts lost {lost} of its lines, which hides what was measured"
            yield RULE.finding(path, message, hint="put them back, and the new ones after them")


def _example(title: str, more: str, at: str | None) -> Example:
    return Example(title=title, changes={REGISTRY: Write(text=_ROW + more)}, at=at)


RULE = Rule(
    code="JC-REGISTRY",
    title="a judge without a row, or a row that does not hold",
    severity=Severity.ERROR,
    check=check,
    examples=(
        _example("a judge that conforms", 'status = "conforms"\n', None),
        _example(
            "collapsed into one rubric", 'status = "collapsed"\nrubric = "acme-review@1"\n', None
        ),
        Example(
            title="an unknown status",
            changes={REGISTRY: Write(text=_ROW + 'status = "fine"\n')},
            at=f"{REGISTRY}:[[judge]]",
            mended={REGISTRY: Write(text=_ROW + 'status = "conforms"\n')},
        ),
        Example(
            title="two rows that do not hold",
            changes={REGISTRY: Write(text=f'{_ROW}status = "fine"\n\n{_AGAIN}status = "fixed"\n')},
            at=f"{REGISTRY}:[[judge]]",
            also=(f"{REGISTRY}:# again",),
        ),
        _example("fixed without a proof", 'status = "fixed"\n', f"{REGISTRY}:[[judge]]"),
        Example(
            title="a judge without a row",
            changes={
                REGISTRY: Write(text=_ROW + 'status = "conforms"\n'),
                "plugins/acme/workflows/new.js": Write(text=_NEW),
            },
            at="plugins/acme/workflows/new.js:await agent",
        ),
        Example(
            title="a log with one more attempt",
            base={RECEIPTS: Write(text=_LOG)},
            changes={RECEIPTS: Write(text="{}\n" + _LOG)},
        ),
        Example(
            title="an attempt taken out of the log",
            base={RECEIPTS: Write(text=_LOG)},
            changes={RECEIPTS: Write(text='{"attempt": 2}\n')},
            at=RECEIPTS,
        ),
        Example(
            title="a link that is no log any more",
            base={RECEIPTS: LinkTo(target="elsewhere")},
            changes={},
        ),
        Example(
            title="a plugin's log deleted",
            base={f"plugins/acme/{RECEIPTS}": Write(text=_LOG)},
            changes={},
            at=f"plugins/acme/{RECEIPTS}",
        ),
    ),
)
