"""Build HTML as a tree, so that whatever a judge or a case says is text and never markup."""

from __future__ import annotations

from xml.etree import ElementTree as ET

Child = ET.Element | str | None


def element(tag: str, *children: Child, **attributes: object) -> ET.Element:
    """Return an element; `class_` and `for_` lose their underscore, others get dashes for it."""
    made = ET.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-"), visible(str(value)))
    last: ET.Element | None = None
    for child in children:
        if isinstance(child, ET.Element):
            made.append(child)
            last = child
        elif child is not None and last is None:
            made.text = (made.text or "") + visible(child)
        elif child is not None and last is not None:
            last.tail = (last.tail or "") + visible(child)
    return made


def document(title: str, style: str, body: ET.Element) -> str:
    """Return a whole page that loads nothing: its policy forbids even the attempt."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", style),
    )
    page = element("html", head, body, lang="en")
    ET.indent(page, space=" ")
    return "<!DOCTYPE html>\n" + ET.tostring(page, encoding="unicode", method="html") + "\n"


def visible(text: str) -> str:
    """Return the text with what nobody can see (controls, surrogates, overrides) spelled out."""
    return "".join(
        char
        if char.isprintable() or char == "\n"
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
