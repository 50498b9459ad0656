"""Formats of a report: one module each, `render(report) -> str`, imported when it is asked for."""

from __future__ import annotations

import importlib

from judge_conformance.findings import Report

FORMATS = ("text", "json", "github", "sarif", "junit", "markdown")


def render(report: Report, format_name: str) -> str:
    """Return the report in a format, ending in a newline."""
    module = importlib.import_module(f"{__name__}.{format_name}")
    text: str = module.render(report)
    return text


def printable(text: str) -> str:
    """Return a text on one line: control characters and undecodable bytes are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
