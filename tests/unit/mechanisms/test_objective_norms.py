from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from tests.unit.mechanisms.perturbed_cases import BLOCKS, P, blockwise, facts, spherical

from dpwerm.exact import precision
from dpwerm.mechanisms.objective_perturbation import (
    ObjectiveBlock,
    ObjectiveEuclidean,
    ObjectivePerturbation,
)
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sampling import LazyUniforms

FACTS = facts()
RATE = 0.3


def sampled(norm: ObjectivePerturbation, seed: int, rate: float = RATE) -> list[float]:
    with precision(160):
        balls: list[arb] = norm.sampler(FACTS, 1 / Fraction(rate))(
            LazyUniforms(SeededBits(seed)), 128
        )
        assert all(ball.rad() < 1e-20 for ball in balls)
        return [float(ball.mid()) for ball in balls]


def test_kappa_is_the_radius_or_exactly_one() -> None:
    assert ObjectiveEuclidean().kappa(FACTS) == FACTS.radius
    assert ObjectiveBlock().kappa(FACTS) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_the_samplers_are_their_formulas(seed: int) -> None:
    euclidean = [float(b) for b in spherical(SeededBits(seed), P, 1 / Fraction(RATE))]
    np.testing.assert_allclose(sampled(ObjectiveEuclidean(), seed), euclidean, rtol=1e-12)
    block = [float(b) for b in blockwise(SeededBits(seed), BLOCKS, 1 / Fraction(RATE))]
    np.testing.assert_allclose(sampled(ObjectiveBlock(), seed), block, rtol=1e-12)


@pytest.mark.parametrize(
    "norm", [ObjectiveEuclidean(), ObjectiveBlock()], ids=lambda norm: norm.name
)
def test_twice_the_rate_is_half_the_noise(norm: ObjectivePerturbation) -> None:
    np.testing.assert_allclose(sampled(norm, 1, 2 * RATE), np.array(sampled(norm, 1)) / 2)
