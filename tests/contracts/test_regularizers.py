"""Every registered regulariser is 1-strongly convex, and the check can say no."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from flint import arb
from tests.unit.mechanisms.perturbed_cases import facts
from tests.unit.objective.residuals import Coupled

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import (
    REGULARIZERS,
    Regularizer,
    Ridge,
    check_regularizer,
    get_regularizer,
    register_regularizer,
)
from dpwerm.objective.rows import MemoryRows


@dataclass(frozen=True)
class Quartic:
    """R(θ) = ½a‖θ‖² + ¼b Σθ_j⁴ on all but the first ``skipped`` coordinates."""

    a: float = 1.0
    b: float = 0.5
    skipped: int = 0
    value_factor: float = 1.0
    error: float = 1e-14
    curvature: float = 3.0
    name: ClassVar[str] = "quartic"

    @property
    def parameters(self) -> dict[str, float]:
        return {"a": self.a, "b": self.b}

    def value(self, theta: FloatArray) -> float:
        t = theta[self.skipped :]
        return self.value_factor * float((self.a * t**2 / 2 + self.b * t**4 / 4).sum())

    def gradient(self, theta: FloatArray) -> FloatArray:
        slope = self.a * theta + self.b * theta**3
        slope[: self.skipped] = 0
        return slope

    def hessian(self, theta: FloatArray) -> FloatArray:
        bend = self.a + self.curvature * self.b * theta**2
        bend[: self.skipped] = 0
        return np.diag(bend)

    def gradient_error(self, theta: FloatArray) -> FloatArray:
        slip: FloatArray = self.error * (np.abs(theta) + np.abs(theta) ** 3)
        return slip

    def gradient_ball(self, theta: Sequence[arb]) -> list[arb]:
        slope = [arb(self.a) * t + arb(self.b) * t**3 for t in theta]
        return [arb(0)] * self.skipped + slope[self.skipped :]

    def matrix(self, p: int) -> None:
        return None

    def leverage(self, radius_squared: Fraction, p: int) -> None:
        return None


@pytest.fixture
def registry() -> Iterator[None]:
    before = dict(REGULARIZERS)
    yield
    REGULARIZERS.clear()
    REGULARIZERS.update(before)


@pytest.mark.parametrize("name", sorted(REGULARIZERS))
def test_every_regularizer_passes_the_check(name: str) -> None:
    regularizer = get_regularizer(name)
    check_regularizer(regularizer)
    assert get_regularizer(name, **regularizer.parameters) == regularizer


def test_ridge_counts_every_coordinate() -> None:
    ridge: Regularizer = get_regularizer("ridge")
    theta = np.array([3.0, 4.0])
    assert ridge.value(theta) == 12.5
    assert ridge.gradient(theta).tolist() == [3.0, 4.0]
    assert ridge.hessian(theta).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (Quartic(a=0.5), "strongly convex"),
        (Quartic(skipped=1), "strongly convex"),
        (Quartic(value_factor=0.5), "belong together"),
        (Quartic(curvature=1.5), "hessian"),
        (Quartic(error=0.0), "gradient_error"),
    ],
)
def test_a_wrong_regularizer_is_found_and_named(wrong: Quartic, named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        check_regularizer(wrong)


@pytest.mark.usefixtures("registry")
def test_an_own_regularizer_can_be_registered_once() -> None:
    assert register_regularizer(Quartic) is Quartic
    assert get_regularizer("quartic", a=2.0) == Quartic(a=2.0)
    with pytest.raises(ParameterError, match="already registered"):
        register_regularizer(Quartic)
    with pytest.raises(ParameterError, match="no parameter c"):
        get_regularizer("quartic", c=1.0)


@dataclass(frozen=True)
class Twisted(Coupled):
    """A penalty matrix with one thing wrong."""

    twist: float = 0.0
    share: Fraction = Fraction(1)

    def matrix(self, p: int) -> FloatArray:
        matrix = super().matrix(p)
        matrix[0, p - 1] += self.twist
        return matrix

    def leverage(self, radius_squared: Fraction, p: int) -> Fraction:
        return self.share * radius_squared


@pytest.mark.parametrize("good", [Coupled(), Coupled(1e6), Coupled(0.1, 3.0), Twisted()], ids=str)
def test_a_penalty_matrix_passes_the_check(good: Coupled) -> None:
    check_regularizer(good)


def test_a_penalty_matrix_that_is_above_the_identity_may_have_less_leverage() -> None:
    check_regularizer(Twisted(lift=1.0, share=Fraction(1, 2)))


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (Twisted(twist=2.0**-40), "symmetric"),
        (Coupled(-(2.0**-40)), "at least the identity"),
        (Coupled(0.5, -(2.0**-52)), "at least the identity"),
        (Twisted(lift=1.0, share=Fraction(49, 100)), "leverage"),
        (Twisted(share=Fraction(99, 100)), "leverage"),
        (Twisted(share=Fraction(0)), "leverage"),
    ],
)
def test_a_wrong_penalty_matrix_is_found_and_named(wrong: Coupled, named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        check_regularizer(wrong)


def test_the_ridge_is_the_identity_and_its_leverage_the_squared_radius() -> None:
    ridge = get_regularizer("ridge")
    assert np.array_equal(Ridge().matrix(3), np.eye(3))
    assert ridge.leverage(Fraction(7, 3), 3) == Fraction(7, 3)


class Unfinished:
    """A class as regularisers once were: without ``matrix`` and ``leverage``."""

    name = "unfinished"
    parameters: ClassVar[dict[str, float]] = {}
    value = gradient = hessian = gradient_error = gradient_ball = Quartic.value


def test_a_regulariser_that_lacks_a_method_is_refused_by_name() -> None:
    unfinished: Any = Unfinished
    rows = MemoryRows(np.zeros((0, 2)), np.zeros(0), np.zeros(0), 0.0, np.ones(2))
    known = facts()
    for use in (
        lambda: register_regularizer(unfinished),
        lambda: Objective(rows, Logistic(), 1.0, unfinished()),
        lambda: replace(known, regularizer=unfinished()),
    ):
        with pytest.raises(ParameterError, match="not Unfinished: it has no matrix, leverage"):
            use()
    assert "unfinished" not in REGULARIZERS
