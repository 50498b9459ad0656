"""`judge-contract decide`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "decide",
    "judge_contract.py",
    "Decide what a judge returned.",
    "decide",
)
