from dataclasses import replace

from reproduction.trials.claims import (
    along,
    associated,
    cyp_guides_claims,
    rising,
    sjcrh_claims,
)
from reproduction.trials.runs import by_epsilon
from reproduction.trials.table import Measured

ROW = Measured("paper", "1", 75.0, 200, 4.1, 0.02, 0.05, 0.6, 100, 20, 0.9, -9.0)
RISING = by_epsilon(
    [
        [
            replace(ROW, epsilon=epsilon, mean=4.1 + 0.01 * place, single=0.5 + 0.1 * place)
            for place, epsilon in enumerate(("0.5", "1", "inf"))
        ]
    ]
)
FALLING = by_epsilon(
    [
        [
            replace(ROW, epsilon=epsilon, mean=4.1 - 0.2 * place, single=0.5 - 0.1 * place)
            for place, epsilon in enumerate(("0.5", "1", "inf"))
        ]
    ]
)


def test_a_measure_rises_or_not() -> None:
    assert rising(RISING, "mean")
    assert not rising(FALLING, "mean")
    assert rising(FALLING, "mean", 100.0)
    assert along(RISING, "mean", 2) == "4.10, 4.11, 4.12 (ε = 0.5 to ∞)"


def test_runs_without_a_test_are_not_significant() -> None:
    runs = by_epsilon([[ROW], [replace(ROW, log10_p=None)], [replace(ROW, log10_p=-1.0)]])
    assert associated(runs["1"]) == 1


def test_every_claim_of_the_text_has_a_verdict() -> None:
    for claims in (sjcrh_claims, cyp_guides_claims):
        assert [verdict.agrees for verdict in claims(RISING)] == [True] * 4
        assert [verdict.agrees for verdict in claims(FALLING)] == [False, False, True, False]
