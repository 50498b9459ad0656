"""What names say: which value of a judge's reply is called the pass, the fail or the abstain.

A name says nothing (None) rather than something wrong: then only differences are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Meaning = Literal["pass", "fail", "abstain"]

_ABSTAIN = re.compile(
    r"abstain|unverified|unjudged|unchallenged|unreviewed|unchecked|unsure|not.?sure|uncertain|unknown|inconclusive|undecid|unclear|ambiguous|"
    r"unverifiable|indeterminate|insufficient|cannot|can.?not|could.?not|cant|unable|"
    r"not.?enough|not.?applicable|needs.?human|no.?verdict|no.?opinion"
)
_FAIL = re.compile(
    r"^(false|fail|failed|failure|fails|reject|rejected|rejects|refute|refuted|refutes|"
    r"block|blocked|blocking|blocker|deny|denied|disapprove|disapproved|invalid|incorrect|wrong|"
    r"broken|unsafe|unsupported|unfounded|unsound|unfaithful|unjustified|unapproved|unconfirmed|"
    r"hallucinated|hallucination|disagree|disagrees|discard|discarded|dismiss|dismissed|drop|"
    r"revise|rework|redo|incomplete|inaccurate|inconsistent|contradicted|contradicts|"
    r"overturned|overruled|bad|ko|nack|nok)$"
)
_PASS = re.compile(
    r"^(true|yes|pass|passed|passes|passing|approve|approved|approves|upheld|uphold|upholds|real|"
    r"confirm|confirmed|confirms|valid|validated|ok|okay|accept|accepted|accepts|acceptable|"
    r"correct|success|successful|succeeded|sound|holds|genuine|justified|faithful|verified|"
    r"supported|legit|legitimate|satisfied|satisfies|met|agree|agrees|accurate|grounded|lgtm|"
    r"reproduced|reproducible|endorsed|qualified|compliant|good|ack|built)$"
)
_DEMANDS = re.compile(r"^(needs|request|requires)$")
_NEGATES = re.compile(r"^(not?|non|never|isnt|un)$")
_HIGH_IS_GOOD = re.compile(r"score|confidence|rating|quality|agreement|probability|grade|points")
_HIGH_IS_BAD = re.compile(r"risk|severity|errors|violations|defects|issues|failures|blockers")


def words(name: str) -> list[str]:
    """Split a name in any casing into lower-case words: `isRealBug` is is, real, bug."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)(?=[A-Z][a-z])", r"\1\3 \2", name)
    return [word for word in re.split(r"[^A-Za-z0-9]+", spaced.lower()) if word]


def meaning_of_word(text: str) -> Meaning | None:
    """Return what a value such as `wrong-citation` or `TRUE_POSITIVE` calls itself."""
    parts = words(text)
    if _ABSTAIN.search(" ".join(parts)):
        return "abstain"
    if any(_FAIL.search(word) for word in parts) or (parts and _DEMANDS.search(parts[0])):
        return "fail"
    if not any(_PASS.search(word) for word in parts):
        return "fail" if parts == ["no"] else None
    return "fail" if any(_NEGATES.search(word) for word in parts) else "pass"


def is_negated(text: str) -> bool:
    """Whether a value denies something, whatever it is: `not-hit`."""
    parts = words(text)
    return bool(parts) and _NEGATES.search(parts[0]) is not None


def high_is_good(name: str) -> bool | None:
    """Whether a number of this name is better when it is higher; None where the name is silent."""
    text = " ".join(words(name))
    if _HIGH_IS_BAD.search(text):
        return False
    return True if _HIGH_IS_GOOD.search(text) else None


def is_answer(values: Iterable[object]) -> bool:
    """Whether an enum is a bare yes and no, whose meaning its property's name must give."""
    return {str(value).lower() for value in values} <= {
        "yes",
        "no",
        "true",
        "false",
        "possibly",
        "partly",
        "maybe",
    }
