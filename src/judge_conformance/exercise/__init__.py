"""Sabotage the user's judges: run a Workflow script without a model, one judge dead at a time."""
