"""The theorems hold in simulation, and would not with half the noise or half the curvature."""

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.features.domains import of_blocks
from tests.unit.plan.studies import study

from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.regularizers import Ridge
from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign
from dpwerm.solve.batch_problems import BatchProblems
from reproduction.bounds.measured import MECHANISM, RHO, Bounds, _theta, bounds_beside, bounds_of
from reproduction.bounds.risks import Sample, Trials
from reproduction.bounds.theorems import corner_term, privacy_term, regularisation_term

HINGE = HuberisedHinge(0.5)


def problems(seed: int, rows: int) -> BatchProblems:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (6, rows, 2))
    y = np.where(X[..., 0] + 0.4 * rng.normal(size=X.shape[:2]) > 0, 1.0, -1.0)
    return BatchProblems(X, y, rng.uniform(0, 1, X.shape[:2]), 0.5)


def sample(n: int = 120, rows: int = 120) -> Sample:
    return Sample(problems(1, rows), problems(2, 300), n)


def facts(gamma: float, loss: Loss = HINGE) -> Facts:
    return Facts(
        weight_bound=1.0,
        lipschitz=1.0,
        smoothness=loss.smoothness,
        domain=of_blocks(((1, 0.5), (1, 1.0), (1, 1.0))),
        gamma=gamma,
        regularizer=Ridge(),
        relation=Relation.REPLACE_ONE,
        n=120,
        origin=KnownByDesign(),
    )


def found(gamma: float, epsilon: str, loss: Loss = HINGE, n: int = 120) -> Bounds:
    calibration = get_mechanism(MECHANISM).calibrate(facts(gamma, loss), Budget.of(epsilon))
    return bounds_beside(sample(n), calibration, loss, draws=100)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "20"])
@pytest.mark.parametrize("gamma", [1.0, 20.0, 500.0])
def test_no_term_is_below_what_it_bounds(gamma: float, epsilon: str) -> None:
    one = found(gamma, epsilon)
    assert one.exceeded <= RHO
    for term in (one.length, *one.terms, one.empirical):
        assert term.mean <= term.bound
    for term in (one.length, one.terms[1]):
        assert term.quantile <= term.bound
    assert 0 <= one.terms[2].mean <= corner_term(1.0, HINGE.h)
    assert one.empirical.bound == pytest.approx(sum(term.bound for term in one.terms))
    assert one.population.bound == pytest.approx(one.empirical.bound + one.generalisation.bound)


@pytest.mark.parametrize("gamma", [1.0, 20.0])
def test_each_trial_and_each_noise_obeys_its_own_inequality(gamma: float) -> None:
    calibration = get_mechanism(MECHANISM).calibrate(facts(gamma), Budget.of(1))
    one, lam = sample(), gamma / 120
    trials = Trials(one, HINGE, lam, _theta(one, calibration, HINGE, 50))
    assert (trials.regularising()[:, 0] <= regularisation_term(lam, 1.0) * trials.norms**2).all()
    curvature = float(calibration.facts.curvature_bound)
    slack = 1 + 1e-6
    assert (trials.noise() <= privacy_term(lam, curvature, 1.0) * trials.lengths**2 * slack).all()
    assert (trials.noise() > 0).all()


def test_the_noise_has_the_length_that_the_plan_says() -> None:
    """With half of it, or twice, this would fail."""
    one = found(20.0, "1")
    assert one.length.quantile == pytest.approx(one.exact_length, rel=0.1)
    assert one.length.bound / 2 < one.exact_length < one.length.bound


def test_fewer_rows_stand_for_many_people() -> None:
    calibration = get_mechanism(MECHANISM).calibrate(facts(20.0), Budget.of(1))
    few = bounds_beside(sample(), calibration, HINGE, draws=20)
    many = bounds_beside(sample(n=1200), calibration, HINGE, draws=20)
    assert (many.n, many.rows) == (1200, 120)
    assert many.terms[0].bound == pytest.approx(few.terms[0].bound / 10)
    # Ten times the people count ten times, so the same γ regularises less.
    assert many.terms[0].mean < few.terms[0].mean


def test_another_loss_has_no_corner() -> None:
    one = found(20.0, "1", Logistic())
    assert one.terms[2].bound == one.terms[2].mean == 0
    assert one.exceeded <= RHO


def test_other_mechanisms_are_not_what_the_theorems_are_about() -> None:
    calibration = get_mechanism("objective-l2").calibrate(facts(500.0), Budget.of(1))
    with pytest.raises(ParameterError, match="spherical-laplace"):
        bounds_beside(sample(), calibration, HINGE)
    loose = get_mechanism("gaussian").calibrate(facts(500.0), Budget.gdp(1))
    with pytest.raises(ParameterError, match="spherical-laplace"):
        bounds_beside(sample(), replace(loose, mechanism=MECHANISM), HINGE)


@pytest.mark.usefixtures("quick")
def test_the_bounds_of_a_study_hold_on_its_random_trials() -> None:
    settled = settle(study(), Budget.of(1), 100, mechanism=MECHANISM)
    one = bounds_of(settled)
    assert one.exceeded <= RHO
    assert one.empirical.mean <= one.empirical.bound
    assert one.calibration.facts.gamma == pytest.approx(settled.gamma)
    assert (one.n, one.rows) == (100, 60)
