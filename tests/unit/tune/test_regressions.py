"""Tuning with contrast and arm-wise regression: the same premises, people and costs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.unit.tune.people_at_hand import drawn, fixed_study
from tests.unit.tune.trials import GAMMAS, PRIVATE_MODEL, STUDY, N, columns, study, table

from dpwerm.errors import ParameterError
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.fit import fit_release
from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget
from dpwerm.releases.release import Rule
from dpwerm.releases.tuning import WAYS
from dpwerm.simulate.synthetic import generator
from dpwerm.study.study import Study, read_trial
from dpwerm.tune import private
from dpwerm.tune.algorithm2 import SEED, problems_of, tune_gamma
from dpwerm.tune.people import FromTable, splits
from dpwerm.tune.private import SENSITIVITY, check_tuned, fit_tuned, score
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, TrialRows
from dpwerm.weighting.trial import trial_of_table
from reproduction.trials.measures import empirical_value

REGRESSIONS = ("contrast", "arm-wise")
every = pytest.mark.parametrize("estimator", REGRESSIONS)


def written(estimator: str, text: str = STUDY, **method: Any) -> str:
    lines = [f'estimator = "{estimator}"', *(f"{key} = {one}" for key, one in method.items())]
    return text.replace("gamma = 100", "\n".join(["gamma = 100", *lines]))


def tuned(how: str, estimator: str, text: str = STUDY, **other: Any) -> Rule:
    asked: dict[str, Any] = {"epsilon": 1, "gammas": GAMMAS} | other
    return fit_tuned(study(written(estimator, text)), table(), how=how, ledger="none", **asked)


# -- on the sensitive table, privately -------------------------------------------------------


@every
@pytest.mark.parametrize("how", WAYS)
def test_a_tuned_regression_costs_what_was_asked(how: str, estimator: str) -> None:
    rule = tuned(how, estimator, epsilon="1.1")
    assert rule.budget == Budget.of("1.1")
    assert rule.private
    assert rule.tuning is not None
    certificate = rule.release.certificate
    assert certificate.gamma in GAMMAS
    assert certificate.weighting is not None
    assert certificate.weighting.name == estimator
    assert certificate.budget == rule.tuning.steps.rule


def test_a_private_model_is_paid_for_once_and_judges_too() -> None:
    rule = tuned("parts", "contrast", PRIVATE_MODEL)
    assert rule.propensity is not None
    assert rule.propensity.certificate.budget == Budget.of("0.25")
    assert rule.release.certificate.budget == Budget.of("0.75")
    assert rule.budget == Budget.of(1)


@every
def test_rules_of_a_regression_are_judged_by_outcome_weights(
    estimator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fits see benefits and arms; the score sees labels ±1 and weights |v|/P, of others alone."""
    fits: list[tuple[set[float], Any]] = []
    judged: list[TrialRows] = []

    def fit(X: Any, targets: Any, weights: Any, **other: Any) -> Any:
        fits.append((set(X[:, 0].tolist()), targets))
        return fit_release(X, targets, weights, **other)

    def scored(release: Any, rows: TrialRows, declaration: Any) -> int:
        judged.append(rows)
        return score(release, rows, declaration)

    monkeypatch.setattr("dpwerm.fit.fit_release", fit)
    monkeypatch.setattr(private, "score", scored)
    tuned("parts", estimator, random_state=1)
    assert len(fits) == len(judged) == len(GAMMAS)
    data, declared = columns(), study().declaration()
    whole = OUTCOME_WEIGHTED.rows(
        trial_of_table(declared, read_trial(study(), table())),
        declared,
        study().encoding(),
        np.full(N, 0.5),
    )
    where = {float(x): i for i, x in enumerate(whole.X[:, 0])}
    for rows in judged:
        places = [where[float(x)] for x in rows.X[:, 0]]
        np.testing.assert_array_equal(rows.targets, whole.targets[places])
        np.testing.assert_array_equal(rows.weights, whole.weights[places])
        assert all(fitted.isdisjoint(rows.X[:, 0].tolist()) for fitted, _ in fits)
    benefits = set(np.round(data["outcome"] / 2 - 1, 9).tolist())
    assert all(set(np.round(targets, 9).tolist()) <= benefits for _, targets in fits)


@every
def test_one_person_moves_a_score_by_no_more_than_the_sensitivity(estimator: str) -> None:
    release = tuned("parts", estimator, random_state=1).release
    declared = study().declaration()
    bound = OUTCOME_WEIGHTED.weight_bound(declared)
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.uniform(-1, 1, 30), rng.uniform(-1, 1, 30)])
    signs = np.sign(release.score(X))

    def at(label: float, weight: float) -> int:
        labels, weights = rng.choice([-1.0, 1.0], 30), np.full(30, bound / 3)
        labels[1:] = signs[1:]
        labels[0], weights[0] = label, weight
        return score(release, TrialRows(X, labels, weights), declared)

    moves = [at(label * signs[0], weight) for label in (1, -1) for weight in (0.0, bound)]
    assert max(moves) - min(moves) == SENSITIVITY


def test_without_probabilities_nothing_can_be_tuned_privately() -> None:
    text = STUDY.replace(
        "arms = { a = 0.5, b = 0.5 }",
        'arms = ["a", "b"]\npropensity = { model = "outcome" }',
    )
    with pytest.raises(ParameterError, match="declares no probabilities of the arms"):
        check_tuned(study(text), 1, how="parts", gammas=GAMMAS)


# -- Algorithm 2, on other people ------------------------------------------------------------


def pilot_study(estimator: str) -> Study:
    return fixed_study(estimator=estimator, width=0.5)


@every
def test_algorithm_2_is_a_plain_loop_of_fits(estimator: str) -> None:
    n, m, repeats, gammas = 25, 20, 4, (2.0, 60.0)
    people, own = drawn(60, 9), pilot_study(estimator)
    ((found, settled),) = tune_gamma(
        own,
        FromTable.read(own, people),
        (Budget.of("inf"),),
        n=n,
        m=m,
        repeats=repeats,
        gammas=gammas,
        metric="value",
        workers=1,
    )
    assert settled.spec.weighting.name == estimator
    chosen = splits(n, 60, m, repeats, generator(SEED, 0, 1))
    received = np.where(people["arm"].to_numpy(zero_copy_only=False) == "B", 1.0, -1.0)
    benefit = np.clip(people["benefit"].to_numpy(), -7.5, 7.5)
    for gamma, mean in zip(gammas, found.means, strict=True):
        values = []
        for training, validation in zip(chosen.training, chosen.validation, strict=True):
            rule = PrivateTreatmentRule.from_study(own, "inf", gamma=gamma)
            rule.fit(people.take(training))
            given = np.where(rule.predict(people.take(validation)) == "B", 1.0, -1.0)
            half = np.full(len(given), 0.5)
            values.append(empirical_value(given, received[validation], benefit[validation], half))
        assert mean == pytest.approx(np.mean(values), rel=1e-9)


@every
def test_problems_of_many_trials_are_the_design_of_each(estimator: str) -> None:
    own = pilot_study(estimator)
    people = drawn(40, 2)
    settled = settle(own, Budget.of("1"), 20)
    trial = trial_of_table(settled.declared, read_trial(own, people))
    rows = np.stack([np.arange(20), np.arange(15, 35)])
    problems = problems_of(settled, trial, rows)
    design, encoding = settled.spec.weighting, settled.encoding
    X = encoding.learning_rows(trial.encode(encoding))
    whole = design.design(X, trial.arm, encoding)
    np.testing.assert_array_equal(problems.X, whole[rows])
    assert problems.intercept_scale == design.constant(encoding)
    assert problems.weights.max() <= 1


def test_budgets_of_one_study_share_their_problems_whatever_the_estimator() -> None:
    keys: list[Sequence[Any]] = [
        settle(pilot_study(name), Budget.of(epsilon), 40).rows_key
        for name in REGRESSIONS
        for epsilon in ("1", "5")
    ]
    assert keys[0] == keys[1] != keys[2] == keys[3]
    wider = fixed_study(estimator="arm-wise", width=0.7)
    assert settle(wider, Budget.of("1"), 40).rows_key != keys[2]
