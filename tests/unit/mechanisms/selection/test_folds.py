"""What disjoint folds cost together, by enumeration of small releases."""

import math
from itertools import product

import numpy as np
import pytest
from tests.unit.mechanisms.selection.laws import flips, largest_log_ratio, softmax

from dpwerm.arrays import FloatArray

LAWS = {"exponential": softmax, "permute-and-flip": flips}
TABLES = list(product((0, 1), repeat=3))
NEIGHBOURS = [
    (one, other)
    for one, other in product(TABLES, repeat=2)
    if sum(a != b for a, b in zip(one, other, strict=True)) == 1
]


def response(truth: int, answer: int, epsilon: float) -> float:
    """Return the chance of an answer of randomised response, which costs exactly ε."""
    return 1 / (1 + math.exp(epsilon if truth != answer else -epsilon))


def folded(table: tuple[int, ...], name: str, epsilons: tuple[float, ...]) -> FloatArray:
    """Return the law of both candidates and the choice; row j is fold j, row 0 scores."""
    first, second, choosing = epsilons
    found = []
    for one, two in product((0, 1), repeat=2):
        learned = response(table[1], one, first) * response(table[2], two, second)
        # A candidate scores 1 if it agrees with row 0: Δ = 1.
        choice = LAWS[name]([int(one == table[0]), int(two == table[0])], choosing / 2)
        found += [learned * chance for chance in choice]
    return np.array(found)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("epsilons", [(0.5, 0.5, 0.5), (1.0, 0.2, 0.3), (0.1, 0.2, 2.0)])
def test_public_folds_cost_the_largest_part(name: str, epsilons: tuple[float, ...]) -> None:
    losses = [
        largest_log_ratio(folded(one, name, epsilons), folded(other, name, epsilons))
        for one, other in NEIGHBOURS
    ]
    # With these few scores the exponential mechanism shows half of its part only.
    assert 0.49 * max(epsilons) < max(losses) <= max(epsilons) + 1e-9


def test_parts_by_value_cost_the_sum_under_replace_one() -> None:
    # One row with the values 0 or 1; part v holds it if its value is v, and says so with ε = 0.5.
    def by_value(row: int) -> FloatArray:
        inside = [int(row == value) for value in (0, 1)]
        return np.array(
            [
                response(inside[0], one, 0.5) * response(inside[1], two, 0.5)
                for one, two in product((0, 1), repeat=2)
            ]
        )

    assert largest_log_ratio(by_value(0), by_value(1)) == pytest.approx(1.0)
