"""What a rule is: a check over one context, explained by its module's docstring."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from judge_conformance.catalog import Catalog
from judge_conformance.config import Config
from judge_conformance.copies import Survey
from judge_conformance.findings import Finding, Location, Severity
from judge_conformance.lock import Lock
from judge_conformance.memory import Memory
from judge_conformance.shell import shell_path
from judge_conformance.tree import Plugins, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """All that a rule may look at. `today` serves allowances alone; `lock_data` are its bytes.

    `config` is in force; `own` is the one that the tree holds (None: it holds none). They differ
    against a `base`, whose config judges a change until a maintainer has `accepted` that the
    change edits its own gate. `top` is git's, where the root is a folder below it and a base is
    compared: workflows and owners stand there. `levels` are the rules' own severities by code.
    `memory` says which plugins an earlier run found clean, where it is used.
    """

    tree: Tree
    catalog: Catalog
    config: Config
    lock: Lock | None
    lock_data: bytes
    plugins: Plugins
    survey: Survey
    today: dt.date
    program: str = "judge-contract"
    own: Config | None = None
    base: Context | None = None
    top: Tree | None = None
    accepted: bool = False
    levels: Mapping[str, Severity] = field(default_factory=dict)
    memory: Memory | None = None

    @property
    def release(self) -> str:
        """The release that copies are held to."""
        return self.adopted.release

    @property
    def adopted(self) -> Lock:
        """The lock; where there is none, that of a repository that has adopted nothing."""
        return self.lock or Lock(release=self.catalog.newest)

    def plugin_flag(self, path: str) -> str:
        """Return how a command in a shell names the plugin of a path."""
        plugin = self.plugins.of(path)
        return shell_path(plugin.path or ".") if plugin else "--all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Plant a file; `{{NAME}}` stands for a canonical file, `{{NAME@RELEASE}}` for an older one.

    `{{9 of x}}` stands for nine of them.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Change the first occurrence of a text in a planted file.

    `{{sha256 of NAME}}` in the new text stands for a canonical file's digest.
    """

    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTo:
    """Put a symbolic link where the file was."""

    target: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Take the planted file away."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Leave the file on disk, untracked and ignored by git."""


@dataclass(frozen=True, slots=True)
class Executable:
    """Set the executable bit."""


@dataclass(frozen=True, slots=True)
class Submodule:
    """Put another repository where the file was."""


Change = Write | Edit | LinkTo | Delete | Ignored | Executable | Submodule
Fault = tuple[Severity, str, str | None]  # how grave, what is said, and the hint
Range = tuple[int, int]  # offsets in a script, the end exclusive
Place = tuple[str, int, int, int, int]  # path, line and column, end line and column, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A small adopted marketplace with changes, and where this rule then finds its fault.

    `at` is `path` or `path:text on the expected line`, `also` where else it stands; None: the rule
    passes, and so do all others. Every failing example gives exactly these findings and no other.
    With `base`, the tree is compared with the marketplace as those changes make it. `mended` are
    the changes once the fault is mended; None: those of the base, or none at all. `accepted`: a
    maintainer has accepted that the change edits its own gate. `within`: the folder of the
    repository that holds the marketplace (`""`: all of it is).
    """

    title: str
    changes: Mapping[str, Change]
    at: str | None = None
    also: tuple[str, ...] = ()
    base: Mapping[str, Change] | None = None
    mended: Mapping[str, Change] | None = None
    accepted: bool = False
    within: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A code, what it says in one line, its level unless configured, its check and examples."""

    code: str
    title: str
    severity: Severity
    check: Callable[[Context], Iterator[Finding]]
    examples: tuple[Example, ...]

    @property
    def doc(self) -> str:
        """What `explain` shows: the docstring of the rule's module."""
        return (sys.modules[self.check.__module__].__doc__ or "").strip()

    def at(self, place: Place, message: str, hint: str) -> Finding:
        """Make a finding of this rule at a place of a file."""
        path, line, column, *end = place
        return self.finding(
            path, message, line=line, column=column, end=(end[0], end[1]), hint=hint
        )

    def finding(
        self,
        path: str,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        end: tuple[int, int] | None = None,
        hint: str | None = None,
        fix: str | None = None,
        diff: str | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """Make a finding of this rule; lines and columns from 1, `end` exclusive."""
        return Finding(
            code=self.code,
            severity=severity or self.severity,
            location=Location(
                path=path,
                line=line,
                column=column,
                end_line=end[0] if end else None,
                end_column=end[1] if end else None,
            ),
            message=message,
            hint=hint,
            fix=fix,
            diff=diff,
        )
