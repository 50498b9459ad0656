"""`python -m judge_conformance` is the command `judge-contract`."""

from judge_conformance.cli.app import entry

if __name__ == "__main__":
    entry()
