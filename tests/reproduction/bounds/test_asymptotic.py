import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.privacy.weight_origin import origin_of
from reproduction.bounds.asymptotic import Asymptotic, asymptotic_constant

KNOWN: dict[str, Any] = {
    "benefit_bound": 2.0,
    "radius": 1.5,
    "pi_min": 0.1,
    "smallest_eigenvalue": 0.5,
    "n": 1000,
    "lipschitz": 0.25,
}


@given(
    bound=st.floats(1e-3, 1e3),
    radius=st.floats(0.1, 10),
    log_odds=st.floats(0, 8),
    share=st.floats(1e-3, 1),
)
def test_h_is_the_closed_form_of_its_factors(
    bound: float, radius: float, log_odds: float, share: float
) -> None:
    eigenvalue = share * radius**2
    found = asymptotic_constant(
        benefit_bound=bound,
        radius=radius,
        pi_min=1 / (1 + math.exp(log_odds)),
        smallest_eigenvalue=eigenvalue,
        n=10,
    )
    closed = 2 * bound * radius**2 * (1 + math.exp(log_odds)) ** 2 / eigenvalue
    assert found.h == pytest.approx(closed, rel=1e-9)
    factors = 2 * found.weight_slope * found.curvature * found.score_bound
    assert found.h == pytest.approx(factors, rel=1e-12)


def test_c_is_l_r_h_and_the_paper_divides_by_n() -> None:
    found = asymptotic_constant(**KNOWN)
    # e^M = 9: 2·2·1.5²·10²/0.5
    assert found.h == pytest.approx(1800)
    assert found.constant == pytest.approx(0.25 * 1.5 * 1800)
    assert found.printed == pytest.approx(1.8)


def test_h_does_not_vanish_with_n() -> None:
    few, many = (asymptotic_constant(**{**KNOWN, "n": n}) for n in (10, 10**9))
    assert few.constant == many.constant


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("benefit_bound", 0.0),
        ("radius", -1.0),
        ("pi_min", 0.0),
        ("pi_min", 0.6),
        ("pi_min", 1e-320),
        ("pi_min", math.nan),
        ("smallest_eigenvalue", 0.0),
        ("smallest_eigenvalue", 2.26),
        ("n", 0),
        ("n", 2.5),
        ("n", True),
        ("lipschitz", math.inf),
    ],
)
def test_other_numbers_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ParameterError):
        asymptotic_constant(**{**KNOWN, name: value})


def test_it_is_never_the_basis_of_a_release() -> None:
    with pytest.raises(ParameterError, match="python -m reproduction bounds") as caught:
        origin_of("asymptotic")
    assert Asymptotic.refusal in str(caught.value)
