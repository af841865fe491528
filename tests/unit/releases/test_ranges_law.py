"""The law of both steps of private ranges together, on neighbours, wherever the centres fall.

The densities are those of the proof page; the sums they stand on are taken from the code itself.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpwerm.mechanisms.box_sums import BoxSums
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source
from dpwerm.releases import ranges
from dpwerm.releases.ranges import FEATURES, Declared, Ranges

EPSILON = 0.8
BUDGET = Budget.of(str(EPSILON))
PLACES = (-1.0, -0.25, 0.0, 0.5, 1.0, np.nan)
CROWDS = ((), (0.0,), (1.0, -0.5), (0.5, 0.5, -1.0))
FAR = 50


def sums_of(
    u: np.ndarray, centres: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums that noise is added to in both steps, if these centres are released."""
    seen: list[list[float]] = []

    def release(self: BoxSums, sums: list[Fraction], bits: object) -> tuple[int, ...]:
        del self, bits
        seen.append([float(one) for one in sums])
        return centres

    columns = tuple(Declared(f"x{j}", -1.0, 1.0, 0.0) for j in range(u.shape[1]))
    with monkeypatch.context() as patched:
        patched.setattr(BoxSums, "release", release)
        Ranges.released(FEATURES, columns, u, BUDGET, bit_source(1))
    first, second = (np.array(one) for one in seen)
    return first, second


def largest_ratio(m: int, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return the largest log-ratio of the densities of a release, over neighbours and releases.

    Over the deviations it is taken at its supremum, which lies beyond both sums.
    """
    first, second = ranges.steps(m, BUDGET)
    worst = 0.0
    for crowd in CROWDS:
        n = len(crowd) + 1
        for share in (-FAR, -1.0, -0.25, 0.0, 0.5, 1.0, FAR):
            centres = (round(share * n / 2.0**first.exponent),) * m
            s = np.array(centres) * 2.0**first.exponent
            rows = [np.tile(np.array([*crowd, place])[:, None], (1, m)) for place in PLACES]
            sums = [sums_of(u, centres, monkeypatch) for u in rows]
            for one, other in itertools.permutations(sums, 2):
                near = np.abs(s - other[0]).max() - np.abs(s - one[0]).max()
                spread = np.abs(one[1] - other[1]).max()
                worst = max(worst, near / first.scale + spread / second.scale)
    return worst


@pytest.mark.parametrize("m", [1, 2])
def test_both_steps_together_spend_their_epsilon_and_no_more(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert largest_ratio(m, monkeypatch) == pytest.approx(EPSILON, abs=1e-6)


SHARES = (0.6 * EPSILON, 0.4 * EPSILON)


@pytest.mark.parametrize("factor", [Fraction(1, 2), Fraction(2)])
@pytest.mark.parametrize("step", [0, 1])
def test_a_sensitivity_off_by_two_is_found_either_way(
    step: int, factor: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = [one * (factor if at == step else 1) for at, one in enumerate(ranges.MOVES)]
    monkeypatch.setattr(ranges, "MOVES", tuple(moves))
    expected = EPSILON + SHARES[step] * (float(1 / factor) - 1)
    assert largest_ratio(1, monkeypatch) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("factor", [Fraction(1, 2), Fraction(2)])
def test_a_cut_off_by_two_is_found_either_way(
    factor: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "CUT", ranges.CUT * factor)
    expected = EPSILON + SHARES[1] * (float(factor) - 1)
    assert largest_ratio(1, monkeypatch) == pytest.approx(expected, abs=1e-6)


def test_a_share_counted_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(count: int, budget: Budget) -> tuple[BoxSums, BoxSums]:
        first, second = (BoxSums(count, move, budget) for move in ranges.MOVES)
        return first, second

    monkeypatch.setattr(ranges, "steps", both)
    assert largest_ratio(1, monkeypatch) == pytest.approx(2 * EPSILON, abs=1e-6)
