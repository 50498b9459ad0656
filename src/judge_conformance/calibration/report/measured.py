"""The part of a report about one judge: its figures, its confusion matrix, its attempts."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from judge_conformance.calibration.report.drawing import (
    Facts,
    banner,
    down,
    listing,
    plot,
    table,
)
from judge_conformance.calibration.report.markup import element

OUTCOMES = ("pass", "fail", "abstain")


def sections(measured: Facts, events: Sequence[Facts]) -> list[ET.Element]:
    """Return the sections of what `sealed` or `score` told; `events` are of the log."""
    parts = [_head(measured), _figures(measured), _confusion(measured)]
    if measured["families"]:
        parts.append(_families(measured))
    if (history := _history(measured, events)) is not None:
        parts.append(history)
    if "hashes" in measured:
        parts.append(_bound(measured))
    return parts


def _head(measured: Facts) -> ET.Element:
    sealed = "calibrated" in measured
    clears = measured["calibrated"] if sealed else measured["status"] == "clears the floor"
    if sealed:
        word = "Calibrated" if clears else "Not calibrated"
        name, kicker = measured["rubric"], "A judge, measured on sealed answers"
        about = f"Model {measured['model']}, attempt {measured['attempt']}, {measured['date']}."
    else:
        word = "Clears the floor" if clears else "Below the floor"
        name, kicker = f"The {measured['set']} cases", "A judge, on answers that it may be tuned on"
        about = "Not sealed: these figures calibrate nothing."
    floor = f"{measured['floor']:g}"
    weakest = f"{measured['weakest_figure']} {down(measured['weakest'])}, floor {floor}"
    unseen = "" if not sealed or measured["sealed"] else " Only a first attempt calibrates."
    return element(
        "header",
        element("p", kicker, class_="kicker"),
        element("h1", name),
        element("p", about + unseen, class_="quiet"),
        banner(word, f"weakest figure: {weakest}", clears=clears),
    )


def _figures(measured: Facts) -> ET.Element:
    floor = measured["floor"]
    missing = measured["missing"]
    note = f", {missing} without a verdict and taken as abstains" if missing else ""
    return element(
        "section",
        element("h2", "Six figures"),
        element("p", f"{measured['cases']} cases{note}. The weakest figure is what counts.",
                class_="quiet"),
        element(
            "div",
            plot(measured["figures"], floor, "Agreement with the known answers"),
            table(measured["figures"], floor, "The six figures, as numbers"),
            class_="beside",
        ),
    )  # fmt: skip


def _families(measured: Facts) -> ET.Element:
    floor = measured.get("family_floor", 0)
    return element(
        "section",
        element("h2", "Families"),
        element("p", "Overall agreement within each family of cases.", class_="quiet"),
        element(
            "div",
            plot(measured["families"], floor, "Agreement by family"),
            table(measured["families"], floor, "The families, as numbers"),
            class_="beside",
        ),
    )


def _confusion(measured: Facts) -> ET.Element:
    counts = measured["confusion"]
    heads = [element("td"), *(element("th", f"answered {key}") for key in OUTCOMES)]
    rows = [
        element(
            "tr",
            element("th", f"expected {key}", scope="row"),
            *(_cell(counts[key][answer], agrees=key == answer) for answer in OUTCOMES),
        )
        for key in OUTCOMES
    ]
    caption = "Cases by known answer and by what the judge said"
    matrix = listing(caption, heads, [element("tbody", *rows)], class_="matrix")
    return element(
        "section",
        element("h2", "What was answered"),
        element("p", "Passes that should not be are the ones that cost: they are counted apart.",
                class_="quiet"),
        element("div", matrix,
                table(measured["rates"], 0, "Of the cases that could be answered so", "Count"),
                class_="beside"),
    )  # fmt: skip


def _cell(count: int, *, agrees: bool) -> ET.Element:
    kind = "none" if count == 0 else "agrees" if agrees else "differs"
    return element("td", f"{count:d}", class_=kind)


def _history(measured: Facts, events: Sequence[Facts]) -> ET.Element | None:
    own = [event for event in events if event.get("model") == measured.get("model")]
    rows = [_event(event) for event in own if event["event"] in ("tune", "freeze", "sealed")]
    if not rows:
        return None
    caption = "From the log of receipts, oldest first"
    heads = ("Date", "What", "Weakest", "About")
    return element(
        "section",
        element("h2", "Attempts"),
        element("p", "Every look at these answers with this model that was written down.",
                class_="quiet"),
        listing(caption, heads, [element("tbody", *rows)]),
    )  # fmt: skip


def _event(event: Facts) -> ET.Element:
    match event["event"]:
        case "tune":
            what, weakest, about = f"tuning round {event['round']}", event["weakest"], ""
        case "freeze":
            what, weakest = "frozen", None
            about = f"receipt {event['receipt'][:12]}, floor {event['floor']:g}"
        case _:
            what, weakest = f"sealed, attempt {event['attempt']}", event["agreement"]
            about = "calibrates" if event["calibrated"] else "calibrates nothing"
            about += f": {event['why']}" if event["why"] else ""
    said = "" if weakest is None else down(weakest)
    return element("tr", *(element("td", cell) for cell in (event["date"], what, said, about)))


def _bound(measured: Facts) -> ET.Element:
    parts = [
        part
        for name, value in measured["hashes"].items()
        for part in (element("dt", name), element("dd", element("code", value)))
    ]
    return element(
        "section",
        element("h2", "Bound to"),
        element("p", "When one of these changes, the record is stale.", class_="quiet"),
        element("dl", *parts),
    )
