"""Rubrics, reports that are nearly right, and verdicts, for the property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

names = st.sampled_from(["a", "b", "aa", "__proto__", "é", "\U0001f600", "\ud800"])
texts = st.one_of(
    st.sampled_from(["line 1", "x", " \t", "", "\ufeff", "\u2065"]), st.text(max_size=4)
)
shares = st.one_of(st.sampled_from([0, 1, 0.5, 0.8, 1e-7, 1e-5, -0.0]), st.floats(0, 1))
oddities = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([2.5, -0.1, 1e300, "1", "", [], {}, [None], 10**20]),
)


@st.composite
def rubrics(draw: st.DrawFn) -> dict[str, Any]:
    ids = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    rubric: dict[str, Any] = {
        "id": draw(st.sampled_from(["acme-review@1", "a-b-c@20"])),
        "threshold": draw(shares.filter(bool)),
        "criteria": [{"id": name, "question": "Is it so?"} for name in ids],
    }
    if draw(st.booleans()):
        figures = {"sealed": draw(st.integers(0, 2)), "agreement": draw(shares), "floor": 0.8}
        rubric["calibration"] = figures
    return rubric


@st.composite
def entries(draw: st.DrawFn, name: str) -> dict[str, Any]:
    scores = st.one_of(shares, st.just(1), st.just(1))
    entry: dict[str, Any] = {
        "id": name,
        "score": draw(scores),
        "pass": draw(st.sampled_from([True, True, True, False])),
        "evidence": "line 1",
    }
    if draw(st.integers(0, 3)) == 0:
        entry |= {"score": None, "pass": None}
    return entry


@st.composite
def reports(draw: st.DrawFn, rubric: dict[str, Any]) -> dict[str, Any]:
    """Draw a good report, and in half of the draws break it in up to three places."""
    ids = draw(st.permutations([criterion["id"] for criterion in rubric["criteria"]]))
    report: dict[str, Any] = {
        "item": draw(st.sampled_from(["i", "\U0001f600", "j"])),
        "criteria": [draw(entries(name)) for name in ids],
        "abstain": False,
        "abstainReason": None,
    }
    if draw(st.booleans()):
        return report
    for _ in range(draw(st.integers(1, 3))):
        places: list[Any] = [report, *(one for one in report["criteria"] if isinstance(one, dict))]
        place = draw(st.sampled_from(places))
        key = draw(st.sampled_from(sorted(place) or ["item"]))
        match draw(st.sampled_from(["odd", "text", "gone", "name", "list"])):
            case "odd":
                place[key] = draw(oddities)
            case "text":
                place[key] = draw(texts)
            case "gone":
                place.pop(key, None)
            case "name":
                place["id"] = draw(names)
            case _:
                report["criteria"] = [*report["criteria"], draw(oddities)]
        if not isinstance(report.get("criteria"), list):
            break
    return report


@st.composite
def questions(draw: st.DrawFn) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """Draw (report, rubric, options) as decide() takes them."""
    rubric = draw(rubrics())
    report = draw(st.one_of(reports(rubric), reports(rubric), reports(rubric), oddities))
    options = draw(st.sampled_from([{}, {"item": "i"}, {"decidedBy": "command"}]))
    return report, rubric, options
