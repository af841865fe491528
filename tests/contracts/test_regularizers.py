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
from dpwerm.draws import Draws
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


CURVED = Product((Hull((ARM, ARM)), Interval(1.0), CrossPolytope(2, 0.5)))
"""Two arms, and two pieces of columns that they share, with squares 1 and 1/4."""

SPLIT = Hull((Product((ARM, ARM)), Interval(1.0)))
"""Rows in the columns of both arms, or in the shared one."""


@pytest.mark.parametrize("bend", [1.5, 4.0, 1e3, 7.123456789])
@pytest.mark.parametrize(("main", "contrast"), PENALTIES)
def test_a_bent_penalty_adds_what_each_piece_has(main: float, contrast: float, bend: float) -> None:
    """The closed form by hand; proven in fractions; attained at a corner; exceeded by no row."""
    penalty = ArmPenalty(main, contrast, 2.0, 3.0, bend)
    p = CURVED.dimension
    matrix = checked_matrix(penalty, p)
    assert matrix is not None
    assert np.array_equal(matrix[-3:, -3:], main * bend * np.eye(3))
    assert not matrix[-3:, :-3].any()
    assert np.array_equal(matrix[:-3, :-3], ArmPenalty(main, contrast).matrix(p - 3))
    leverage = checked_leverage(penalty, CURVED)
    assert leverage is not None
    arm = exact_leverage(main, contrast, 2) * ARM.radius_squared
    formula = arm + Fraction(5, 4) / Fraction(main * bend)
    assert abs(leverage / formula - 1) <= Fraction(max(main, contrast)) / 2**50
    if max(main, contrast) < 1e9:
        inverse, row = np.linalg.inv(matrix), CURVED.longest
        assert row @ inverse @ row == pytest.approx(float(leverage), rel=1e-9)
        draws = Draws.of((2_000,), p, np.random.default_rng(3))
        rows = CURVED.simulated(draws, slice(0, p))
        rows /= CURVED.gauge(rows)[:, None]
        found = np.einsum("np,pq,nq->n", rows, inverse, rows).max()
        assert found <= float(leverage) * (1 + 1e-9)
    # Never above what pooling all columns gives.
    pooled = max(exact_leverage(main, contrast, 2), 1 / Fraction(main * bend))
    assert leverage <= pooled * Fraction(CURVED.radius) ** 2 * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("share", [Fraction(1, 2), 1 - Fraction(1, 10**9)])
@pytest.mark.parametrize(("main", "contrast"), [(1.0, 1.0), (4.0, 1.0), (1.0, 8.0)])
def test_less_than_the_leverage_of_a_bent_penalty_is_refused(
    main: float, contrast: float, share: Fraction
) -> None:
    bent = (main, contrast, 2.0, 3.0, 4.0)
    assert checked_leverage(Halved(*bent, share=Fraction(1)), CURVED) is not None
    with pytest.raises(ParameterError, match="leverage must bound"):
        checked_leverage(Halved(*bent, share=share), CURVED)


@dataclass(frozen=True)
class Stated(ArmPenalty):
    """An arm penalty that says a leverage that it is given."""

    said: Fraction = Fraction(1)
    name: ClassVar[str] = "stated"

    def leverage(self, domain: Domain) -> Fraction:
        return self.said


def test_each_part_of_the_additive_leverage_is_needed() -> None:
    """With half of the arms' share, half of any piece's, or none of it, the proof fails."""
    arm, curves = exact_leverage(4.0, 1.0, 2) * ARM.radius_squared, (Fraction(1), Fraction(1, 4))
    shares = [arm, *(square / 16 for square in curves)]
    assert checked_leverage(Stated(4.0, 1.0, 2.0, 3.0, 4.0, said=sum(shares, Fraction(0))), CURVED)
    for share in shares:
        for kept in (Fraction(1, 2), Fraction(0)):
            said = sum(shares, Fraction(0)) - (1 - kept) * share
            with pytest.raises(ParameterError, match="leverage must bound"):
                checked_leverage(Stated(4.0, 1.0, 2.0, 3.0, 4.0, said=said), CURVED)
    # Half the factor, or twice, is another penalty, for which this leverage is too small or loose.
    said = sum(shares, Fraction(0))
    with pytest.raises(ParameterError, match="leverage must bound"):
        checked_leverage(Stated(4.0, 1.0, 2.0, 3.0, 2.0, said=said), CURVED)
    assert ArmPenalty(4.0, 1.0, 2.0, 3.0, 8.0).leverage(CURVED) < said


def test_where_rows_are_not_of_one_arm_and_curves_a_bent_penalty_has_the_whole_leverage() -> None:
    bent = ArmPenalty(1.0, 8.0, 2.0, 1.0, 4.0)
    assert checked_leverage(bent, SPLIT) == Fraction(SPLIT.radius) ** 2
    # A piece that stands in an arm's columns and in shared ones.
    wide = Hull((Interval(1.0), CrossPolytope(2, 1.5)))
    assert checked_leverage(bent, wide) == Fraction(9, 4)
    apart = Product((Hull((Interval(1.0), Interval(1.0))), Interval(0.5)))
    assert checked_leverage(bent, apart) == Fraction(9, 16) + Fraction(1, 16)
    row = np.array([1.0, 0.0, 0.5])
    assert row @ np.linalg.solve(bent.matrix(3), row) == pytest.approx(10 / 16)


def test_a_penalty_without_bend_is_as_it_was() -> None:
    """Files of before have no bend; their leverage is the looser one, to the bit."""
    known = {"main": 4.0, "contrast": 1.0, "arms": 2.0, "shared": 3.0}
    old = get_regularizer("arm-wise", **known)
    assert old == ArmPenalty(4.0, 1.0, 2.0, 3.0, 1.0)
    assert old.parameters == known
    assert old.leverage(CURVED) == Fraction(5, 8) * Fraction(CURVED.radius) ** 2
    bent = get_regularizer("arm-wise", **known, bend=4.0)
    assert bent == ArmPenalty(4.0, 1.0, 2.0, 3.0, 4.0)
    assert bent.parameters == known | {"bend": 4.0}
    check_regularizer(ArmPenalty(1e12, 1.0, 2.0, 3.0, 1e12))
    with pytest.raises(ParameterError, match=r"no parameter bent; it has: arms, bend, contrast"):
        get_regularizer("arm-wise", bent=4.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"bend": 0.999},
        {"bend": 0.0},
        {"bend": float("nan")},
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


def test_more_arms_than_columns_are_no_work_and_leave_every_column_shared() -> None:
    many = get_regularizer("arm-wise", main=3.0, contrast=1.0, arms=1e12, shared=0.0)
    np.testing.assert_array_equal(many.matrix(5), 3.0 * np.eye(5))
    with pytest.raises(ParameterError, match="shared must be"):
        ArmPenalty(shared=float("inf"))
