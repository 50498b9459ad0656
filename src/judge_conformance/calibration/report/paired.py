"""The part of a report about two judges on the same cases."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from judge_conformance.calibration.report.drawing import Facts, banner, bar, bars, down, listing, up
from judge_conformance.calibration.report.markup import element


def sections(paired: Facts) -> list[ET.Element]:
    """Return the sections of what `paired` told."""
    parts = [_head(paired), _pairs(paired)]
    if paired["corrected"] is not None:
        parts.append(_errata(paired))
    return parts


def _head(paired: Facts) -> ET.Element:
    decision = paired["decision"]
    words = {"adopt": "Adopt the candidate", "keep": "Keep the baseline", "undecided": "Undecided"}
    declared = paired["declared"]
    when = f"written down on {declared}" if declared else "not written down before"
    rule, limit = paired["rule"], paired["rule"].get("max_cost_ratio")
    cost = f", at most {limit:g} times the output" if limit else ""
    return element(
        "header",
        element("p", "Two judges on the same cases", class_="kicker"),
        element("h1", f"{paired['items']} items compared, {paired['ties']} tied and left out"),
        element("p", f"The rule, {when}: p at most {rule['alpha']:g}, margin at least"
                f" {rule['margin']:g}{cost}.", class_="quiet"),
        banner(words[decision], paired["reason"], clears=decision == "adopt"),
    )  # fmt: skip


def _pairs(paired: Facts) -> ET.Element:
    lost, won = paired["baseline_only"], paired["candidate_only"]
    most = max(lost, won, 1)
    picture = element(
        "div",
        element("div", f"only the baseline: {lost}", class_="left"),
        element("div", f"only the candidate: {won}", class_="right"),
        element("div", bar(lost / most, "lost", from_right=True), class_="left"),
        element("div", bar(won / most, "won", from_right=False), class_="right"),
        class_="pairs",
        role="img",
        aria_label=f"Right alone: the baseline {lost} times, the candidate {won} times",
    )
    rows = [
        element("tr", element("th", pair["item"], scope="row"), element("td", pair["right"]))
        for pair in paired["discordant"]
    ]
    listed = listing("Discordant pairs", ("Item", "Right alone"), [element("tbody", *rows)])
    return element(
        "section",
        element("h2", "Where they differ"),
        element("p", "Only items that one of the two got right say anything about which is better.",
                class_="quiet"),
        element(
            "div",
            element("figure", element("figcaption", "Right where the other was wrong"), picture,
                    *_costs(paired), _numbers(paired)),
            listed,
            class_="beside",
        ),
    )  # fmt: skip


def _costs(paired: Facts) -> list[ET.Element]:
    """Draw what each arm said in all, where both are known."""
    if paired["cost_ratio"] is None:
        return []
    return [
        element("p", "Output of each, in all", class_="key"),
        bars(paired["output"], "cost", "Output: "),
    ]


def _numbers(found: Facts) -> ET.Element:
    ratio = found["cost_ratio"]
    told = {
        "both right": str(found["both_right"]),
        "both wrong": str(found["both_wrong"]),
        "margin": "unknown" if found["margin"] is None else down(found["margin"]),
        "p (McNemar, exact)": found["p_reason"] or up(found["p"]),
        "output": found["cost_reason"] if ratio is None else f"{down(ratio)} times the baseline's",
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
    heads = ("Item", "Erratum of the", "Answer", "Why")
    listed = listing("What was found wrong after the run", heads, [element("tbody", *rows)])
    return element(
        "section",
        element("h2", "Beside it, with errata"),
        element("p", "The decision stands on the original score.", class_="quiet"),
        element("div", _numbers(paired["corrected"]), listed, class_="beside"),
    )
