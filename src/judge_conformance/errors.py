"""Why a command could not do its work: one class for each story, each with its exit code.

A message says what happened, the hint what to do about it; `path` and `line` say where.
Nothing here prints: `cli.app` maps an error to one line on stderr and to its exit.
"""

from __future__ import annotations

from typing import ClassVar

GO = 0
STOP = 1
UNDECIDED = 2
AUTHOR_MISTAKE = 3
OUR_BUG = 70
INTERRUPTED = 130


class JudgeContractError(Exception):
    """A failure that the user can understand and mend; never a bug of ours."""

    exit_code: ClassVar[int] = UNDECIDED

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        path: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path
        self.line = line

    @property
    def where(self) -> str:
        """`path:line: `, as far as known; empty when no file is to blame."""
        if self.path is None:
            return ""
        return f"{self.path}: " if self.line is None else f"{self.path}:{self.line}: "


class UnusableInputError(JudgeContractError):
    """A file, folder or stream that cannot be read or does not hold what it should."""


class NothingToCheckError(JudgeContractError):
    """There was nothing to decide on, which is never a pass."""


class UsageError(JudgeContractError):
    """Flags or arguments that do not fit one another."""


class GitError(JudgeContractError):
    """Git is missing, refused, or cannot answer (a shallow clone, an unknown ref)."""


class NodeError(JudgeContractError):
    """Node is missing, too old, or did not behave."""


class UnknownReleaseError(JudgeContractError):
    """A lock or marker names a release that this version of the tool does not know."""


class BrokenInstrumentError(JudgeContractError):
    """The instrument itself cannot be trusted: a digest is off, a case set is empty."""


class RefusedError(JudgeContractError):
    """A write that would lose somebody's work or leave the root; nothing was written."""


class AuthorMistakeError(JudgeContractError):
    """A config, lock, registry or rubric that an author must mend."""

    exit_code: ClassVar[int] = AUTHOR_MISTAKE
