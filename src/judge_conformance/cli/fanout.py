"""`judge-contract fanout`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "fanout", "judge_fanout.py", "Say whether a fanned-out set of claims may be put together."
)
