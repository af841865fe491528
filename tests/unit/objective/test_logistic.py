import math

import numpy as np
import pytest
from flint import arb, ctx

from dpwerm.objective.losses import Logistic


def test_values_of_the_definition() -> None:
    z = np.array([-1.5, 0.0, 2.0])
    assert Logistic().value(z) == pytest.approx([math.log1p(math.exp(-t)) for t in z])
    assert Logistic().derivative(z) == pytest.approx([-1 / (1 + math.exp(t)) for t in z])
    assert Logistic().second_derivative(np.zeros(1)).tolist() == [0.25]


def test_huge_margins_do_not_overflow() -> None:
    z = np.array([-1e308, -1e4, 1e4, 1e308])
    assert np.all(np.isfinite(Logistic().value(z)))
    assert Logistic().derivative(z).tolist() == [-1.0, -1.0, 0.0, 0.0]
    with ctx.workprec(100):
        assert Logistic().derivative_ball(arb(1e308)).is_finite()
        assert Logistic().derivative_ball(arb(-1e308)).is_finite()
