"""`--report mutation=FILE`: what was sabotaged, for the viewers of mutation testing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from judge_conformance.errors import UnusableInputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judge_conformance.sabotage.session import SabotageReport


def report_files(asked: Sequence[str]) -> list[Path]:
    """Return the files of `--report mutation=FILE`. Raises UsageError."""
    files = []
    for text in asked:
        kind, _, path = text.partition("=")
        if kind != "mutation" or not path:
            raise UsageError(f"--report {text}: not of the form mutation=FILE")
        files.append(Path(path))
    return files


def write(files: Sequence[Path], sabotaged: Sequence[SabotageReport], command: str) -> None:
    """Write a command's mutants for viewers of mutation testing. Raises UnusableInputError."""
    from judge_conformance.sabotage.mutation_report import document  # noqa: PLC0415 - only what runs

    for file in files:
        text = json.dumps(document(sabotaged, command), indent=1) + "\n"
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UnusableInputError(
                f"cannot be written: {error.strerror}", path=str(file)
            ) from error
