"""Draw what was measured as one page: no script, no request, a table beside every picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree as ET

from judge_conformance.calibration.markup import Child, document, element
from judge_conformance.errors import UnusableInputError
from judge_conformance.records import canonical_module

Facts = Mapping[str, Any]
OUTCOMES = ("pass", "fail", "abstain")
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def page(measured: Facts | None, paired: Facts | None, events: Sequence[Facts]) -> str:
    """Return the page of a measurement (what `sealed` or `score` told), a paired run, or both.

    `events` are those of the log of receipts. Raises UnusableInputError for documents that
    `judge_calibration.py` did not write.
    """
    try:
        body = _body(measured, paired, events)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise UnusableInputError(
            f"not what judge_calibration.py tells: {type(error).__name__}: {error}"
        ) from error
    style = files("judge_conformance.calibration").joinpath("page.css").read_text("utf-8")
    return document("Calibration of a judge", style, body)


def _body(measured: Facts | None, paired: Facts | None, events: Sequence[Facts]) -> ET.Element:
    parts: list[ET.Element] = []
    if measured is not None:
        parts += [_head(measured), _figures(measured), _confusion(measured)]
        if measured["families"]:
            parts.append(_families(measured))
        if (history := _history(measured, events)) is not None:
            parts.append(history)
    if paired is not None:
        heading = "h1" if measured is None else "h2"
        parts += [_paired_head(paired, heading), _pairs(paired)]
        if paired["corrected"] is not None:
            parts.append(_errata(paired))
    if measured is not None and "hashes" in measured:
        parts.append(_bound(measured))
    parts.append(
        element("footer", "Drawn from what judge_calibration.py measured. Intervals are exact",
                " (Clopper and Pearson), 95%, two-sided; no value is rounded up.")
    )  # fmt: skip
    return element("body", element("main", *parts))


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
    weakest = f"{measured['weakest_figure']} {_down(measured['weakest'])}, floor {floor}"
    unseen = "" if not sealed or measured["sealed"] else " Only a first attempt calibrates."
    return element(
        "header",
        element("p", kicker, class_="kicker"),
        element("h1", name),
        element("p", about + unseen, class_="quiet"),
        _verdict(word, f"weakest figure: {weakest}", clears=clears),
    )


def _verdict(word: str, reason: str, *, clears: bool) -> ET.Element:
    mark = "verdict" if clears else "verdict stop"
    return element("div", element("strong", word), element("span", reason), class_=mark)


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
            _plot(measured["figures"], floor, "Agreement with the known answers"),
            _table(measured["figures"], floor, "The same, as numbers"),
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
            _plot(measured["families"], floor, "Agreement by family"),
            _table(measured["families"], floor, "The same, as numbers"),
            class_="beside",
        ),
    )


def _plot(figures: Sequence[Facts], floor: float, caption: str) -> ET.Element:
    shown = [figure for figure in figures if figure["value"] is not None]
    rows: list[ET.Element] = []
    for figure in shown:
        below = figure["value"] < floor
        rows += [
            element("span", figure["name"], class_="name"),
            _strip(figure, floor, below=below),
            element("span", _down(figure["value"]), class_="value below" if below else "value"),
        ]
    ticks = [element("text", f"{tick:g}", x=_x(tick), y="0.9em") for tick in TICKS]
    rows += [element("span"), element("svg", *ticks, class_="ticks"), element("span")]
    told = "; ".join(f"{figure['name']} {_down(figure['value'])}" for figure in shown)
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


def _table(
    figures: Sequence[Facts], floor: float, caption: str, counted: str = "Agreed"
) -> ET.Element:
    rows = []
    for figure in figures:
        value, name = figure["value"], element("th", figure["name"], scope="row")
        if value is None:
            rows.append(element("tr", name, element("td", figure["reason"], colspan="3")))
            continue
        mark = "number below" if value < floor else "number"
        said = f"{_down(value)} below" if value < floor else _down(value)
        rows.append(
            element(
                "tr",
                name,
                element("td", f"{figure['agreed']} of {figure['of']}", class_="number"),
                element("td", said, class_=mark),
                element("td", _bounds(figure), class_="number"),
            )
        )
    heads = [element("th", "Figure", scope="col")]
    heads += [
        element("th", head, scope="col", class_="number")
        for head in (counted, "Share", "95% interval")
    ]
    return _scrolled(
        element("table", element("caption", caption), element("thead", element("tr", *heads)),
                element("tbody", *rows)),
        caption,
    )  # fmt: skip


def _scrolled(table: ET.Element, label: str) -> ET.Element:
    """Let a wide table scroll by itself on a narrow screen, by keyboard too."""
    return element("div", table, class_="scroll", role="region", aria_label=label, tabindex="0")


def _confusion(measured: Facts) -> ET.Element:
    table = measured["confusion"]
    heads = [element("td"), *(element("th", f"answered {key}", scope="col") for key in OUTCOMES)]
    rows = [
        element(
            "tr",
            element("th", f"expected {key}", scope="row"),
            *(_cell(table[key][answer], agrees=key == answer) for answer in OUTCOMES),
        )
        for key in OUTCOMES
    ]
    matrix = element(
        "table",
        element("caption", "Cases by known answer and by what the judge said"),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="matrix",
    )
    return element(
        "section",
        element("h2", "What was answered"),
        element("p", "Passes that should not be are the ones that cost: they are counted apart.",
                class_="quiet"),
        element("div", _scrolled(matrix, "Confusion matrix"),
                _table(measured["rates"], 0, "Of the cases that could be answered so", "Count"),
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
    heads = [element("th", head, scope="col") for head in ("Date", "What", "Weakest", "About")]
    table = element("table", element("caption", "From the log of receipts, oldest first"),
                    element("thead", element("tr", *heads)), element("tbody", *rows))  # fmt: skip
    return element(
        "section",
        element("h2", "Attempts"),
        element("p", "Every look at these answers with this model that was written down.",
                class_="quiet"),
        _scrolled(table, "Attempts"),
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
    said = "" if weakest is None else _down(weakest)
    return element("tr", *(element("td", cell) for cell in (event["date"], what, said, about)))


def _paired_head(paired: Facts, heading: str) -> ET.Element:
    decision = paired["decision"]
    words = {"adopt": "Adopt the candidate", "keep": "Keep the baseline", "undecided": "Undecided"}
    declared = paired["declared"]
    when = f"written down on {declared}" if declared else "not written down before"
    rule, limit = paired["rule"], paired["rule"].get("max_cost_ratio")
    cost = f", at most {limit:g} times the output" if limit else ""
    return element(
        "header",
        element("p", "Two judges on the same cases", class_="kicker"),
        element(heading, f"{paired['items']} items compared, {paired['ties']} tied and left out"),
        element("p", f"The rule, {when}: p at most {rule['alpha']:g}, margin at least"
                f" {rule['margin']:g}{cost}.", class_="quiet"),
        _verdict(words[decision], paired["reason"], clears=decision == "adopt"),
    )  # fmt: skip


def _pairs(paired: Facts) -> ET.Element:
    lost, won = paired["baseline_only"], paired["candidate_only"]
    most = max(lost, won, 1)
    picture = element(
        "div",
        element("div", f"only the baseline: {lost}", class_="left"),
        element("div", f"only the candidate: {won}", class_="right"),
        element("div", _bar(lost / most, "lost", from_right=True), class_="left"),
        element("div", _bar(won / most, "won", from_right=False), class_="right"),
        class_="pairs",
        role="img",
        aria_label=f"Right alone: the baseline {lost} times, the candidate {won} times",
    )
    rows = [
        element("tr", element("th", pair["item"], scope="row"), element("td", pair["right"]))
        for pair in paired["discordant"]
    ]
    heads = [element("th", head, scope="col") for head in ("Item", "Right alone")]
    table = element("table", element("caption", "Discordant pairs"),
                    element("thead", element("tr", *heads)), element("tbody", *rows))  # fmt: skip
    return element(
        "section",
        element("h2", "Where they differ"),
        element("p", "Only items that one of the two got right say anything about which is better.",
                class_="quiet"),
        element(
            "div",
            element("figure", element("figcaption", "Right where the other was wrong"), picture,
                    *_costs(paired), _numbers(paired)),
            _scrolled(table, "Discordant pairs"),
            class_="beside",
        ),
    )  # fmt: skip


def _costs(paired: Facts) -> list[ET.Element]:
    """Draw what each arm said in all, where both are known."""
    if paired["cost_ratio"] is None:
        return []
    output = paired["output"]
    most = max(output.values())
    rows = [
        part
        for name, cost in output.items()
        for part in (
            element("span", name, class_="name"),
            _bar(cost / most, "cost", from_right=False),
            element("span", f"{cost:g}", class_="value"),
        )
    ]
    told = ", ".join(f"{name} {cost:g}" for name, cost in output.items())
    return [
        element("p", "Output of each, in all", class_="key"),
        element("div", *rows, class_="plot", role="img", aria_label=f"Output: {told}"),
    ]


def _bar(share: float, kind: str, *, from_right: bool) -> ET.Element:
    width = 100 * share
    rect = element("rect", x=f"{100 - width if from_right else 0:.3f}%", y="10%",
                   width=f"{width:.3f}%", height="80%", rx="3", class_=kind)  # fmt: skip
    return element("svg", rect, aria_hidden="true")


def _numbers(found: Facts) -> ET.Element:
    ratio = found["cost_ratio"]
    told = {
        "both right": str(found["both_right"]),
        "both wrong": str(found["both_wrong"]),
        "margin": "unknown" if found["margin"] is None else _down(found["margin"]),
        "p (McNemar, exact)": found["p_reason"] or _up(found["p"]),
        "output": found["cost_reason"] if ratio is None else f"{_down(ratio)} times the baseline's",
    }
    parts = [part for name, value in told.items()
             for part in (element("dt", name), element("dd", value))]  # fmt: skip
    return element("dl", *parts)


def _errata(paired: Facts) -> ET.Element:
    rows = [
        element("tr", element("th", row["item"], scope="row"), element("td", row["kind"]),
                element("td", row["expected"] or "left out"), element("td", row["why"]))
        for row in paired["errata"]
    ]  # fmt: skip
    heads = [element("th", h, scope="col") for h in ("Item", "Erratum of the", "Answer", "Why")]
    table = element("table", element("caption", "What was found wrong after the run"),
                    element("thead", element("tr", *heads)), element("tbody", *rows))  # fmt: skip
    return element(
        "section",
        element("h2", "Beside it, with errata"),
        element("p", "The decision stands on the original score.", class_="quiet"),
        element("div", _numbers(paired["corrected"]), _scrolled(table, "Errata"), class_="beside"),
    )


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


def _bounds(figure: Facts) -> str:
    return f"{_down(figure['lower'])} to {_up(figure['upper'])}"


def _down(value: float) -> str:
    return str(canonical_module("judge_calibration.py").down(value))


def _up(value: float) -> str:
    return str(canonical_module("judge_calibration.py").up(value))
