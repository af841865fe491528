r"""What a history would cost if its budgets had been fixed in advance: for display, never to admit.

The privacy losses of all releases add up as independent random variables, and

.. math:: \delta(\varepsilon) = E[\max(0, 1 - e^{\varepsilon - L})], \qquad L = \sum_i L_i

is below the plain sum for a long history. Budgets that were chosen after seeing earlier releases do
not add up in this way (docs/proofs/ledger.md), so the ledger itself adds plainly. Needs the extra
``accounting``.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from dpwerm.errors import ParameterError
from dpwerm.exact import round_up
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.ledger.account import Account

GAUSSIAN_DELTA = Fraction(1, 10**6)
"""The δ at which a part in ρ or μ is shown, on top of the total's own δ."""

LOUD = 100
"""An ε above this is added plainly, and a μ above it is shown as infinite: e^ε overflows."""

_STEPS = 30_000
_FARTHEST = 6.0
"""How many μ a Gaussian loss is reckoned to lie from its mean when the grid is laid."""


class Composed(NamedTuple):
    """A history as one (ε, δ), ε rounded up or infinite, of the fullest partition, if any."""

    epsilon: float
    delta: float
    partition: str | None = None


def composed(account: Account, delta: float | None = None) -> Composed | None:
    """Return the composition of all charges, None without dp-accounting.

    delta: in [0, 1), by default the total's δ, and 1e-6 more if anything was paid in ρ or μ.
    """
    if delta is None:
        paid = account.spent()
        gaussian = GAUSSIAN_DELTA if paid.rho or paid.mu_squared else 0
        delta = min(round_up(Fraction(account.total.delta) + gaussian), 0.5)
    if not 0 <= delta < 1:
        raise ParameterError("delta must be at least 0 and below 1")
    used = {charge.partition for charge in account.charges} - {None} or {None}
    every = []
    for partition in sorted(used, key=str):
        costs = [charge.cost for charge in account.charges if charge.partition in (None, partition)]
        epsilon = composed_epsilon(costs, delta)
        if epsilon is not None:
            every.append(Composed(epsilon, delta, partition))
    return max(every, key=lambda one: one.epsilon, default=None)


def composed_epsilon(costs: Iterable[AnyBudget], delta: float) -> float | None:
    """Return the smallest ε known for all these releases together at δ; None without the extra.

    Releases in ρ are taken as what they are here, Gaussian noise of μ² = 2ρ. The answer is never
    above the plain sum, and at δ = 0 it is the plain sum.
    """
    counts = Counter(costs)
    pairs = {cost: times for cost, times in counts.items() if isinstance(cost, Budget)}
    squares = [n / cost.exact_square for cost, n in counts.items() if not isinstance(cost, Budget)]
    mu = math.sqrt(sum(squares))
    plain = math.inf if squares else _plain(pairs, Fraction(delta))
    if delta == 0 or mu > LOUD or not counts:
        return plain
    loud = {cost: times for cost, times in pairs.items() if cost.epsilon > LOUD}
    rest = Fraction(delta) - sum(times * cost.exact_delta for cost, times in loud.items())
    quiet = {cost: times for cost, times in pairs.items() if cost not in loud}
    found = _by_losses(quiet, mu, float(rest))
    return None if found is None else min(plain, found + _plain(loud, Fraction(delta)))


def _by_losses(pairs: Mapping[Budget, int], mu: float, delta: float) -> float | None:
    """Return the ε of pairs (ε, δ) and of one Gaussian loss, on a grid whose steps round up."""
    try:
        from dp_accounting.pld import common
        from dp_accounting.pld import privacy_loss_distribution as pld
    except ImportError:
        return None
    reach = sum(times * float(cost.epsilon) for cost, times in pairs.items())
    step = (reach + mu**2 / 2 + _FARTHEST * mu) / _STEPS
    parts = []
    for cost, times in pairs.items():
        pair = common.DifferentialPrivacyParameters(float(cost.epsilon), float(cost.delta))
        part = pld.from_privacy_parameters(pair, value_discretization_interval=step)
        parts.append(part.self_compose(times))
    if mu:
        parts.append(pld.from_gaussian_mechanism(1 / mu, value_discretization_interval=step))
    if not parts or delta <= 0:
        return 0.0 if not parts and delta >= 0 else math.inf
    whole = reduce(lambda one, other: one.compose(other), parts)
    return float(whole.get_epsilon_for_delta(delta))


def _plain(pairs: Mapping[Budget, int], delta: Fraction) -> float:
    """Return the plain sum of ε, infinite if δ does not cover it."""
    if sum(times * cost.exact_delta for cost, times in pairs.items()) > delta:
        return math.inf
    return round_up(sum((n * cost.exact_epsilon for cost, n in pairs.items()), Fraction(0)))
