"""The page in a real browser: still, and readable by anybody, on a desk or a phone, day or night.

axe finds what has too little contrast, no label, or no place in the order of a page.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser import Page, brought, browser
from tests.calibration.conftest import calibrated
from tests.calibration.test_report import contrast
from tests.judges.market import plant_market
from tests.trees import plant

AXE = """axe.run({resultTypes: ['violations']}).then(({violations, passes}) => ({
    found: violations.map(v => `${v.id}: ${v.nodes[0].html}`), passed: passes.map(p => p.id)}))"""
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
GROUND = "getComputedStyle(document.body).backgroundColor"
DRAWN = """[...document.querySelectorAll('rect, circle, line:not(.track), text')].map(shape => {
    const style = getComputedStyle(shape)
    return [shape.className.baseVal, style[shape.tagName === 'line' ? 'stroke' : 'fill']] })"""
CARD = "getComputedStyle(document.querySelector('section')).backgroundColor"
SCREENS = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]
"""Widths in CSS pixels, and what the system is set to."""


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = brought()
    with browser(folder, tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def drawn(measured: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every kind of page: all that can be measured, a registry that holds, one that does not."""
    tree = tmp_path_factory.mktemp("drawn")
    shutil.copytree(measured, tree, dirs_exist_ok=True)
    sound, broken = (plant_market(tmp_path_factory.mktemp(name)) for name in ("sound", "broken"))
    registry = broken / "judges.toml"
    registry.write_text(registry.read_text("utf-8").replace('status = "conforms"', 'status = "x"'))
    plant(broken, {"plugins/p03/workflows/new.js": "return agent('?', { label: 'verify' });\n"})
    record = ["--record", "record.json", "--receipts", "calibration-receipts.jsonl"]
    pages = {
        "measured": [*record, "--paired", "paired.json"],
        "registry": ["--judges", str(sound)],
        "all": [*record, "--paired", "paired.json", "--judges", str(broken)],
    }
    for name, words in pages.items():
        calibrated(tree, "report", "--out", f"{name}.html", *words)
    return {name: tree / f"{name}.html" for name in pages}


def faults(tab: Page) -> dict[str, Any]:
    tab.run((brought() / "axe.min.js").read_text("utf-8"))
    found: dict[str, Any] = tab.run(AXE)
    return found


@pytest.mark.parametrize(("width", "theme"), SCREENS)
@pytest.mark.parametrize("name", ["measured", "registry", "all"])
def test_the_page_is_still_and_readable(
    tab: Page, drawn: dict[str, Path], name: str, width: int, theme: str
) -> None:
    assert tab.open(drawn[name], width=width, theme=theme) == []
    assert tab.run(WIDE) <= 0
    found = faults(tab)
    assert found["found"] == []
    assert {"color-contrast", "role-img-alt", "landmark-one-main"} <= {*found["passed"]}


def test_day_and_night_are_two_themes(tab: Page, drawn: dict[str, Path]) -> None:
    grounds = []
    for theme in ("light", "dark"):
        tab.open(drawn["all"], width=1280, theme=theme)
        grounds.append(tab.run(GROUND))
    assert grounds == ["rgb(246, 245, 241)", "rgb(20, 23, 27)"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_shape_stands_out(tab: Page, drawn: dict[str, Path], theme: str) -> None:
    """WCAG asks 3 of what is drawn and 4.5 of text; axe looks into no picture."""
    tab.open(drawn["all"], width=1280, theme=theme)
    card, shapes = tab.run(CARD), tab.run(DRAWN)
    assert {kind for kind, _ in shapes} >= {"", "mark", "bounds", "floor", "won", "cost", "share"}
    for kind, colour in shapes:
        assert contrast(hexadecimal(colour), hexadecimal(card)) >= (3 if kind else 4.5), kind


def hexadecimal(colour: str) -> str:
    """Return `rgb(1, 2, 3)` as `#010203`."""
    channels = colour.removeprefix("rgb(").removesuffix(")").split(",")
    return "#" + "".join(f"{int(channel):02x}" for channel in channels)


def test_what_is_written_is_never_run(tab: Page, drawn: dict[str, Path]) -> None:
    tab.open(drawn["measured"], width=1280, theme="light")
    assert tab.run("document.body.textContent.includes('<script>alert(1)</script>')")
    assert tab.run("document.scripts.length") == 0


BAD = {
    "a request": ("<img src='other.png' alt='x'>", "Network.requestWillBeSent"),
    "a word to the console": ("<script>console.log(1)</script>", "Runtime.consoleAPICalled"),
    "an error": ("<script>throw 1</script>", "Runtime.exceptionThrown"),
}


@pytest.mark.parametrize(("body", "event"), BAD.values(), ids=list(BAD))
def test_the_browser_tells_what_a_page_does(
    tab: Page, tmp_path: Path, body: str, event: str
) -> None:
    page = tmp_path / "bad.html"
    page.write_text(f"<!DOCTYPE html><title>x</title>{body}")
    assert event in {told["method"] for told in tab.open(page, width=1280, theme="light")}


def test_axe_tells_what_cannot_be_read(tab: Page, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<!DOCTYPE html><html lang=en><title>x</title><main><h1 style='color:#ccc'>Hello</h1>"
        "<div role=img>x</div><div style='width:9000px'>y</div></main>"
    )
    tab.open(page, width=360, theme="light")
    assert {fault.partition(":")[0] for fault in faults(tab)["found"]} == {
        "color-contrast", "role-img-alt"}  # fmt: skip
    assert tab.run(WIDE) > 0
