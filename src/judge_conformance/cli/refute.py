"""`judge-contract refute`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "refute", "judge_refute.py", "Say whether a claim survives the attempts to refute it."
)
