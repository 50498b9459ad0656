"""Parity: one case set, two implementations, identical verdicts."""
