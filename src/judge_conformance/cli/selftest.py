"""`judge-contract selftest`."""

import click

from judge_conformance.catalog import Catalog
from judge_conformance.errors import GO, STOP
from judge_conformance.rules import all_rules
from judge_conformance.selftest import selftest


@click.command()
@click.option("--verbose", "-v", is_flag=True, help="Name every planted tree.")
def command(verbose: bool) -> int:
    """Prove every rule on planted trees: it fails where it must, and only there."""
    red = count = 0
    rules = all_rules()
    for proof, wrong in selftest(Catalog.load(), rules):
        count += 1
        red += wrong is not None
        if wrong or verbose:
            click.echo(f"{proof.rule.code}: {proof.title}: {wrong or 'as planted'}")
    click.echo(f"selftest: {len(rules)} rules, {count} planted trees and scripts, {red} red")
    return STOP if red else GO
