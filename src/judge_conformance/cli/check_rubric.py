"""`judge-contract check-rubric`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "check-rubric", "judge_contract.py", "Say what is wrong with a rubric.", "check-rubric"
)
