r"""Weights from a propensity model of the same people, with C = 0 or C = H/n, as the paper does.

.. math:: \sum_{i<n} |\tilde w_i - w_i| \approx V n \eta |\tilde\beta_1 - \beta_1|

The worst case: everybody but one has a feature of ±η, so the slope β₁ of the model rests on the
one person at 1, and every weight rests on the slope. Benefits have the sign of the feature, so all
the weights push the rule the same way. H is what the paper proves the sum to be, C = H/n what it
prints; with n large enough the n-th part of H is nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Pair
from dpwerm.privacy.facts import Facts, WeightOrigin
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.privacy.ridge_origin import RidgeModel
from dpwerm.problem.losses import Logistic
from dpwerm.rules.outcome_weights import weight_bound
from dpwerm.solve.batch import BatchProblems, minimise_batch

OTHERS, ETA, PI_MIN, GAMMA = 1000, 0.09, 0.4, 100.0
N = OTHERS + 1
BLOCKS = UNIT * 2
"""An intercept of 1 and a feature in [−1, 1], for the model and for the rule."""

UNPENALISED = 1e-6
"""The penalty of a model that should have none; it moves no propensity by more than 1e-5."""

TOLERANCE = 1e-9
BOUND = weight_bound(1.0, PI_MIN)


@dataclass(frozen=True)
class Printed:
    """The paper's C = H/n, taken for a bound."""

    value: Fraction
    name: ClassVar[str] = "printed"
    parameters: ClassVar[Mapping[str, float]] = MappingProxyType({})
    statement: ClassVar[str] = "C = H/n, as the paper prints it"

    def constant(self, facts: Facts) -> Fraction:
        """Return H/n."""
        del facts
        return self.value


def pair() -> Pair:
    """Return people of feature ±η in even arms, and one at 1 who received one arm or the other."""
    others = People.alike(0, ETA)
    for sign in (1.0, -1.0):
        for arm in (1.0, -1.0):
            others = others.plus(People.alike(OTHERS // 4, sign * ETA, arm, benefit=sign))
    one, another = (People.alike(1, 1.0, arm, benefit=-1.0) for arm in (-1.0, 1.0))
    return replaced("the one person the slope rests on changes arms", others, one, another)


def h_over_n() -> Fraction:
    """Return the paper's H/n for the pair, whose E[x xᵀ] has no eigenvalue below η²·(n−1)/n."""
    odds, eigenvalue = 1 / PI_MIN - 1, ETA**2 * OTHERS / N
    size = float(np.sqrt(2))
    curvature = (1 + odds) ** 2 / (eigenvalue * odds)
    return Fraction(2 * (size * odds) * curvature * size / N)


def second_arm(people: People, gamma: float) -> FloatArray:
    """Return P(second arm | x) by a logistic model of the people themselves, cut at π_min."""
    problem = BatchProblems(people.x[None], people.arm[None], np.ones((1, N)), 1.0)
    beta = minimise_batch(problem, Logistic(), gamma, tolerance=TOLERANCE).theta[0]
    return np.asarray(np.clip(expit(beta[0] + people.x @ beta[1:]), PI_MIN, 1 - PI_MIN))


def chain(name: str, second: Callable[[People], FloatArray], origin: WeightOrigin) -> Chain:
    """Return the chain whose propensities come from ``second`` and whose C from ``origin``."""

    def prepare(people: People) -> BatchProblems:
        likely = second(people)
        received = np.where(people.arm > 0, likely, 1 - likely)
        return weighed(people, probability=received, bound=BOUND, intercept=1.0)

    facts = facts_of(BLOCKS, n=N, gamma=GAMMA, weight_bound=BOUND, origin=origin)
    return spherical(name, pair(), prepare, facts)


def broken(name: str, origin: WeightOrigin) -> Chain:
    """Return the chain with an unpenalised model of the same people."""
    return chain(name, lambda people: second_arm(people, UNPENALISED), origin)


def by_design() -> Chain:
    """Return the chain with the propensities of the design: one half."""
    return chain("designed-propensity", lambda _: np.full(N, 0.5), KnownByDesign())


def with_ridge() -> Chain:
    """Return the chain with a penalty γ_p = n on the model and the C that is proved for it."""
    model = RidgeModel(PI_MIN, float(np.nextafter(np.sqrt(2), 2)), 2, float(N), TOLERANCE)
    return chain("ridge-propensity", lambda people: second_arm(people, model.gamma), model)


def faults() -> Iterator[Fault]:
    """Yield both faults."""
    yield Fault(
        name="own-propensity",
        wrong="weights from a logistic model fitted to the same people, and C = 0",
        known_from="common practice",
        shows="one person moves the model, and the model moves every weight",
        broken=lambda: broken("own-propensity", KnownByDesign()),
        healthy=by_design,
    )
    yield Fault(
        name="own-propensity-h-over-n",
        wrong="the same with C = H/n",
        known_from="the paper, Theorem 7, second case",
        shows="the same: H does not vanish with n, and H/n does",
        broken=lambda: broken("own-propensity-h-over-n", Printed(h_over_n())),
        healthy=with_ridge,
    )
