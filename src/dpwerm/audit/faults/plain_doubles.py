r"""Noise added in doubles: the last bits of the sum give the coefficient away (Mironov 2012).

.. math:: \mathrm{fl}(\hat\theta + s \cdot \mathrm{fl}(\log u))

Near 0 doubles lie close together and near θ̂ they do not. So a sum near 0 that still has its lowest
bits had little to be added to. The law of the sum is as it should be; only its bits are not.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import CLAIM, Chain
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Key, Pair, luck
from dpwerm.mechanisms import NOISE_LAWS, get_mechanism
from dpwerm.privacy.randomness import OperatingSystemBits

GAMMA = 16.0
Draw = Callable[[np.random.Generator, int], FloatArray]


def by_logarithm(rng: np.random.Generator, runs: int) -> FloatArray:
    """Return Laplace numbers as textbooks make them: −log u with a random sign."""
    u = 1.0 - rng.random(runs)
    return np.asarray(np.where(rng.random(runs) < 0.5, np.log(u), -np.log(u)))


def by_numpy(rng: np.random.Generator, runs: int) -> FloatArray:
    """Return Laplace numbers as numpy makes them."""
    return rng.laplace(size=runs)


def pair() -> Pair:
    """Return two people with the same arm, or with both, whose terms then cancel."""
    one, another = (People.alike(1, 1.0, arm) for arm in (-1.0, 1.0))
    return replaced("the coefficient is 0, or not", People.alike(1, 1.0), one, another)


@dataclass(frozen=True, eq=False)
class PlainDoubles(Chain):
    """The minimiser plus a Laplace number, both doubles, as the machine adds them."""

    draw: Draw = by_logarithm
    rounds: ClassVar[bool] = False

    def outputs(self, data: Any, runs: int, key: Key) -> FloatArray:
        """Return the sums as they are, (runs, 1)."""
        noise = self.plan.noise.scale * self.draw(luck(*key), runs)
        return np.asarray(self.centre(data)[0] + noise)[:, None]


@dataclass(frozen=True, eq=False)
class ExactGrid(Chain):
    """The same release as the library makes it: exact noise, rounded to the public grid."""

    def exact(self, data: Any, runs: int) -> FloatArray:
        """Return real releases with the operating system's bits, (runs, 1)."""
        law, noise = NOISE_LAWS[self.plan.mechanism], self.plan.noise
        theta = [Fraction(float(value)) for value in self.centre(data)]
        bits = OperatingSystemBits()
        whole = [law.release(theta, noise, bits) for _ in range(runs)]
        return np.ldexp(np.array(whole, dtype=np.float64).reshape(runs, 1), noise.exponent)


def broken(name: str, draw: Draw) -> PlainDoubles:
    """Return the chain that adds noise in doubles."""
    plan = get_mechanism("spherical-laplace").plan(facts_of(UNIT, n=2, gamma=GAMMA), CLAIM)
    return PlainDoubles(name, pair(), plan, weighed, draw=draw)


def healthy() -> ExactGrid:
    """Return the chain that releases on the grid."""
    plan = get_mechanism("spherical-laplace").plan(facts_of(UNIT, n=2, gamma=GAMMA), CLAIM)
    return ExactGrid("exact-grid", pair(), plan, weighed)


def faults() -> Iterator[Fault]:
    """Yield the fault in both ways of drawing."""
    for name, draw, how in (
        ("plain-doubles", by_logarithm, "as −log u"),
        ("plain-doubles-numpy", by_numpy, "by numpy"),
    ):
        yield Fault(
            name=name,
            wrong=f"a Laplace number drawn {how} is added to a coefficient in doubles",
            known_from="Mironov 2012",
            shows="the lowest bits of the sum",
            broken=partial(broken, name, draw),
            healthy=healthy,
        )
