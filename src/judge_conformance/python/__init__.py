"""Python scripts that use the contract: their names, and what becomes of their verdicts."""
