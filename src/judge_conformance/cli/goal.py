"""`judge-contract goal`."""

from judge_conformance.cli._canonical import passing

command = passing(
    "goal", "judge_goal_loop.py", "Run a step until a command, not a model, says stop."
)
