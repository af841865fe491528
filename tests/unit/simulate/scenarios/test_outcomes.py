import numpy as np
import pytest

from dpwerm.simulate.scenarios.loose import Gamma, Points
from dpwerm.simulate.scenarios.scenario import Normal, Outcome, StudentT, ZeroOne

MEAN = np.full(100_000, 0.3)
LAWS = [Normal(), Normal(2.0), StudentT(), ZeroOne(), Gamma(), Gamma(3.0, 0.15), Points(4)]


@pytest.mark.parametrize("outcome", LAWS, ids=repr)
def test_a_draw_has_the_mean_it_is_given(outcome: Outcome) -> None:
    drawn = outcome(MEAN, np.random.default_rng(0))
    assert drawn.shape == MEAN.shape
    error = drawn.std() / np.sqrt(len(drawn))
    assert abs(drawn.mean() - 0.3) < 6 * error  # two-sided 2e-9


def test_each_law_is_what_it_says() -> None:
    rng = np.random.default_rng(1)
    assert Normal(2.0)(MEAN, rng).std() == pytest.approx(2.0, rel=0.02)
    assert set(ZeroOne()(MEAN, rng)) == {0.0, 1.0}
    beyond = np.mean(np.abs(StudentT(3.0, 1.5)(MEAN, rng) - 0.3) > 1.5 * 5.841)
    assert beyond == pytest.approx(0.01, rel=0.2)  # the 99.5 % quantile of t with 3 degrees
    assert str(Normal(0.5)) == "normal, sd 0.5"
    amounts = Gamma(3.0, 0.15)(MEAN, rng)
    assert np.mean(amounts == 0) == pytest.approx(0.15, rel=0.1)
    assert amounts.min() == 0.0
    # Var = mean²·((1 + 1/shape)/(1 − zero) − 1)
    assert amounts.var() == pytest.approx(0.09 * ((1 + 1 / 3) / 0.85 - 1), rel=0.05)
    points = Points(4)(MEAN, rng)
    assert set(points) == {0.0, 1.0, 2.0, 3.0, 4.0}
    assert points.var() == pytest.approx(4 * 0.075 * 0.925, rel=0.05)
    assert [str(Gamma(3.0, 0.15)), str(Points(4))] == ["gamma, shape 3, 15% zeros", "0 to 4 points"]
