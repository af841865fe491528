"""A rule whose γ was tuned privately on the sensitive table itself.

    parts   one candidate per fold, a private choice by scores on the last fold
    split   the same with a part of ε; only γ is kept, and all rows are fitted with the rest

Hyperparameters and candidates are public and come first. Then the rows are put into folds in an
exactly uniform order. The score of a rule on rows that it did not see is the weight of those for
whom it is right:

    q = Σ_i u_i·1(sign f(x_i) = y'_i),   u_i = ⌊2^20·w_i/W⌋

A row's term is a whole number in [0, 2^20] and follows from that row and the rule alone, so
replacing one row moves q by at most Δ = 2^20, whatever the rule. Scores and losing candidates are
local. No stage names any of them. All of it together costs what was asked. Proof:
docs/proofs/private-tuning.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import ParameterError
from dpwerm.estimators.parameters import checked_problem, privacy_filter_in
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.fit import Ready, charged_rows
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.parameters import one_of
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import BitSource, PrivacyFilter
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Specification
from dpwerm.releases.charging import StudyLedger, accounted, attach, forget
from dpwerm.releases.parts import SHARES
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.rule_file import content_of
from dpwerm.releases.tuning import (
    SHARE,
    SPLIT,
    WAYS,
    Tuning,
    checked_share,
    folds_of,
    refuse_retired,
    refuse_shared_weights,
    steps_of,
)
from dpwerm.study.propensity import NoPropensity
from dpwerm.study.study import Study, read_trial, refuse_repeated_persons
from dpwerm.study.treatment import Declaration
from dpwerm.tune.candidates import FACTORS, around, declared, not_simulated, usable
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, TrialRows
from dpwerm.weighting.trial import NO_PROBABILITIES, Trial, second_arm, split, trial_of_table

SENSITIVITY = 1 << 20
"""Δ: the largest term of one row."""


def random_order(count: int, bits: BitSource) -> IntArray:
    """Return {0, …, count − 1} in uniformly random order, shape (count,).

    Everybody gets a key of 64 fair bits and the order is that of the keys: if all differ, every
    order of them is equally likely.
    """
    while True:
        keys = _keys(count, bits)
        order: IntArray = np.argsort(keys)
        if np.diff(keys[order]).all():
            return order


def _keys(count: int, bits: BitSource) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return as many numbers of 64 bits, shape (count,); 64 of them are read together."""
    parts = []
    for start in range(0, count, 64):
        some = min(64, count - start)
        parts.append(bits.bits(64 * some).to_bytes(8 * some, "big"))
    return np.frombuffer(b"".join(parts), dtype=">u8").astype(np.uint64)


def units(weights: FloatArray, bound: float) -> IntArray:
    """Return u = ⌊2^20·w/W⌋, at most 2^20, for weights in [0, W], shape (n,)."""
    whole = np.floor(weights / bound * SENSITIVITY)
    return np.clip(whole, 0, SENSITIVITY).astype(np.int64)


def score(release: Release, rows: TrialRows, declaration: Declaration) -> int:
    """Return q of a released rule on some rows with outcome weights, exactly; it is sensitive.

    Where f(x) = 0 the rule gives the default arm.
    """
    treatment = declaration.treatment
    default = 1.0 if treatment.default == treatment.arms[1] else -1.0
    f = release.score(rows.X)
    signs = np.where(f > 0, 1.0, np.where(f < 0, -1.0, default))
    right = signs == rows.targets
    bound = OUTCOME_WEIGHTED.weight_bound(declaration)
    return int(units(rows.weights, bound)[right].sum())


def _by_parts(
    ready: Ready,
    judged: TrialRows,
    spec: Specification,
    tuning: Tuning,
    bits: BitSource,
    on_stage: Stage,
) -> tuple[float, Release]:
    """Return the chosen γ and its fit on its own fold.

    Folds are drawn by lot: the draw does not look at the rows. judged : the same rows with outcome
    weights, by which rules of any estimator are scored; spec : all but γ and the budget
    """
    order = random_order(tuning.rows, bits.substream())
    ends = list(accumulate(tuning.folds))[:-1]
    *folds, held_out = np.split(order, ends)
    training, last = [ready.part(part) for part in folds], judged.part(held_out)
    fits: list[Release] = []
    for gamma, rows in zip(tuning.candidates, training, strict=True):
        on_stage(f"candidate {len(fits) + 1} of {len(training)}")
        own = spec.changed(gamma=gamma, budget=tuning.steps.fit)
        fits.append(rows.release(own, bits.substream(), no_progress))
    on_stage("choosing a candidate")
    scores = [score(fit, last, ready.problem.declared) for fit in fits]
    choice = ExponentialMechanism(SENSITIVITY, tuning.steps.choice)
    chosen = choice.choose(scores, bits.substream())
    return tuning.candidates[chosen], fits[chosen]


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
    keep: Callable[[Rule], None] = forget,
) -> Rule:
    """Return a rule with γ tuned privately on the table; ε is the cost of everything.

    Parameters
    ----------
    study : Study under relation ``replace_one``
    table : a path or a data frame
    epsilon : a number in (0, inf]
    how : ``"parts"`` or ``"split"``; see docs/tuning.md
    gammas : 2 to 50 values of γ to try, from outside the data
        None for the automatic γ, or the study's, times 1/9, 1/3, 1, 3 and 9, to three digits. Where
        the study declares γ, all others are declared or plain; else they are chosen by
        simulation.
    delta : a number in [0, 1), for ``parts`` with a Gaussian mechanism
    mechanism : as in the study file; None for the study's, or to choose it by simulation
    share : a number in (0, 1), the part of ε that finds γ with ``split``
    random_state : None, or a seed, which marks the rule as not private
    ledger : Ledger, ``"none"``, or None for the study's own; charged before anything is drawn
    keep : given the rule as soon as it is made, before the ledger is told which one it is
    """
    fitted = {"delta": delta, "random_state": random_state, "ledger": ledger}
    problem, privacy_filter = check_tuned(
        study, epsilon, how=how, gammas=gammas, mechanism=mechanism, share=share, **fitted
    )
    with accounted(privacy_filter) as own:
        on_stage("reading")
        rows = read_trial(study, table)
        refuse_repeated_persons(study, rows)
        trial = trial_of_table(problem.declared, rows)
        settled, tuning = _settled(problem, trial.n_rows, how, gammas, share, on_stage)
        cost = tuning.budget
        ready, bits, propensity = charged_rows(problem, settled, cost, trial, own, on_stage)
        judged = _judged(settled, trial, ready, propensity)
        gamma, release = _by_parts(ready, judged, settled.spec, tuning, bits, on_stage)
        if how == SPLIT:
            spec = settled.spec.changed(gamma=gamma, budget=tuning.steps.rule)
            release = ready.release(spec, bits.substream(), on_stage)
        found = Rule(release, settled.declared, propensity, tuning)
        keep(found)
    attach(own, found.receipt, lambda: content_of(found))
    return found


def _judged(settled: Problem, trial: Trial, ready: Ready, propensity: Release | None) -> TrialRows:
    """Return the rows with outcome weights; a fit with such weights has them already."""
    if settled.spec.is_outcome_weighted:
        return ready.rows
    declared, encoding = settled.declared, settled.encoding
    second = second_arm(declared, trial, encoding, propensity)
    return OUTCOME_WEIGHTED.rows(trial, declared, encoding, second)


def check_tuned(
    study: Study,
    epsilon: Any,
    *,
    how: str,
    gammas: Sequence[float] | None = None,
    mechanism: str | None = None,
    share: Any = SHARE,
    **fitted: Any,
) -> tuple[Problem, PrivacyFilter]:
    """Return the public side of ``fit_tuned`` and how it is paid for.

    Raises for everything that it would refuse before it reads a table. fitted: its ``delta``,
    ``random_state`` and ``ledger``, which a fit has too.
    """
    refuse_retired("how", how)
    one_of("how", how, WAYS)
    if Relation.of(study.relation) is not Relation.REPLACE_ONE:
        raise ParameterError(
            "private tuning needs relation replace_one: rows are put into folds, and their sizes "
            "tell the number of rows, which is sensitive under add_remove"
        )
    if mechanism is not None:
        fitted["mechanism"] = mechanism
    if gammas is not None:
        declared(gammas)
    estimator = PrivateTreatmentRule.from_study(study, epsilon, **fitted)
    declaration, problem = checked_problem(estimator)
    if problem is None:
        raise ParameterError("private tuning needs a study")
    if problem.hyperparameters.shares:
        raise ParameterError("private tuning has no private ranges and no guard: leave them out")
    refuse_shared_weights(declaration.treatment.origin)
    if isinstance(declaration.treatment.propensity, NoPropensity):
        raise ParameterError(NO_PROBABILITIES)
    _, rest = split(problem.spec.budget, declaration.treatment)
    steps_of(how, _in_epsilon(rest), checked_share(share))
    return problem, privacy_filter_in(estimator, "tuned rule")


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
    none: dict[str, Any] = dict.fromkeys(SHARES, 0.0)
    alone = replace(own.hyperparameters, **none)
    spec = whole.changed(budget=steps.fit)
    part = replace(own, spec=spec, hyperparameters=alone, planned_n=None)
    settled = part.settled(folds_of(how, rows, count)[0], on_stage)
    spec = settled.spec
    # A mechanism without δ spends none; then nothing of it is claimed.
    budget = whole.budget if how == SPLIT else spec.budget
    candidates = usable(
        around(spec.gamma) if gammas is None else declared(gammas),
        settled,
        [spec.budget, steps.rule] if how == SPLIT else [spec.budget],
        strict=gammas is not None,
    )
    tuning = Tuning(
        how=how,
        candidates=candidates,
        rows=rows,
        budget=_in_epsilon(budget),
        share=parted if how == SPLIT else None,
    )
    return replace(settled, spec=not_simulated(spec)), tuning


def _in_epsilon(budget: object) -> Budget:
    """Return a budget in ε and δ; another one is refused."""
    if not isinstance(budget, Budget):
        raise ParameterError(f"private tuning needs a budget in epsilon, not {budget}")
    return budget
