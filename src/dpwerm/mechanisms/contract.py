"""What every mechanism and every law of noise offers, and the checks of a release.

A mechanism is a calibration and a run: what is said before the data, and what is then done. The
calibration is a pure function of public facts and the budget. The run gives whole numbers k_j on
the public grid, θ_j = k_j·2^e, and nothing else of what it computed on the way. Everything else
that depends on the mechanism is its own too: its law in doubles for simulations, its log-density
for the auditor, its half-width, its words, and when it is tried without being asked for.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Protocol, cast

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.objective.objective import Objective
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sensitivity import Facts

GRID_BITS = 10
"""The grid is 2^e ≤ 2^−10 of the noise scale: rounding adds nothing one could see."""

LARGEST_DIMENSION = 1_000_000


@dataclass(frozen=True)
class Noise:
    """The public law of a release: θ_j = k_j·2^e, with all that is needed to derive it again.

    Parameters
    ----------
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


class Claim(Protocol):
    """What is promised, in which words, and when: by a law of noise, or by a mechanism."""

    @property
    def name(self) -> str:
        """The name in the table of laws or of mechanisms."""

    @property
    def private(self) -> bool:
        """Whether anything is promised."""

    @property
    def needs_delta(self) -> bool:
        """Whether δ > 0 is needed."""

    @property
    def needs_epsilon(self) -> bool:
        """Whether the claim is in (ε, δ) alone, not in ρ-zCDP or μ-GDP."""

    @property
    def statement(self) -> str:
        """The privacy claim in one sentence."""

    @property
    def proof(self) -> str:
        """The page with the proof."""

    @property
    def how(self) -> str:
        """What is done, in a report, for people who do not know mechanisms; no full stop."""

    def order(self, budget: AnyBudget) -> int | None:
        """Return the place among the automatic candidates for a budget, None if it is none."""

    def is_plain(self, budget: AnyBudget) -> bool:
        """Whether this is used for a budget where nobody names one and nothing is simulated."""

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float | None:
        """Return t with P(|Z_j| ≤ t for ``count`` of the j) = coverage; None if no law is public.

        Parameters
        ----------
        scale : float ≥ 0, of the noise that is added
        dimension : int ≥ 1, p
        coverage : float above 0 and below 1
        count : int from 1 to p
        """


class PureClaim:
    """What most claims share: pure ε, private, not tried by itself, no half-width to state."""

    private: ClassVar[bool] = True
    needs_delta: ClassVar[bool] = False
    needs_epsilon: ClassVar[bool] = True

    def order(self, budget: AnyBudget) -> int | None:
        """Return None."""
        del budget
        return None

    def is_plain(self, budget: AnyBudget) -> bool:
        """Return False."""
        del budget
        return False

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float | None:
        """Return None."""
        del scale, dimension, coverage, count
        return None


class NoiseLaw(Claim, Protocol):
    """A law of noise for a given sensitivity: a claim, the noise that makes it true, a release."""

    def calibrate(self, sensitivity: float, dimension: int, budget: AnyBudget) -> Noise:
        """Return the noise that makes the claim true."""

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return grid integers k_j; the released θ_j is k_j·2^(noise.exponent)."""

    def simulated(self, draws: Draws) -> FloatArray:
        """Return noise (…, p) of scale 1 in doubles."""

    def log_density(self, z: FloatArray) -> FloatArray:
        """Return the log-density of noise (m, p) of scale 1, up to a constant, (m,)."""


OUTPUT = (
    "The rule was computed from the rows of the people in it, with each person's weight held below "
    "a public bound, so one person can move the coefficients only so far. Random noise made for "
    "that distance was added before anything left the computer"
)
"""How output perturbation is private, in a report."""


def checked_dimension(dimension: object) -> int:
    """Return p as an int in [1, 10⁶]."""
    if isinstance(dimension, bool) or not isinstance(dimension, int):
        raise ParameterError(f"dimension must be a whole number, not {type(dimension).__name__}")
    if not 1 <= dimension <= LARGEST_DIMENSION:
        raise ParameterError(f"dimension must be between 1 and {LARGEST_DIMENSION}")
    return dimension


def epsilon_delta(name: str, budget: AnyBudget) -> Budget:
    """Return a budget in (ε, δ); every other notion is for mechanism gaussian alone."""
    if isinstance(budget, Budget):
        return budget
    raise ParameterError(f"mechanism {name} needs epsilon; use gaussian for {budget}")


def check_notion(claim: Claim, budget: AnyBudget) -> None:
    """Raise if nothing is claimed in the notion of the budget."""
    if claim.needs_epsilon:
        epsilon_delta(claim.name, budget)


def with_epsilon(budget: AnyBudget) -> bool:
    """Whether a budget is (ε, δ) with a finite ε."""
    return isinstance(budget, Budget) and budget.is_private


def pure_epsilon(name: str, any_budget: AnyBudget) -> Fraction:
    """Return ε of a budget that a pure mechanism can meet: ε finite, δ = 0."""
    budget = epsilon_delta(name, any_budget)
    if not budget.is_private:
        raise ParameterError(f"mechanism {name} needs a finite epsilon; use none for no privacy")
    if budget.delta != 0:
        raise ParameterError(
            f"mechanism {name} needs delta = 0; use gaussian or objective-gaussian for delta > 0"
        )
    return budget.exact_epsilon


def checked_release(law: NoiseLaw, theta: Sequence[Fraction], noise: Noise) -> list[Fraction]:
    """Return θ if ``noise`` is what the law itself derives, so no claim can be edited."""
    if noise.mechanism != law.name:
        raise ParameterError(f"the noise is for {noise.mechanism}, not for {law.name}")
    if noise != law.calibrate(noise.sensitivity, noise.dimension, noise.budget):
        raise ParameterError("the noise does not follow from its sensitivity and its budget")
    if len(theta) != noise.dimension:
        raise ParameterError(f"theta must have {noise.dimension} entries, not {len(theta)}")
    if not all(isinstance(value, Fraction | int) for value in theta):
        raise ParameterError("theta must hold exact fractions")
    return [Fraction(value) for value in theta]


Stage = Callable[[str], None]
"""Called with the name of each stage as it starts; a stage never depends on a data value."""


def no_progress(done: object) -> None:
    """Ignore the name of a stage, or how much is done."""


@dataclass(frozen=True)
class Inside:
    """The noise b inside the objective: density ∝ exp(−β‖b‖_K), or N(0, σ²I).

    Parameters
    ----------
    norm : str, such as "l2", "block" or "gaussian"
    kappa : float, κ, the largest ‖x‖_K of an allowed row; ‖x‖₂ for "gaussian"
    epsilon_inside, epsilon_outside : Decimal, exact; what b and the second noise may cost
    jacobian : float, log(1 + Wcρ), ρ = r²/γ for ridge, rounded up, for reading
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
        """The scale of b: σ, or 1/β."""
        return Fraction(self.sigma or 0) if self.rate is None else 1 / Fraction(self.rate)

    @property
    def scale(self) -> float:
        """The scale of b as a double, for simulations."""
        return (self.sigma or 0.0) if self.rate is None else 1.0 / self.rate


@dataclass(frozen=True)
class Calibration:
    """All that is public about a release before the data are seen.

    Parameters
    ----------
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


class Mechanism(Claim, Protocol):
    """A theorem one can run: a claim, a calibration that makes it true, the run, and its law."""

    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return the calibration that makes the claim true, or raise if there is none."""

    def run(
        self,
        objective: Objective,
        calibration: Calibration,
        bits: BitSource,
        on_stage: Stage = no_progress,
    ) -> tuple[int, ...]:
        """Return grid integers k_j; the released θ_j is k_j·2^(calibration.noise.exponent)."""

    def inside_noise(self, calibration: Calibration, draws: Draws) -> FloatArray | None:
        """Return b (…, p) in doubles; None if there is no noise inside the objective."""

    def outside_noise(self, calibration: Calibration, draws: Draws) -> FloatArray:
        """Return the noise (…, p) that is added to what the solver returns, in doubles."""

    def log_density(self, calibration: Calibration, noise: FloatArray) -> FloatArray:
        """Return the log-density of noise (m, p) up to a constant: of b, or of what is added."""


def calibrated(mechanism: Mechanism, facts: Facts, budget: AnyBudget) -> Calibration:
    """Return what ``mechanism.calibrate`` does: a pure function of public facts, computed once.

    What was plugged in and cannot be hashed is calibrated at each call.
    """
    try:
        hash((mechanism, facts, budget))
    except TypeError:
        return mechanism.calibrate(facts, budget)
    return _calibrated(cast("Hashable", mechanism), facts, budget)


@lru_cache(maxsize=256)
def _calibrated(mechanism: Hashable, facts: Facts, budget: AnyBudget) -> Calibration:
    return cast("Mechanism", mechanism).calibrate(facts, budget)


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
    same = objective.gamma == facts.gamma and objective.regularizer == facts.regularizer
    if not same or objective.tilt is not None:
        raise ParameterError(
            "gamma, regularizer or tilt of the objective are not the calibration's"
        )
    if loss.lipschitz > facts.lipschitz or loss.smoothness > facts.smoothness:
        raise ParameterError("the loss has larger constants than the calibration")
    bounds, allowed = data.column_bounds, facts.domain.column_bounds
    if bounds.shape != allowed.shape or np.any(bounds > allowed):
        raise ParameterError(
            "column_bounds of the objective are not within the calibration's domain"
        )
    if not all(data.map(lambda block: facts.domain.contains(block.design()))):
        raise ParameterError("X has a row outside the calibration's domain")
