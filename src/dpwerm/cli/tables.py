"""``dpwerm init``, ``check`` and ``recommend``: a study file for a table, its faults, its rows."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from dpwerm.cli.console import TABLE_HELP, Force, RuleFile, StudyFile, free_path, say, stages, stop
from dpwerm.data.table import Table, endings, read_table, write_with_columns, writer_of
from dpwerm.errors import Fault, ParameterError, StudyError
from dpwerm.parameters import LARGEST
from dpwerm.privacy.budget import EPSILON_LARGEST, AnyBudget, Budget
from dpwerm.privacy.randomness import NO_LEDGER
from dpwerm.releases.rule_file import notice, read_rule
from dpwerm.study.check import check_features, examine, unused_settings
from dpwerm.study.scaffold import scaffold
from dpwerm.study.study import DeclaredBudget, Study
from dpwerm.text import one_line

SENSITIVE = (
    "SENSITIVE: the lines below are about the rows and quote them. They cost no privacy while only "
    "the curator sees them: keep them with the data and publish none of them."
)


def init(
    table: Annotated[Path, typer.Argument(help=f"A {endings()} file; only its header is read.")],
    out: Annotated[Path, typer.Option(help="Where to write the study file.")] = Path("study.toml"),
    force: Force = False,
) -> None:
    """Write a study file to fill in. Reads the header of the table and no value."""
    path = free_path(out, force=force, inputs=(table,))
    path.write_text(scaffold(table), encoding="utf-8")
    say(
        f'Wrote {path}. Replace every "<fill in>" from the protocol, never from the data, then run:'
    )
    say(f"  dpwerm check {path} {table}")


def check(
    study: StudyFile,
    table: Annotated[Path | None, typer.Argument(help=TABLE_HELP.format(endings()))] = None,
) -> None:
    """Report every fault of a study file and a table. It quotes rows, so keep what it says."""
    declared = Study.load(study)
    refuse_method(declared, study)
    say(f"{study}: no fault in the study file.")
    if declared.budget is None:
        say(f"{study}: there is no [budget]; a private release will need one, or --ledger none.")
    if needs_gamma(declared):
        say(f"{study}: neither planned_n nor gamma is set; under add_remove fit will need --gamma.")
    treatment = declared.treatment
    if treatment.propensity_column is not None and treatment.origin == "design":
        say(
            f'{study}: origin = "design" says that each propensity was fixed before the first '
            'person. If it depends on earlier people, write allocation = "adaptive".'
        )
    for words in unused_settings(declared):
        say(f"{study}: {words}.")
    if table is None:
        return
    with stages() as on_stage:
        on_stage("reading")
        found = examine(declared, table)
    say(SENSITIVE)
    known = "arm, benefit and propensity are known"
    rest = "" if found.usable == found.rows else "; the others teach nothing, see below"
    say(f"{table}: {found.usable:,} of {found.rows:,} rows are usable ({known}){rest}.")
    for finding in found.findings:
        say(str(finding))
    if not found.findings:
        say(f"{table}: every value is as declared.")
        return
    number = len(found.findings)
    count = "1 kind of finding" if number == 1 else f"{number} kinds of findings"
    if any(finding.refused for finding in found.findings):
        stop(f"{table}: {count}. A fit would be refused, see above.")
    if not found.usable:
        stop(f"{table}: no usable row. A fit would charge the budget all the same: do not fit yet.")
    say(f"{table}: {count}. A fit is silent about them and goes on.")


def needs_gamma(study: Study) -> bool:
    """Whether a fit can be made only with --gamma: without n nothing is chosen."""
    is_open = study.method.gamma in (None, "auto") and study.about.planned_n is None
    return is_open and study.relation == "add_remove"


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


def _largest(total: DeclaredBudget | None, *, needs_delta: bool) -> AnyBudget:
    """Return the largest release that a total allows, in a currency that the mechanism can pay."""
    if total is None:
        total = DeclaredBudget(epsilon=Decimal(1), delta=Decimal("1e-6"))
    purse = total.rho or total.mu
    if total.epsilon and not (needs_delta and purse and not total.delta):
        delta = total.delta if needs_delta else Decimal(0)
        return Budget(min(total.epsilon, EPSILON_LARGEST), delta)
    return Budget.zcdp(total.rho) if total.rho else Budget.gdp(total.mu)


def recommend(
    rule: RuleFile,
    table: Annotated[Path, typer.Argument(help=f"A {endings()} file with the rule's columns.")],
    out: Annotated[Path, typer.Option(help="Where to write the table with two more columns.")],
    force: Force = False,
) -> None:
    """Add what a rule recommends to a table of new people."""
    loaded = read_rule(rule)
    path = free_path(out, force=force, inputs=(rule, table))
    writer_of(path)
    encoding = loaded.release.encoding

    def recommended(block: Table) -> list[NDArray[np.generic]]:
        scores = loaded.release.score(encoding.encode(block))
        return [loaded.arms_for(scores), scores]

    with stages() as on_stage:
        on_stage("reading")
        rows = read_table(table, encoding.columns, keep_all=True)
        on_stage("recommending")
        write_with_columns(rows, ("recommended_arm", "score"), recommended, path)
        findings = check_features(encoding, rows)
    say(notice(loaded))
    if loaded.single_arm is not None:
        say(f"The rule gives everybody {loaded.single_arm!r}, whatever their features are.")
    for finding in findings:
        say(f"  {one_line(finding.column)}: {finding.problem}; {finding.consequence}")
    say(f"Wrote {path}: {rows.n_rows} rows with recommended_arm and score.")
