"""`judge-contract explain`."""

import click

from judge_conformance.catalog import Catalog
from judge_conformance.errors import GO, UsageError
from judge_conformance.exercise.report import RULES as OF_EXERCISE
from judge_conformance.findings import RuleInfo
from judge_conformance.planted.shown import shown
from judge_conformance.rules import all_rules
from judge_conformance.sabotage.proof_report import RULES as OF_PROOFS
from judge_conformance.selftest import RED


@click.command()
@click.argument("code")
def command(code: str) -> int:
    """Explain a code: why, what mends it, and an example.

    It also says what the rule cannot see.
    """
    code = code.upper()
    if rule := next((rule for rule in all_rules() if rule.code == code), None):
        click.echo(f"{rule.code} ({rule.severity.value}): {rule.title}\n\n{rule.doc}\n")
        click.echo(f"For example (- is red, + is mended), {shown(rule, Catalog.load())}")
        return GO
    others: tuple[RuleInfo, ...] = (*OF_EXERCISE, *OF_PROOFS, RED)
    if info := next((info for info in others if info.code == code), None):
        click.echo(f"{info.code} ({info.severity.value}): {info.title}\n\n{info.help}")
        return GO
    raise UsageError(f"no rule {code!r}", hint="see: judge-contract rules")
