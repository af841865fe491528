"""``dpwerm evaluate``: the value of a rule on a trial, released under a budget of its own."""

from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import EPSILON_HELP, Force, free_path, stages
from dpwerm.cli.paying import LedgerOrNone, Slot, ask, hand_over, payer, spare, told
from dpwerm.data.readers import endings
from dpwerm.privacy.budget import Budget
from dpwerm.releases.rule_file import read_rule
from dpwerm.study.study import Study

PEOPLE_HELP = (
    "People with their arm and outcome, best others than the rule was learned from: a "
    f"{endings()} file."
)


def evaluate(
    rule: Annotated[Path, typer.Argument(help="A rule file.")],
    study: Annotated[Path, typer.Argument(help="The study file of the trial.")],
    table: Annotated[Path, typer.Argument(help=PEOPLE_HELP)],
    epsilon: Annotated[str, typer.Option(help=EPSILON_HELP)],
    out: Annotated[Path, typer.Option(help="Where to write the value.")] = Path("value.json"),
    confidence: Annotated[float, typer.Option(help="Of each interval, 0.5 to 0.999.")] = 0.95,
    outcome_model: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="TOML file of a public model of the benefit, for the doubly robust value.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For simulation only: marks the value as not private.")
    ] = None,
    ledger: LedgerOrNone = None,
    slot: Slot = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before the release.")] = False,
    force: Force = False,
) -> None:
    """Release how good a rule is, beside one arm for everybody."""
    # SciPy and scikit-learn take a second to load; faults of the files are reported before.
    loaded, declared = read_rule(rule), Study.load(study)
    from dpwerm.documents.value import value_summary
    from dpwerm.evaluate import Evaluation
    from dpwerm.releases.value.layout import OutcomeModel

    private = loaded.private and Budget.of(epsilon).is_private and seed is None
    paid = payer(declared, ledger, slot, private=private)
    wanted = Evaluation(
        loaded,
        epsilon,
        study=declared,
        confidence=confidence,
        outcome_model=None if outcome_model is None else OutcomeModel.load(outcome_model),
        random_state=seed,
        ledger=paid,
    )
    path = free_path(out, force=force, inputs=(rule, study, table))
    spare(paid, path)
    question = f"Release a value from study {declared.id} at {wanted.budget}?"
    ask(question, paid, wanted.budget, yes=yes)
    with told(paid), stages() as on_stage:
        on_stage("reading")
        read = wanted.read(table)
        on_stage("evaluating")
        value = wanted.release(read)
    hand_over(value, path, lambda: value_summary(value, loaded))
