"""A simulated two-arm trial with its truth: the arm that is better for each person."""

from dataclasses import dataclass

from dpwerm.arrays import FloatArray


@dataclass(frozen=True)
class Trial:
    """Rows of a simulated trial.

    features: (n, d) in the columns' own units; treatment: (n,) in {−1, +1}; benefit: (n,), larger
    is better; best: (n,) in {−1, +1}, the arm with the larger expected benefit.
    """

    features: FloatArray
    treatment: FloatArray
    benefit: FloatArray
    best: FloatArray
