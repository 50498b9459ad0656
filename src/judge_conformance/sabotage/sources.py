"""Which source is judged: canonical bytes, or a copy in place, and whether it may be run."""

from __future__ import annotations

from pathlib import Path

from judge_conformance.catalog import MARKER_END, MARKER_START, Catalog
from judge_conformance.errors import BrokenInstrumentError, UnusableInputError, UsageError
from judge_conformance.parity.cases import Language
from judge_conformance.sabotage.subjects import Source

BLOCK = "verdict.inline.js"
MODULE = "judge_contract.py"
NAMES: dict[Language, str] = {"python": MODULE, "javascript": BLOCK}
_LARGEST = 4 * 1024 * 1024  # bytes of a file that may hold a block


def canonical(language: Language, catalog: Catalog) -> Source:
    """Return the newest canonical source of a language, held to its digest."""
    name = NAMES[language]
    text = catalog.content(name).decode("utf-8")
    return Source(name=name, path=name, language=language, text=text)


def copy(language: Language, path: str, catalog: Catalog) -> tuple[Source, bool]:
    """Return the source in a file, and whether its bytes are those of a release.

    A JavaScript file with markers is judged by the block between them, on its own lines. Raises
    UnusableInputError for a file that cannot be read, BrokenInstrumentError for markers that do
    not enclose one block.
    """
    data = _read(path)
    padding = 0
    if language == "javascript":
        data, padding = _block(data, path)
    name = NAMES[language]
    identity = catalog.identify(data)
    try:
        text = "\n" * padding + data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnusableInputError(f"not UTF-8 at byte {error.start}", path=path) from error
    source = Source(name=name, path=path, language=language, text=text)
    return source, identity is not None and identity[0] == name


def demand_trust(source: Source, *, released: bool) -> None:
    """Raise UsageError for a source that is code of somebody's: it runs only when asked to."""
    if not released:
        raise UsageError(
            "not byte for byte a released one, and running it runs its code",
            path=source.path,
            hint="add --run-untrusted where you trust it",
        )


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise UnusableInputError(f"cannot be read: {error.strerror}", path=path) from error
    if len(data) > _LARGEST:
        raise UnusableInputError(f"more than {_LARGEST} bytes", path=path)
    return data


def _block(data: bytes, path: str) -> tuple[bytes, int]:
    """Return the block and how many lines stand above it; the whole file where it has no marker."""
    lines = data.splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if line.startswith(MARKER_START.encode())]
    ends = [i for i, line in enumerate(lines) if line.startswith(MARKER_END.encode())]
    if not starts and not ends:
        return data, 0
    if len(starts) != 1 or len(ends) != 1 or ends[0] < starts[0]:
        raise BrokenInstrumentError(
            f"{len(starts)} start and {len(ends)} end markers do not enclose one block", path=path
        )
    block = b"".join(lines[starts[0] : ends[0] + 1])
    return block.removesuffix(b"\n").removesuffix(b"\r"), starts[0]
