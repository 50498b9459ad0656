"""The entry point: find the commands, run one, and map what happens to an exit code."""

from __future__ import annotations

import gc
import importlib
import io
import os
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from judge_conformance import cli
from judge_conformance.errors import (
    INTERRUPTED,
    OUR_BUG,
    UNDECIDED,
    JudgeContractError,
)

PROGRAM = "judge-contract"

SECTIONS = {
    "Begin": ("scan", "init", "vendor"),
    "Keep": ("check", "status", "diff", "upgrade", "lock", "pin", "retire"),
    "Try the judges": ("exercise", "calibrate", "judges"),
    "Judge": ("decide", "validate", "spot-check", "check-rubric"),
    "Gates over many answers": ("vote", "refute", "fanout", "goal", "debate", "advisory"),
    "Prove the tool": ("parity", "selftest"),
    "Look up": ("rules", "explain", "schema", "completion"),
}


class _Commands(click.Group):
    """Commands are the modules of this package that are not private; each is imported when run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        modules = (module.name for module in pkgutil.iter_modules(cli.__path__))
        return sorted(
            name.replace("_", "-") for name in modules if name != "app" and name[0] != "_"
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what they are for."""
        limit = formatter.width - 6 - max(map(len, self.list_commands(ctx)))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                commands = ((name, self.get_command(ctx, name)) for name in names)
                rows = [(name, one.get_short_help_str(limit)) for name, one in commands if one]
                formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{cli.__name__}.{cmd_name.replace('-', '_')}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is not a click command")
        return command


@click.group(
    name=PROGRAM,
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exits: 0 go, 1 stop, 2 undecided (never a pass), 3 an author's mistake.",
)
@click.version_option(package_name="judge-contract", prog_name=PROGRAM)
@click.option("--traceback", is_flag=True, help="Show Python's traceback when something breaks.")
def app(traceback: bool) -> None:
    """Hold a repository of agent plugins to one contract for its model judges.

    Start with `scan`, adopt with `init PLUGIN`, keep it with `check`.
    """
    del traceback  # read from argv in `main`, so that it works wherever a command breaks


def say(line: str) -> None:
    """Print one line on stderr, whatever the console's encoding can hold."""
    data = (line + "\n").encode("utf-8", "backslashreplace")
    sys.stderr.flush()
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


def _one_line(text: str) -> str:
    """Keep a message on its line: control characters of file names are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _told(error: BaseException) -> tuple[str, int]:
    """Tell a failure in one line, with the exit code that it means."""
    match error:
        case click.exceptions.Abort() | KeyboardInterrupt():
            return "interrupted", INTERRUPTED
        case click.UsageError():
            path = error.ctx.command_path if error.ctx else PROGRAM
            return f"{error.format_message()} (see: {path} --help)", UNDECIDED
        case click.ClickException():
            return error.format_message(), UNDECIDED
        case JudgeContractError():
            hint = f" ({error.hint})" if error.hint else ""
            return error.where + error.message + hint, error.exit_code
    report = "run again with --traceback and report what it prints"
    return f"a bug of ours: {type(error).__name__}: {error} ({report})", OUR_BUG


def main(argv: Sequence[str]) -> int:
    """Run the command line and return its exit code; prints one line for every failure."""
    try:
        outcome = app.main(args=list(argv), prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader went away; Python would complain once more while closing stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNDECIDED
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a traceback is never a user's
        if "--traceback" in argv:
            traceback.print_exc()
        line, code = _told(error)
        say(f"{PROGRAM}: {_one_line(line)}")
        return code
    return outcome if isinstance(outcome, int) else 0


def entry() -> NoReturn:
    """Run the console script."""
    # Syntax trees are many objects without cycles: looking for garbage in them takes a third of
    # the time of a large repository, and finds none.
    gc.set_threshold(200_000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console of old cannot hold every name
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
