"""`judge-contract advisory`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "advisory",
    "judge_advisory.py",
    "Give a second opinion that cites its evidence and blocks nothing.",
)
