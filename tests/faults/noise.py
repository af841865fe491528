"""Faults of the noise: too little of it, added in doubles, or used twice."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
from tests.faults import chain
from tests.unit.mechanisms.laws import NOISE_LAWS

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Key, Pair, rng_of
from dpwerm.mechanisms import MECHANISMS, get_mechanism
from dpwerm.mechanisms.contract import Calibration
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import OperatingSystemBits

SHARE = 0.7
"""What is left of the noise."""

NOISE_GAMMA = 1000.0

APPROXIMATE = Budget.of(2, "0.01")
"""What the mechanisms with δ claim here: with a smaller δ a fault takes more runs to see."""

NAMES = tuple(name for name in MECHANISMS if name != "none")


def right_noise(name: str, label: str = "") -> chain.Chain:
    """Return the mechanism as it is, on one person who received one arm or the other."""
    calibration = _noise_calibration(name, Relation.REPLACE_ONE)
    one, another = chain.People.alike(1, 1.0, arm=1.0), chain.People.alike(1, 1.0, arm=-1.0)
    pair = chain.replaced(
        "one person, one arm or the other", chain.People.alike(0, 1.0), one, another
    )
    return chain.Chain(label or name, pair, calibration, chain.weighed)


def small_noise(name: str) -> chain.Chain:
    """Return the mechanism with 0.7 of its noise."""
    right = right_noise(name, f"small-noise-{name}")
    return replace(right, calibration=times(right.calibration, SHARE))


def single_weight(name: str) -> chain.Chain:
    """Return the mechanism with the noise that adding a person would need, W in place of 2W."""
    return replace(
        right_noise(name, f"single-weight-{name}"),
        calibration=_noise_calibration(name, Relation.ADD_REMOVE),
    )


def times(calibration: Calibration, share: float) -> Calibration:
    """Return a calibration with a share of its noise, inside and outside, and the same claim."""
    inside = calibration.inside
    if inside is not None:
        inside = replace(
            inside,
            rate=None if inside.rate is None else inside.rate / share,
            sigma=None if inside.sigma is None else inside.sigma * share,
        )
    return replace(
        calibration,
        noise=replace(calibration.noise, scale=calibration.noise.scale * share),
        inside=inside,
    )


def _noise_calibration(name: str, relation: Relation) -> Calibration:
    mechanism = get_mechanism(name)
    n = 1 if relation.publishes_n else None
    facts = chain.facts_of(chain.UNIT, n=n, gamma=NOISE_GAMMA, relation=relation)
    return mechanism.calibrate(facts, APPROXIMATE if mechanism.needs_delta else chain.CLAIM)


def _too_small() -> Iterator[chain.Fault]:
    """Noise 30 % too small, for every mechanism; and noise for W where the theorem says 2W.

    The pair attains the sensitivity: one person at the edge of every bound, with one arm or the
    other, and γ so large that both minimisers stay where the loss is straight. They lie 2WLr/γ
    apart.
    """
    small_shows = "a slip in any constant", "both tails are too far apart"
    single_shows = (
        "mixing up the two neighbouring relations",
        "as if half of the noise were missing",
    )
    for name in NAMES:
        small = f"`{name}` with 30 % less noise than its theorem asks for"
        single = f"`{name}` with a sensitivity of W, under replace-one, where it is 2W"
        little, halved = partial(small_noise, name), partial(single_weight, name)
        right = partial(right_noise, name)
        yield chain.Fault(f"small-noise-{name}", small, *small_shows, little, right)
        yield chain.Fault(f"single-weight-{name}", single, *single_shows, halved, right)


DOUBLES_GAMMA = 16.0
Draw = Callable[[np.random.Generator, int], FloatArray]


def by_logarithm(rng: np.random.Generator, runs: int) -> FloatArray:
    """Return Laplace numbers as textbooks make them: −log u with a random sign."""
    u = 1.0 - rng.random(runs)
    return np.asarray(np.where(rng.random(runs) < 0.5, np.log(u), -np.log(u)))


def by_numpy(rng: np.random.Generator, runs: int) -> FloatArray:
    """Return Laplace numbers as numpy makes them."""
    return rng.laplace(size=runs)


def doubles_pair() -> Pair:
    """Return two people with the same arm, or with both, whose terms then cancel."""
    one, another = (chain.People.alike(1, 1.0, arm) for arm in (-1.0, 1.0))
    return chain.replaced("the coefficient is 0, or not", chain.People.alike(1, 1.0), one, another)


@dataclass(frozen=True, eq=False)
class PlainDoubles(chain.Chain):
    """The minimiser plus a Laplace number, both doubles, as the machine adds them."""

    draw: Draw = by_logarithm
    rounds: ClassVar[bool] = False

    def outputs(self, data: Any, runs: int, key: Key) -> FloatArray:
        """Return the sums as they are, (runs, 1)."""
        noise = self.calibration.noise.scale * self.draw(rng_of(*key), runs)
        return np.asarray(self.centre(data)[0] + noise)[:, None]


@dataclass(frozen=True, eq=False)
class ExactGrid(chain.Chain):
    """The same release as the library makes it: exact noise, rounded to the public grid."""

    def exact(self, data: Any, runs: int) -> FloatArray:
        """Return real releases with the operating system's bits, (runs, 1)."""
        law, noise = NOISE_LAWS[self.calibration.mechanism], self.calibration.noise
        theta = [Fraction(float(value)) for value in self.centre(data)]
        bits = OperatingSystemBits()
        whole = [law.release(theta, noise, bits) for _ in range(runs)]
        return np.ldexp(np.array(whole, dtype=np.float64).reshape(runs, 1), noise.exponent)


def doubles_calibration() -> Calibration:
    """Return the noise of both."""
    facts = chain.facts_of(chain.UNIT, n=2, gamma=DOUBLES_GAMMA)
    return get_mechanism("spherical-laplace").calibrate(facts, chain.CLAIM)


def in_doubles(name: str, draw: Draw) -> PlainDoubles:
    """Return the chain that adds noise in doubles."""
    return PlainDoubles(name, doubles_pair(), doubles_calibration(), chain.weighed, draw=draw)


def on_exact_grid() -> ExactGrid:
    """Return the chain that releases on the grid."""
    return ExactGrid("exact-grid", doubles_pair(), doubles_calibration(), chain.weighed)


def _plain_doubles() -> Iterator[chain.Fault]:
    r"""Noise added in doubles: the last bits of the sum give the coefficient away (Mironov 2012).

    .. math:: \mathrm{fl}(\hat\theta + s \cdot \mathrm{fl}(\log u))

    Near 0 doubles lie close together and near θ̂ they do not. So a sum near 0 that still has its
    lowest bits had little to be added to. The law of the sum is as it should be; only its bits are
    not.
    """
    for name, draw, how in (
        ("plain-doubles", by_logarithm, "as −log u"),
        ("plain-doubles-numpy", by_numpy, "by numpy"),
    ):
        yield chain.Fault(
            name=name,
            wrong=f"a Laplace number drawn {how} is added to a coefficient in doubles",
            known_from="Mironov 2012",
            shows="the lowest bits of the sum",
            broken=partial(in_doubles, name, draw),
            healthy=on_exact_grid,
        )


REUSED_OTHERS, REUSED_GAMMA = 4, 20.0
BOTH = Budget.of(2)
"""What the two releases cost together if their noise is independent."""


@dataclass(frozen=True, eq=False)
class TwoReleases(chain.OnePair):
    """A rule from everybody and one without the last person, with noise that is shared or not.

    The pair: people with one arm, and one more with that arm or the other.
    """

    shared: bool
    claim: ClassVar[Budget] = BOTH
    dimension: ClassVar[int] = 2
    pair: ClassVar[Pair] = chain.replaced(
        "the last person changes arms",
        chain.People.alike(REUSED_OTHERS, 1.0),
        *(chain.People.alike(1, 1.0, arm) for arm in (1.0, -1.0)),
    )

    @property
    def fit(self) -> chain.Chain:
        """Each of the two fits; a missing person has weight 0 and still counts."""
        facts = chain.facts_of(chain.UNIT, n=REUSED_OTHERS + 1, gamma=REUSED_GAMMA)
        return chain.spherical("fit", self.pair, chain.weighed, facts)

    def outputs(self, data: chain.People, runs: int, key: Key) -> FloatArray:
        """Return both releases of each run, (runs, 2)."""
        keys = (key, key) if self.shared else ((*key, "one"), (*key, "other"))
        parts = zip((data, without_last(data)), keys, strict=True)
        return np.column_stack([self.fit.outputs(people, runs, key) for people, key in parts])

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return how much nearer the difference of the two is to the first data set's."""
        found = outputs[:, 0] - outputs[:, 1]
        expected = [
            float(self.fit.centre(data)[0] - self.fit.centre(without_last(data))[0])
            for data in pair.both
        ]
        return np.asarray(np.abs(found - expected[1]) - np.abs(found - expected[0]))


def without_last(people: chain.People) -> chain.People:
    """Return the people with no benefit, and so no weight, for the last."""
    benefit = people.benefit.copy()
    benefit[-1] = 0.0
    return chain.People(people.x, people.arm, benefit)


def _reused() -> Iterator[chain.Fault]:
    """The same seed for two releases: their difference has no noise at all.

    A rule from all people and one without the last person, each at ε = 1, claimed to cost 2
    together. With the same noise in both, the difference of the two is the difference of the two
    minimisers.
    """
    yield chain.Fault(
        name="reused-noise",
        wrong="two releases are made with the same seed, and their costs are added",
        known_from="a `random_state` left in a script",
        shows="the difference of the two has no noise",
        broken=partial(TwoReleases, "reused-noise", shared=True),
        healthy=partial(TwoReleases, "fresh-noise", shared=False),
    )


def faults() -> Iterator[chain.Fault]:
    """Yield every fault of this kind."""
    yield from _too_small()
    yield from _plain_doubles()
    yield from _reused()
