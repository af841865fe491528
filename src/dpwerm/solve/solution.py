"""What the solver returns: a point, and a proof of how near it is to the minimiser."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Solution:
    """An exact point θ with ‖θ − argmin F‖₂ ≤ ``distance_bound`` ≤ the tolerance asked for.

    ``bits`` is the precision that certified it: 53 for doubles, more for ball arithmetic. All
    three are sensitive: they depend on the data and are never part of a release.
    """

    theta: tuple[Fraction, ...]
    distance_bound: float
    bits: int
