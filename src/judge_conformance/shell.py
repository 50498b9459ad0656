"""Paths in commands that people paste into a shell."""

from __future__ import annotations

import os
import shlex


def shell_path(path: str) -> str:
    """Return a relative path as one word of a shell, on one line, whatever its name holds.

    A name that cannot be printed is written as `$'...'`, which bash and zsh read.
    """
    path = f"./{path}" if path.startswith("-") else path
    if path.isprintable():
        return shlex.quote(path)
    parts = (
        character
        if character.isprintable() and character not in "\\'"
        else "".join(f"\\{byte:03o}" for byte in os.fsencode(character))
        for character in path
    )
    return f"$'{''.join(parts)}'"
