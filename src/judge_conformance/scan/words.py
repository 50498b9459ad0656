"""Words that say a verdict: whole words of names, however they are joined."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

JUDGING = frozenset(
    {
        "verify",
        "verifies",
        "verified",
        "verifier",
        "verification",
        "judge",
        "judges",
        "judging",
        "panel",
        "check",
        "checks",
        "checker",
        "score",
        "scores",
        "scorer",
        "scoring",
        "referee",
        "refute",
        "refuter",
        "vote",
        "voter",
        "grade",
        "grader",
        "validate",
        "adjudicate",
    }
)
"""A label, a phase or an agent's name with one of these says that it judges."""

_VERDICTS = frozenset(
    {
        "verdict",
        "verdicts",
        "vote",
        "votes",
        "real",
        "valid",
        "invalid",
        "confirmed",
        "confirm",
        "refuted",
        "pass",
        "passed",
        "passes",
        "keep",
        "accept",
        "accepted",
        "approve",
        "approved",
        "survives",
        "survived",
        "holds",
        "supported",
        "correct",
        "decision",
        "outcome",
        "score",
        "grade",
        "rating",
        "met",
        "exploitable",
        "justified",
        "faithful",
        "satisfied",
        "resolved",
        "disposition",
        "verified",
        "verification",
        "defeated",
        "reachable",
        "vulnerabilities",
        "concerns",
        "built",
        "breaking",
        "sound",
    }
)
"""A field or a value with one of these says how something was judged."""

_RANKS = frozenset({"grade", "rating", "score"})


def words(text: str) -> list[str]:
    """Return the words of a name in lower case: `isReal_2` is is, real, 2."""
    return [word.lower() for word in _WORD.findall(text)]


def says_judge(text: str) -> bool:
    """Whether a name says that something judges."""
    return not JUDGING.isdisjoint(words(text))


def says_verdict(text: str) -> bool:
    """Whether the name of a field says how something was judged."""
    return not _VERDICTS.isdisjoint(words(text))


def says_rank(text: str) -> bool:
    """Whether the name of a field says how good or bad something is, judged or not."""
    return not _RANKS.isdisjoint(words(text))
