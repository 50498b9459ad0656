"""`judge-contract rules`."""

import click

from judge_conformance.errors import GO
from judge_conformance.rules import all_rules


@click.command()
def command() -> int:
    """List every rule: its code, its level, what it finds."""
    for rule in all_rules():
        click.echo(f"{rule.code:14} {rule.severity.value:8} {rule.title}")
    return GO
