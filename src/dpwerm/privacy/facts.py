"""The public facts from which the sensitivity follows, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from dpwerm.errors import ParameterError
from dpwerm.parameters import positive
from dpwerm.privacy.relation import Relation

LARGEST_N = 10**12


@runtime_checkable
class WeightOrigin(Protocol):
    r"""Where the weights come from, and what that adds to the sensitivity.

    .. math:: C \ge L r \sup \sum_{i<n} |\tilde w_i - w_i|

    the sum is over the records that are *not* replaced (theory of weights: docs/proofs).
    """

    @property
    def name(self) -> str:
        """The name in the registry."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """The origin's own public numbers, as ``origin_of`` takes them."""

    @property
    def statement(self) -> str:
        """One sentence: what is assumed about the weights."""

    def constant(self, facts: "Facts") -> Fraction:
        """Return C exactly, or raise ParameterError where the claim does not hold."""


@dataclass(frozen=True)
class Facts:
    """Everything the sensitivity depends on; each double stands for exactly its value.

    Parameters
    ----------
    weight_bound : float > 0, W
    lipschitz : float > 0, L, a bound on the loss's derivative
    radius : float > 0, r, a bound on the norm of every encoded row
    gamma : float > 0, γ, on the summed objective
    relation : Relation
    n : int ≥ 1 or None; must be None under add/remove, where it is sensitive
    origin : WeightOrigin
    """

    weight_bound: float
    lipschitz: float
    radius: float
    gamma: float
    relation: Relation
    n: int | None
    origin: WeightOrigin

    def __post_init__(self) -> None:
        for name in ("weight_bound", "lipschitz", "radius", "gamma"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        object.__setattr__(self, "relation", Relation.of(self.relation))
        if not isinstance(self.origin, WeightOrigin):
            raise ParameterError(
                f"origin must be a weight origin, not {type(self.origin).__name__}"
            )
        if self.n is None:
            return
        if isinstance(self.n, bool) or not isinstance(self.n, int):
            raise ParameterError(f"n must be a whole number, not {type(self.n).__name__}")
        if not self.relation.publishes_n:
            raise ParameterError("n must not be given under add_remove, where it is sensitive")
        if not 1 <= self.n <= LARGEST_N:
            raise ParameterError(f"n must be between 1 and {LARGEST_N}, not {self.n}")

    @property
    def gradient_bound(self) -> Fraction:
        """Return W·L·r: no record's term has a larger gradient."""
        return Fraction(self.weight_bound) * Fraction(self.lipschitz) * Fraction(self.radius)
