"""Looking at each subject once, where subjects hang on one another in rings."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Subject = TypeVar("Subject")
Found = TypeVar("Found")
NOT_LOOKED_AT = "too many paths to follow; not looked at"
RUN_IT = "split the file, or let `judge-contract exercise` run it"
_MOST = 4000  # looks that a ring cut short; real files need some hundreds


class TooManyPathsError(Exception):
    """What hangs on one another is too much, or too deep, to be followed to its end."""


@dataclass(slots=True, kw_only=True)
class Rings(Generic[Found]):
    """What was found for each subject. A ring ends in `nothing`, at most `deepest` subjects deep.

    What a ring cut short is looked at again from outside it.
    """

    nothing: Found
    deepest: int
    _known: dict[Hashable, Found] = field(default_factory=dict)
    _open: dict[Hashable, int] = field(default_factory=dict)  # what is being looked at, how deep
    _lowest: int = 0  # the outermost of them that a ring came back to
    _cut: int = 0

    def once(self, key: Hashable, look: Callable[[Subject], Found], subject: Subject) -> Found:
        """Return what a look at a subject gives. Raises TooManyPathsError."""
        if key in self._known:
            return self._known[key]
        depth = len(self._open)
        if key in self._open:
            self._lowest = min(self._lowest, self._open[key])
            return self.nothing
        if depth > self.deepest or self._cut > _MOST:
            raise TooManyPathsError
        self._open[key] = depth
        outer, self._lowest = self._lowest, depth
        found = look(subject)
        del self._open[key]
        if self._lowest == depth:
            self._known[key] = found
        else:
            self._cut += 1
        self._lowest = min(self._lowest, outer)
        return found

    def forget(self) -> None:
        """Look at everything again."""
        self._known.clear()
