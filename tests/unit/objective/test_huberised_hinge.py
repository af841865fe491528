import numpy as np
import pytest

from dpwerm.errors import ParameterError
from dpwerm.objective.losses import HuberisedHinge


def test_the_three_pieces_have_the_values_of_the_definition() -> None:
    loss = HuberisedHinge(0.5)
    z = np.array([-2.0, 0.5, 1.0, 1.25, 1.5, 9.0])
    assert loss.value(z).tolist() == [3.0, 0.5, 0.125, 0.03125, 0.0, 0.0]
    assert loss.derivative(z).tolist() == [-1.0, -1.0, -0.5, -0.25, 0.0, 0.0]
    assert loss.second_derivative(z).tolist() == [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]


def test_the_constants_are_those_of_the_theory() -> None:
    assert HuberisedHinge(0.25).lipschitz == 1.0
    assert HuberisedHinge(0.25).smoothness == pytest.approx(2.0, rel=1e-15)
    assert HuberisedHinge(0.25).smoothness >= 2.0


def test_it_is_within_a_quarter_h_of_the_hinge() -> None:
    z = np.linspace(-3, 5, 2001)
    gap = HuberisedHinge(0.8).value(z) - np.maximum(0, 1 - z)
    assert gap.min() >= -1e-15
    assert gap.max() == pytest.approx(0.2)


@pytest.mark.parametrize("h", [0, -1, 1e-13, 1e13, float("nan"), float("inf"), "wide", True])
def test_a_width_outside_its_range_is_refused_by_name(h: float) -> None:
    with pytest.raises(ParameterError, match=r"^h must be"):
        HuberisedHinge(h)
