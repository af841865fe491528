"""Every registered mechanism as a target: calibrated for given facts, run in batch and for real.

The private propensity model is such a target under the hyperparameters that a fit would choose.

A mechanism is most likely to give itself away on small data sets that differ in one record: few
rows, at the corners of what is allowed, with weights 0 or W. One record is then all there is, or
stands against others that push the coefficients where its gradient is steepest. A row of weight 0
is nobody. Under add/remove the second data set lacks the record.

The attacker knows the calibration, so the log-likelihood ratio of a release under two data sets is
known too. Output perturbation: the density of θ at its minimiser θ̂ is the noise's at θ − θ̂.
Objective perturbation: θ belongs to exactly one b, so

    log p(θ; D) = log ν(b(θ; D)) + log det ∇²F(θ; D),   b(θ; D) = −∇F(θ; D)

up to a constant; the second noise is too small to matter. Everything is vectorised over θ (m, p).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Key, Pair, rng_of
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import NumberBlock
from dpwerm.features.composed import Product
from dpwerm.features.domain import Interval
from dpwerm.features.encoding import Encoding
from dpwerm.fit import settle_private
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration, is_own
from dpwerm.mechanisms.objective_perturbation import ObjectiveBlock
from dpwerm.objective.losses import BUILT_IN, Loss, form_of, taper_of
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import OperatingSystemBits
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign
from dpwerm.releases.certificate import Specification, facts_of
from dpwerm.simulate.engine.released import outside_noise, released
from dpwerm.solve.batch import minimise_path
from dpwerm.solve.batch_problems import BatchProblems

MOVES = 12
"""Pairs that are tried near a good one."""


@dataclass(frozen=True)
class Person:
    """A record as weight times label, in [−W, W], and a row within the domain."""

    weight: float
    row: FloatArray


def data_of(people: Sequence[Person], facts: Facts) -> MemoryRows:
    """Return a data set; an intercept is a column like any other here."""
    weights = np.array([person.weight for person in people])
    rows = np.array([person.row for person in people]).reshape(len(people), facts.dimension)
    labels = np.where(weights < 0, -1.0, 1.0)
    return MemoryRows(rows, labels, np.abs(weights), 0.0, facts.domain.column_bounds)


def pair_of(name: str, one: Person, other: Person, crowd: Sequence[Person], facts: Facts) -> Pair:
    """Return a pair that differs in one person; under add/remove ``other`` is left out."""
    size = facts.n or len(crowd) + 1
    nobody = Person(0.0, np.zeros(facts.dimension))
    rest = [*crowd, *[nobody] * (size - 1 - len(crowd))][: size - 1]
    if facts.relation is Relation.ADD_REMOVE:
        return Pair(name, data_of([one, *rest], facts), data_of(rest, facts))
    return Pair(name, data_of([one, *rest], facts), data_of([other, *rest], facts))


def _people(data: MemoryRows) -> list[Person]:
    weights = data.weights * data.targets
    return [Person(float(w), row) for w, row in zip(weights, data.X, strict=True)]


def _shaken(person: Person, facts: Facts, rng: np.random.Generator) -> Person:
    """Return the person, or one a little different inside the bounds."""
    if rng.random() < 0.5:
        return person
    size = rng.choice([0.1, 0.3, 1.0])
    whole, bounds = facts.weight_bound, facts.domain.column_bounds
    row = person.row + size * rng.normal(size=len(bounds)) * bounds
    weight = float(np.clip(person.weight + size * whole * rng.normal(), -whole, whole))
    return Person(weight, facts.domain.pulled(row))


# -- the log-likelihood ratio of a release ----------------------------------------------------

_AT_ONCE = 1 << 14
"""Outputs whose Hessians are kept at once."""


def stacked(data: MemoryRows) -> BatchProblems:
    """Return one data set as the batch solver takes it."""
    return BatchProblems(data.X[None], data.targets[None], data.weights[None], data.intercept_scale)


def minimiser(data: MemoryRows, loss: Loss, facts: Facts, tolerance: float) -> FloatArray:
    """Return θ̂ (p,). A pair is looked at many times; its data are made up, so they may be kept.

    They are if loss and facts are the library's own; others may be equal and not the same.
    """
    if type(loss) in BUILT_IN and is_own(facts):
        return _kept(data, cast("Hashable", loss), facts, tolerance)
    return _minimiser(data, loss, facts, tolerance)


def _minimiser(data: MemoryRows, loss: Loss, facts: Facts, tolerance: float) -> FloatArray:
    found = minimise_path(
        stacked(data), loss, [facts.gamma], tolerance=tolerance, regularizer=facts.regularizer
    )
    return np.asarray(found.theta[0, 0])


_kept = lru_cache(maxsize=64)(_minimiser)


def log_density(
    outputs: FloatArray, data: MemoryRows, loss: Loss, calibration: Calibration
) -> FloatArray:
    """Return log p(θ; D) up to a constant that no data set changes, (m,)."""
    if calibration.inside is None:
        noise = outputs - minimiser(data, loss, calibration.facts, calibration.tolerance)
        return get_mechanism(calibration.mechanism).log_density(calibration, noise)
    parts = range(0, len(outputs), _AT_ONCE)
    found = [_inside(outputs[at : at + _AT_ONCE], data, loss, calibration) for at in parts]
    return np.concatenate(found) if found else np.zeros(0)


def _inside(
    theta: FloatArray, data: MemoryRows, loss: Loss, calibration: Calibration
) -> FloatArray:
    """Return log ν(b(θ)) + log det ∇²F(θ)."""
    facts, rows, targets = calibration.facts, data.design(), data.targets
    matrix = facts.regularizer.matrix(facts.dimension)
    if matrix is None:
        raise ParameterError(f"regularizer {facts.regularizer.name} is not quadratic")
    if form_of(loss) == "residual":
        z = theta @ rows.T - targets
    else:
        rows = rows * targets[:, None]
        z = theta @ rows.T
    slopes, bends = data.weights * loss.derivative(z), data.weights * loss.second_derivative(z)
    b = -(slopes @ rows + facts.gamma * (theta @ matrix))
    law = get_mechanism(calibration.mechanism).log_density(calibration, b)
    # det(γM + RᵀDR) is det(I + R'ᵀDR'/γ) up to a factor, with R' = RL⁻ᵀ and M = LLᵀ.
    whitened = np.linalg.solve(np.linalg.cholesky(matrix), rows.T).T
    return np.asarray(law + _log_determinant(bends / facts.gamma, whitened))


def _log_determinant(bends: FloatArray, rows: FloatArray) -> FloatArray:
    """Return log det(I + RᵀDR) for each D = diag(bends), (m,); bends: (m, n), rows: (n, p)."""
    n, p = rows.shape
    if n < p:  # det(I + RᵀDR) = det(I + D^½RRᵀD^½), as small as the number of rows
        roots = np.sqrt(bends)
        hessians = roots[:, :, None] * roots[:, None, :] * (rows @ rows.T)
    else:
        products = (rows[:, :, None] * rows[:, None, :]).reshape(n, p * p)
        hessians = (bends @ products).reshape(-1, p, p)
    return np.asarray(np.linalg.slogdet(np.eye(min(n, p)) + hessians)[1])


# -- the targets ---------------------------------------------------------------------------

AT_ONCE = 1 << 15
"""Releases made at once."""

NEAR_ENOUGH = 1e-7
"""How near the minimiser in batch, as a share of what one record can do; far below all noise."""
FLOOR = 0.1
"""π_min of the models that are audited."""

WIDTH, DESIGN_ROWS = 0.5, 3
"""T and the rows of estimators of their own design."""


@dataclass(frozen=True)
class MechanismTarget:
    r"""One mechanism under given public facts.

    .. math:: \theta = \hat\theta(D) + Z \quad\text{or}\quad \operatorname{argmin} F(\theta; D)
              + b^\top\theta

    mechanism : str, its name in the registry
    loss : Loss, with the constants of the facts
    claim : Budget, ε finite; δ > 0 for a Gaussian mechanism
    label : str, its name in a report; the mechanism's if left out
    """

    mechanism: str
    facts: Facts
    loss: Loss
    claim: Budget
    label: str = ""

    @property
    def name(self) -> str:
        """What is audited."""
        return self.label or self.mechanism

    @property
    def dimension(self) -> int:
        """The number p of coefficients."""
        return self.facts.dimension

    @cached_property
    def calibration(self) -> Calibration:
        """The calibration that makes the claim true."""
        return get_mechanism(self.mechanism).calibrate(self.facts, self.claim)

    def pairs(self) -> Sequence[Pair]:
        """Return corner rows, alone and among others."""
        facts = self.facts
        whole, corner = facts.weight_bound, facts.domain.longest
        others = max(0, (facts.n or 3) - 1)
        one, other = Person(whole, corner), Person(-whole, corner)
        found = [
            pair_of("a person alone, and with the other label", one, other, [], facts),
            pair_of("a person alone, and nobody", one, Person(0.0, corner), [], facts),
            pair_of("with others alike", one, other, [one] * others, facts),
            pair_of("against others", one, other, [other] * others, facts),
        ]
        for share in (0.25, 0.5, 1.0) if facts.dimension > 1 else ():
            up, down = corner.copy(), -corner
            up[-1] = down[-1] = -share * corner[-1]
            push = np.zeros_like(corner)
            push[-1] = corner[-1]
            crowd = [Person(whole, push)] * others
            name = f"two people who both disagree with the others by {share:g}"
            found.append(pair_of(name, Person(whole, up), Person(whole, down), crowd, facts))
        return found

    def near(self, pair: Pair, key: Key) -> Sequence[Pair]:
        """Return neighbours near a pair: records and crowd move, each with a chance of ½."""
        facts, rng = self.facts, rng_of(*key)
        (first, *rest), second = _people(pair.first), _people(pair.second)
        replaced = facts.relation is not Relation.ADD_REMOVE
        name = pair.name.removesuffix(", moved")
        found = []
        for _ in range(MOVES):
            one = _shaken(first, facts, rng)
            other = _shaken(second[0], facts, rng) if replaced else one
            crowd = [_shaken(person, facts, rng) for person in rest]
            found.append(pair_of(f"{name}, moved", one, other, crowd, facts))
        return found

    def outputs(self, data: MemoryRows, runs: int, key: Key) -> FloatArray:
        """Return simulated releases on the public grid."""
        rng, calibration, problems = rng_of(*key), self.calibration, stacked(data)
        tolerance = NEAR_ENOUGH * (float(self.facts.gradient_bound) / self.facts.gamma)
        grid = 2.0**calibration.noise.exponent
        found = np.empty((runs, self.dimension))
        for start in range(0, runs, AT_ONCE):
            part = found[start : start + AT_ONCE]
            draws = Draws.of((1, len(part)), self.dimension, rng)
            (theta,) = released(problems, self.loss, [calibration], draws, tolerance=tolerance)
            if calibration.inside is not None:
                again = Draws.of((1, len(part)), self.dimension, rng)
                theta = theta + outside_noise(calibration, again)
            part[:] = np.round(theta[0] / grid) * grid
        return found

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return the log-likelihood ratio of the two data sets."""
        one, other = (log_density(outputs, data, self.loss, self.calibration) for data in pair.both)
        return one - other

    def exact(self, data: MemoryRows, runs: int) -> FloatArray:
        """Return real releases, with the operating system's bits."""
        mechanism, calibration = get_mechanism(self.mechanism), self.calibration
        objective = Objective(data, self.loss, self.facts.gamma, self.facts.regularizer)
        bits = OperatingSystemBits()
        found = [mechanism.run(objective, calibration, bits) for _ in range(runs)]
        whole = np.array(found, dtype=np.float64).reshape(runs, self.dimension)
        return whole * 2.0**calibration.noise.exponent


def plain_facts(
    dimension: int,
    loss: Loss,
    *,
    gamma: float,
    rows: int = 3,
    relation: Relation = Relation.REPLACE_ONE,
    weight_bound: float = 1.0,
) -> Facts:
    """Return facts of ``dimension`` numbers in [−1, 1]; γ is in units of W·r²."""
    return Facts(
        weight_bound=weight_bound,
        lipschitz=loss.lipschitz,
        smoothness=loss.smoothness,
        domain=Product((Interval(1.0),) * dimension),
        gamma=gamma * weight_bound * dimension,
        regularizer=Ridge(),
        relation=relation,
        n=rows if relation.publishes_n else None,
        origin=KnownByDesign(),
        taper=taper_of(loss),
    )


def design_target(name: str, features: int, budget: Budget, gamma: float) -> MechanismTarget:
    """Return the release of an estimator of its own design, in the norm of its rows.

    name : of a weighting; features : int ≥ 1, numbers beside the intercept; γ in units of r²
    """
    encoding = _numbers(features)
    usual = Specification(budget, 1.0, 1.0)
    spec = Hyperparameters(estimator=name, width=WIDTH).designed(usual, encoding)
    square = spec.weighting.domain(encoding).radius ** 2
    facts = facts_of(spec.changed(gamma=gamma * square), encoding, DESIGN_ROWS)
    return MechanismTarget(ObjectiveBlock.name, facts, spec.loss, budget, label=name)


def _numbers(features: int) -> Encoding:
    names = [f"x{j + 1}" for j in range(features)]
    blocks = [NumberBlock(name=n, column=n, lower=-1.0, upper=1.0, default=0.0) for n in names]
    return Encoding(blocks=tuple(blocks))


def propensity_target(features: int, people: int, budget: Budget) -> MechanismTarget:
    """Return the release of a private propensity model, as a fit would choose it.

    features : int ≥ 1, numbers with bounds, beside the intercept; budget : δ = 0
    """
    encoding = _numbers(features)
    relation = Relation.REPLACE_ONE
    model = settle_private(encoding, budget=budget, people=people, relation=relation, floor=FLOOR)
    facts = facts_of(model.spec, model.encoding, people)
    return MechanismTarget(model.spec.mechanism, facts, model.spec.loss, budget, "propensity-model")
