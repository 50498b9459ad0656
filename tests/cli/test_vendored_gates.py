"""Each gate is vendored, runs from where it was put, and every edit of the copy is found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main

Adopted = Callable[..., Path]
Captured = pytest.CaptureFixture[str]

GATES = {
    "advisory": "judge_advisory.py",
    "calibration": "judge_calibration.py",
    "debate": "judge_debate.py",
    "fanout": "judge_fanout.py",
    "goal": "judge_goal_loop.py",
    "refute": "judge_refute.py",
    "vote": "judge_vote.py",
}
EDITS: dict[str, Callable[[bytes], bytes]] = {
    "a byte in the middle": lambda text: text.replace(b"import sys", b"import  sys", 1),
    "the first line": lambda text: text.replace(b"0.2.0", b"0.2.1", 1),
    "a line at the end": lambda text: text + b"\n",
    "no line end at the end": lambda text: text[:-1],
    "cut short": lambda text: text[: len(text) // 2],
    "other line ends": lambda text: text.replace(b"\n", b"\r\n"),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "empty": lambda _: b"",
}


def checked(capfd: Captured) -> list[str]:
    """Return the findings of a check, a line each, without those of what nobody calls yet."""
    main(["check", "--format", "github"])
    told = capfd.readouterr().out.splitlines()
    return [line for line in told if "JC-UNCALLED" not in line and line.startswith("::error")]


def test_every_gate_of_the_catalog_is_tried(catalog: Catalog) -> None:
    gates = {a.gate: a.name for a in catalog.artifacts.values() if a.gate}
    assert gates == GATES


@pytest.mark.parametrize("gate", GATES)
def test_a_gate_is_vendored_and_its_edits_are_found(
    gate: str, adopted: Adopted, catalog: Catalog, capfd: Captured
) -> None:
    root, name = adopted(), GATES[gate]
    assert main(["vendor", "acme", "--gate", gate]) == 0
    path = f"plugins/acme/scripts/{name}"
    copy = root / path
    content = copy.read_bytes()
    assert content == catalog.content(name)
    assert f"create   {path}" in capfd.readouterr().out
    words = [sys.executable, "-I", "-S", str(copy), "--version"]
    assert (
        subprocess.run(words, capture_output=True, check=True).stdout == f"{name} 0.2.0\n".encode()
    )
    assert checked(capfd) == []
    for what, edit in EDITS.items():
        copy.write_bytes(edit(content))
        found = checked(capfd)
        assert any(f"file={path}" in line and "JC-PY-DRIFT" in line for line in found), (
            what,
            found,
        )
    copy.unlink()
    assert any(f"file={path}" in line and "JC-REQUIRED" in line for line in checked(capfd))
    assert main(["vendor", "acme", "--gate", gate]) == 0
    assert copy.read_bytes() == content
    capfd.readouterr()
    assert checked(capfd) == []
