"""``dpwerm check``: everything that is wrong with a study file and a table, at once."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import WRONG_INPUT, complain, say, stages
from dpwerm.errors import Fault, ParameterError, StudyError
from dpwerm.privacy.budget import EPSILON_LARGEST
from dpwerm.study.check import check as check_table
from dpwerm.study.declaration import DeclaredBudget, Study


def check(
    study: Annotated[Path, typer.Argument(help="The study file.")],
    table: Annotated[Path | None, typer.Argument(help="The trial's table.")] = None,
) -> None:
    """Report every fault of a study file and of a table. For the curator: it quotes rows."""
    declared = Study.load(study)
    refuse_method(declared, study)
    say(f"{study}: no fault in the study file.")
    if declared.method.gamma is None:
        say(f"{study}: gamma is not set; fit will need --gamma.")
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


def refuse_method(study: Study, path: Path) -> None:
    """Raise if no fit could be made with the study's [method], whatever the options."""
    # scikit-learn takes a second to load; a study file with faults is reported before.
    from dpwerm.rules.treatment_rule import PrivateTreatmentRule

    total = study.budget or DeclaredBudget(epsilon=Decimal(1), delta=Decimal("1e-6"))
    epsilon = min(total.epsilon, EPSILON_LARGEST)
    delta = total.delta if study.method.mechanism == "gaussian" else Decimal(0)
    gamma = {"gamma": 1.0} if study.method.gamma is None else {}
    try:
        PrivateTreatmentRule.from_study(study, epsilon, delta=delta, **gamma).check_parameters()
    except ParameterError as error:
        fault = Fault("method, budget", str(error))
        raise StudyError(f"study file {path.name}", [fault]) from None
