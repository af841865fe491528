"""``dpwerm fit``: from a study file and a table to a released rule."""

from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import DELTA_HELP, EPSILON_HELP, TABLE_HELP, Force, free_path, stages
from dpwerm.cli.paying import LedgerOrNone, Slot, ask, hand_over, payer, spare, told
from dpwerm.privacy.budget import only_budget
from dpwerm.study.study import Study


def fit(
    study: Annotated[Path, typer.Argument(help="The study file.")],
    table: Annotated[Path, typer.Argument(help=TABLE_HELP)],
    epsilon: Annotated[str | None, typer.Option(help=EPSILON_HELP)] = None,
    out: Annotated[Path, typer.Option(help="Where to write the rule.")] = Path("rule.json"),
    delta: Annotated[str, typer.Option(help=DELTA_HELP)] = "0",
    rho: Annotated[
        str | None,
        typer.Option(help="Instead of epsilon: rho of zero-concentrated privacy, such as 0.1."),
    ] = None,
    mu: Annotated[
        str | None, typer.Option(help="Instead of epsilon: mu of Gaussian privacy, such as 0.5.")
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            help="Strength of regularisation, above 0; if left out, it and all other settings "
            "are chosen on simulated trials."
        ),
    ] = None,
    mechanism: Annotated[
        str | None,
        typer.Option(help="Which noise, such as objective-block or gaussian; chosen if left out."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For simulation only: marks the rule as not private.")
    ] = None,
    ledger: LedgerOrNone = None,
    slot: Slot = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before the release.")] = False,
    force: Force = False,
) -> None:
    """Learn a rule and release it under differential privacy."""
    # scikit-learn and SciPy take a second to load; commands that do without them start at once.
    from dpwerm.documents.summary import summary
    from dpwerm.estimators.treatment_rule import PrivateTreatmentRule

    declared = Study.load(study)
    budget = only_budget(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    path = free_path(out, force=force, inputs=(study, table))
    paid = payer(declared, ledger, slot, private=budget.is_private and seed is None)
    spare(paid, path)
    method = {"gamma": gamma, "mechanism": mechanism}
    rule = PrivateTreatmentRule.from_study(
        declared,
        budget,
        random_state=seed,
        ledger=paid,
        **{key: value for key, value in method.items() if value is not None},
    )
    checked = rule.check_parameters()
    ask(f"Release a rule from study {declared.id} at {budget}?", paid, budget, yes=yes)
    with told(paid), stages() as on_stage:
        rule.fit(table, on_stage=on_stage, checked=checked)
    hand_over(rule.rule_, path, lambda: summary(rule.rule_))
