"""Noise added in doubles leaks through its lowest bits; the exact grid release does not."""

import numpy as np
import pytest

from dpwerm.audit.attack import audit
from dpwerm.audit.faults import plain_doubles
from dpwerm.audit.faults.plain_doubles import Draw, broken, by_logarithm, by_numpy, healthy
from dpwerm.audit.statistics import lowest_bit
from dpwerm.privacy.randomness import SeededBits


@pytest.mark.parametrize("draw", [by_logarithm, by_numpy])
def test_the_law_is_right_and_the_bits_are_not(draw: Draw) -> None:
    target = broken("doubles", draw)
    first, second = (target.outputs(data, 20_000, (1,))[:, 0] for data in target.pair.both)
    assert target.moved == pytest.approx(1.0, abs=1e-5)
    assert np.abs(first).mean() == pytest.approx(target.plan.noise.scale, rel=0.05)
    # The first coefficient is 0: its sums keep bits that no sum with the second one has.
    finest = lowest_bit(second).min()
    assert (lowest_bit(first) < finest).mean() > 0.1


def test_the_attack_is_on_the_bits() -> None:
    found = audit(broken("doubles", by_logarithm), runs=40_000, confidence=0.999)
    assert "bit" in found.statistic
    assert found.lower > 4


def test_the_exact_release_has_no_such_bits_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_doubles, "OperatingSystemBits", lambda: SeededBits(6))
    target = healthy()
    found = audit(target, runs=40_000, confidence=1 - 1e-6, exact_runs=3000)
    assert found.holds
    assert found.exact_lower is not None
    assert found.exact_lower > 0.5
    for data in target.pair.both:
        bits = lowest_bit(target.exact(data, 200)[:, 0])
        assert bits.min() >= target.plan.noise.exponent


def test_real_releases_have_the_law_of_the_simulated_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_doubles, "OperatingSystemBits", lambda: SeededBits(7))
    target = healthy()
    real = target.exact(target.pair.second, 2000)[:, 0]
    centre, scale = target.centre(target.pair.second)[0], target.plan.noise.scale
    assert np.median(real) == pytest.approx(centre, abs=0.15 * scale)
    assert np.abs(real - centre).mean() == pytest.approx(scale, rel=0.15)
