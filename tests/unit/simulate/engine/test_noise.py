"""Noise in doubles has the law and the scale of each calibration; a scale 20 % off is seen."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.unit.choose.questions import question
from tests.unit.mechanisms.laws import NOISE_LAWS

from dpwerm.arrays import FloatArray
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.draws import Draws
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Calibration
from dpwerm.mechanisms.perturbed import PerturbedObjective
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sampling import nearby_vector
from dpwerm.simulate.engine.released import inside_noise, outside_noise

M = 20_000
FEW = 600
"""How many numbers the exact samplers give; they are slower."""

ALPHA = 1e-4
WRONG = (0.5, 0.8, 1.25, 2.0)
WIDTHS = (0, 3, 1)
CANDIDATE = Hyperparameters(intercept=0.4)
P = 6
Statistic = Callable[[FloatArray], FloatArray]


def calibration_of(name: str, relation: Relation = Relation.REPLACE_ONE) -> Calibration:
    mechanism = MECHANISMS[name]
    epsilon = "inf" if name == "none" else "0.8"
    budget = Budget.of(epsilon, "1e-6" if mechanism.needs_delta else 0)
    return mechanism.calibrate(question(WIDTHS, relation=relation).facts(CANDIDATE, 30.0), budget)


def draws(count: int = M, seed: int = 5) -> Draws:
    return Draws.of((count,), P, np.random.default_rng(seed))


def block_norm(noise: FloatArray) -> FloatArray:
    """Return ‖b‖_K for CANDIDATE: intercept 0.4, a number, three levels, two levels."""
    sizes = np.abs(noise)
    parts = [sizes[:, 0] / 0.4, sizes[:, 1], sizes[:, 2:5].sum(axis=1), sizes[:, 5]]
    return np.asarray(np.max(parts, axis=0))


def l2_norm(noise: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(noise, axis=1))


def l1_norm(noise: FloatArray) -> FloatArray:
    return np.asarray(np.abs(noise).sum(axis=1))


NORMS: dict[str, tuple[Statistic, Callable[[float], float]]] = {
    "objective-l2": (l2_norm, stats.gamma(P).cdf),
    "objective-block": (block_norm, stats.gamma(P).cdf),
    "objective-gaussian": (l2_norm, stats.chi(P).cdf),
    "spherical-laplace": (l2_norm, stats.gamma(P).cdf),
    "product-laplace": (l1_norm, stats.gamma(P).cdf),
    "gaussian": (l2_norm, stats.chi(P).cdf),
}


def noise_of(calibration: Calibration, base: Draws) -> FloatArray:
    """Return the noise that the mechanism is about: inside where there is one."""
    inside = inside_noise(calibration, base)
    return outside_noise(calibration, base) if inside is None else inside


def scale_of(calibration: Calibration) -> float:
    """Return the scale that the claim needs, from the calibration."""
    if calibration.inside is None:
        return calibration.noise.scale
    return calibration.inside.sigma or 1.0 / float(calibration.inside.rate or 0.0)


def test_every_mechanism_has_its_law() -> None:
    assert set(NORMS) | {"none"} == set(MECHANISMS)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("name", NORMS)
def test_the_norm_has_its_law_at_the_scale_of_the_plan(name: str, relation: Relation) -> None:
    calibration = calibration_of(name, relation)
    statistic, law = NORMS[name]
    sizes = statistic(noise_of(calibration, draws())) / scale_of(calibration)
    assert stats.kstest(sizes, law).pvalue > ALPHA
    for wrong in WRONG:
        assert stats.kstest(wrong * sizes, law).pvalue < ALPHA


def exact_inside(calibration: Calibration, count: int) -> FloatArray:
    assert calibration.inside is not None
    assert calibration.inside.rate is not None
    mechanism = MECHANISMS[calibration.mechanism]
    assert isinstance(mechanism, PerturbedObjective)
    sampler = mechanism.sampler(calibration.facts, calibration.inside.exact_scale)
    bits = SeededBits(3)
    return np.array([nearby_vector(sampler, Fraction(1, 10**6), bits)[0] for _ in range(count)])


def exact_outside(calibration: Calibration, count: int) -> FloatArray:
    law, bits = NOISE_LAWS[calibration.noise.mechanism], SeededBits(4)
    zeros = [Fraction(0)] * P
    found = [law.release(zeros, calibration.noise, bits) for _ in range(count)]
    return np.array(found) * 2.0**calibration.noise.exponent


FEATURES: Sequence[tuple[str, Statistic]] = [
    ("intercept", lambda noise: noise[:, 0]),
    ("number", lambda noise: noise[:, 1]),
    ("level", lambda noise: noise[:, 3]),
    ("levels", lambda noise: l1_norm(noise[:, 2:5])),
    ("two levels", lambda noise: noise[:, 5]),
    ("together", lambda noise: noise[:, 1] + noise[:, 2] - noise[:, 5]),
    ("products", lambda noise: np.abs(noise[:, 1] * noise[:, 3])),
]


@pytest.mark.parametrize("name", ["objective-l2", "objective-block", *NOISE_LAWS])
def test_coordinates_and_blocks_have_the_law_of_the_exact_sampler(name: str) -> None:
    calibration = calibration_of(name)
    inside = calibration.inside is not None
    exact = exact_inside(calibration, FEW) if inside else exact_outside(calibration, FEW)
    noise = noise_of(calibration, draws())
    if name == "none":
        assert not noise.any()
        assert not exact.any()
        return
    for _, part in FEATURES:
        assert stats.ks_2samp(part(noise), part(exact)).pvalue > ALPHA
        assert stats.ks_2samp(2 * part(noise), part(exact)).pvalue < ALPHA


def test_the_second_noise_of_objective_perturbation_is_known_too() -> None:
    calibration = calibration_of("objective-block")
    sizes = l2_norm(outside_noise(calibration, draws())) / calibration.noise.scale
    assert stats.kstest(sizes, stats.gamma(P).cdf).pvalue > ALPHA


def test_plans_share_their_random_numbers() -> None:
    """Two γ of one mechanism differ by a factor, so they are compared on the same draws."""
    base, mechanism = draws(50), MECHANISMS["objective-block"]
    facts = [question(WIDTHS).facts(CANDIDATE, gamma) for gamma in (30.0, 90.0)]
    first, second = (noise_of(mechanism.calibrate(each, Budget.of("0.8")), base) for each in facts)
    ratios = first / second
    assert ratios == pytest.approx(np.full(ratios.shape, ratios[0, 0]))
    assert ratios[0, 0] > 1


def test_many_axes_and_equal_seeds() -> None:
    base = Draws.of((4, 3), P, np.random.default_rng(1))
    again = Draws.of((4, 3), P, np.random.default_rng(1))
    for name in MECHANISMS:
        noise = noise_of(calibration_of(name), base)
        assert noise.shape == (4, 3, P)
        np.testing.assert_array_equal(noise, noise_of(calibration_of(name), again))
