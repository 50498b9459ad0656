"""`judge-contract advisory`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "advisory",
    "judge_advisory.py",
    "Give a second opinion, with evidence, that blocks nothing.",
)
