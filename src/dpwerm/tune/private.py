"""A rule whose γ was tuned privately on the sensitive table itself.

Settings and candidates are public and come first; then the rows are put into slots, and one of the
ways of ``tune/ways.py`` makes the release. All of it together costs what was asked.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpwerm.errors import ParameterError
from dpwerm.estimators.parameters import checked_problem, payment_in
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.fit import Problem, Ready, propensities, settled_nuisance, whole_cost
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.parameters import one_of
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.filter import Payment
from dpwerm.releases.charging import StudyLedger, attach
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of
from dpwerm.releases.tuning import (
    SHARE,
    SPLIT,
    WAYS,
    Tuning,
    checked_share,
    refuse_retired,
    refuse_shared_weights,
    slots_of,
    steps_of,
)
from dpwerm.study.check import read_trial, refuse_repeated_persons
from dpwerm.study.study import Study
from dpwerm.tune.candidates import FACTORS, around, declared, not_simulated, usable
from dpwerm.tune.ways import HOW, Work
from dpwerm.weighting.contract import split, trial_of_table


def fit_tuned(
    study: Study,
    table: Any,
    *,
    epsilon: Any,
    how: str,
    gammas: Sequence[float] | None = None,
    delta: Any = "0",
    mechanism: str | None = None,
    share: Any = SHARE,
    random_state: int | None = None,
    ledger: StudyLedger | str | None = None,
    on_stage: Stage = no_progress,
) -> Rule:
    r"""Return a rule with γ tuned privately on the table; ε is the cost of everything.

    Parameters
    ----------
    study : Study under relation ``replace_one``
    table : a path or a data frame
    epsilon : a number in (0, inf]
    how : ``"parts"`` or ``"split"``; see docs/tuning.md
    gammas : 2 to 50 values of γ to try, from outside the data
        None for the automatic γ, or the study's, times 1/9, 1/3, 1, 3 and 9, to three digits. Where
        the study declares γ, all other settings are declared or plain; else they are chosen by
        simulation.
    delta : a number in [0, 1), for ``parts`` with a Gaussian mechanism
    mechanism : as in the study file; None for the study's, or to choose it by simulation
    share : a number in (0, 1), the part of ε that finds γ with ``split``
    random_state : None, or a seed, which marks the rule as not private
    ledger : Ledger, ``"none"``, or None for the study's own; charged before anything is drawn
    """
    problem, payment = check_tuned(
        study,
        epsilon=epsilon,
        how=how,
        gammas=gammas,
        delta=delta,
        mechanism=mechanism,
        share=share,
        random_state=random_state,
        ledger=ledger,
    )
    on_stage("reading")
    rows = read_trial(study, table)
    refuse_repeated_persons(study, rows)
    trial = trial_of_table(problem.trial, rows)
    rule, tuning = _settled(problem, trial.n_rows, how, gammas, share, on_stage)
    nuisance = settled_nuisance(problem, trial.n_rows, on_stage)
    bits = payment.bits(whole_cost(nuisance, tuning.budget))
    propensity, second = propensities(problem, nuisance, trial, bits, on_stage)
    ready = Ready.of(rule, trial, second, on_stage)
    release = HOW[how](Work(ready, rule.spec, tuning, bits, on_stage))
    found = Rule(release, rule.trial, propensity, tuning)
    attach(payment, found.receipt, lambda: content_of(found))
    return found


def check_tuned(
    study: Study,
    *,
    epsilon: Any,
    how: str,
    gammas: Sequence[float] | None = None,
    delta: Any = "0",
    mechanism: str | None = None,
    share: Any = SHARE,
    random_state: int | None = None,
    ledger: StudyLedger | str | None = None,
) -> tuple[Problem, Payment]:
    """Return the public side of ``fit_tuned`` and how it is paid for.

    Raises for everything that it would refuse before it reads a table.
    """
    refuse_retired("how", how)
    one_of("how", how, WAYS)
    if Relation.of(study.relation) is not Relation.REPLACE_ONE:
        raise ParameterError(
            "private tuning needs relation replace_one: rows are put into slots, and their sizes "
            "tell the number of rows, which is sensitive under add_remove"
        )
    replaced: dict[str, Any] = {} if mechanism is None else {"mechanism": mechanism}
    if gammas is not None:
        declared(gammas)
    estimator = PrivateTreatmentRule.from_study(
        study, epsilon, delta=delta, random_state=random_state, ledger=ledger, **replaced
    )
    declaration, problem = checked_problem(estimator)
    if problem is None:
        raise ParameterError("private tuning needs a study")
    refuse_shared_weights(declaration.treatment.origin)
    _, rest = split(problem.spec.budget, declaration.treatment)
    steps_of(how, _in_epsilon(rest), checked_share(share))
    return problem, payment_in(estimator, "tuned rule")


def _settled(
    problem: Problem,
    rows: int,
    how: str,
    gammas: Sequence[float] | None,
    share: Any,
    on_stage: Stage,
) -> tuple[Problem, Tuning]:
    """Return the settled problem and the tuning from public facts and the number of rows.

    Hyperparameters are chosen for the rows and the budget of a candidate's fit.
    """
    own, parted = problem.own(rows), checked_share(share)
    whole = own.spec
    count = len(FACTORS) if gammas is None else len(gammas)
    steps = steps_of(how, _in_epsilon(whole.budget), parted)
    part = replace(own, spec=whole.with_settings(budget=steps.fit), planned_n=None)
    rule = part.settled(slots_of(how, rows, count)[0], on_stage)
    spec = rule.spec
    # A mechanism without δ spends none; then nothing of it is claimed.
    budget = whole.budget if how == SPLIT else spec.budget
    candidates = usable(
        around(spec.gamma) if gammas is None else declared(gammas),
        [spec, spec.with_settings(budget=steps.rule)] if how == SPLIT else [spec],
        rule.encoding,
        strict=gammas is not None,
    )
    tuning = Tuning(
        how=how,
        candidates=candidates,
        rows=rows,
        budget=_in_epsilon(budget),
        share=parted if how == SPLIT else None,
    )
    return replace(rule, spec=not_simulated(spec)), tuning


def _in_epsilon(budget: object) -> Budget:
    """Return a budget in ε and δ; another one is refused."""
    if not isinstance(budget, Budget):
        raise ParameterError(f"private tuning needs a budget in epsilon, not {budget}")
    return budget
