"""Whom many rules give the second arm: the scores of a release."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.features.encoding import Encoding
from dpwerm.simulate.engine.released import second_arm


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 0.4, 1.0]),
    st.sampled_from([1.0, 2.0]),
    st.sampled_from([0.0, 0.3, 0.9]),
)
def test_it_is_the_score_of_a_release(
    seed: int, intercept: float, saturation: float, threshold: float
) -> None:
    rng = np.random.default_rng(seed)
    encoding = Encoding.of_numbers(["a", "b"], [(0, 1), (0, 1)]).changed(
        intercept=intercept, saturation=saturation
    )
    p = 2 + (intercept > 0)
    theta, rows = rng.normal(size=(2, 3, 4, p)), rng.uniform(-1, 1, (3, 5, 2))
    found = second_arm(theta, encoding, rows, threshold)
    assert found.shape == (2, 3, 4, 5)
    for place in np.ndindex(2, 3, 4):
        one = theta[place].copy()
        slopes = one[-2:]
        slopes[np.abs(slopes) < threshold * np.abs(slopes).max()] = 0
        score = rows[place[1]] @ (slopes * encoding.stretch[-2:])
        if intercept:
            score = score + intercept * one[0]
        np.testing.assert_array_equal(found[place], score > 0)
