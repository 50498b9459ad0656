"""What `--help` says of every command, and the page that is made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from judge_conformance.cli._canonical import Canonical
from judge_conformance.cli.app import PROGRAM, SECTIONS, app, main

PAGE = (Path(__file__).parents[2] / "docs/commands.md").read_text("utf-8")


def commands(
    command: click.Command, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with the words that call it, subcommands too."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from commands(child, (*words, name))


EVERY = dict(commands(app))
HERE = {words: command for words, command in EVERY.items() if words[:1] != ("calibrate",)}


@pytest.mark.parametrize("words", HERE, ids=" ".join)
def test_every_command_explains_itself(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main([*words, "--help"]) == 0
    told = capfd.readouterr()
    assert told.err == ""
    assert re.match(r"(?i)usage: ", told.out)
    assert "\\b" not in told.out
    assert main([*words, "-h"]) == 0
    assert capfd.readouterr() == told
    if not isinstance(EVERY[words], Canonical):
        examples = [line for line in told.out.splitlines() if line[2:].startswith(f"{PROGRAM} ")]
        assert told.out.count(f"{PROGRAM} ") == len(examples) + 1, "an example is not a line"


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_option_is_told(words: tuple[str, ...]) -> None:
    command = EVERY[words]
    assert command.help
    options = [p for p in command.params if isinstance(p, click.Option)]
    needs = [option.name for option in options if not option.help and not option.required]
    assert needs == []


def test_the_page_holds_every_command_and_its_flags() -> None:
    for words, command in EVERY.items():
        part = PAGE.split(f"# {' '.join(words)}\n")[-1].split("\n#")[0] if words else PAGE
        assert part != PAGE or not words, words
        if isinstance(command, Canonical):
            assert f"    {command.file} " in part
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.opts[0] in part


def test_every_command_has_a_section_of_the_help() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == app.list_commands(click.Context(app))


GROUPS = {words: one for words, one in EVERY.items() if isinstance(one, click.Group)}


@pytest.mark.parametrize("words", GROUPS, ids=" ".join)
def test_no_line_of_a_list_of_commands_is_cut(words: tuple[str, ...]) -> None:
    context = click.Context(GROUPS[words], terminal_width=80)
    told = GROUPS[words].get_help(context)
    assert [line for line in told.splitlines()[1:] if line.endswith("...")] == []
