"""Audits by real releases: what is shipped holds, and a quarter of its noise would be caught.

A verdict against a true claim of ε = 4 has the declared probability. A bound above 1 would refute
the claim ε = 1, which a quarter of the noise deserves. Pure mechanisms are guessed wrongly in 2 %
of the guesses, and the bound stays above 1 up to 12 % of 300: a binomial tail below 1e-12.
"""

import pytest

from dpwerm.audit.attack import audit
from dpwerm.audit.suite import ChoiceTarget, SumsTarget, mechanism_target, private_mechanisms
from dpwerm.audit.target import Target
from dpwerm.mechanisms import MECHANISMS
from dpwerm.privacy.budget import Budget

FOUR = Budget.of(4)
SHIPPED = private_mechanisms()
PURE = [name for name in SHIPPED if not MECHANISMS[name].needs_delta]
SHARP: list[Target] = [mechanism_target(name, 1, "4", "0") for name in PURE]
BLUNT: list[Target] = [
    *(mechanism_target(name, 1, "4", "0.01") for name in SHIPPED if name not in PURE),
    ChoiceTarget(FOUR),
]


@pytest.mark.parametrize("target", [*SHARP, SumsTarget(FOUR)], ids=lambda one: one.name)
def test_real_releases_hold_and_a_quarter_of_their_noise_would_not(
    target: Target, alpha: float
) -> None:
    found = audit(target, runs=8000, exact_runs=400, confidence=1 - alpha)
    assert found.holds
    assert found.exact_lower is not None
    assert found.exact_lower > 1


@pytest.mark.parametrize("target", BLUNT, ids=lambda one: one.name)
def test_real_releases_hold(target: Target, alpha: float) -> None:
    assert audit(target, runs=8000, exact_runs=150, confidence=1 - alpha).holds
