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
from dpwerm.features.composed import Hull, Product
from dpwerm.features.domain import CrossPolytope, Domain, Interval
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import (
    REGULARIZERS,
    ArmPenalty,
    Regularizer,
    Ridge,
    check_regularizer,
    checked_leverage,
    checked_matrix,
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

    def leverage(self, domain: Domain) -> None:
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

    def leverage(self, domain: Domain) -> Fraction:
        return self.share * super().leverage(domain)


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
    for domain in (Interval(1.5), Product((Interval(1.0), CrossPolytope(2, 0.5)))):
        assert ridge.leverage(domain) == Fraction(domain.radius) ** 2


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


ARM = Product((Interval(0.5), Interval(1.0), CrossPolytope(3, 1.0)))
PENALTIES = [
    *((1.0, 1.0), (4.0, 1.0), (1.0, 8.0), (1.0, 3.7), (1e6, 1.0), (1.0, 1e12), (2.5, 1.7)),
    *((1.0, 1 / 0.31), (1.0, 1 / 0.7), (1.0, 14.123456789)),
]


def exact_leverage(main: float, contrast: float, arms: int) -> Fraction:
    """x^T M^-1 x of a row of length 1 in one arm's columns: (1/b + (1/a - 1/b)/K)."""
    a, b = Fraction(main), Fraction(contrast)
    return 1 / b + (1 / a - 1 / b) / arms


@pytest.mark.parametrize("arms", [2, 3, 5])
@pytest.mark.parametrize(("main", "contrast"), PENALTIES)
def test_the_arm_penalty_has_its_eigenvalues_and_its_leverage(
    main: float, contrast: float, arms: int
) -> None:
    penalty, domain = ArmPenalty(main, contrast, arms), Hull((ARM,) * arms)
    check_regularizer(penalty)
    assert get_regularizer(penalty.name, **penalty.parameters) == penalty
    matrix = checked_matrix(penalty, domain.dimension)
    assert matrix is not None
    own = domain.dimension // arms
    blocks = matrix.reshape(arms, own, arms, own)
    assert np.array_equal(blocks[0, :, 0], blocks[0, 0, 0, 0] * np.eye(own))
    mean, differ = np.ones(arms), np.array([1.0, -1.0] + [0.0] * (arms - 2))
    mix = blocks[:, 0, :, 0]
    np.testing.assert_allclose(mix @ mean, main * mean, rtol=1e-12, atol=1e-12 * contrast)
    np.testing.assert_allclose(mix @ differ, contrast * differ, rtol=1e-12, atol=1e-12 * main)
    # Proven in fractions for this hull, and no more than rounding above the formula.
    leverage = checked_leverage(penalty, domain)
    assert leverage is not None
    formula = exact_leverage(main, contrast, arms) * domain.radius_squared
    slack = Fraction(max(main, contrast)) / 2**50
    assert abs(leverage / formula - 1) <= slack
    # Attained: by the longest row, against the inverse in doubles.
    row = domain.longest
    if max(main, contrast) < 1e9:
        assert row @ np.linalg.solve(matrix, row) == pytest.approx(float(leverage), rel=1e-9)


@dataclass(frozen=True)
class Halved(ArmPenalty):
    """An arm penalty that says half, or a hair less, of its leverage."""

    share: Fraction = Fraction(1, 2)
    name: ClassVar[str] = "halved"

    def leverage(self, domain: Domain) -> Fraction:
        return self.share * super().leverage(domain)


@pytest.mark.parametrize("share", [Fraction(1, 2), 1 - Fraction(1, 10**9)])
@pytest.mark.parametrize(("main", "contrast"), [(1.0, 1.0), (4.0, 1.0), (1.0, 8.0)])
def test_half_the_leverage_of_an_arm_penalty_is_refused(
    main: float, contrast: float, share: Fraction
) -> None:
    domain = Hull((ARM, ARM))
    with pytest.raises(ParameterError, match="leverage must bound"):
        checked_leverage(Halved(main, contrast, share=share), domain)
    assert checked_leverage(Halved(main, contrast, share=Fraction(1)), domain) is not None


def test_rows_in_the_columns_of_several_arms_have_the_whole_leverage() -> None:
    """The closed form is for one arm at a time: on a product it would be too small."""
    penalty = ArmPenalty(1.0, 8.0)
    both, one = Product((ARM, ARM)), Hull((ARM, ARM))
    assert penalty.leverage(both) == Fraction(both.radius) ** 2
    assert penalty.leverage(one) == Fraction(9, 16) * Fraction(one.radius) ** 2
    row = np.concatenate([ARM.longest, ARM.longest])
    found = row @ np.linalg.solve(penalty.matrix(len(row)), row)
    assert found == pytest.approx(float(both.radius_squared))
    assert found > 1.7 * float(Fraction(9, 16) * both.radius_squared)


def test_shared_columns_are_penalised_like_the_main_effect() -> None:
    penalty = ArmPenalty(4.0, 1.0, 2.0, 2.0)
    domain = Product((Hull((ARM, ARM)), Interval(1.0), Interval(1.0)))
    matrix = checked_matrix(penalty, domain.dimension)
    assert matrix is not None
    assert np.array_equal(matrix[-2:, -2:], 4.0 * np.eye(2))
    assert not matrix[-2:, :-2].any()
    leverage = checked_leverage(penalty, domain)
    assert leverage == Fraction(5, 8) * Fraction(domain.radius) ** 2
    heavy = checked_leverage(ArmPenalty(1.0, 4.0, 2.0, 2.0), domain)
    assert heavy == Fraction(domain.radius) ** 2
    theta = np.arange(1.0, domain.dimension + 1)
    first, second, shared = theta[:5], theta[5:10], theta[10:]
    mean, differ = (first + second) / 2, (second - first) / 2
    value = 4 * mean @ mean + differ @ differ + 2 * shared @ shared
    assert penalty.value(theta) == pytest.approx(value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"main": 0.5},
        {"contrast": 0.999},
        {"arms": 1.0},
        {"arms": 2.5},
        {"shared": -1.0},
        {"shared": 0.5},
        {"main": float("nan")},
        {"contrast": float("inf")},
    ],
)
def test_an_arm_penalty_below_one_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="must be"):
        ArmPenalty(**wrong)
