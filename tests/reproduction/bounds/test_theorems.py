"""The formulas of Theorems 11 and 12 and Corollary 13, each attained or nearly so."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpwerm.objective.losses import HuberisedHinge
from reproduction.bounds.theorems import (
    corner_term,
    generalisation_order,
    length_factor,
    privacy_term,
    regularisation_term,
    sample_sizes,
)

rhos = st.floats(1e-9, 0.999)


@given(p=st.integers(1, 2000), rho=rhos)
def test_noise_is_rarely_longer_than_the_length_factor(p: int, rho: float) -> None:
    assert stats.gamma.sf(length_factor(p, rho), p) <= rho


@pytest.mark.parametrize("p", [2, 5, 100])
def test_half_the_length_factor_is_no_bound(p: int) -> None:
    assert stats.gamma.sf(length_factor(p, 0.05) / 2, p) > 0.05


def test_the_length_factor_is_what_the_paper_prints() -> None:
    assert length_factor(5, math.exp(-2)) == pytest.approx(5 + math.sqrt(20) + 2)


@given(h=st.floats(0.01, 10), weight=st.floats(0.01, 100))
def test_the_corner_term_is_the_largest_gap_between_the_losses(h: float, weight: float) -> None:
    z = np.linspace(1 - 2 * h, 1 + 2 * h, 4001)
    gap = weight * (HuberisedHinge(h).value(z) - np.maximum(1 - z, 0))
    assert gap.min() >= -1e-12 * weight * (1 + h)
    assert gap.max() == pytest.approx(corner_term(weight, h))


def test_the_privacy_term_is_attained_in_the_corner() -> None:
    """One row x = r in one dimension: in the corner F is a parabola with that curvature."""
    h, r, lam, weight = 2.0, 1.5, 0.3, 0.7
    loss = HuberisedHinge(h)

    def objective(theta: float) -> float:
        return weight * float(loss.value(np.array([r * theta]))[0]) + lam / 2 * theta**2

    curvature = weight * r**2 / (2 * h)
    # The derivative −W(1 + h − rθ)r/(2h) + λθ is 0 here, well inside the corner.
    hat = weight * r * (1 + h) / (2 * h) / (lam + curvature)
    assert abs(1 - r * hat) < h / 2
    for length in (0.01, -0.2, 0.3):
        cost = objective(hat + length) - objective(hat)
        assert cost == pytest.approx(privacy_term(lam, curvature, abs(length)))


def test_with_the_constants_of_the_paper_the_terms_are_those_of_the_paper() -> None:
    n, gamma, W, h, C, epsilon, rho, p = 1000, 50.0, 3.0, 0.5, 2.0, 0.7, 0.05, 6
    lam = gamma / n
    a = length_factor(p, rho)
    length = (C + 2 * W) / gamma * a / epsilon
    printed = (lam + W / (2 * h)) / 2 * ((C + 2 * W) * a / (n * lam * epsilon)) ** 2
    assert privacy_term(lam, W / (2 * h), length) == pytest.approx(printed)
    assert regularisation_term(lam, 2.0) == pytest.approx(lam * 4 / 2)
    assert generalisation_order(W, lam, n) == pytest.approx(W**2 / (lam * n))
    norm, alpha = 2.5, 0.2
    sizes = sample_sizes(
        alpha=alpha,
        norm=norm,
        gradient_bound=W,
        change=C + 2 * W,
        curvature=W / (2 * h),
        p=p,
        rho=rho,
        epsilon=epsilon,
    )
    q = p * math.log(p / rho)
    assert sizes.generalisation == pytest.approx(W**2 * norm**2 / alpha**2)
    assert sizes.privacy == pytest.approx((C + 2 * W) * q * norm / (epsilon * alpha))
    third = (C + 2 * W) * q * math.sqrt(W / h) * norm**2 / (epsilon * alpha**1.5)
    assert sizes.privacy_and_corner == pytest.approx(third)
    assert sizes.largest == max(sizes.generalisation, sizes.privacy, third)


def test_with_that_many_people_the_terms_are_of_the_order_of_alpha() -> None:
    """λ = α/‖θ₀‖² and n of the corollary leave T₁, T₂ and T₄ below a few α."""
    W, alpha, norm, epsilon, p, rho = 1.0, 0.1, 3.0, 0.5, 5, 0.05
    curvature = W / (2 * alpha)
    shared = {"alpha": alpha, "norm": norm, "p": p, "rho": rho, "epsilon": epsilon}
    sizes = sample_sizes(gradient_bound=W, change=2 * W, curvature=curvature, **shared)  # type: ignore[arg-type]
    n, lam = sizes.largest, alpha / norm**2
    length = 2 * W * length_factor(p, rho) / (n * lam * epsilon)
    total = (
        regularisation_term(lam, norm)
        + privacy_term(lam, curvature, length)
        + corner_term(W, alpha)
        + generalisation_order(W, lam, n)
    )
    assert total < 3 * alpha
