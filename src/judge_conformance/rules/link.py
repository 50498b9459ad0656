"""A copy is a file of its own plugin, never a symbolic link.

A plugin is installed alone: a link to a file of another plugin, or of the repository, leads nowhere
once it is installed.

Replace the link by the file: delete it and vendor again.

Not seen: a plugin's other links. Copies alone are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge_conformance.copies import State
from judge_conformance.findings import Finding, Severity
from judge_conformance.rule import Context, Delete, Example, LinkTo, Rule, Write

_COPY = "plugins/acme/scripts/judge_contract.py"


def check(context: Context) -> Iterator[Finding]:
    """Report copies that are links, or lie behind one."""
    for copy in context.survey.copies.values():
        if copy.state is State.LINK:
            parent = context.tree.link_on_the_way(copy.path)
            story = f"lies behind the symbolic link {parent}" if parent else "is a symbolic link"
            yield RULE.finding(
                copy.path,
                f"{copy.artifact} {story}; an installed plugin stands alone",
                hint=f"delete {parent or copy.path}, then vendor again",
                fix=f"{context.program} vendor {context.plugin_flag(copy.path)}",
            )


RULE = Rule(
    code="JC-LINK",
    title="a copy that is a symbolic link",
    severity=Severity.ERROR,
    check=check,
    examples=(
        Example(title="a regular file", changes={}),
        Example(title="a link", changes={_COPY: LinkTo(target="../../x.py")}, at=_COPY),
        Example(
            title="behind a link",
            changes={
                _COPY: Delete(),
                "plugins/acme/scripts": LinkTo(target="lib"),
                "plugins/acme/lib/note.txt": Write(text="here"),
            },
            at=_COPY,
        ),
    ),
)
