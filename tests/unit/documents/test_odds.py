"""What ε means: a factor on odds, and what becomes of even odds."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.documents.summary import even_odds, factor_words, odds_words


@given(epsilon=st.decimals("0.000001", "1000000000", allow_nan=False))
def test_even_odds_are_never_told_too_small(epsilon: Decimal) -> None:
    larger, smaller = even_odds(epsilon)
    truth = 100 / (1 + math.exp(-min(float(epsilon), 700.0)))
    assert truth - 1e-6 <= larger <= truth + 0.1 + 1e-6
    assert larger + smaller == pytest.approx(100)


def test_a_reader_is_told_the_factor_and_the_odds() -> None:
    assert factor_words(Decimal("0.5")) == "a factor 1.65"
    assert odds_words(Decimal(1)) == (
        "odds change by at most a factor 2.72; 50:50 becomes at most 73.2:26.8"
    )


def test_a_useless_epsilon_is_called_so() -> None:
    assert "protects nobody" in factor_words(Decimal(50))
    assert "nobody is protected" in odds_words(Decimal(50))
