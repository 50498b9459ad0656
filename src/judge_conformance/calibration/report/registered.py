"""The part of a report about a registry: how every judge of a repository stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

from judge_conformance.calibration.report.drawing import banner, bars, listing
from judge_conformance.calibration.report.markup import element
from judge_conformance.judges import STATUSES, Fault, Row
from judge_conformance.judges.tables import in_order, rests_on
from judge_conformance.output.text import counted
from judge_conformance.paths import REGISTRY

COLUMNS = ("Judge", "Status", "Where", "Rests on", "Does it hold?")


def sections(rows: Sequence[Row], faults: Sequence[Fault]) -> list[ET.Element]:
    """Return the sections of a registry: its rows, and what does not hold of them."""
    ordered = in_order(rows)
    parts = [_head(ordered, faults), _statuses(ordered), _judges(ordered, faults)]
    strays = [fault for fault in faults if fault.path != REGISTRY]
    return [*parts, _without_a_row(strays)] if strays else parts


def _head(rows: Sequence[Row], faults: Sequence[Fault]) -> ET.Element:
    plugins = len({row.plugin for row in rows})
    reason = "as far as it can be told without running a proof's command"
    word = f"{len(faults)} do not hold" if faults else "Every row holds"
    if len(faults) == 1:
        word = "1 does not hold"
    return element(
        "header",
        element("p", f"The registry, {REGISTRY}", class_="kicker"),
        element("h1", f"Judges: {len(rows)} in {counted(plugins, 'plugins')}"),
        banner(word, reason, clears=not faults),
    )


def _statuses(rows: Sequence[Row]) -> ET.Element:
    counts = Counter(row.status for row in rows)
    shown = {status: counts[status] for status in STATUSES}
    body = [
        element("tr", element("th", status, scope="row"),
                element("td", f"{count}", class_="number"), element("td", STATUSES[status]))
        for status, count in shown.items()
    ]  # fmt: skip
    heads: list[str | ET.Element] = ["Status", element("th", "Judges", class_="number"), "Means"]
    return element(
        "section",
        element("h2", "How they stand"),
        element(
            "div",
            element(
                "figure", element("figcaption", "Judges by status"), bars(shown, "share")
            ),
            listing("Judges by status, as numbers", heads, [element("tbody", *body)]),
            class_="beside",
        ),
    )  # fmt: skip


def _judges(rows: Sequence[Row], faults: Sequence[Fault]) -> ET.Element:
    bodies = []
    for plugin, group in groupby(rows, key=lambda row: row.plugin):
        head = element("th", plugin, scope="rowgroup", colspan=len(COLUMNS), class_="group")
        lines = [_line(row, [*_of(row, faults)]) for row in group]
        bodies.append(element("tbody", element("tr", head), *lines))
    return element(
        "section",
        element("h2", "Plugin by plugin"),
        listing("Every judge, and what its status rests on", COLUMNS, bodies, class_="registry"),
    )


def _of(row: Row, faults: Sequence[Fault]) -> Iterator[str]:
    """Yield what does not hold of a row, without its name."""
    for fault in faults:
        if fault.path == REGISTRY and fault.line == row.line:
            yield fault.message.removeprefix(f"{row.name} ")


def _line(row: Row, told: Sequence[str]) -> ET.Element:
    shape = element("div", row.shape, class_="quiet") if row.shape else None
    verdict = element("td", f"no: {'; '.join(told)}", class_="below") if told else None
    return element(
        "tr",
        element("th", row.judge, shape, scope="row"),
        element("td", row.status),
        element("td", *(element("div", element("code", path)) for path in row.where)),
        element("td", *(_rest(words, name) for words, name in rests_on(row))),
        element("td", "yes") if verdict is None else verdict,
    )


def _rest(words: str, name: str) -> ET.Element:
    return element("div", f"{words} ", element("code", name) if name else None)


def _without_a_row(faults: Sequence[Fault]) -> ET.Element:
    body = [
        element("tr", element("th", element("code", f"{fault.path}:{fault.line}"), scope="row"),
                element("td", fault.message))
        for fault in faults
    ]  # fmt: skip
    listed = listing("Judges that no row names", ("Where", "What"), [element("tbody", *body)])
    return element("section", element("h2", "Without a row"), listed)
