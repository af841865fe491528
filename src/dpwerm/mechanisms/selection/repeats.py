r"""Private selection over repeated private runs: the best of a random number K of runs.

    P(K = k) = q(1−q)^{k−1},   k = 1, 2, …

If one run, its score included, is ε-differentially private, the best of K runs is
3ε-differentially private, however large K turns out. K is drawn without looking at the data and
stays secret; no run is left out and no run stops early. Proof: docs/proofs/repeated-selection.md.
"""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.selection.scores import checked_budget
from dpwerm.privacy.budget import EPSILON_SMALLEST, Budget
from dpwerm.privacy.randomness import BitSource

COST = 3
"""What the best of K runs costs, in units of one run."""

LARGEST_MEAN = 1_000_000
_RUN_DIGITS = 9
_WORD = 64


def below(probability: Fraction, bits: BitSource) -> bool:
    """Return whether a uniform number lies below a fraction in [0, 1], exactly.

    The uniform is read word by word and compared with the digits of the fraction in base 2^64
    until they differ; it equals the fraction with probability zero.
    """
    rest, whole = probability.numerator, probability.denominator
    while 0 < rest < whole:
        digit, rest = divmod(rest << _WORD, whole)
        word = bits.bits(_WORD)
        if word != digit:
            return word < digit
    return rest == whole


@dataclass(frozen=True)
class GeometricRepeats:
    r"""The number of runs K, and what the best of K runs costs.

    .. math:: P(K = k) = q (1 - q)^{k-1}, \quad q = 1/\text{mean}

    Private because the law of K is public and changes slowly: f'(t) = q/(1 − (1−q)t)², with f the
    generating function of K, moves by at most e^{2ε} between neighbours.

    Parameters
    ----------
    mean : int in [2, 10⁶], the expected number of runs

    References
    ----------
    Liu and Talwar 2019; Papernot and Steinke 2022.
    """

    mean: int

    name: ClassVar[str] = "geometric-repeats"
    statement: ClassVar[str] = (
        "If one run is ε-differentially private and K is drawn from a public geometric law "
        "independently of everything else, the best of K independent runs is 3ε-differentially "
        "private, provided that only the best run and never K is published."
    )
    proof: ClassVar[str] = "docs/proofs/repeated-selection.md"

    def __post_init__(self) -> None:
        if isinstance(self.mean, bool) or not isinstance(self.mean, int):
            raise ParameterError(
                f"the mean number of runs must be a whole number, not {type(self.mean).__name__}"
            )
        if not 2 <= self.mean <= LARGEST_MEAN:
            raise ParameterError(
                f"the mean number of runs must be between 2 and {LARGEST_MEAN}, not {self.mean}"
            )

    @property
    def stop(self) -> Fraction:
        """The probability q that a run is the last one."""
        return Fraction(1, self.mean)

    def draw(self, bits: BitSource) -> int:
        """Return K, which is secret; it reads a substream of its own."""
        stream, runs = bits.substream(), 1
        while not below(self.stop, stream):
            runs += 1
        return runs

    def total(self, one: Budget) -> Budget:
        """Return what the best of K runs costs if each run costs ``one``: 3ε, exactly."""
        if not checked_budget(self.name, one).is_private:
            return one
        with localcontext(Context(prec=200)):
            return Budget(COST * one.epsilon)

    def one_run(self, total: Budget) -> Budget:
        """Return the part of one run: ε/3 rounded down to nine digits, so the total is kept."""
        if not checked_budget(self.name, total).is_private:
            return total
        with localcontext(Context(prec=_RUN_DIGITS, rounding=ROUND_FLOOR)):
            part: Decimal = total.epsilon / COST
        if part < EPSILON_SMALLEST:
            raise ParameterError(
                f"a third of epsilon = {total.epsilon} leaves less than {EPSILON_SMALLEST:f} for "
                "one run: raise epsilon"
            )
        return Budget(part)
