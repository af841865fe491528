"""What every law of noise shares: the noise record, the contract, and the checks of a release."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.randomness import BitSource

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
    """What is promised: by a law of noise, or by a mechanism."""

    @property
    def name(self) -> str:
        """The name in the table of laws or of mechanisms."""

    @property
    def needs_delta(self) -> bool:
        """Whether δ > 0 is needed."""

    @property
    def statement(self) -> str:
        """The privacy claim in one sentence."""

    @property
    def proof(self) -> str:
        """The page with the proof."""


class NoiseLaw(Claim, Protocol):
    """A law of noise for a given sensitivity: a claim, the noise that makes it true, a release."""

    def calibrate(self, sensitivity: float, dimension: int, budget: AnyBudget) -> Noise:
        """Return the noise that makes the claim true."""

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return grid integers k_j; the released θ_j is k_j·2^(noise.exponent)."""


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
