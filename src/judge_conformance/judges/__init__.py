"""The registry of judges: its rows, what holds of them, their proofs, and how they are shown."""

from judge_conformance.judges.holding import Fault, faults, unregistered
from judge_conformance.judges.rows import STATUSES, Proof, Row, parse_registry

__all__ = [
    "STATUSES",
    "Fault",
    "Proof",
    "Row",
    "faults",
    "parse_registry",
    "unregistered",
]
