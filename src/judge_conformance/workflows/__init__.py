"""Workflow scripts: reading them, their markers and blocks, and where names are bound."""
