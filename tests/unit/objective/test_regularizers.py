"""The ridge, and penalty matrices, which are proven for the number of coefficients at hand."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from flint import arb
from tests.unit.privacy.test_origin import FACTS

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.composed import Product
from dpwerm.features.domain import Domain, Interval
from dpwerm.objective.regularizers import (
    REGULARIZERS,
    QuadraticPenalty,
    Ridge,
    check_regularizer,
    checked_leverage,
    checked_matrix,
    get_regularizer,
    register_regularizer,
)
from dpwerm.privacy.sensitivity import l2_sensitivity


def test_gradient_is_a_copy_without_error() -> None:
    theta = np.array([0.1, -3.0])
    gradient = Ridge().gradient(theta)
    gradient[0] = 7.0
    assert theta[0] == 0.1
    assert Ridge().gradient_error(theta).tolist() == [0.0, 0.0]


def test_balls_are_the_parameters_themselves() -> None:
    theta = [arb(0.1), arb(-3)]
    assert all(a.overlaps(b) for a, b in zip(Ridge().gradient_ball(theta), theta, strict=True))


@dataclass(frozen=True)
class Given(QuadraticPenalty):
    """A study's own M for three coefficients, the identity for every other number of them."""

    diagonal: tuple[float, ...] = (1.0, 1.0, 1.0)
    name: ClassVar[str] = "given"

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    def matrix(self, p: int) -> FloatArray:
        return np.diag(self.diagonal) if p == 3 else np.eye(p)


@dataclass(frozen=True)
class Boastful(Given):
    """It says that rows have a hundredth of their leverage, for three coefficients alone."""

    def leverage(self, domain: Domain) -> Fraction:
        return super().leverage(domain) / (100 if domain.dimension == 3 else 1)


THREE = replace(FACTS, domain=Product((Interval(1.0), Interval(1.0), Interval(1.0))))


@pytest.mark.parametrize("diagonal", [(1e-3, 1.0, 1e9), (-500.0, 1.0, 1e12), (1 - 1e-10, 1.0, 1.0)])
def test_a_matrix_is_proven_for_the_coefficients_at_hand(diagonal: tuple[float, ...]) -> None:
    """Doubles would not see the small eigenvalue beside the large one, and the noise would."""
    wrong = Given(diagonal)
    check_regularizer(wrong)
    with pytest.raises(ParameterError, match="at least the identity"):
        checked_matrix(wrong, 3)
    with pytest.raises(ParameterError, match="at least the identity"):
        replace(THREE, regularizer=wrong)
    assert l2_sensitivity(replace(THREE, regularizer=Given((1.0, 2.0, 1e9)))) > 0


def test_a_leverage_is_proven_for_the_coefficients_at_hand() -> None:
    check_regularizer(Boastful())
    with pytest.raises(ParameterError, match="leverage must bound"):
        checked_leverage(Boastful(), THREE.domain)
    with pytest.raises(ParameterError, match="leverage must bound"):
        _ = replace(THREE, regularizer=Boastful()).curvature_bound
    assert checked_leverage(Given(), THREE.domain) == Fraction(THREE.radius) ** 2


@dataclass(frozen=True)
class Scaled(Ridge):
    """A ridge of any size, which only the size 1 may be used with."""

    size: float = 1.0
    name: ClassVar[str] = "scaled"

    @property
    def parameters(self) -> dict[str, float]:
        return {"size": self.size}

    def value(self, theta: FloatArray) -> float:
        return self.size * super().value(theta)

    def gradient(self, theta: FloatArray) -> FloatArray:
        return self.size * theta

    def matrix(self, p: int) -> FloatArray:
        return self.size * np.eye(p)


@pytest.fixture
def scaled() -> Iterator[None]:
    register_regularizer(Scaled)
    yield
    del REGULARIZERS["scaled"]


@pytest.mark.usefixtures("scaled")
def test_what_inherits_the_ridge_is_checked_like_any_other() -> None:
    assert get_regularizer("scaled").name == "scaled"
    with pytest.raises(ParameterError, match="1-strongly convex"):
        get_regularizer("scaled", size=0.01)
    with pytest.raises(ParameterError, match="at least the identity"):
        replace(THREE, regularizer=Scaled(0.01))
