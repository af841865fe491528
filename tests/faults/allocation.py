r"""Faults of adaptive allocation: P(arm) follows from earlier people and is claimed to be fixed.

The neighbours differ in the first person alone. Everybody else keeps features, arm and outcome; the
recorded probabilities of later people are those that the design's law gives on either table.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from tests.faults import chain

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Pair
from dpwerm.privacy.sensitivity import WeightOrigin
from dpwerm.privacy.weight_origin import KnownByDesign, WorstCase
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.weighting.contract import weight_bound

N, FLOOR, COIN = 1000, 1 / 3, 2 / 3
URN_GAMMA, COIN_GAMMA = 75.0, 20_000.0
BOUND = weight_bound(1.0, FLOOR)

Law = Callable[[chain.People], FloatArray]
"""P(second arm) of each person, (n,), in the order in which they came."""


def urn(people: chain.People) -> FloatArray:
    """Return the share of balls of the second arm: one each at first, one more for each winner.

    A success adds a ball of the arm received, a failure one of the other arm.
    """
    won = people.arm * people.benefit > 0
    second = 1 + np.concatenate([[0], np.cumsum(won)[:-1]])
    shares: FloatArray = second / (2 + np.arange(len(won)))
    return shares


def biased_coin(people: chain.People) -> FloatArray:
    """Return 2/3 for the second arm where it is behind, 1/3 where it is ahead, 1/2 where even."""
    ahead = np.concatenate([[0.0], np.cumsum(people.arm)[:-1]])
    chances: FloatArray = 0.5 - (COIN - 0.5) * np.sign(ahead)
    return chances


def even(people: chain.People) -> FloatArray:
    """Return the ratio of the protocol, which both arms share alike."""
    return np.full(len(people.arm), 0.5)


def first_differs(name: str, one: chain.People, another: chain.People, later_arm: float) -> Pair:
    """Return neighbours: one person or another, and after them people who all gain, arms in turn.

    later_arm : the arm of the second person
    """
    others = chain.People.alike(N - 1, 1.0)
    turns = later_arm * np.where(np.arange(N - 1) % 2 == 0, 1.0, -1.0)
    others = chain.People(others.x, turns, others.benefit)
    return Pair(name, one.plus(others), another.plus(others))


def urn_pair() -> Pair:
    """Return a first person who received the second arm and gained, or lost."""
    one, another = (chain.People.alike(1, 1.0, benefit=benefit) for benefit in (1.0, -1.0))
    return first_differs("the first person gains or loses", one, another, -1.0)


def coin_pair() -> Pair:
    """Return a first person who received one arm, or the other."""
    one, another = (chain.People.alike(1, 1.0, arm) for arm in (1.0, -1.0))
    return first_differs("the first person changes arms", one, another, -1.0)


def allocated(
    name: str, pair: Pair, law: Law, gamma: float, origin: WeightOrigin | None = None
) -> chain.Chain:
    """Return the chain whose probabilities follow a law, calibrated for an origin of weights."""

    def prepare(people: chain.People) -> BatchProblems:
        second = np.clip(law(people), FLOOR, 1 - FLOOR)
        received = np.where(people.arm > 0, second, 1 - second)
        return chain.weighed(people, probability=received, bound=BOUND)

    blocks = chain.UNIT * pair.first.x.shape[1]
    facts = chain.facts_of(
        blocks, n=N, gamma=gamma, weight_bound=BOUND, origin=origin or KnownByDesign()
    )
    return chain.spherical(name, pair, prepare, facts)


def by_urn(name: str, origin: WeightOrigin) -> chain.Chain:
    """Return the chain with the probabilities of the urn."""
    return allocated(name, urn_pair(), urn, URN_GAMMA, origin)


def by_coin(name: str, law: Law, origin: WeightOrigin | None = None) -> chain.Chain:
    """Return the chain on the pair of the biased coin, with its probabilities or others."""
    return allocated(name, coin_pair(), law, COIN_GAMMA, origin)


def faults() -> Iterator[chain.Fault]:
    r"""Yield every fault of this kind.

    .. math:: \sum_{i>1} |\tilde w_i - w_i| \approx \sum_{i>1} \frac{1}{P_i^2 (i+1)}
              \text{ (urn)}, \qquad \approx n \text{ (coin)}

    One ball of the first person stays in the urn for good, so the sum grows like log n. The coin
    looks at who is ahead: with arms that come in turn, the first person decides it for everybody.
    """
    yield chain.Fault(
        name="play-the-winner",
        wrong="the probabilities of a play-the-winner urn are declared by design, and C = 0",
        known_from="response-adaptive trials",
        shows="the first person's outcome moves the probabilities of all later people",
        broken=partial(by_urn, "play-the-winner", KnownByDesign()),
        healthy=partial(by_urn, "play-the-winner-worst-case", WorstCase()),
    )
    yield chain.Fault(
        name="biased-coin",
        wrong="the probabilities of a biased coin are declared by design, and C = 0",
        known_from="minimisation, and other covariate-adaptive trials",
        shows="the first person's arm decides which arm is behind, for everybody after",
        broken=partial(by_coin, "biased-coin", biased_coin),
        healthy=partial(by_coin, "even-coin", even),
    )
