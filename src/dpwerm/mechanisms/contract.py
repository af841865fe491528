"""What every mechanism offers, the check of a run, and the table that finds mechanisms by name.

A mechanism is a calibration and a run: what is said before the data, and what is then done. The
calibration is a pure function of public facts and the budget. The run gives whole numbers k_j on
the public grid, θ_j = k_j·2^e, and nothing else of what it computed on the way. Everything else
that depends on the mechanism is its own too: its law in doubles for simulations, its log-density
for the auditor, its half-width, its words, and when it is tried without being asked for.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.composed import Hull, Product
from dpwerm.features.domain import CrossPolytope, Domain, Interval
from dpwerm.objective.losses import taper_of
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import ArmPenalty, Ridge, same_regularizer
from dpwerm.parameters import check_unused, one_of, whole
from dpwerm.privacy.budget import AnyBudget, Budget, GaussianBudget, Relation
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import OWN_ORIGINS, KnownByDesign
from dpwerm.solve.newton import minimise

GRID_BITS = 10  # the grid is 2^e ≤ 2^−10 of the noise scale: rounding adds nothing one could see
LARGEST_DIMENSION = 1_000_000


@dataclass(frozen=True)
class Noise:
    """The public law of a release: θ_j = k_j·2^e, with all that is needed to derive it again.

    mechanism : str, the name of the law
    dimension : int ≥ 1, p
    sensitivity : float > 0, Δ, the tolerance of the solver included
    budget : Budget or GaussianBudget, exact
    scale : float ≥ 0, the scale of the noise, rounded up
    exponent : int, e, of the grid 2^e
    """

    mechanism: str
    dimension: int
    sensitivity: float
    budget: AnyBudget
    scale: float
    exponent: int

    @property
    def exact_sensitivity(self) -> Fraction:
        """Return Δ as a fraction."""
        return Fraction(self.sensitivity)


def checked_dimension(dimension: object) -> int:
    """Return p as an int in [1, 10⁶]."""
    p = whole("dimension", dimension)
    if not 1 <= p <= LARGEST_DIMENSION:
        raise ParameterError(f"dimension must be between 1 and {LARGEST_DIMENSION}")
    return p


def epsilon_delta(name: str, budget: AnyBudget) -> Budget:
    """Return a budget in (ε, δ); every other notion is for mechanism gaussian alone."""
    if isinstance(budget, Budget):
        return budget
    raise ParameterError(f"mechanism {name} needs epsilon; use gaussian for {budget}")


def with_epsilon(budget: AnyBudget) -> bool:
    """Whether a budget is (ε, δ) with a finite ε."""
    return isinstance(budget, Budget) and budget.is_private


def finite_budget(name: str, any_budget: AnyBudget, *, delta: bool) -> Budget:
    """Return a budget with a finite ε, and with δ > 0 if that is needed."""
    budget = epsilon_delta(name, any_budget)
    if not budget.is_private:
        raise ParameterError(f"mechanism {name} needs a finite epsilon; use none for no privacy")
    if delta and budget.delta == 0:
        raise ParameterError(f"mechanism {name} needs delta above 0 and below 1, such as 1e-6")
    return budget


def pure_epsilon(name: str, any_budget: AnyBudget) -> Fraction:
    """Return ε of a budget that a pure mechanism can meet: ε finite, δ = 0."""
    budget = finite_budget(name, any_budget, delta=False)
    if budget.delta != 0:
        raise ParameterError(
            f"mechanism {name} needs delta = 0; use gaussian or objective-gaussian for delta > 0"
        )
    return budget.exact_epsilon


# Called with the name of each stage as it starts; a stage never depends on a data value.
Stage = Callable[[str], None]


def no_progress(done: object) -> None:
    """Ignore the name of a stage, or how much is done."""


@dataclass(frozen=True)
class Inside:
    """The noise b inside the objective: density ∝ exp(−β‖b‖_K), or N(0, σ²I).

    norm : str, such as "l2", "block" or "gaussian"
    kappa : float, κ, the largest ‖x‖_K of an allowed row; ‖x‖₂ for "gaussian"
    epsilon_inside, epsilon_outside : Decimal, exact; what b and the second noise may cost
    jacobian : float, J: log(1 + Wcρ), ρ = r²/γ for ridge, or less; rounded up, for reading
    rate : float or None, β, rounded down
    sigma : float or None, σ, rounded up
    """

    norm: str
    kappa: float
    epsilon_inside: Decimal
    epsilon_outside: Decimal
    jacobian: float
    rate: float | None = None
    sigma: float | None = None

    @property
    def exact_scale(self) -> Fraction:
        """The scale of b: σ, or 1/β; its nearest double serves simulations."""
        return Fraction(self.sigma or 0) if self.rate is None else 1 / Fraction(self.rate)


@dataclass(frozen=True)
class Calibration:
    """All that is public about a release before the data are seen.

    mechanism : str, the name in the registry
    facts : Facts
    budget : Budget or GaussianBudget
    sensitivity : float or None, Δ₂ of the exact minimiser where the claim rests on it
    tolerance : float > 0, τ: how near the ideal point the solver must come
    noise : Noise, the noise added to what the solver returns, and the grid
    inside : Inside or None, the noise inside the objective
    """

    mechanism: str
    facts: Facts
    budget: AnyBudget
    sensitivity: float | None
    tolerance: float
    noise: Noise
    inside: Inside | None = None


class Mechanism(ABC):
    """A theorem one can run: a claim, a calibration that makes it true, the run, and its law.

    A class gives ``name``, ``statement`` (the claim in one sentence), ``proof`` (the page with the
    proof) and ``how`` (what is done, in a report, for people who do not know mechanisms; no full
    stop). ``needs_delta`` says whether δ > 0 is needed, ``needs_epsilon`` whether the claim is in
    (ε, δ) alone and not in ρ-zCDP or μ-GDP, ``private`` whether anything is promised.
    """

    name: ClassVar[str]
    statement: ClassVar[str]
    proof: ClassVar[str]
    how: ClassVar[str]
    private: ClassVar[bool] = True
    needs_delta: ClassVar[bool] = False
    needs_epsilon: ClassVar[bool] = True

    @abstractmethod
    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return the calibration that makes the claim true, or raise if there is none."""

    def claim(self, facts: Facts) -> tuple[str, str]:
        """Return what is claimed of a release with these facts, and the page that proves it."""
        del facts
        return self.statement, self.proof

    def run(
        self,
        objective: Objective,
        calibration: Calibration,
        bits: BitSource,
        on_stage: Stage = no_progress,
    ) -> tuple[int, ...]:
        """Return grid integers k_j; the released θ_j is k_j·2^(calibration.noise.exponent).

        The solver's point, the precision it needed and the noise are local and never returned.
        """
        check_run(self, objective, calibration)
        posed, tolerance, rest = self.pose(objective, calibration, bits, on_stage)
        on_stage("solving")
        solution = minimise(posed, tolerance)
        on_stage("adding noise")
        return self.release(solution.theta, calibration.noise, rest)

    def pose(
        self, objective: Objective, calibration: Calibration, bits: BitSource, on_stage: Stage
    ) -> tuple[Objective, float, BitSource]:
        """Return what is solved, how finely, and the bits that are left: F itself, to τ."""
        del on_stage
        return objective, calibration.tolerance, bits

    @abstractmethod
    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return the grid integers of θ plus noise."""

    @abstractmethod
    def inside_noise(self, calibration: Calibration, draws: Draws) -> FloatArray | None:
        """Return b (…, p) in doubles; None if there is no noise inside the objective."""

    @abstractmethod
    def outside_noise(self, calibration: Calibration, draws: Draws) -> FloatArray:
        """Return the noise (…, p) that is added to what the solver returns, in doubles."""

    @abstractmethod
    def log_density(self, calibration: Calibration, noise: FloatArray) -> FloatArray:
        """Return the log-density of noise (m, p) up to a constant: of b, or of what is added."""

    def order(self, budget: AnyBudget) -> int | None:
        """Return the place among the automatic candidates for a budget, None if it is none."""
        del budget
        return None

    def is_plain(self, budget: AnyBudget) -> bool:
        """Whether this is used for a budget where nobody names one and nothing is simulated."""
        del budget
        return False

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float | None:
        """Return t with P(|Z_j| ≤ t for ``count`` of the j) = coverage; None if no law is public.

        ``scale`` is that of the noise that is added, ``dimension`` is p.
        """
        del scale, dimension, coverage, count
        return None

    def rho_and_mu(self, noise: Noise) -> tuple[float, float] | None:
        """Return the ρ and the μ that the noise has whatever was asked; None if it has none."""
        del noise
        return None

    def check_notion(self, budget: AnyBudget) -> None:
        """Raise if nothing is claimed in the notion of the budget."""
        if self.needs_epsilon:
            epsilon_delta(self.name, budget)


def calibrated(mechanism: Mechanism, facts: Facts, budget: AnyBudget) -> Calibration:
    """Return what ``mechanism.calibrate`` does, computed once where equal facts mean equal noise.

    That is so of the library's own classes: frozen, and equal only if all they consist of is. What
    was plugged in may change, or inherit an equality that leaves its parameters out, so it is
    calibrated at each call.
    """
    known = any(mechanism is one for one in _BUILT_IN) and type(budget) in (Budget, GaussianBudget)
    if known and is_own(facts):
        return _calibrated(mechanism, facts, budget)
    return mechanism.calibrate(facts, budget)


def is_own(facts: Facts) -> bool:
    """Whether facts consist of the library's own classes, none that inherits: equality is exact."""
    own = type(facts) is Facts and type(facts.regularizer) in (Ridge, ArmPenalty)
    return own and type(facts.origin) in OWN_ORIGINS and _is_own_domain(facts.domain)


def _is_own_domain(domain: Domain) -> bool:
    if isinstance(domain, Product | Hull) and type(domain) in (Product, Hull):
        return all(_is_own_domain(part) for part in domain.parts)
    return type(domain) in (Interval, CrossPolytope)


@lru_cache(maxsize=256)
def _calibrated(mechanism: Mechanism, facts: Facts, budget: AnyBudget) -> Calibration:
    return mechanism.calibrate(facts, budget)


def spent(mechanism: Mechanism, budget: AnyBudget) -> AnyBudget:
    """Return what a mechanism spends of a budget: without δ if it needs none."""
    if isinstance(budget, Budget) and not mechanism.needs_delta:
        return Budget(budget.epsilon)
    return budget


def check_run(mechanism: Mechanism, objective: Objective, calibration: Calibration) -> None:
    """Raise unless the calibration is the mechanism's own and is about this objective."""
    if calibration.mechanism != mechanism.name:
        raise ParameterError(
            f"the calibration is for {calibration.mechanism}, not for {mechanism.name}"
        )
    if calibration != calibrated(mechanism, calibration.facts, calibration.budget):
        raise ParameterError("the calibration does not follow from its facts and its budget")
    facts, data, loss = calibration.facts, objective.data, objective.loss
    if facts.n is not None and data.n_rows != facts.n:
        raise ParameterError("n of the calibration is not the number of rows")
    if any(data.map(lambda block: bool(block.weights.max() > facts.weight_bound))):
        raise ParameterError("weights must not exceed weight_bound")
    same = same_regularizer(objective.regularizer, facts.regularizer)
    if not same or objective.gamma != facts.gamma or objective.linear_term is not None:
        raise ParameterError(
            "gamma, regularizer or linear term of the objective are not the calibration's"
        )
    if loss.lipschitz > facts.lipschitz or loss.smoothness > facts.smoothness:
        raise ParameterError("the loss has larger constants than the calibration")
    taper = taper_of(loss)
    if facts.taper is not None and (taper is None or taper > facts.taper):
        raise ParameterError("the loss does not taper as the calibration says")
    bounds, allowed = data.column_bounds, facts.domain.column_bounds
    if bounds.shape != allowed.shape or np.any(bounds > allowed):
        raise ParameterError(
            "column_bounds of the objective are not within the calibration's domain"
        )
    if not all(data.map(lambda block: facts.domain.contains(block.design()))):
        raise ParameterError("X has a row outside the calibration's domain")


_MECHANISMS: dict[str, Mechanism] = {}
_BUILT_IN: list[Mechanism] = []

MECHANISMS: Mapping[str, Mechanism] = MappingProxyType(_MECHANISMS)
"""Every mechanism by its name; ``register_mechanism`` adds to it."""


def built_in(*mechanisms: Mechanism) -> None:
    """Add the library's own, which the tests check."""
    _MECHANISMS.update({one.name: one for one in mechanisms})
    _BUILT_IN.extend(mechanisms)


def get_mechanism(name: object) -> Mechanism:
    """Return the mechanism of that name."""
    return MECHANISMS[one_of("mechanism", name, MECHANISMS)]


def candidates(budget: AnyBudget) -> tuple[str, ...]:
    """Return the mechanisms that the automatic choice tries, the most promising first."""
    places = {name: one.order(budget) for name, one in MECHANISMS.items()}
    found = {name: place for name, place in places.items() if place is not None}
    return tuple(sorted(found, key=found.__getitem__))


def plain_mechanism(budget: AnyBudget) -> str:
    """Return the mechanism where nobody names one and nothing is simulated."""
    return next(name for name, one in MECHANISMS.items() if one.is_plain(budget))


def register_mechanism(mechanism: Mechanism) -> Mechanism:
    """Add a mechanism of one's own; a name is given once, and the contract is checked."""
    check_unused("mechanism", mechanism.name, MECHANISMS)
    check_mechanism(mechanism)
    _MECHANISMS[mechanism.name] = mechanism
    return mechanism


def check_mechanism(mechanism: Mechanism) -> None:
    """Raise ``ParameterError`` naming what a mechanism lacks: words, or a law of its noise."""
    name = mechanism.name
    words = (name, mechanism.statement, mechanism.proof, mechanism.how)
    if not all(words) or len(mechanism.statement) > 1000:
        raise ParameterError(f"mechanism {name} needs a name, a claim, a proof page and its words")
    domain = Product((Interval(0.5), CrossPolytope(3, 1.0)))
    facts = Facts(1.0, 1.0, 0.25, domain, 50.0, Ridge(), Relation.REPLACE_ONE, 9, KnownByDesign())
    budget = Budget.of(1, "1e-6" if mechanism.needs_delta else 0)
    calibration = mechanism.calibrate(facts, budget)
    if calibration.mechanism != name or calibration != mechanism.calibrate(facts, budget):
        raise ParameterError(f"mechanism {name} must calibrate itself, the same each time")
    draws = Draws.of((8,), domain.dimension, np.random.Generator(np.random.PCG64(0)))
    inside = mechanism.inside_noise(calibration, draws)
    outside = mechanism.outside_noise(calibration, draws)
    if (inside is None) != (calibration.inside is None):
        raise ParameterError(f"mechanism {name} has noise inside, or none, in one place only")
    main = outside if inside is None else inside
    found = (outside, main, mechanism.log_density(calibration, main))
    points = (8, domain.dimension)
    if [one.shape for one in found] != [points, points, (8,)]:
        raise ParameterError(f"mechanism {name} must give noise (…, p) and log-densities (m,)")
    if not all(np.isfinite(one).all() for one in found):
        raise ParameterError(f"mechanism {name} must give finite noise and log-densities")
