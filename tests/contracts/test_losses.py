"""Every registered loss keeps its promises, and the check that says so can say no."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from tests.unit.objective.residuals import Huber as MovedHuber

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import (
    LOSSES,
    HuberisedHinge,
    Logistic,
    Loss,
    check_loss,
    form_of,
    get_loss,
    register_loss,
    taper_of,
)
from dpwerm.objective.objective import Objective
from dpwerm.objective.residual_losses import ExpHuber, Huber
from dpwerm.objective.rows import MemoryRows

WIDTHS = (1e-12, 1e-6, 0.1, 1.0, 3.7, 1e6)
INSTANCES: list[Loss] = [
    *(loss_class() for loss_class in LOSSES.values()),
    *(HuberisedHinge(h) for h in WIDTHS),
    *(kind(width) for kind in (Huber, ExpHuber) for width in WIDTHS),
]
RESIDUAL = [loss for loss in INSTANCES if form_of(loss) == "residual"]
HARD = np.array(
    [0.0, 5e-324, 1e-300, 1e-17, 0.5, 1.0, 36.0, 40.0, 710.0, 746.0, 1e6, 1e16, 1e300, 1.7e308]
)


def margins(loss: Loss) -> FloatArray:
    random = np.random.default_rng(7)
    h, middle = loss.parameters.get("h", 1.0), 1.0
    if form_of(loss) == "residual":
        h, middle = loss.parameters["width"], 0.0
    kinks = np.array([middle - h, middle, middle + h])
    near = np.concatenate([kinks, np.nextafter(kinks, -np.inf), np.nextafter(kinks, np.inf)])
    inside = middle + h * random.uniform(-2.5, 2.5, 300)
    if form_of(loss) == "residual":
        inside = np.concatenate([inside, h * random.normal(0, 30, 200), h * np.array([-900, 900])])
    return np.concatenate([HARD, -HARD, near, inside, random.normal(0, 20, 200)])


def reference(loss: Loss, z: float) -> mpmath.mpf:
    """ℓ' from the definition in the conventions, in 60 digits; no code shared with the library."""
    t = mpmath.mpf(z)
    if isinstance(loss, Logistic):
        return -1 / (1 + mpmath.exp(t))
    if form_of(loss) == "residual":
        T = mpmath.mpf(loss.parameters["width"])
        if isinstance(loss, Huber):
            return min(max(t, -T), T)
        return mpmath.sign(t) * T * (1 - mpmath.exp(-abs(t) / T))
    h = mpmath.mpf(loss.parameters["h"])
    if t > 1 + h:
        return mpmath.mpf(0)
    return mpmath.mpf(-1) if t < 1 - h else -(1 + h - t) / (2 * h)


@pytest.mark.parametrize("loss", INSTANCES, ids=str)
class TestEveryLoss:
    def test_passes_the_check(self, loss: Loss) -> None:
        check_loss(loss)

    def test_is_made_again_from_name_and_parameters(self, loss: Loss) -> None:
        assert get_loss(loss.name, **loss.parameters) == loss

    def test_derivative_error_holds_against_60_digits(self, loss: Loss) -> None:
        z = margins(loss)
        with mpmath.workdps(60):
            for t, slope in zip(z.tolist(), loss.derivative(z).tolist(), strict=True):
                assert abs(mpmath.mpf(slope) - reference(loss, t)) <= loss.derivative_error

    def test_ball_encloses_60_digits(self, loss: Loss) -> None:
        with ctx.workprec(150), mpmath.workdps(60):
            for t in margins(loss).tolist():
                ball = loss.derivative_ball(arb(t))
                middle = mpmath.mpf(ball.mid().str(55, radius=False))
                assert abs(middle - reference(loss, t)) <= 1e-40 * max(1, loss.lipschitz)

    def test_constants_are_tight(self, loss: Loss) -> None:
        z = np.concatenate([margins(loss), [-800.0, 0.0]])
        assert np.abs(loss.derivative(z)).max() >= 0.999 * loss.lipschitz
        assert loss.second_derivative(z).max() >= 0.999 * loss.smoothness

    def test_far_out_the_slope_is_constant(self, loss: Loss) -> None:
        far = np.array([-1e300, 1e300])
        L = loss.lipschitz
        flat = [-L, L] if form_of(loss) == "residual" else [-1.0, 0.0]
        assert loss.derivative(far).tolist() == flat
        assert loss.second_derivative(far).tolist() == [0.0, 0.0]

    def test_weight_two_is_a_duplicated_row_and_weight_zero_an_absent_one(self, loss: Loss) -> None:
        random = np.random.default_rng(1)
        X, y = random.uniform(-1, 1, (7, 2)), np.array([1.0, -1, 1, 1, -1, -1, 1])
        weights = np.array([2.0, 0, 1, 1, 2, 0, 1])
        repeated = np.repeat(np.arange(7), weights.astype(int))
        bounds = np.array([0.5, 1, 1])
        weighted = Objective(MemoryRows(X, y, weights, 0.5, bounds), loss, 1.0)
        copied = MemoryRows(X[repeated], y[repeated], np.ones(len(repeated)), 0.5, bounds)
        theta = np.array([0.3, 1.2, -0.7])
        one, two = weighted.evaluate(theta), Objective(copied, loss, 1.0).evaluate(theta)
        assert one.value == pytest.approx(two.value, rel=1e-12)
        np.testing.assert_allclose(one.gradient, two.gradient, rtol=1e-12)
        np.testing.assert_allclose(one.hessian, two.hessian, rtol=1e-12)


@dataclass(frozen=True)
class Doubtful:
    """The Huberised hinge with constants multiplied by chosen factors."""

    lipschitz_factor: float = 1.0
    smoothness_factor: float = 1.0
    slope_factor: float = 1.0
    error_factor: float = 1.0
    curvature_factor: float = 1.0
    name: ClassVar[str] = "doubtful"
    honest: ClassVar[HuberisedHinge] = HuberisedHinge(0.3)

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    @property
    def lipschitz(self) -> float:
        return self.honest.lipschitz * self.lipschitz_factor

    @property
    def smoothness(self) -> float:
        return self.honest.smoothness * self.smoothness_factor

    @property
    def derivative_error(self) -> float:
        return self.honest.derivative_error * self.error_factor

    def value(self, z: FloatArray) -> FloatArray:
        return self.honest.value(z)

    def derivative(self, z: FloatArray) -> FloatArray:
        return self.honest.derivative(z) * self.slope_factor

    def second_derivative(self, z: FloatArray) -> FloatArray:
        return self.honest.second_derivative(z) * self.curvature_factor

    def derivative_ball(self, z: arb) -> arb:
        return self.honest.derivative_ball(z)


@pytest.fixture
def registry() -> Iterator[None]:
    before = dict(LOSSES)
    yield
    LOSSES.clear()
    LOSSES.update(before)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (Doubtful(lipschitz_factor=0.5), "lipschitz"),
        (Doubtful(smoothness_factor=0.5), "smoothness"),
        (Doubtful(slope_factor=0.5), "belong together"),
        (Doubtful(slope_factor=-1.0), "convex"),
        (Doubtful(error_factor=0.0), "derivative_error"),
        (Doubtful(curvature_factor=0.5), "slope of derivative"),
        (Doubtful(lipschitz_factor=float("nan")), "finite"),
        (Doubtful(lipschitz_factor=0.01, error_factor=2.0**53), "a millionth of lipschitz"),
    ],
)
def test_a_wrong_constant_is_found_and_named(wrong: Doubtful, named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        check_loss(wrong)


@pytest.mark.usefixtures("registry")
def test_an_own_loss_can_be_registered_once() -> None:
    assert register_loss(Doubtful) is Doubtful
    assert get_loss("doubtful") == Doubtful()
    with pytest.raises(ParameterError, match="already registered"):
        register_loss(Doubtful)


@pytest.mark.usefixtures("registry")
def test_a_wrong_loss_is_not_registered() -> None:
    class Wrong(Doubtful):
        name: ClassVar[str] = "wrong"

        @property
        def smoothness(self) -> float:
            return self.honest.smoothness / 2

    with pytest.raises(ParameterError, match="smoothness"):
        register_loss(Wrong)
    assert "wrong" not in LOSSES


@pytest.mark.usefixtures("registry")
def test_every_instance_of_an_own_loss_is_checked() -> None:
    class Scaled(Doubtful):
        name: ClassVar[str] = "scaled"

        @property
        def parameters(self) -> dict[str, float]:
            return {"lipschitz_factor": self.lipschitz_factor}

    register_loss(Scaled)
    assert get_loss("scaled", lipschitz_factor=2.0).lipschitz == 2.0
    with pytest.raises(ParameterError, match="lipschitz"):
        get_loss("scaled", lipschitz_factor=0.5)


def test_a_ball_that_ignores_its_radius_is_found() -> None:
    class Narrow(Doubtful):
        def derivative_ball(self, z: arb) -> arb:
            return self.honest.derivative_ball(z.mid())

    with pytest.raises(ParameterError, match="derivative_ball"):
        check_loss(Narrow())


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("parameters", [{"T": 0.1}, {"T": 3.0}, {"T": 1e4}, {"T": 2.0, "m": 5.0}])
def test_a_loss_of_residuals_is_checked_like_any_other(parameters: dict[str, float]) -> None:
    assert register_loss(MovedHuber) is MovedHuber
    loss = get_loss("moved-huber", **parameters)
    assert loss == MovedHuber(**parameters)
    assert form_of(loss) == "residual"


def test_a_loss_of_residuals_with_a_wrong_constant_is_refused() -> None:
    class Steeper(MovedHuber):
        @property
        def lipschitz(self) -> float:
            return self.T / 2

    class Rounder(MovedHuber):
        smoothness = 0.5

    for wrong, named in ((Steeper(), "at most lipschitz"), (Rounder(), "faster than smoothness")):
        with pytest.raises(ParameterError, match=named):
            check_loss(wrong)


def test_a_loss_without_a_form_is_one_of_margins_and_another_form_is_refused() -> None:
    class Unknown(Doubtful):
        form = "ratio"

    assert form_of(Doubtful()) == form_of(Logistic()) == "margin"
    with pytest.raises(ParameterError, match="form must be one of margin, residual"):
        check_loss(Unknown())


@pytest.mark.parametrize("loss", RESIDUAL, ids=str)
def test_a_loss_of_residuals_has_the_value_of_its_definition(loss: Loss) -> None:
    z = loss.lipschitz * np.array([0.0, 1e-9, 1e-4, 9e-4, 2e-3, 0.1, 0.999, 1.0, 1.5, 7.0, 60.0])
    with mpmath.workdps(60):
        T = mpmath.mpf(loss.lipschitz)
        for size, found, mirrored in zip(
            z.tolist(), loss.value(z).tolist(), loss.value(-z).tolist(), strict=True
        ):
            t = mpmath.mpf(size)
            exact = T * t - T * T * (1 - mpmath.exp(-t / T))
            if isinstance(loss, Huber):
                exact = t * t / 2 if t <= T else T * t - T * T / 2
            assert found == mirrored == pytest.approx(float(exact), rel=1e-9, abs=0)


def test_only_exp_huber_tapers_and_its_constant_is_tight() -> None:
    assert {loss.name for loss in INSTANCES if taper_of(loss) is not None} == {"exp-huber"}
    for loss in (ExpHuber(width) for width in WIDTHS):
        z = loss.width * np.linspace(-20, 20, 4001)
        share = np.abs(loss.derivative(z)) / loss.lipschitz
        np.testing.assert_allclose(loss.second_derivative(z), 1 - share, atol=1e-12)
        np.testing.assert_allclose(
            loss.curvature_at_slope(loss.derivative(z)), loss.second_derivative(z), atol=1e-12
        )


@dataclass(frozen=True)
class Tapering(ExpHuber):
    """An exp-Huber loss that states a taper of its own."""

    taper: float = 1.0  # type: ignore[misc]
    name: ClassVar[str] = "tapering"

    @property
    def parameters(self) -> dict[str, float]:
        return {"width": self.width, "taper": self.taper}


class TaperedHuber(Huber):
    """Huber's loss, which has a kink where its slope is largest, with a taper."""

    name: ClassVar[str] = "tapered-huber"
    taper: ClassVar[float] = 1.0


def test_a_wrong_taper_is_found_and_named() -> None:
    for good in (Tapering(), Tapering(2.0), Tapering(1.0, 1.5), Tapering(0.1, 2.0)):
        check_loss(good)
    steep = TaperedHuber(0.7)
    for wrong in (Tapering(1.0, 0.5), Tapering(3.0, 0.999), Tapering(1.0, 0.0), steep):
        with pytest.raises(ParameterError, match="taper"):
            check_loss(wrong)
