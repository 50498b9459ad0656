"""`judge-contract validate`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "validate", "judge_contract.py", "Hold a stored verdict to the contract.", "validate"
)
