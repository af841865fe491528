"""What ε means: a factor on odds, and what becomes of even odds."""

from decimal import Decimal
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from dpwerm.documents.summary import even_odds, factor_words, odds_words
from dpwerm.exact import precision
from dpwerm.privacy.sampling import ball

EPSILONS = st.decimals("0.000001", 20, allow_nan=False)


@given(epsilon=EPSILONS | st.decimals(20, "1000000000", allow_nan=False))
def test_even_odds_are_never_told_too_small(epsilon: Decimal) -> None:
    larger, smaller = even_odds(epsilon)
    with precision(300):
        share = 100 / (1 + (-ball(Fraction(epsilon))).exp())
    assert not share > ball(Fraction(str(larger)))
    assert ball(Fraction(str(larger))) < share + ball(Fraction("0.1000001"))
    assert Fraction(str(larger)) + Fraction(str(smaller)) == 100


@given(epsilon=EPSILONS)
@example(epsilon=Decimal("0.7"))  # 2.0138 is at most 2.02, not 2.01
def test_a_factor_is_rounded_up(epsilon: Decimal) -> None:
    told = Fraction(factor_words(epsilon).removeprefix("a factor ").replace(",", ""))
    with precision(300):
        factor = ball(Fraction(epsilon)).exp()
    assert factor < ball(told)
    assert ball(told) < factor * ball(Fraction("1.01"))


def test_a_reader_is_told_the_factor_and_the_odds() -> None:
    assert factor_words(Decimal("0.5")) == "a factor 1.65"
    assert odds_words(Decimal(1)) == (
        "odds change by at most a factor 2.72; 50:50 becomes at most 73.2:26.8"
    )


def test_a_useless_epsilon_is_called_so() -> None:
    assert "protects nobody" in factor_words(Decimal(50))
    assert "nobody is protected" in odds_words(Decimal(50))
