"""`judge-contract vote`."""

from judge_conformance.cli._canonical import passing

command = passing("vote", "judge_vote.py", "Adopt a panel's verdict when enough of it agrees.")
