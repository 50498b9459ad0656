"""`judge-contract explain`."""

import click

from judge_conformance.errors import GO, UsageError
from judge_conformance.rules import all_rules


@click.command()
@click.argument("code")
def command(code: str) -> int:
    """Explain a rule: what it checks, why, and how to mend what it finds."""
    rule = next((rule for rule in all_rules() if rule.code == code.upper()), None)
    if rule is None:
        raise UsageError(f"no rule {code!r}", hint="see: judge-contract rules")
    click.echo(f"{rule.code} ({rule.severity.value}): {rule.title}\n\n{rule.doc}")
    return GO
