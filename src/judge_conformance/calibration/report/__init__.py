"""Draw what was measured as one page: no script, no request, a table beside every picture."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from xml.etree import ElementTree as ET

from judge_conformance.calibration.report import measured as one
from judge_conformance.calibration.report import paired as two
from judge_conformance.calibration.report import registered
from judge_conformance.calibration.report.drawing import Facts
from judge_conformance.calibration.report.markup import document, element
from judge_conformance.errors import UnusableInputError
from judge_conformance.judges import Fault, Row

__all__ = ["page"]

Registry = tuple[Sequence[Row], Sequence[Fault]]


def page(
    measured: Facts | None,
    paired: Facts | None,
    events: Sequence[Facts],
    registry: Registry | None = None,
) -> str:
    """Return the page of a measurement, a paired run, a registry of judges, or several of these.

    `measured` is what `sealed` or `score` told, `paired` what `paired` did, `events` are those of
    the log of receipts, `registry` the rows of judges.toml and what does not hold of them. Raises
    UnusableInputError for documents that `judge_calibration.py` did not write.
    """
    parts: list[ET.Element] = []
    try:
        if measured is not None:
            parts += one.sections(measured, events)
        if paired is not None:
            parts += two.sections(paired)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise UnusableInputError(
            f"not what judge_calibration.py tells: {type(error).__name__}: {error}"
        ) from error
    title = "Calibration of a judge" if parts else "The judges of a repository"
    if registry is not None:
        parts += registered.sections(*registry)
    headings = [heading for part in parts for heading in part.iter("h1")]
    for heading in headings[1:]:
        heading.tag = "h2"
    style = files(__name__).joinpath("page.css").read_text("utf-8")
    return document(title, style, element("body", element("main", *parts, _foot())))


def _foot() -> ET.Element:
    return element(
        "footer",
        "Drawn from what judge_calibration.py measured and judges.toml says. Intervals are exact",
        " (Clopper and Pearson), 95%, two-sided; no value is rounded up.",
    )
