"""What is canonical: the artifacts, their releases, and their bytes, held to their digests."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from judge_conformance.errors import BrokenInstrumentError, UnknownReleaseError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MARKER_START = "// judge-contract:start"
MARKER_END = "// judge-contract:end"
HEADER = "# judge-contract:"

_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A canonical file or block.

    `name` is its file name, by which lock and flags know it; `destination` the folder inside a
    plugin where a new copy goes (empty for a block, which goes into a script of the user's);
    `digests` maps each release that has it to the sha256 of its bytes (hexadecimal).
    """

    name: str
    kind: Literal["file", "block"]
    file: str
    destination: str
    executable: bool
    digests: Mapping[str, str]

    @property
    def language(self) -> Literal["python", "javascript", "markdown"]:
        """What a reader of its bytes must understand."""
        suffixes: dict[str, Literal["python", "javascript", "markdown"]]
        suffixes = {".py": "python", ".js": "javascript", ".md": "markdown"}
        return suffixes[Path(self.name).suffix]

    @property
    def gate(self) -> str | None:
        """The short name of a sibling gate (`vote`), as `--gate` takes it."""
        if not self.file.startswith("gates/"):
            return None
        return self.name.removeprefix("judge_").removesuffix(".py").removesuffix("_loop")


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """Every artifact in every release (oldest first); bytes are read when asked for."""

    releases: tuple[str, ...]
    artifacts: Mapping[str, Artifact]
    folder: Traversable
    _bytes: dict[tuple[str, str], bytes] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, folder: Traversable | None = None) -> Catalog:
        """Read `catalog.toml`. Raises BrokenInstrumentError when it is missing or off."""
        folder = folder or canonical_folder()
        try:
            table = tomllib.loads(folder.joinpath("catalog.toml").read_text("utf-8"))
            if table["version"] != _FORMAT:
                raise BrokenInstrumentError(f"the catalog has format {table['version']!r}")
            artifacts = {
                row["name"]: Artifact(
                    name=row["name"],
                    kind=row["kind"],
                    file=row["file"],
                    destination=row["destination"],
                    executable=row["executable"],
                    digests=row["sha256"],
                )
                for row in table["artifact"]
            }
            releases = tuple(table["releases"])
        except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
            raise BrokenInstrumentError(f"the catalog cannot be read: {error}") from error
        if not artifacts or not releases:
            raise BrokenInstrumentError("the catalog is empty")
        return cls(releases=releases, artifacts=artifacts, folder=folder)

    @property
    def newest(self) -> str:
        """The release that this version of the tool brings."""
        return self.releases[-1]

    def known(self, release: str) -> str:
        """Return the release when the catalog has it; raises UnknownReleaseError."""
        if release not in self.releases:
            raise UnknownReleaseError(
                f"release {release!r} is unknown to this version, whose newest is {self.newest}",
                hint=f"this lock needs judge-contract >= {release}; install that version",
            )
        return release

    def has(self, name: str, release: str) -> bool:
        """Whether the release brings this artifact."""
        return name in self.artifacts and release in self.artifacts[name].digests

    def content(self, name: str, release: str | None = None) -> bytes:
        """Return the canonical bytes, held to their digest. Raises BrokenInstrumentError."""
        release = release or self.newest
        key = (name, release)
        if key not in self._bytes:
            self._bytes[key] = self._read(self.artifacts[name], release)
        return self._bytes[key]

    def version_of(self, block: str, release: str) -> str:
        """Return the word after a block's start marker (`verdict@2`) in that release."""
        first = self.content(block, release).split(b"\n", 1)[0].decode()
        return first.removeprefix(MARKER_START).strip()

    @cached_property
    def versions(self) -> Mapping[str, tuple[str, str]]:
        """Marker words: `verdict@2` -> (block artifact, newest release that has this word)."""
        return {
            self.version_of(artifact.name, release): (artifact.name, release)
            for artifact in self.artifacts.values()
            if artifact.kind == "block"
            for release in self.releases
            if release in artifact.digests
        }

    @cached_property
    def by_digest(self) -> Mapping[str, tuple[str, str]]:
        """sha256 -> (artifact, newest release with these bytes): what a found content is."""
        return {
            digest: (artifact.name, release)
            for artifact in self.artifacts.values()
            for release in self.releases
            if (digest := artifact.digests.get(release))
        }

    def identify(self, data: bytes) -> tuple[str, str] | None:
        """Return (artifact, release) when the bytes are exactly canonical ones of any release."""
        return self.by_digest.get(hashlib.sha256(data).hexdigest())

    @contextmanager
    def on_disk(self, name: str) -> Iterator[Path]:
        """Lend the newest bytes as a real file, also when the package is a zip."""
        from importlib.resources import as_file  # noqa: PLC0415 - late, as in canonical_folder

        self.content(name)
        with as_file(self.place(name)) as path:
            yield path

    def place(self, name: str) -> Traversable:
        """Return where the newest bytes lie, which is no file in a zip."""
        return self.folder.joinpath(*self.artifacts[name].file.split("/"))

    def _read(self, artifact: Artifact, release: str) -> bytes:
        if release not in artifact.digests:
            raise UnknownReleaseError(f"{artifact.name} is no part of release {release}")
        digest = artifact.digests[release]
        _, last = self.by_digest[digest]  # equal bytes are kept once, under their newest release
        home = () if last == self.newest else ("releases", last)
        try:
            data = self.folder.joinpath(*home, *artifact.file.split("/")).read_bytes()
        except OSError:
            data = b""
        if hashlib.sha256(data).hexdigest() == digest:
            return data
        raise BrokenInstrumentError(
            f"the canonical {artifact.name} of release {release} is not what the catalog says",
            hint="reinstall judge-contract; in a checkout, run scripts/seal",
        )


def canonical_folder() -> Traversable:
    """Find `vendored/`: package data of a wheel or zip, else beside our own `pyproject.toml`."""
    package = Path(__file__).resolve().parent
    if (package / "vendored/catalog.toml").is_file():
        return package / "vendored"
    checkout = package.parents[1]
    if (checkout / "pyproject.toml").is_file() and (checkout / "vendored/catalog.toml").is_file():
        return checkout / "vendored"
    from importlib.resources import files  # noqa: PLC0415 - late: a zip alone needs it

    shipped = files("judge_conformance").joinpath("vendored")
    if shipped.joinpath("catalog.toml").is_file():
        return shipped
    raise BrokenInstrumentError(
        "the canonical files are missing from this installation",
        hint="reinstall judge-contract",
    )
