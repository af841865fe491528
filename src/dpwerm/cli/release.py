"""``dpwerm fit`` and ``dpwerm evaluate``: a rule, and its value, each released under a budget.

Who keeps the account of a release, and the one question before it is spent; ``dpwerm tune``
releases in the same way.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dpwerm.cli.console import (
    EPSILON_HELP,
    TABLE_HELP,
    URL_HELP,
    Delta,
    Force,
    RuleFile,
    StudyFile,
    agree,
    free_path,
    ledger_of,
    stages,
)
from dpwerm.cli.delivery import delivering
from dpwerm.data.table import endings
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import AnyBudget, Budget, only_budget
from dpwerm.privacy.randomness import NO_LEDGER
from dpwerm.study.study import Study

if TYPE_CHECKING:
    from dpwerm.privacy.ledger.ledger import Ledger

PEOPLE_HELP = (
    "People with their arm and outcome, best others than the rule was learned from: a "
    f"{endings()} file."
)
SEED_HELP = "For simulation only: marks the {} as not private."
LedgerOrNone = Annotated[
    str | None, typer.Option("--ledger", help=f"{URL_HELP} none: the release is added to nothing.")
]
Partition = Annotated[
    str | None,
    typer.Option(
        "--partition", help="The part of the people that the table is, if [budget] has partitions."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before the release.")]

Paid: TypeAlias = "Ledger | str | None"


def fit(
    study: StudyFile,
    table: Annotated[Path, typer.Argument(help=TABLE_HELP.format(endings()))],
    epsilon: Annotated[str | None, typer.Option(help=EPSILON_HELP)] = None,
    out: Annotated[Path, typer.Option(help="Where to write the rule.")] = Path("rule.json"),
    delta: Delta = "0",
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
            help="Strength of regularisation, above 0; if left out, it and all other "
            "hyperparameters are chosen on synthetic trials."
        ),
    ] = None,
    mechanism: Annotated[
        str | None,
        typer.Option(help="Which noise, such as objective-block or gaussian; chosen if left out."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help=SEED_HELP.format("rule"))] = None,
    ledger: LedgerOrNone = None,
    partition: Partition = None,
    yes: Yes = False,
    force: Force = False,
) -> None:
    """Learn a rule and release it under differential privacy."""
    # scikit-learn and SciPy take a second to load; commands that do without them start at once.
    from dpwerm.documents.summary import summary
    from dpwerm.estimators.treatment_rule import PrivateTreatmentRule

    declared = Study.load(study)
    budget = only_budget(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    path = free_path(out, force=force, inputs=(study, table))
    paid = payer(declared, ledger, partition, private=budget.is_private and seed is None)
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
    with delivering(path, force=force) as delivery, stages() as on_stage:
        rule.fit(table, on_stage=on_stage, checked=checked, keep=delivery.keep)
    delivery.tell(lambda: summary(rule.rule_))


def evaluate(
    rule: RuleFile,
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
    seed: Annotated[int | None, typer.Option(help=SEED_HELP.format("value"))] = None,
    ledger: LedgerOrNone = None,
    partition: Partition = None,
    yes: Yes = False,
    force: Force = False,
) -> None:
    """Release how good a rule is, beside one arm for everybody."""
    # Rules take a moment to load, SciPy and scikit-learn a second; faults of files come first.
    from dpwerm.releases.rule_file import read_rule

    loaded, declared = read_rule(rule), Study.load(study)
    from dpwerm.documents.value import value_summary
    from dpwerm.evaluate import Evaluation
    from dpwerm.releases.value.layout import OutcomeModel

    private = loaded.private and Budget.of(epsilon).is_private and seed is None
    paid = payer(declared, ledger, partition, private=private)
    wanted = Evaluation(
        loaded,
        epsilon,
        study=declared,
        confidence=confidence,
        outcome_model=None if outcome_model is None else OutcomeModel.load(outcome_model),
        random_state=seed,
        ledger=paid,
    )
    inputs = (rule, study, table, *([] if outcome_model is None else [outcome_model]))
    path = free_path(out, force=force, inputs=inputs)
    spare(paid, path)
    question = f"Release a value from study {declared.id} at {wanted.budget}?"
    ask(question, paid, wanted.budget, yes=yes)
    with delivering(path, force=force) as delivery, stages() as on_stage:
        value = wanted.run(table, on_stage, delivery.keep)
    delivery.tell(lambda: value_summary(value, loaded))


# -- who pays ------------------------------------------------------------------------------


def payer(study: Study, option: str | None, partition: str | None, *, private: bool) -> Paid:
    """Return what is charged for a release: a ledger, "none", or nothing if it is not private."""
    if not private:
        if partition is not None or option not in (None, NO_LEDGER):
            raise ParameterError(
                "a result from a seed or without noise is not private and is never charged: "
                "leave out --ledger and --partition"
            )
        return None
    if option == NO_LEDGER:
        if partition is not None:
            raise ParameterError("--partition is charged in a ledger, and --ledger none has none")
        return NO_LEDGER
    if study.budget is None:
        raise ParameterError(
            "the study file has no [budget], so there is no total to charge. Declare one, such as "
            "[budget] with epsilon = 2; or add --ledger none if this release need not be added up "
            "with others"
        )
    ledger = ledger_of(study, option)
    return ledger if partition is None else ledger.partition(partition)


def spare(paid: Paid, *written: Path | None) -> None:
    """Raise if a file to be written is the ledger's own, which the first charge may yet make."""
    if paid is None or isinstance(paid, str):
        return
    for path in written:
        if path is not None and paid.is_at(path):
            raise ParameterError(f"{path} is where the ledger is: give another name")


def ask(question: str, ledger: Paid, cost: AnyBudget, *, yes: bool) -> None:
    """Show what a release costs and leaves, refuse one that is too much, and ask once."""
    before: list[str] = []
    if isinstance(ledger, str):
        before = ["No ledger: this release will not be added up with others.", ""]
    elif ledger is not None:
        ledger.refuse_over(cost)
        # Words for a ledger take a moment to load; a refusal of the command line does without them.
        from dpwerm.documents.ledger import preview
        from dpwerm.documents.render import blocks_as_text

        told = preview(ledger.account(), cost, ledger.charged_partition, ledger.shown)
        before = [*blocks_as_text([told]), ""]
    agree(question, yes=yes, before=before)
