"""`judge-contract completion`."""

import click
from click.shell_completion import get_completion_class

from judge_conformance.cli.app import PROGRAM, app
from judge_conformance.errors import GO


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script of a shell.

    \b
    judge-contract completion bash >> ~/.bashrc
    judge-contract completion zsh >> ~/.zshrc
    judge-contract completion fish > ~/.config/fish/completions/judge-contract.fish
    """
    completion = get_completion_class(shell)
    if completion is not None:
        variable = f"_{PROGRAM.replace('-', '_').upper()}_COMPLETE"
        click.echo(completion(app, {}, PROGRAM, variable).source())
    return GO
