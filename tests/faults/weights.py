"""Faults of the weights: they rest on other people of the sample, or on a bound nobody enforces."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.special import expit
from tests.faults import chain

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Pair
from dpwerm.objective.losses import Logistic
from dpwerm.privacy.sensitivity import Facts, WeightOrigin
from dpwerm.privacy.weight_origin import KnownByDesign, RidgeModel
from dpwerm.solve.batch import minimise_batch
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.study.variables import Benefit
from dpwerm.weighting.contract import weight_bound

SHIFT_N, SHIFT_GAMMA, CHANCE = 21, 200.0, 0.5
HAIR = 0.001
"""What the paper adds so that no weight is 0."""

BENEFIT = Benefit.model_validate({"column": "benefit", "bounds": (-1.0, 1.0)})


def shift_pair() -> Pair:
    """Return people whose benefit is 0, and one more with 0 or with the least there is."""
    others = chain.People.alike(SHIFT_N - 1, 1.0, benefit=0.0)
    one, another = chain.People.alike(1, 1.0, benefit=-1.0), chain.People.alike(1, 1.0, benefit=0.0)
    return chain.replaced(
        "the last person has the least benefit of all, or not", others, one, another
    )


def centred_by(name: str, clip: float, centre: Callable[[FloatArray], FloatArray]) -> chain.Chain:
    """Return the chain that centres benefits in that way and claims that they lie within ±clip."""
    bound = weight_bound(clip, CHANCE)

    def prepare(people: chain.People) -> BatchProblems:
        v = centre(np.array(people.benefit))
        return chain.weighed(people, probability=CHANCE, bound=bound, benefit=v)

    facts = chain.facts_of(chain.UNIT, n=SHIFT_N, gamma=SHIFT_GAMMA, weight_bound=bound)
    return chain.spherical(name, shift_pair(), prepare, facts)


def by_minimum() -> chain.Chain:
    """Return the chain that shifts by the sample's minimum."""
    clip = 2 * BENEFIT.clip + HAIR
    return centred_by("benefit-shift", clip, lambda found: found + abs(found.min()) + HAIR)


def by_middle() -> chain.Chain:
    """Return the chain that centres by the middle of the declared bounds."""
    return centred_by("benefit-centred", BENEFIT.clip, BENEFIT.centred)


def _benefit_shift() -> Iterator[chain.Fault]:
    r"""Benefits shifted by their own minimum: B + |min B| + 0.001, with C = 0, as the paper does.

    .. math:: \sum_{i<n} |\tilde w_i - w_i| = (n-1) \, V / P

    One person with the least benefit raises everybody's weight, and C = 0 pays for nobody else's.
    """
    yield chain.Fault(
        name="benefit-shift",
        wrong="benefits are shifted by B + |min B| + 0.001, and C = 0",
        known_from="the paper, synthetic and SJCRH experiments",
        shows="one person's loss raises everybody's weight",
        broken=by_minimum,
        healthy=by_middle,
    )


MODEL_OTHERS, ETA, MODEL_PI_MIN, MODEL_GAMMA = 1000, 0.09, 0.4, 100.0
MODEL_N = MODEL_OTHERS + 1
BLOCKS = chain.UNIT * 2
"""An intercept of 1 and a feature in [−1, 1], for the model and for the rule."""

UNPENALISED = 1e-6
"""The penalty of a model that should have none; it moves no propensity by more than 1e-5."""

MODEL_BOUND = weight_bound(1.0, MODEL_PI_MIN)


@dataclass(frozen=True)
class Printed(WeightOrigin):
    """The paper's C = H/n, taken for a bound."""

    value: Fraction
    name: ClassVar[str] = "printed"
    statement: ClassVar[str] = "C = H/n, as the paper prints it"

    def constant(self, facts: Facts) -> Fraction:
        """Return H/n."""
        del facts
        return self.value


def model_pair() -> Pair:
    """Return people of feature ±η in even arms, and one at 1 who received one arm or the other."""
    others = chain.People.alike(0, ETA)
    for sign in (1.0, -1.0):
        for arm in (1.0, -1.0):
            others = others.plus(
                chain.People.alike(MODEL_OTHERS // 4, sign * ETA, arm, benefit=sign)
            )
    one, another = (chain.People.alike(1, 1.0, arm, benefit=-1.0) for arm in (-1.0, 1.0))
    return chain.replaced("the one person the slope rests on changes arms", others, one, another)


def h_over_n() -> Fraction:
    """Return the paper's H/n for the pair, whose E[x xᵀ] has no eigenvalue below η²·(n−1)/n."""
    odds, eigenvalue = 1 / MODEL_PI_MIN - 1, ETA**2 * MODEL_OTHERS / MODEL_N
    size = float(np.sqrt(2))
    curvature = (1 + odds) ** 2 / (eigenvalue * odds)
    return Fraction(2 * (size * odds) * curvature * size / MODEL_N)


def second_arm(people: chain.People, gamma: float) -> FloatArray:
    """Return P(second arm | x) by a logistic model of the people themselves, cut at π_min."""
    problem = BatchProblems(people.x[None], people.arm[None], np.ones((1, MODEL_N)), 1.0)
    beta = minimise_batch(problem, Logistic(), gamma, tolerance=chain.TOLERANCE).theta[0]
    return np.asarray(np.clip(expit(beta[0] + people.x @ beta[1:]), MODEL_PI_MIN, 1 - MODEL_PI_MIN))


def with_model(
    name: str, second: Callable[[chain.People], FloatArray], origin: WeightOrigin
) -> chain.Chain:
    """Return the chain whose propensities come from ``second`` and whose C from ``origin``."""

    def prepare(people: chain.People) -> BatchProblems:
        likely = second(people)
        received = np.where(people.arm > 0, likely, 1 - likely)
        return chain.weighed(people, probability=received, bound=MODEL_BOUND, intercept=1.0)

    facts = chain.facts_of(
        BLOCKS, n=MODEL_N, gamma=MODEL_GAMMA, weight_bound=MODEL_BOUND, origin=origin
    )
    return chain.spherical(name, model_pair(), prepare, facts)


def of_same_people(name: str, origin: WeightOrigin) -> chain.Chain:
    """Return the chain with an unpenalised model of the same people."""
    return with_model(name, lambda people: second_arm(people, UNPENALISED), origin)


def by_design() -> chain.Chain:
    """Return the chain with the propensities of the design: one half."""
    return with_model("designed-propensity", lambda _: np.full(MODEL_N, 0.5), KnownByDesign())


def with_ridge() -> chain.Chain:
    """Return the chain with a penalty γ_p = n on the model and the C that is proved for it."""
    model = RidgeModel(
        MODEL_PI_MIN, float(np.nextafter(np.sqrt(2), 2)), 2, float(MODEL_N), chain.TOLERANCE
    )
    return with_model("ridge-propensity", lambda people: second_arm(people, model.gamma), model)


def _own_propensity() -> Iterator[chain.Fault]:
    r"""Weights from a model of the same people, with C = 0 or C = H/n, as the paper does.

    .. math:: \sum_{i<n} |\tilde w_i - w_i| \approx V n \eta |\tilde\beta_1 - \beta_1|

    The worst case: everybody but one has a feature of ±η, so the slope β₁ of the model rests on the
    one person at 1, and every weight rests on the slope. Benefits have the sign of the feature, so
    all the weights push the rule the same way. H is what the paper proves the sum to be, C = H/n
    what it prints; with n large enough the n-th part of H is nothing.
    """
    yield chain.Fault(
        name="own-propensity",
        wrong="weights from a logistic model fitted to the same people, and C = 0",
        known_from="common practice",
        shows="one person moves the model, and the model moves every weight",
        broken=lambda: of_same_people("own-propensity", KnownByDesign()),
        healthy=by_design,
    )
    yield chain.Fault(
        name="own-propensity-h-over-n",
        wrong="the same with C = H/n",
        known_from="the paper, Theorem 7, second case",
        shows="the same: H does not vanish with n, and H/n does",
        broken=lambda: of_same_people("own-propensity-h-over-n", Printed(h_over_n())),
        healthy=with_ridge,
    )


HALF, SHARES_PI_MIN, SHARES_GAMMA = 50, 0.45, 20.0
SHARES_N, SHARES_BOUND = 2 * HALF, weight_bound(1.0, SHARES_PI_MIN)


def shares_pair() -> Pair:
    """Return even arms of people who gained, and one who lost, in one arm or the other."""
    others = chain.People.alike(HALF - 1, 1.0, arm=1.0).plus(
        chain.People.alike(HALF, 1.0, arm=-1.0)
    )
    one, another = (chain.People.alike(1, 1.0, arm, benefit=-1.0) for arm in (-1.0, 1.0))
    return chain.replaced("the last person changes arms", others, one, another)


def with_shares(name: str, *, observed: bool) -> chain.Chain:
    """Return the chain with observed or with designed proportions."""

    def prepare(people: chain.People) -> BatchProblems:
        share = float(np.mean(people.arm > 0)) if observed else 0.5
        share = min(max(share, SHARES_PI_MIN), 1 - SHARES_PI_MIN)
        received = np.where(people.arm > 0, share, 1 - share)
        return chain.weighed(people, probability=received, bound=SHARES_BOUND)

    facts = chain.facts_of(chain.UNIT, n=SHARES_N, gamma=SHARES_GAMMA, weight_bound=SHARES_BOUND)
    return chain.spherical(name, shares_pair(), prepare, facts)


def _arm_shares() -> Iterator[chain.Fault]:
    r"""Propensities from the observed arm proportions, claimed to be known by design.

    .. math:: \hat\pi = \#\{y = +1\} / n, \qquad
              w_i = |v_i| / \hat\pi \text{ or } |v_i| / (1 - \hat\pi)

    One person who changes arms raises every weight in the arm they left and lowers all the others.
    """
    yield chain.Fault(
        name="observed-arm-shares",
        wrong="propensities are the observed arm proportions, and C = 0",
        known_from="common practice in trials",
        shows="one person who changes arms moves everybody's weight a little",
        broken=lambda: with_shares("observed-arm-shares", observed=True),
        healthy=lambda: with_shares("designed-arm-shares", observed=False),
    )


LOOSE_GAMMA, LARGE = 20.0, 3.0
"""γ, and a weight in units of the declared bound."""


def cut_at(name: str, bound: float) -> chain.Chain:
    """Return the chain that cuts weights at ``bound`` and claims that it is 1."""
    one, another = (chain.People.alike(1, 1.0, arm, benefit=LARGE) for arm in (1.0, -1.0))
    pair = chain.replaced(
        "a weight of 3, one arm or the other", chain.People.alike(0, 1.0), one, another
    )
    return chain.spherical(
        name,
        pair,
        partial(chain.weighed, bound=bound),
        chain.facts_of(chain.UNIT, n=1, gamma=LOOSE_GAMMA),
    )


def _loose_weights() -> Iterator[chain.Fault]:
    """A declared weight bound W that nobody enforces: weights are as large as they come."""
    yield chain.Fault(
        name="loose-weights",
        wrong="a weight bound is declared and not enforced",
        known_from="inverse propensities near 0",
        shows="one heavy person moves the minimiser further than the noise covers",
        broken=partial(cut_at, "loose-weights", math.inf),
        healthy=partial(cut_at, "clipped-weights", 1.0),
    )


def faults() -> Iterator[chain.Fault]:
    """Yield every fault of this kind."""
    yield from _benefit_shift()
    yield from _own_propensity()
    yield from _arm_shares()
    yield from _loose_weights()
