"""`judge-contract debate`: the canonical judge_debate.py, which also gets YAML as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from judge_conformance import gates
from judge_conformance.catalog import Catalog
from judge_conformance.cli._blocks import json_of
from judge_conformance.cli._canonical import Canonical
from judge_conformance.errors import UnusableInputError

FILE = "judge_debate.py"
WITH_BLOCKS = ("spec", "reply")
VALUED = ("--state", "--source", "--round", "--local")  # flags whose next word is no block


@click.command("debate", cls=Canonical, file=FILE)
@click.argument("argv", nargs=-1, type=click.UNPROCESSED)
def command(argv: tuple[str, ...]) -> int:
    """Keep the books of a debate until three judges agree.

    The specification and the reply blocks may be files in YAML 1.2, too. A file that is neither is
    told of, and handed on as it is: the debate decides what it means.
    """
    with TemporaryDirectory(prefix="judge-contract-") as folder:
        words = with_json(argv, Path(folder)) if argv[:1] and argv[0] in WITH_BLOCKS else argv
        return gates.run(Catalog.load(), FILE, words)


def with_json(argv: Sequence[str], folder: Path) -> list[str]:
    """Return the words, with JSON files in `folder` in the place of YAML files.

    The file that is hashed as the specification stays the one that a person wrote.
    """
    words = list(argv)
    for i, word in enumerate(argv):
        if argv[i - 1] in VALUED or word.startswith("-"):
            continue
        try:
            text = json_of(word)
        except UnusableInputError as error:
            click.echo(f"judge-contract debate: {error.where}{error.message}", err=True)
            continue
        if text is not None:
            copy = folder / str(i) / Path(word).name
            copy.parent.mkdir(parents=True)
            copy.write_text(text, "utf-8")
            words[i] = str(copy)
            if argv[0] == "spec" and "--source" not in argv:
                words.append(f"--source={word}")
    return words
