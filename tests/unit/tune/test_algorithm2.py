"""Algorithm 2 from a study and people to the best γ for each ε."""

import numpy as np
import pytest
from tests.unit.tune.people_at_hand import drawn, fixed_study, pilot

from dpwerm.errors import ParameterError
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.synthetic import generator
from dpwerm.study.study import Study
from dpwerm.tune.algorithm2 import SEED, a_portion, sizes_of, tune_gamma
from dpwerm.tune.people import FromScenario, FromTable, Source, splits
from dpwerm.tune.tuned import Metric, Tuned
from reproduction.trials.measures import empirical_value

ONE = (Budget.of("1"),)


def found(
    source: Source, *, study: Study | None = None, epsilon: str = "1", **changed: object
) -> Tuned:
    given: dict[str, object] = {"n": 40, "repeats": 8, "workers": 1}
    budgets = (Budget.of(epsilon),)
    ((tuned, _),) = tune_gamma(study or fixed_study(), source, budgets, **(given | changed))  # type: ignore[arg-type]
    return tuned


def test_it_is_the_loop_that_the_paper_prints() -> None:
    """A plain loop of fits without noise gives the same means."""
    n, m, repeats, gammas = 25, 20, 6, (2.0, 60.0)
    table = drawn(60, 9)
    source = FromTable.read(fixed_study(), table)
    tuned = found(source, epsilon="inf", n=n, m=m, repeats=repeats, gammas=gammas, metric="value")
    chosen = splits(n, 60, m, repeats, generator(SEED, 0, 1))
    received = np.where(table["arm"].to_numpy(zero_copy_only=False) == "B", 1.0, -1.0)
    benefit = np.clip(table["benefit"].to_numpy(), -7.5, 7.5)
    for gamma, mean in zip(gammas, tuned.means, strict=True):
        values = []
        for training, validation in zip(chosen.training, chosen.validation, strict=True):
            rule = PrivateTreatmentRule.from_study(fixed_study(), "inf", gamma=gamma)
            rule.fit(table.take(training))
            given = np.where(rule.predict(table.take(validation)) == "B", 1.0, -1.0)
            half = np.full(len(given), 0.5)
            values.append(empirical_value(given, received[validation], benefit[validation], half))
        assert mean == pytest.approx(np.mean(values), rel=1e-12)
    assert tuned.best == gammas[int(np.argmax(tuned.means))]
    assert (tuned.size, tuned.validated, tuned.bootstrapped) == (60, 35, False)


def test_several_budgets_give_what_each_gives_alone() -> None:
    source, study = pilot(60), fixed_study()
    budgets = [Budget.of(one) for one in ("0.5", "5")]
    together = tune_gamma(study, source, budgets, n=40, repeats=6, gammas=(5, 50), workers=1)
    for budget, (tuned, settled) in zip(budgets, together, strict=True):
        alone = found(source, epsilon=str(budget.epsilon), repeats=6, gammas=(5, 50))
        assert tuned == alone
        assert settled.spec.budget == budget


def test_the_automatic_gamma_stands_in_the_middle_of_the_grid() -> None:
    tuned = found(pilot(30))
    assert tuned.gammas == (1.85, 5.56, 16.7, 50.0, 150.0, 450.0, 1350.0)
    assert tuned.automatic == 50
    assert tuned.gain is not None
    assert found(pilot(30), gammas=(1, 2)).gain is None


def test_candidates_that_a_mechanism_refuses() -> None:
    study = fixed_study(mechanism="objective-block", gamma=200.0)
    source = pilot(30, study=study)
    assert found(source, study=study).gammas == (22.2, 66.7, 200.0, 600.0, 1800.0, 5400.0)
    with pytest.raises(ParameterError, match=r"5 cannot be tried: .*gamma"):
        found(source, study=study, gammas=(5, 500))
    for gammas in ([5], [5, 5], [0, 1], "12", [float("nan"), 1]):
        with pytest.raises(ParameterError, match="gammas"):
            found(source, study=study, gammas=gammas)


def test_sizes_follow_the_source() -> None:
    assert sizes_of(pilot(50), 30, None) == (10, 50)
    assert sizes_of(pilot(50), 30, 25) == (25, 50)
    assert sizes_of(FromScenario(fixed_study(), "paper"), 30, None) == (500, 530)


def test_default_metrics() -> None:
    assert found(pilot(30)).metric == "value"
    assert found(pilot(30, known=True)).metric == "accuracy"
    assert found(pilot(30), metric="loss").lowest == -1


def test_a_function_of_ones_own() -> None:
    metric: Metric = lambda second, _people: -second.mean(axis=-1)  # noqa: E731
    tuned = found(pilot(30), metric=metric)
    assert tuned.metric == "own function"
    assert tuned.lowest == min(tuned.means)


def test_equal_scores_prefer_the_larger_gamma() -> None:
    metric: Metric = lambda second, _people: np.ones(second.shape[:-1])  # noqa: E731
    assert found(pilot(30), metric=metric, gammas=(3, 9, 4)).best == 9


def test_a_larger_epsilon_scores_better() -> None:
    source = FromScenario(fixed_study(), "paper")
    few, many = (found(source, epsilon=one, repeats=30, m=200) for one in ("0.05", "50"))
    assert max(many.means) > max(few.means) + 0.1


def test_a_portion_is_a_public_choice_of_positions() -> None:
    whole = pilot(40)
    part, again = a_portion(whole, 0.25), a_portion(pilot(40, 2), 0.25)
    assert part.size == again.size == 10
    rows = [
        int(np.flatnonzero(whole.table.numbers("x1") == one)[0]) for one in part.table.numbers("x1")
    ]
    other = pilot(40, 2).table.numbers("x1")[rows]
    np.testing.assert_array_equal(other, again.table.numbers("x1"))
    for share in (0, 1, -0.2):
        with pytest.raises(ParameterError, match="the portion must lie between"):
            a_portion(whole, share)


def test_there_must_be_a_budget() -> None:
    with pytest.raises(ParameterError, match="at least one epsilon"):
        tune_gamma(fixed_study(), pilot(30), (), n=10)
