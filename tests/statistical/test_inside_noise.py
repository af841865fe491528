"""The noise b inside the objective: its scale, and the law of its blocks.

With density ∝ exp(−β‖b‖_K) the norm β‖b‖_K is Gamma(p), so m draws add up to Gamma(mp). A block of
width k has ‖b_block‖₁/s = R·V with R ~ Gamma(p+1, 1/β) and P(V ≤ v) = v^k, hence the distribution

    F(x) = Γ_{p+1}(x) + x^k (p−k)!/p! (1 − Γ_{p+1−k}(x)),   Γ_a: that of Gamma(a).
"""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from scipy import stats
from tests.statistical.kolmogorov import POWER, Distribution, Shape
from tests.statistical.samples import SOURCES
from tests.unit.features.domains import of_blocks

from dpwerm.arrays import FloatArray
from dpwerm.mechanisms.objective_perturbation import (
    ObjectiveBlock,
    ObjectiveEuclidean,
    ObjectivePerturbation,
)
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Relation
from dpwerm.privacy.randomness import bit_source
from dpwerm.privacy.sampling import nearby_vector
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign

BLOCKS = ((1, 0.5), (1, 1.0), (1, 1.0), (3, 0.75))
"""An intercept, two numbers, and a category of three levels."""

P, M, RATE = 6, 4000, 0.3
ERROR = 1e-9
DOMAIN = of_blocks(BLOCKS)
FACTS = Facts(3.0, 1.0, 0.25, DOMAIN, 10.0, Ridge(), Relation.REPLACE_ONE, 9, KnownByDesign())
NORMS: dict[str, ObjectivePerturbation] = {"l2": ObjectiveEuclidean(), "block": ObjectiveBlock()}
WRONG = (0.9, 1.1)


@lru_cache(maxsize=8)
def noise(norm: str, source: str) -> FloatArray:
    """Return β·b of M draws, shape (M, P); each row is off by less than ERROR."""
    sampler, bits = NORMS[norm].sampler(FACTS, 1 / Fraction(RATE)), bit_source(SOURCES[source])
    error = Fraction(ERROR)
    draws = [nearby_vector(sampler, error, bits.substream()) for _ in range(M)]
    b: FloatArray = np.array([np.sum(parts, axis=0) for parts in draws])
    return RATE * b


def block_sizes(b: FloatArray) -> FloatArray:
    """Return ‖b_block‖₁/s, shape (M, number of blocks)."""
    widths = np.array([width for width, _ in BLOCKS])
    starts = np.r_[0, np.cumsum(widths)[:-1]]
    sums: FloatArray = np.add.reduceat(np.abs(b), starts, axis=1)
    sizes: FloatArray = sums / np.array([bound for _, bound in BLOCKS])
    return sizes


def norms_of(norm: str, b: FloatArray) -> FloatArray:
    lengths: FloatArray = np.linalg.norm(b, axis=1)
    return lengths if norm == "l2" else np.asarray(block_sizes(b).max(axis=1))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("norm", NORMS)
def test_the_right_scale_is_accepted_and_others_are_not(
    norm: str, source: str, alpha: float
) -> None:
    law = stats.gamma(M * P)
    slack = 2 * M * math.sqrt(P) * ERROR
    low, high = law.isf(1 - alpha / 2) - slack, law.isf(alpha / 2) + slack
    for factor in WRONG:
        missed = law.cdf((high + slack) / factor) - law.cdf((low - slack) / factor)
        assert 1 - missed >= POWER
    assert low <= norms_of(norm, noise(norm, source)).sum() <= high


def beta(a: float, b: float) -> Distribution:
    return lambda x: stats.beta.cdf(x, a, b)


def size_of_block(k: int, p: int) -> Distribution:
    """Return the distribution of R·V, R ~ Gamma(p+1), P(V ≤ v) = v^k."""
    factor = math.factorial(p - k) / math.factorial(p)

    def law(x: FloatArray) -> FloatArray:
        x = np.maximum(x, 0.0)
        beyond = factor * x**k * stats.gamma.sf(x, p + 1 - k)
        return np.asarray(stats.gamma.cdf(x, p + 1) + beyond)

    return law


@pytest.mark.parametrize("source", SOURCES)
def test_a_uniform_point_of_the_blocks_has_its_law(source: str, alpha: float) -> None:
    b = noise("block", source)
    sizes = block_sizes(b)
    for j, (width, _) in enumerate(BLOCKS):
        # Wrong if the radius were Gamma(p), as it is for a point of the sphere.
        Shape(size_of_block(width, P), 0.3, size_of_block(width, P - 1)).check(
            sizes[:, j], 10 * ERROR, alpha / 8
        )
    # Inside the block the shares are uniform on the simplex: each is Beta(1, 2). Wrong if there
    # were a level more, or if each were a Gamma(2) over the sum. Tiny blocks are lost in rounding.
    large = sizes[:, -1] > 0.01
    shares = np.abs(b[large, 3:]) / np.abs(b[large, 3:]).sum(axis=1, keepdims=True)
    for wrong in ((1, 3), (2, 4)):
        shape = Shape(beta(1, 2), 2.0, beta(*wrong))
        for j in range(3):
            shape.check(shares[:, j], 1e-5, alpha / 8)
    # Two blocks are independent but for the radius: the smaller over the larger of two intervals
    # is uniform. Wrong if both were one number.
    pair = sizes[:, 1:3]
    ratio = pair.min(axis=1) / pair.max(axis=1)
    far = pair.max(axis=1) > 0.01
    doubtful = float(np.mean(~far))
    Shape(lambda x: np.clip(x, 0, 1), 1.0, lambda x: np.where(x >= 1, 1.0, 0.0)).check(
        ratio, 1e-5 + doubtful, alpha / 8
    )


@pytest.mark.parametrize("source", SOURCES)
def test_signs_in_a_block_are_fair_and_independent(source: str, alpha: float) -> None:
    signs = np.sign(noise("block", source)) > 0
    for j in range(P):
        assert stats.binomtest(int(signs[:, j].sum()), M).pvalue > alpha / 10
    for j, k in ((3, 4), (4, 5), (3, 5), (0, 3)):
        equal = int((signs[:, j] == signs[:, k]).sum())
        assert stats.binomtest(equal, M).pvalue > alpha / 10
