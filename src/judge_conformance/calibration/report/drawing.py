"""The parts that every section of a report is drawn from: plots, tables, bars, banners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from judge_conformance.calibration.report.markup import Child, element
from judge_conformance.records import canonical_module

Facts = Mapping[str, Any]
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def plot(figures: Sequence[Facts], floor: float, caption: str) -> ET.Element:
    """Draw figures as dots on strips from 0 to 1, with their intervals and the floor."""
    shown = [figure for figure in figures if figure["value"] is not None]
    rows: list[ET.Element] = []
    for figure in shown:
        below = figure["value"] < floor
        rows += [
            element("span", figure["name"], class_="name"),
            _strip(figure, floor, below=below),
            element("span", down(figure["value"]), class_="value below" if below else "value"),
        ]
    ticks = [element("text", f"{tick:g}", x=_x(tick), y="0.9em") for tick in TICKS]
    rows += [element("span"), element("svg", *ticks, class_="ticks"), element("span")]
    told = "; ".join(f"{figure['name']} {down(figure['value'])}" for figure in shown)
    key: list[Child] = [element("b", "Dashed"), f": the floor, {floor:g}. "] if floor else []
    return element(
        "figure",
        element("figcaption", caption),
        element("div", *rows, class_="plot", role="img", aria_label=f"{caption}: {told}"),
        element("p", *key, "Dot: measured; hollow when below. Bar: exact 95% interval.",
                class_="key"),
    )  # fmt: skip


def _strip(figure: Facts, floor: float, *, below: bool) -> ET.Element:
    lower, upper = _x(figure["lower"]), _x(figure["upper"])
    parts = [
        element("line", x1=_x(0), x2=_x(1), y1="50%", y2="50%", class_="track"),
        element("line", x1=lower, x2=upper, y1="50%", y2="50%", class_="bounds"),
    ]
    if floor:
        parts.append(element("line", x1=_x(floor), x2=_x(floor), y1="0", y2="100%", class_="floor"))
    parts.append(element("circle", cx=_x(figure["value"]), cy="50%", r="6", class_="mark"))
    return element("svg", *parts, class_="below" if below else None, aria_hidden="true")


def _x(share: float) -> str:
    """Return where a share stands on a strip, with room for a dot at either end."""
    return f"{2 + 96 * share:.3f}%"


def table(
    figures: Sequence[Facts], floor: float, caption: str, counted: str = "Agreed"
) -> ET.Element:
    """Return the same figures as numbers; what is below the floor says so in words."""
    rows = []
    for figure in figures:
        value, name = figure["value"], element("th", figure["name"], scope="row")
        if value is None:
            rows.append(element("tr", name, element("td", figure["reason"], colspan="3")))
            continue
        mark = "number below" if value < floor else "number"
        said = f"{down(value)} below" if value < floor else down(value)
        rows.append(
            element(
                "tr",
                name,
                element("td", f"{figure['agreed']} of {figure['of']}", class_="number"),
                element("td", said, class_=mark),
                element("td", _bounds(figure), class_="number"),
            )
        )
    heads = [element("th", head, class_="number") for head in (counted, "Share", "95% interval")]
    return listing(caption, [element("th", "Figure"), *heads], [element("tbody", *rows)])


def listing(
    caption: str, heads: Sequence[str | ET.Element], bodies: Sequence[ET.Element], **more: object
) -> ET.Element:
    """Return a table that scrolls by itself on a narrow screen, by keyboard too.

    `heads` are its columns, as texts or as th or td elements; `bodies` its tbody elements.
    """
    cells = [element("th", head) if isinstance(head, str) else head for head in heads]
    for cell in cells:
        if cell.tag == "th":
            cell.set("scope", "col")
    head = element("thead", element("tr", *cells))
    made = element("table", element("caption", caption), head, *bodies, **more)
    return element("div", made, class_="scroll", role="region", aria_label=caption, tabindex="0")


def banner(word: str, reason: str, *, clears: bool) -> ET.Element:
    """Return what is to be read first: a word, and why."""
    mark = "verdict" if clears else "verdict stop"
    return element("div", element("strong", word), element("span", reason), class_=mark)


def bar(share: float, kind: str, *, from_right: bool) -> ET.Element:
    """Draw a bar over a share, from 0 to 1, of the width that there is."""
    width = 100 * share
    rect = element("rect", x=f"{100 - width if from_right else 0:.3f}%", y="10%",
                   width=f"{width:.3f}%", height="80%", rx="3", class_=kind)  # fmt: skip
    return element("svg", rect, aria_hidden="true")


def bars(values: Mapping[str, float], kind: str, told: str = "") -> ET.Element:
    """Draw a bar a name, the longest one as wide as there is; `told` leads what is read aloud."""
    most = max(values.values()) or 1
    parts = [
        part
        for name, value in values.items()
        for part in (
            element("span", name, class_="name"),
            bar(value / most, kind, from_right=False),
            element("span", f"{value:g}", class_="value"),
        )
    ]
    told += ", ".join(f"{name} {value:g}" for name, value in values.items())
    return element("div", *parts, class_="plot", role="img", aria_label=told)


def _bounds(figure: Facts) -> str:
    return f"{down(figure['lower'])} to {up(figure['upper'])}"


def down(value: float) -> str:
    """Return a number to three places, never rounded up."""
    return str(canonical_module("judge_calibration.py").down(value))


def up(value: float) -> str:
    """Return a number to three places, never rounded down."""
    return str(canonical_module("judge_calibration.py").up(value))
