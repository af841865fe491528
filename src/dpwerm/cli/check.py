"""``dpwerm check``: everything that is wrong with a study file and a table, at once."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import TABLE_HELP, WRONG_INPUT, complain, say, stages
from dpwerm.errors import Fault, ParameterError, StudyError
from dpwerm.parameters import LARGEST
from dpwerm.privacy.budget import EPSILON_LARGEST, AnyBudget, Budget
from dpwerm.privacy.filter import NO_LEDGER
from dpwerm.study.check import check as check_table
from dpwerm.study.study import DeclaredBudget, Study


def check(
    study: Annotated[Path, typer.Argument(help="The study file.")],
    table: Annotated[Path | None, typer.Argument(help=TABLE_HELP)] = None,
) -> None:
    """Report every fault of a study file and a table. It quotes rows, so keep what it says."""
    declared = Study.load(study)
    refuse_method(declared, study)
    say(f"{study}: no fault in the study file.")
    if declared.budget is None:
        say(f"{study}: there is no [budget]; a private release will need one, or --ledger none.")
    if needs_gamma(declared):
        say(f"{study}: neither planned_n nor gamma is set; under add_remove fit will need --gamma.")
    if table is None:
        return
    with stages() as on_stage:
        on_stage("reading")
        findings = check_table(declared, table)
    if not findings:
        say(f"{table}: every value is as declared.")
        return
    say("SENSITIVE: the lines below quote the table. Keep them with the data.")
    for finding in findings:
        say(str(finding))
    count = "1 kind of finding" if len(findings) == 1 else f"{len(findings)} kinds of findings"
    if any(finding.refused for finding in findings):
        complain(f"{table}: {count}. A fit would be refused, see above.")
        raise typer.Exit(WRONG_INPUT)
    say(f"{table}: {count}. A fit handles each as said above.")


def needs_gamma(study: Study) -> bool:
    """Whether a fit can be made only with --gamma: without n nothing is chosen."""
    is_open = study.method.gamma in (None, "auto") and study.about.planned_n is None
    return is_open and study.relation == "add_remove"


def _largest(total: DeclaredBudget | None, *, needs_delta: bool) -> AnyBudget:
    """Return the largest release that a total allows, in a currency that the mechanism can pay."""
    if total is None:
        total = DeclaredBudget(epsilon=Decimal(1), delta=Decimal("1e-6"))
    purse = total.rho or total.mu
    if total.epsilon and not (needs_delta and purse and not total.delta):
        delta = total.delta if needs_delta else Decimal(0)
        return Budget(min(total.epsilon, EPSILON_LARGEST), delta)
    return Budget.zcdp(total.rho) if total.rho else Budget.gdp(total.mu)


def refuse_method(study: Study, path: Path) -> None:
    """Raise if no fit could be made with the study's [method], whatever the options."""
    # scikit-learn takes a second to load; a study file with faults is reported before.
    from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
    from dpwerm.mechanisms import MECHANISMS

    mechanism = MECHANISMS.get(study.method.mechanism or "")
    budget = _largest(study.budget, needs_delta=mechanism is not None and mechanism.needs_delta)
    gamma = {"gamma": LARGEST} if needs_gamma(study) else {}
    try:
        rule = PrivateTreatmentRule.from_study(study, budget, ledger=NO_LEDGER, **gamma)
        rule.check_parameters()
    except ParameterError as error:
        fault = Fault("method, budget", str(error))
        raise StudyError(f"study file {path.name}", [fault]) from None
