"""Driving judges over known answers, and showing what came of it.

The arithmetic is `vendored/gates/judge_calibration.py`, the decision `vendored/judge_contract.py`.
"""
