"""`judge-contract spot-check`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "spot-check",
    "judge_contract.py",
    "Draw the verdicts that a person should look at.",
    "spot-check",
)
